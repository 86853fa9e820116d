"""An AutoPRF evaluation as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.task import NONE
from crosspro.evaluation.core.score import Score, interval_note
from crosspro.evaluation.inputs.anchors import Anchor
from crosspro.evaluation.inputs.example_lines import ExampleLines
from crosspro.evaluation.inputs.inputs import MtInput
from crosspro.evaluation.inputs.linked_text import Translation
from crosspro.evaluation.metrics.autoprf.counts import ComparedPronoun, PrfRow
from crosspro.evaluation.metrics.autoprf.score import AutoPrfEvaluation, AutoPrfResult
from crosspro.evaluation.output.examples import (
    MOST_EXAMPLES,
    Examples,
    ExampleVerdict,
    Mark,
    Rendering,
    spread_over,
)
from crosspro.evaluation.output.matrix import heat_maps, make_matrices, without_rare
from crosspro.evaluation.output.page import (
    Page,
    Section,
    difference_section,
    render,
    score_rows,
)

VERDICTS = (
    ExampleVerdict("same words", "right"),
    ExampleVerdict("some words", "part"),
    ExampleVerdict("other words", "wrong"),
    ExampleVerdict("not in cand.", "wrong"),
    ExampleVerdict("not in ref.", "open"),
    ExampleVerdict("in neither", "open"),
)


def autoprf_page(
    evaluation: AutoPrfEvaluation, data: MtInput, max_examples: int = MOST_EXAMPLES
) -> str:
    """The page of an evaluation of the texts in `data`, with at most so many examples."""
    results = evaluation.results
    pairs = without_rare([_pairs(result) for result in results])
    matrices = zip((one.name for one in results), make_matrices(pairs), strict=True)
    heading = ("", "precision", "recall", "F1")
    note = "In parentheses: matches of candidate words and of reference words."
    resampled = interval_note(score for one in results for score in one.total.scores)
    note += f" {resampled}" if resampled else ""
    sections = [
        Section(
            f"Scores of {result.name}",
            score_rows(heading, [_scores(row) for row in (*result.pronouns, result.total)]),
            note,
        )
        for result in results
    ]
    page = Page(
        "Precision and recall of pronouns (AutoPRF)",
        f"{counted(len(results[0].examples), 'pronoun')}, reference {data.reference.name}",
        [*sections, *difference_section(evaluation.comparisons), heat_maps(list(matrices))],
        [score.signature for score in results[0].total.scores],
        evaluation.warnings,
    )
    return render(page, _examples(evaluation, data, pairs, max_examples))


def _scores(row: PrfRow) -> tuple[str, Sequence[Score]]:
    return f"{row.name} ({row.matches}/{row.candidate}, {row.matches}/{row.reference})", row.scores


def _pairs(result: AutoPrfResult) -> list[tuple[str, str]]:
    return [
        (" ".join(one.reference) or NONE, " ".join(one.candidate) or NONE)
        for one in result.examples
    ]


def verdict_of(example: ComparedPronoun) -> int:
    """The number of the verdict on the words of an example."""
    if not example.reference:
        return 4 if example.candidate else 5
    if not example.candidate:
        return 3
    if not example.matches:
        return 2
    return 0 if example.matches == len(example.reference) == len(example.candidate) else 1


def _examples(
    evaluation: AutoPrfEvaluation, data: MtInput, pairs: list[list[tuple[str, str]]], limit: int
) -> Examples:
    results = evaluation.results
    total = len(results[0].examples)
    examples = Examples([result.name for result in results], VERDICTS, total)
    lines = ExampleLines(examples, data.source, data.reference, data.candidates, data.documents)
    for number in spread_over(total, limit):
        anchor = results[0].examples[number].anchor
        examples.add(
            anchor.pronoun,
            [lines.number(anchor.sentence)],
            [[_mark(data.reference, anchor)]],
            [
                Rendering(
                    verdict_of(results[place].examples[number]),
                    pairs[place][number],
                    [_mark(candidate, anchor)],
                )
                for place, candidate in enumerate(data.candidates)
            ],
        )
    return examples


def _mark(translation: Translation, anchor: Anchor) -> Mark:
    links = translation.links.sentence(anchor.sentence)
    return Mark(0, (anchor.position,), links.targets(anchor.position))
