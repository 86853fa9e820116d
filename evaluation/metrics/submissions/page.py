"""An evaluation as one self-contained HTML page.

Scores with their intervals, recalls, paired tests, confusion matrices, and every gap with its
sentences, links and probabilities, in the viewer that the metrics of MT output have too
(`layout/page.py`). The page loads nothing from elsewhere.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.example import Example
from crosspro.evaluation.core.score import interval_note
from crosspro.evaluation.metrics.submissions.gap_examples import RIGHT, WRONG, gap_examples
from crosspro.evaluation.metrics.submissions.report import (
    agreement_table,
    metric_title,
    ranking_table,
    recall_table,
    result_lines,
)
from crosspro.evaluation.metrics.submissions.results import Evaluation, Result
from crosspro.evaluation.metrics.submissions.submission import Submission
from crosspro.evaluation.output.differences import NOT_CORRECTED, differences_table
from crosspro.evaluation.output.examples import MOST_EXAMPLES
from crosspro.evaluation.output.matrix import Matrix, heat_maps
from crosspro.evaluation.output.page import Page, Section, count_button, render, score_bar
from crosspro.evaluation.output.template import cell_table, html_table, shade
from crosspro.evaluation.published.results import PublishedResult


def html_report(
    evaluation: Evaluation,
    submissions: Sequence[Submission],
    examples: Iterable[Example],
    published: Sequence[PublishedResult] = (),
    max_examples: int = MOST_EXAMPLES,
) -> str:
    """The page; `examples` are those of the gold file, of whose gaps so many are shown."""
    gaps = counted(len(evaluation.gold.classes), "gap")
    if evaluation.documents is not None:
        gaps += f" in {counted(evaluation.documents, 'document')}"
    note = (
        "Each gap of the target is filled with its gold class, or with the gold word where that "
        "is of no class of its own."
    )
    if any(one.pointed is not None for one in submissions):
        note += " The noun that a system points at as the antecedent is marked."
    page = Page(
        title=f"Pronoun prediction {evaluation.task.name}",
        subtitle=f"Gold {evaluation.gold.name}: {gaps}",
        sections=[
            _ranking(evaluation, published),
            _right_and_wrong(evaluation),
            _recalls(evaluation, published),
            *_comparisons(evaluation),
            _matrices(evaluation),
        ],
        signatures=[score.signature for score in evaluation.results[0].scores.values()],
        warnings=evaluation.warnings,
        examples_note=note,
        cut="wrong ones before right ones",
    )
    return render(page, gap_examples(evaluation, submissions, examples, max_examples))


def _ranking(evaluation: Evaluation, published: Sequence[PublishedResult]) -> Section:
    """The table of ranks with a bar beside each score."""
    heading, rows = ranking_table(evaluation, published)
    metrics = list(evaluation.results[0].scores)
    body = []
    for row, line in zip(rows, result_lines(evaluation, published), strict=True):
        cells = [html.escape(cell) for cell in row[:2]]
        for metric, cell in zip(metrics, row[2:], strict=True):
            bar = score_bar(line.scores[metric], 100, under=True) if metric in line.scores else ""
            cells.append(html.escape(cell) + bar)
        body.append(cells)
    note = "(rank) by that column; bars go from 0 to 100."
    resampled = interval_note(evaluation.results[0].scores.values())
    if resampled:
        note = f"{resampled}, the band of a bar; {note}"
    if published:
        note += " * scored here; the others are published figures."
    return Section("Results", cell_table(heading, body, 2), note)


def _right_and_wrong(evaluation: Evaluation) -> Section:
    rows = []
    for number, result in enumerate(evaluation.results):
        right = int(result.counts.trace())
        wrong = int(result.counts.sum()) - right
        buttons = [
            count_button(count, {"candidate": number, "verdict": verdict})
            for verdict, count in ((RIGHT, right), (WRONG, wrong))
        ]
        rows.append([html.escape(result.name), *buttons])
    note = "Press a number to see its gaps."
    return Section("Gaps", cell_table(("submission", "right", "wrong"), rows), note)


def _recalls(evaluation: Evaluation, published: Sequence[PublishedResult]) -> Section:
    heading, rows = recall_table(evaluation, published)
    body = [[*map(html.escape, row[:2]), *map(_shaded, row[2:])] for row in rows]
    return Section("Recall of each class", cell_table(heading, body))


def _shaded(cell: str) -> str:
    if cell == "-":
        return cell
    return f'<span class="shaded" style="{shade(float(cell) / 100)}">{cell}</span>'


def _comparisons(evaluation: Evaluation) -> list[Section]:
    sections = []
    if evaluation.comparisons:
        table = html_table(*differences_table(evaluation.comparisons, 2, title=metric_title))
        sections.append(Section("Paired differences", table, NOT_CORRECTED))
    if evaluation.agreement is not None:
        agreement = html_table(*agreement_table(evaluation), 1)
        sections.append(Section("Agreement (% of gaps)", agreement))
    return sections


def _matrices(evaluation: Evaluation) -> Section:
    classes = evaluation.task.classes
    matrices = [
        (_caption(evaluation, one), Matrix(classes, one.counts)) for one in evaluation.results
    ]
    return heat_maps(matrices, "Confusion matrices", ("Gold classes", "predicted ones"), ())


def _caption(evaluation: Evaluation, result: Result) -> str:
    score = result.scores[evaluation.task.official_score]
    return f"{result.name}: {metric_title(score.name)} {score}"
