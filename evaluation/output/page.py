"""The HTML page of an evaluation: its tables, and the examples behind their numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import NamedTuple

import numpy as np

from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.core.tables import (
    NO_WORDS,
    Cell,
    Count,
    Figure,
    Matrix,
    RankedScore,
    Table,
)
from crosspro.evaluation.output import MOST_EXAMPLES
from crosspro.evaluation.output.examples import spread_over
from crosspro.evaluation.output.tables import Row
from crosspro.evaluation.output.templates import TEMPLATES, render_page
from crosspro.evaluation.output.text import report_tables


class Bar(NamedTuple):
    """The place of a score on its scale, and of its interval if there is one, in per cent."""

    value: float
    left: float | None = None
    width: float | None = None


@dataclass(frozen=True)
class PageCell:
    """A cell of a table on a page.

    Where there are `filters`, the text is a number, which shows its examples when it is pressed.
    `note` stands small beside the text, `sign` above the line; `kind` is its class in CSS.
    """

    text: str
    filters: Mapping[str, object] = field(default_factory=dict)
    bar: Bar | None = None
    note: str = ""
    sign: str = ""
    kind: str = ""


class PageTable(NamedTuple):
    """A table of cells, of whose columns the first `left` are flush left."""

    heading: Row
    rows: Sequence[Sequence[PageCell]]
    left: int = 1


@dataclass(frozen=True)
class Section:
    """A part of a page with a table, a note or both; a `folded` table opens on a click."""

    title: str
    table: PageTable | None = None
    note: str = ""
    kind: str = ""
    folded: bool = False


def evaluation_page(evaluation: Evaluation, max_examples: int = MOST_EXAMPLES) -> str:
    """The page of an evaluation, with at most so many examples where the metric has any."""
    metric, scored = evaluation.metric, evaluation.scored
    before, after = report_tables(evaluation, "page")
    sections = [table_section(table, metric.scale) for table in before]
    figure = metric.figure(scored)
    if figure is not None:
        sections.append(_figure_section(figure))
    sections += [table_section(table, metric.scale) for table in after]
    matrices = metric.matrices(scored)
    if matrices:
        sections += matrix_sections(evaluation.names, matrices, *metric.matrix_titles)
    examples = None
    if metric.verdict_kinds:
        examples = metric.examples(scored, shown_numbers(evaluation, max_examples))
    cut_note = ""
    if examples is not None and len(examples) < examples.total:
        order = (
            "wrong ones before right ones" if metric.wrong_first else "evenly spread over the text"
        )
        cut_note = (
            f"Only {len(examples):,} of {examples.total:,} {examples.terms.shown} are here, "
            f"{order}, so numbers below are smaller than those above."
        )
    return render_page(
        TEMPLATES / "evaluation.html",
        title=metric.title,
        subtitle=metric.heading(scored),
        warnings=evaluation.warnings,
        sections=sections,
        examples=examples,
        cut_note=cut_note,
        examples_note=metric.examples_note,
        signatures=list(dict.fromkeys(evaluation.signatures)),
    )


def shown_numbers(evaluation: Evaluation, limit: int) -> list[int]:
    """The items that a page has room for, evenly spread; wrong ones first if the metric wants."""
    metric, scored = evaluation.metric, evaluation.scored
    if not metric.wrong_first:
        return list(spread_over(scored.size, limit))
    wrong = np.zeros(scored.size, dtype=bool)
    for place in range(len(scored.systems)):
        kinds = np.array([kind != "right" for _, kind in metric.verdict_kinds])
        wrong |= kinds[np.asarray(metric.verdicts(scored, place), dtype=np.int64)]
    chosen: list[int] = []
    for numbers in (np.flatnonzero(wrong), np.flatnonzero(~wrong)):
        chosen += numbers[spread_over(len(numbers), limit - len(chosen))].tolist()
    return sorted(chosen)


def differing_numbers(evaluation: Evaluation, limit: int) -> tuple[Sequence[int], int]:
    """Some items on which systems have different verdicts, evenly spread, and how many there are.

    Empty for metrics without verdicts.
    """
    metric, scored = evaluation.metric, evaluation.scored
    if not metric.verdict_kinds:
        return (), 0
    verdicts = np.array([metric.verdicts(scored, place) for place in range(len(scored.systems))])
    differing = np.flatnonzero((verdicts != verdicts[:1]).any(axis=0))
    return differing[list(spread_over(len(differing), limit))].tolist(), len(differing)


# Tables -------------------------------------------------------------------------------------------


def table_section(table: Table, scale: Scale, title: str = "Scores") -> Section:
    """A table as a section: scores with bars, counts that show their examples."""
    rows = [[_page_cell(cell, scale) for cell in row] for row in table.rows]
    shown = PageTable(table.heading, rows, table.left) if table.heading else None
    return Section(table.title or title, shown, " ".join(table.notes))


def plain_table(heading: Row, rows: Sequence[Row], left: int = 1) -> PageTable:
    """A table of text."""
    return PageTable(heading, [[PageCell(text) for text in row] for row in rows], left)


def _page_cell(cell: Cell, scale: Scale) -> PageCell:
    if isinstance(cell, RankedScore):
        rank = f" ({cell.rank})" if cell.rank else ""
        return PageCell(f"{cell.score.shown(scale)}{rank}", bar=score_bar(cell.score, scale))
    if isinstance(cell, Score):
        return PageCell(cell.shown(scale), bar=score_bar(cell, scale))
    if isinstance(cell, Count):
        share = "" if cell.share is None else f"{100 * cell.share:.1f}%"
        return PageCell(f"{cell.number:,}", cell.filters, note=share)
    return PageCell(cell)


def _figure_section(figure: Figure) -> Section:
    """The numbers of a figure as a table; `--plot` draws them."""
    series = [(chart, name) for chart in figure.charts for name in chart.counts]
    rows = [
        [
            PageCell(title),
            *(
                PageCell(f"{chart.counts[name][row]:,}", note=f"{chart.shares(name)[row]:.1f}%")
                for chart, name in series
            ),
        ]
        for row, title in enumerate(figure.charts[0].rows)
    ]
    heading = ["", *(f"{chart.title}: {name}" for chart, name in series)]
    return Section(figure.title, PageTable(heading, rows), figure.note)


def score_bar(score: Score, scale: Scale) -> Bar | None:
    """The bar under a score; none if the score is not defined."""
    if isnan(score.value):
        return None
    if score.low is None or score.high is None:
        return Bar(scale.percent(score.value))
    left, right = scale.percent(score.low), scale.percent(score.high)
    return Bar(scale.percent(score.value), left, right - left)


def matrix_sections(
    names: Sequence[str],
    matrices: Sequence[Matrix],
    title: str = "Matrix",
    sides: tuple[str, str] = ("Reference", "candidate"),
    never_right: Collection[str] = NO_WORDS,
) -> Iterator[Section]:
    """A matrix for each candidate.

    Equal labels are a hit, unless they are among those that say nothing of a word.
    """
    note = f"{sides[0]} in rows, {sides[1]} in columns. Press a number to see its examples."
    for number, (name, matrix) in enumerate(zip(names, matrices, strict=True)):
        yield Section(f"{title}: {name}", _matrix_table(number, matrix, never_right), note)


def _matrix_table(candidate: int, matrix: Matrix, never_right: Collection[str]) -> PageTable:
    """The matrix of a candidate without the rows and columns that have nothing in them."""
    columns = np.flatnonzero(matrix.counts.sum(axis=0)).tolist()
    rows = []
    for row in np.flatnonzero(matrix.counts.sum(axis=1)).tolist():
        label = matrix.labels[row]
        cells = [PageCell(label)]
        for column in columns:
            filters = {"candidate": candidate, "reference": label, "word": matrix.labels[column]}
            kind = "hit" if row == column and label not in never_right else ""
            cells.append(PageCell(f"{matrix.counts[row, column]:,}", filters, kind=kind))
        rows.append([*cells, PageCell(f"{matrix.counts[row].sum():,}")])
    sums = [*matrix.counts[:, columns].sum(axis=0).tolist(), matrix.counts.sum()]
    rows.append([PageCell("sum"), *(PageCell(f"{count:,}") for count in sums)])
    return PageTable(["", *(matrix.labels[column] for column in columns), "sum"], rows)
