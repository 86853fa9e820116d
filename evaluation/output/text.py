"""The tables of an evaluation in their order, and the same as text: for every metric.

Systems stand in rows where only everything is scored. Groups stand in rows where there are some:
with systems in columns if there is one measure, else in a table for each system.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from crosspro.evaluation.core.evaluation import Evaluation, GroupScores, SystemResult
from crosspro.evaluation.core.metric import TOTAL
from crosspro.evaluation.core.score import Scale, Score, interval_note
from crosspro.evaluation.core.statistics import Difference
from crosspro.evaluation.core.tables import Cell, Count, Matrix, RankedScore, Table
from crosspro.evaluation.output.tables import PLAIN, Row, Style

MATRIX = "matrix"
"""The option that shows matrices."""


def text_report(
    evaluation: Evaluation, style: Style = PLAIN, shown: Collection[str] = (MATRIX,)
) -> str:
    """The report; `shown` are the optional tables that are asked for."""
    metric = evaluation.metric
    before, after = report_tables(evaluation, "text", shown)
    tables = [*before, *after]
    if MATRIX in shown and metric.printed_matrices:
        tables += map(_matrix, evaluation.names, metric.matrices(evaluation.scored))
    heading = metric.heading(evaluation.scored)
    return tables_text(heading, tables, metric.scale, evaluation.signatures, style)


def tables_text(
    title: str, tables: Iterable[Table], scale: Scale, signatures: Iterable[str], style: Style
) -> str:
    """Tables under a title, and how they were computed if the style wants it."""
    shown = (part for table in tables for part in _table(table, scale, style))
    return "\n".join([style.title(title), *shown, *style.signed(signatures)])


def _table(table: Table, scale: Scale, style: Style) -> Iterator[str]:
    if table.title:
        yield style.title(table.title)
    rows = [[cell_text(cell, scale) for cell in row] for row in table.rows]
    text = style.table(table.heading, rows, table.left) if table.heading else ""
    notes = "".join(f"{note}\n" for note in table.notes)
    between = style.after if text and notes else ""
    yield f"{text}{between}{notes}"


def cell_text(cell: Cell, scale: Scale) -> str:
    """What stands in a cell."""
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


# Tables, the same for a terminal, Markdown and a page ---------------------------------------------


def report_tables(
    evaluation: Evaluation, kind: str, shown: Collection[str] = ()
) -> tuple[list[Table], list[Table]]:
    """The tables for a `kind` of output, text or page: before the matrices and charts, and after.

    `shown` are the optional ones that are asked for.
    """
    tables = [
        table
        for table in evaluation.metric.tables(evaluation)
        if table.only in ("", kind) and (not table.option or table.option in shown)
    ]
    first, middle, last = (
        [table for table in tables if table.place == place]
        for place in ("scores", "middle", "last")
    )
    before = [*(first or score_tables(evaluation)), *middle]
    return before, [*difference_tables(evaluation), *last]


def score_tables(evaluation: Evaluation) -> list[Table]:
    """The scores of all systems, and of their groups."""
    metric = evaluation.metric
    groups = [shown_groups(evaluation, system) for system in evaluation.systems]
    measures = list(metric.measures)
    notes = score_notes(evaluation)
    if all(len(shown) == 1 for shown in groups):
        rows: list[list[Cell]] = [
            [system.name, *(system.scores[measure] for measure in measures)]
            for system in evaluation.systems
        ]
        heading = (metric.system, *metric.measures.values())
        return [Table(heading, rows, notes=notes)]
    if len(measures) == 1:
        return [systems_table(evaluation, notes)]
    tables = [
        group_table(evaluation, shown, system.name)
        for shown, system in zip(groups, evaluation.systems, strict=True)
    ]
    return [*tables[:-1], _with_notes(tables[-1], notes)]


def systems_table(evaluation: Evaluation, notes: tuple[str, ...]) -> Table:
    """Groups in rows, systems in columns, with the headline of the metric."""
    metric = evaluation.metric
    groups = [shown_groups(evaluation, system) for system in evaluation.systems]
    rows = []
    for number, group in enumerate(groups[0]):
        cells: list[Cell] = [group_title(evaluation, group)]
        cells += [f"{group.counts[key]:,}" for key in metric.shown_counts]
        rows.append([*cells, *(shown[number].scores[metric.headline] for shown in groups)])
    title = metric.measures[metric.headline]
    heading = (title, *metric.shown_counts.values(), *evaluation.names)
    return Table(heading, rows, notes=notes)


def _with_notes(table: Table, notes: tuple[str, ...]) -> Table:
    return Table(table.heading, table.rows, table.title, notes=notes)


def shown_groups(evaluation: Evaluation, system: SystemResult) -> list[GroupScores]:
    """The groups of a system that are among the usual scores."""
    hidden = evaluation.metric.hidden_breakdowns
    return [group for group in system.groups if group.breakdown not in hidden]


def group_table(
    evaluation: Evaluation,
    groups: Collection[GroupScores],
    title: str,
    what: str = "",
    option: str = "",
) -> Table:
    """Groups in rows; counts, fractions and measures in columns."""
    metric = evaluation.metric
    heading = [what or metric.grouped, *metric.shown_counts.values()]
    for measure, named in metric.measures.items():
        heading += ["", named] if measure in metric.fractions else [named]
    rows = []
    for group in groups:
        cells: list[Cell] = [group_title(evaluation, group)]
        cells += [f"{group.counts[key]:,}" for key in metric.shown_counts]
        for measure in metric.measures:
            if measure in metric.fractions:
                part, whole = metric.fractions[measure]
                cells.append(f"{group.counts[part]}/{group.counts[whole]}")
            cells.append(group.scores[measure])
        rows.append(cells)
    return Table(heading, rows, title, option=option)


def group_title(evaluation: Evaluation, group: GroupScores) -> str:
    """What the row of a group is called; a breakdown that is the heading is not said again."""
    metric = evaluation.metric
    if not group.breakdown and group.group == TOTAL:
        return metric.total_title
    breakdown = "" if group.breakdown == metric.grouped else group.breakdown
    return f"{breakdown} {group.group}".strip()


def score_notes(evaluation: Evaluation) -> tuple[str, ...]:
    """What the brackets of scores are, and what the metric says of them."""
    scores = (
        score
        for system in evaluation.systems
        for group in shown_groups(evaluation, system)
        for measure, score in group.scores.items()
        if measure in evaluation.metric.measures
    )
    return (*filter(None, [interval_note(scores)]), *evaluation.metric.notes(evaluation.scored))


def difference_tables(evaluation: Evaluation) -> list[Table]:
    """Paired differences, if there are any."""
    if not evaluation.comparisons:
        return []
    metric = evaluation.metric
    heading, rows, left = differences_table(
        evaluation.comparisons,
        metric.scale,
        title=lambda measure: metric.measures.get(measure, measure),
    )
    return [Table(heading, rows, "Paired differences", left, (NOT_CORRECTED,))]


# Paired differences -------------------------------------------------------------------------------

NOT_CORRECTED = "p values are two-sided and not corrected for the number of comparisons."


def differences_table(
    differences: Sequence[Difference],
    scale: Scale,
    title: Callable[[str], str] = str,
) -> tuple[Row, list[Row], int]:
    """The heading, the rows, and how many columns are flush left.

    The metric has a column if there are several; `title` is how it is written.
    """
    several = len({difference.metric for difference in differences}) > 1
    rows: list[Row] = []
    for test in differences:
        change, low, high = (
            scale.number(value, "+") for value in (test.difference, test.low, test.high)
        )
        rows.append(
            (
                f"{test.first} - {test.second}",
                *([title(test.metric)] if several else []),
                f"{change} [{low}, {high}]",
                f"{test.p_randomisation:.4f}",
                f"{test.p_bootstrap:.4f}",
            )
        )
    between = ["metric"] if several else []
    heading = ("pair", *between, "difference", "p (randomisation)", "p (bootstrap)")
    return heading, rows, 1 + len(between)


def difference_record(difference: Difference) -> dict[str, Any]:
    """A difference for JSON, without its metric."""
    return {name: value for name, value in difference._asdict().items() if name != "metric"}
