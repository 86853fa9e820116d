"""Tables as plain data, and the tables of an evaluation as text and Markdown.

A metric says what is in its tables; how they look is decided here for a terminal and in `page.py`
for a page. rich knows the widths of Chinese characters.
Names come from files, so their control characters are shown as escapes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from crosspro.data_prep.core.errors import printable
from crosspro.evaluation.evaluation import Evaluation, GroupScores, Score
from crosspro.evaluation.resampling import Difference

DIFFERENCES = "Paired differences"
_GAP = "  "


@dataclass(frozen=True)
class Cell:
    """A cell of a table, with a note beside its text.

    On a page a score has a bar, and a number with filters shows its examples when it is pressed:
    `candidate`, `verdict`, `group` (their numbers), `reference`, `word` (texts).
    """

    text: str
    score: Score | None = None
    filters: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    kind: Literal["", "hit"] = ""

    def __str__(self) -> str:
        return f"{self.text} {self.note}".rstrip()


Row = Sequence[Cell | str]


@dataclass(frozen=True)
class Table:
    """A heading and rows, of whose columns the first `left` are flush left, and notes below."""

    heading: Sequence[str]
    rows: Sequence[Row]
    title: str = ""
    left: int = 1
    notes: Sequence[str] = ()


def score_tables(evaluation: Evaluation) -> list[Table]:
    """Scores with intervals: candidates in rows, or groups in rows where there are some.

    With several measures and groups each candidate has a table; with one measure, candidates are
    columns.
    """
    display, measures = evaluation.metric.display, evaluation.measures
    headings = [display.heading(name) for name in (*display.counts, *measures)]
    notes = (*interval_note(evaluation), *display.notes, *evaluation.items.notes)
    if not any(candidate.groups for candidate in evaluation.candidates):
        rows = [
            [candidate.name, *_cells(evaluation, candidate.total)]
            for candidate in evaluation.candidates
        ]
        return [Table((display.candidate, *headings), rows, notes=notes)]
    if len(measures) == 1:
        return [_candidates_in_columns(evaluation, notes)]
    tables = []
    for number, candidate in enumerate(evaluation.candidates, start=1):
        rows = [[display.total, *_cells(evaluation, candidate.total)]]
        rows += [[group_title(group), *_cells(evaluation, group)] for group in candidate.groups]
        last = number == len(evaluation.candidates)
        heading = (display.group, *headings)
        tables.append(Table(heading, rows, candidate.name, notes=notes if last else ()))
    return tables


def _cells(evaluation: Evaluation, group: GroupScores) -> list[Cell | str]:
    display = evaluation.metric.display
    counts = [f"{group.counts.get(name, 0):,}" for name in display.counts]
    return [*counts, *(score_cell(group.scores[name], display.digits) for name in group.scores)]


def _candidates_in_columns(evaluation: Evaluation, notes: Sequence[str]) -> Table:
    display, (measure,) = evaluation.metric.display, evaluation.measures
    rows: list[list[Cell | str]] = []
    titles = [display.total, *map(group_title, evaluation.candidates[0].groups)]
    for number, title in enumerate(titles):
        groups = [
            candidate.groups[number - 1] if number else candidate.total
            for candidate in evaluation.candidates
        ]
        counts = [f"{groups[0].counts.get(name, 0):,}" for name in display.counts]
        scores = [score_cell(group.scores[measure], display.digits) for group in groups]
        rows.append([title, *counts, *scores])
    headings = map(display.heading, display.counts)
    return Table((display.heading(measure), *headings, *evaluation.names), rows, notes=notes)


def group_title(group: GroupScores) -> str:
    return f"{group.breakdown} {group.group}"


def score_cell(score: Score, digits: int, note: str = "") -> Cell:
    return Cell(score.shown(digits), score, note=note)


def interval_note(evaluation: Evaluation) -> list[str]:
    """What the brackets are."""
    scores = [score for scores in evaluation.scores.values() for score in scores.values()]
    if all(score.low is None for score in scores):
        return []
    return [f"[95% interval by {evaluation.items.units.name}]"]


def matrix_table(
    labels: Sequence[str],
    counts: NDArray[np.int64],
    title: str,
    candidate: int,
    sides: tuple[str, str] = ("reference", "candidate"),
) -> Table:
    """How often the labels in rows became those in columns, without labels that do not occur."""
    rows: list[list[Cell | str]] = []
    columns = np.flatnonzero(counts.sum(axis=0)).tolist()
    for row in np.flatnonzero(counts.sum(axis=1)).tolist():
        cells: list[Cell | str] = [labels[row]]
        for column in columns:
            filters = {"candidate": candidate, "reference": labels[row], "word": labels[column]}
            number = f"{counts[row, column]:,}" if counts[row, column] else "·"
            cells.append(Cell(number, filters=filters, kind="hit" if row == column else ""))
        rows.append([*cells, f"{counts[row].sum():,}"])
    sums = [*counts[:, columns].sum(axis=0).tolist(), counts.sum()]
    rows.append(["sum", *(f"{number:,}" for number in sums)])
    heading = ("", *(labels[column] for column in columns), "sum")
    return Table(heading, rows, title, notes=(f"{sides[0]} in rows, {sides[1]} in columns",))


def difference_table(evaluations: Sequence[Evaluation]) -> Table | None:
    """Paired differences: under all measures of one metric, or the headlines of several."""
    heading = ["pair", "measure", "difference", "p (randomisation)", "p (bootstrap)", "p < .05"]
    rows: list[list[str]] = []
    for evaluation in evaluations:
        display, headline = evaluation.metric.display, evaluation.headline
        for test in evaluation.comparisons:
            if len(evaluations) > 1 and test.measure != headline:
                continue
            ends = (test.difference, test.low, test.high)
            shown = (f"{value:+.{display.digits}f}" for value in ends)
            heading_of = display.column_title if len(evaluations) > 1 else display.heading
            rows.append(
                [
                    f"{test.first} - {test.second}",
                    heading_of(test.measure),
                    "{} [{}, {}]".format(*shown),
                    *(f"{value:.4f}" for value in (test.p_randomisation, test.p_bootstrap)),
                    outcome(test, display.lower_is_better, evaluation.items.units.name),
                ]
            )
    if not rows:
        return None
    left = 2
    if len({row[1] for row in rows}) == 1:
        left = 1
        for row in (heading, *rows):
            del row[1]
    notes = ("p values are two-sided and not corrected for the number of comparisons.",)
    return Table(heading, rows, DIFFERENCES, left, notes)


def outcome(test: Difference, lower_is_better: bool, unit: str) -> str:
    """Which candidate is better, `neither`, `=` (no unit differs), or that too few units differ."""
    if not test.decidable:
        return f"too few {unit}s: {test.differing}"
    if not test.significant:
        return "neither" if test.differing else "="
    return test.second if (test.difference > 0) == lower_is_better else test.first


@dataclass(frozen=True)
class Style:
    """Tables as text that keeps to `width` where it can."""

    width: int | None = None

    def table(self, heading: Row, rows: Sequence[Row], left: int = 1) -> str:
        return text_table(heading, rows, left, self.width)

    def shown(self, table: Table) -> str:
        """A table under its title, with its notes."""
        title = f"{printable(table.title)}\n\n" if table.title else ""
        body = self.table(table.heading, table.rows, table.left) if table.heading else ""
        return title + body + "".join(f"{printable(note)}\n" for note in table.notes)


PLAIN = Style()


def text_report(evaluation: Evaluation, style: Style = PLAIN) -> str:
    description = evaluation.items.description or evaluation.metric.display.title
    return tables_text(description, evaluation_tables(evaluation), [evaluation.signature], style)


def evaluation_tables(evaluation: Evaluation) -> list[Table]:
    differences = difference_table([evaluation])
    return [*evaluation.metric.tables(evaluation), *([differences] if differences else [])]


def tables_text(
    title: str, tables: Iterable[Table], signatures: Iterable[str], style: Style = PLAIN
) -> str:
    signed = "".join(f"signature: {signature}\n" for signature in signatures)
    return "\n".join([f"{title}\n", *map(style.shown, tables), signed])


def text_table(heading: Row, rows: Sequence[Row], left: int = 1, width: int | None = None) -> str:
    """Aligned columns under a rule; headings of numbers are wrapped where `width` asks for it."""
    titles, *lines = ([printable(str(cell)) for cell in row] for row in (heading, *rows))
    sizes = [max(1, *map(cell_len, column)) for column in zip(titles, *lines, strict=True)]
    wrapped = [[title] for title in titles]
    if width is not None and sum(sizes) + len(_GAP) * (len(sizes) - 1) > width:
        for column in range(left, len(titles)):
            number = max((cell_len(row[column]) for row in lines), default=1)
            wrapped[column] = textwrap.wrap(titles[column], number or 1, break_long_words=False)
            sizes[column] = max([1, number, *map(cell_len, wrapped[column])])
    text = []
    for line in (*zip_longest(*wrapped, fillvalue=""), ["─" * size for size in sizes], *lines):
        padded = []
        for column, (cell, size) in enumerate(zip(line, sizes, strict=True)):
            space = " " * (size - cell_len(cell))
            padded.append(cell + space if column < left else space + cell)
        text.append(_GAP.join(padded).rstrip() + "\n")
    return "".join(text)


def markdown_table(heading: Row, rows: Sequence[Row], left: int = 1) -> str:
    titles, *lines = (
        [printable(str(cell)).replace("|", "\\|") for cell in row] for row in (heading, *rows)
    )
    rule = ["---" if column < left else "---:" for column in range(len(titles))]
    return "".join(f"| {' | '.join(line)} |\n" for line in (titles, rule, *lines))
