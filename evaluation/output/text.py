"""An evaluation as text, for a terminal or as Markdown: the same for every metric."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.core.tables import Cell, Count, Matrix, RankedScore, Table
from crosspro.evaluation.output.sections import report_tables
from crosspro.evaluation.output.style import PLAIN, Style

MATRIX = "matrix"
"""The option that shows matrices."""


def text_report(
    evaluation: Evaluation, style: Style = PLAIN, shown: Collection[str] = (MATRIX,)
) -> str:
    """The report; `shown` are the optional tables that are asked for."""
    metric = evaluation.metric
    before, after = report_tables(evaluation, "text", shown)
    parts = [style.title(metric.heading(evaluation.scored))]
    for table in (*before, *after):
        parts += _table(table, metric.scale, style)
    if MATRIX in shown and metric.printed_matrices:
        matrices = metric.matrices(evaluation.scored)
        for name, matrix in zip(evaluation.names, matrices, strict=True):
            parts += _table(_matrix(name, matrix), metric.scale, style)
    return "\n".join([*parts, *style.signed(evaluation.signatures)])


def _table(table: Table, scale: Scale, style: Style) -> Iterator[str]:
    if table.title:
        yield style.title(table.title)
    rows = [[_shown(cell, scale) for cell in row] for row in table.rows]
    text = style.table(table.heading, rows, table.left) if table.heading else ""
    notes = "".join(f"{note}\n" for note in table.notes)
    between = style.after if text and notes else ""
    yield f"{text}{between}{notes}"


def _shown(cell: Cell, scale: Scale) -> str:
    if isinstance(cell, Score):
        return cell.shown(scale)
    if isinstance(cell, RankedScore):
        rank = f"({cell.rank})" if cell.rank else ""
        return f"{cell.score.shown(scale)} {rank:4}".rstrip()
    return str(cell.number) if isinstance(cell, Count) else cell


def _matrix(name: str, matrix: Matrix) -> Table:
    """A matrix without the labels that do not occur."""
    totals = matrix.counts.sum(axis=0) + matrix.counts.sum(axis=1)
    there = [number for number, total in enumerate(totals.tolist()) if total]
    labels = [matrix.labels[number] for number in there]
    rows = []
    for number, label in zip(there, labels, strict=True):
        row = matrix.counts[number, there]
        rows.append((label, *(str(n) if n else "·" for n in row.tolist()), str(row.sum())))
    sums = matrix.counts[:, there].sum(axis=0)
    rows.append(("sum", *map(str, sums.tolist()), str(matrix.counts.sum())))
    title = f"{name}: reference in rows, candidate in columns"
    return Table(("", *labels, "sum"), rows, title)
