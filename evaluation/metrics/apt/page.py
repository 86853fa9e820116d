"""An APT evaluation as an HTML page."""

from __future__ import annotations

import html

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.core.score import interval_note
from crosspro.evaluation.inputs.case_names import CASE_NAMES, CASES
from crosspro.evaluation.inputs.document_units import Documents
from crosspro.evaluation.inputs.example_lines import ExampleLines
from crosspro.evaluation.metrics.apt.distribution import case_panels
from crosspro.evaluation.metrics.apt.score import AptEvaluation
from crosspro.evaluation.metrics.apt.sides import Side
from crosspro.evaluation.output.examples import (
    MOST_EXAMPLES,
    Examples,
    ExampleVerdict,
    Kind,
    Mark,
    Rendering,
    spread_over,
)
from crosspro.evaluation.output.figure import figure_html
from crosspro.evaluation.output.matrix import Matrix, heat_maps
from crosspro.evaluation.output.page import (
    Page,
    Section,
    count_button,
    difference_section,
    render,
    score_rows,
)
from crosspro.evaluation.output.template import cell_table, shade

_KINDS: tuple[Kind, ...] = ("right", "part", "wrong", "wrong", "open", "open")


def apt_page(
    evaluation: AptEvaluation,
    documents: Documents | None = None,
    max_examples: int = MOST_EXAMPLES,
) -> str:
    """The page of an evaluation, with at most so many examples."""
    results = evaluation.results
    total = len(results[0].occurrences)
    matrices = [(one.name, Matrix(one.matrix_labels, one.matrix)) for one in results]
    scores = score_rows(("candidate", "APT"), [(one.name, (one.score,)) for one in results])
    note = interval_note(one.score for one in results)
    subtitle = f"{counted(total, 'pronoun')}, reference {evaluation.reference.name}"
    if evaluation.starts_from == "reference":
        subtitle += f"; {evaluation.unlinked:,} pronouns of the reference have no link"
    page = Page(
        "Accuracy of pronoun translation (APT)",
        subtitle,
        [
            Section("Scores", scores, "; ".join(filter(None, [note, "the bars go from 0 to 1."]))),
            _cases(evaluation),
            *_distribution(evaluation),
            *difference_section(evaluation.comparisons),
            heat_maps(matrices),
        ],
        [one.score.signature for one in results],
        evaluation.warnings,
    )
    return render(page, _examples(evaluation, documents, max_examples))


def _cases(evaluation: AptEvaluation) -> Section:
    """How many pronouns of each candidate are in each case."""
    settings, results = evaluation.settings, evaluation.results
    total = max(len(results[0].occurrences), 1)
    rows = []
    for case, name, weight in zip(CASES, CASE_NAMES, settings.weights, strict=True):
        shown = "discarded" if case in settings.discarded else f"{weight:g}"
        if case == 2 and settings.probabilities and case not in settings.discarded:
            shown = "p"
        cells = [html.escape(f"{case} {name}"), shown]
        for number, result in enumerate(results):
            count = result.counts[case - 1]
            button = count_button(count, {"candidate": number, "verdict": case - 1})
            cells.append(
                f'<span class="shaded" style="{shade(count / total)}">{button}'
                f"<small>{100 * count / total:.1f}%</small></span>"
            )
        rows.append(cells)
    note = ""
    if evaluation.starts_from == "reference":
        note = "Links are not repaired where pronouns of the reference are scored."
    elif settings.repair is not None:
        ours = sum(one.reference.repaired for one in results[0].occurrences)
        theirs = (
            f"{sum(one.candidate.repaired for one in result.occurrences):,} in {result.name}"
            for result in results
        )
        note = f"Repaired links: {ours:,} in the reference, {', '.join(theirs)}."
    heading = ("case", "weight", *(result.name for result in results))
    return Section("Cases", cell_table(heading, rows, 1), note)


def _distribution(evaluation: AptEvaluation) -> list[Section]:
    """The same as bars, beside what they would be without the repair of links."""
    panels = case_panels(evaluation)
    note = "In per cent of all pronouns, whatever cases are discarded."
    return [Section("Distribution of cases", figure_html(panels), note)] if panels else []


def _examples(evaluation: AptEvaluation, documents: Documents | None, limit: int) -> Examples:
    results = evaluation.results
    verdicts = [
        ExampleVerdict(f"{case} {name}", kind)
        for case, name, kind in zip(CASES, CASE_NAMES, _KINDS, strict=True)
    ]
    names = [result.name for result in results]
    examples = Examples(names, verdicts, len(results[0].occurrences))
    texts = evaluation.source, evaluation.reference, evaluation.candidates
    lines = ExampleLines(examples, *texts, documents)
    for number in spread_over(len(results[0].occurrences), limit):
        own = [result.occurrences[number] for result in results]
        anchor = own[0].anchor
        examples.add(
            anchor.pronoun,
            [lines.number(anchor.sentence)],
            [[_mark(anchor.linked, own[0].reference)]],
            [
                Rendering(one.case - 1, one.cell, [_mark(anchor.linked, one.candidate)])
                for one in own
            ],
        )
    return examples


def _mark(source: tuple[int, ...], side: Side) -> Mark:
    return Mark(0, source, side.positions, repaired=side.repaired)
