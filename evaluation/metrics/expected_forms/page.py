"""Scores of generated translations as an HTML page: of each system, the sentence it made."""

from __future__ import annotations

from collections.abc import Sequence

from crosspro.evaluation.inputs.translation_words import has_form, target_words
from crosspro.evaluation.metrics.contrastive.formats import UNKNOWN, Instance
from crosspro.evaluation.metrics.contrastive.page import context_lines, places_of
from crosspro.evaluation.metrics.contrastive.report import group_title, note_under, set_heading
from crosspro.evaluation.metrics.expected_forms.report import RIGHT
from crosspro.evaluation.metrics.expected_forms.score import (
    NEITHER,
    VERDICTS,
    GenerativeEvaluation,
    JudgedOutput,
)
from crosspro.evaluation.output.examples import (
    MOST_EXAMPLES,
    Examples,
    ExampleVerdict,
    Mark,
    Rendering,
    Version,
    spread_over,
)
from crosspro.evaluation.output.matrix import heat_maps, make_matrices, without_rare
from crosspro.evaluation.output.page import (
    Page,
    Section,
    difference_section,
    render,
    shown_score,
)
from crosspro.evaluation.output.template import html_table

_KINDS = (
    ExampleVerdict(VERDICTS[0], "right"),
    ExampleVerdict(VERDICTS[1], "part"),
    ExampleVerdict(VERDICTS[2], "wrong"),
    ExampleVerdict(VERDICTS[3], "open"),
)


def generative_page(evaluation: GenerativeEvaluation, max_examples: int = MOST_EXAMPLES) -> str:
    """The page of an evaluation, with at most so many examples."""
    systems = evaluation.systems
    names = [one.output.name for one in systems]
    cells = without_rare([[_cell(evaluation, one, n) for n in range(len(one.verdicts))]
                          for one in systems])  # fmt: skip
    rows = [
        (group_title(group), f"{group.instances:,}", *(shown_score(s, 100) for s in group.scores))
        for group in evaluation.groups
    ]
    shares = [
        (verdict, *(shown_score(score, 100) for score in scores))
        for verdict, scores in zip(VERDICTS, zip(*evaluation.shares, strict=True), strict=True)
    ]
    note = note_under(evaluation.groups, RIGHT)
    page = Page(
        "Expected forms in generated translations",
        set_heading(evaluation.test_set, evaluation.unit, evaluation.units),
        [
            Section("Accuracy", html_table(("accuracy (%)", "instances", *names), rows), note),
            Section("What is there", html_table(("instances (%)", *names), shares)),
            *difference_section(evaluation.comparisons, 2),
            heat_maps(list(zip(names, make_matrices(cells), strict=True))),
        ],
        [score.signature for group in evaluation.groups for score in group.scores],
        evaluation.warnings,
        "Marked are the words that are the expected form or a rival.",
    )
    return render(page, _examples(evaluation, cells, max_examples))


def _cell(evaluation: GenerativeEvaluation, one: JudgedOutput, number: int) -> tuple[str, str]:
    """The expected form, and what is there: it, the first rival, or nothing."""
    expected = (evaluation.test_set.instances[number].reference_pronoun or "").lower()
    if one.right[number]:
        return expected, expected
    if one.verdicts[number] == NEITHER:
        return expected, "neither"
    return expected, one.rivals[number][0].lower()


def _examples(
    evaluation: GenerativeEvaluation, cells: Sequence[Sequence[tuple[str, str]]], limit: int
) -> Examples:
    instances, systems = evaluation.test_set.instances, evaluation.systems
    breakdowns = dict.fromkeys(one.breakdown for one in evaluation.groups if one.breakdown)
    shown = next((name for name in ("distance", "antecedent", "rule") if name in breakdowns), "")
    labels = [f"{shown} {one.group}" for one in evaluation.groups if shown == one.breakdown != ""]
    names = [one.output.name for one in systems]
    examples = Examples(names, _KINDS, len(instances), shown, labels)
    for number in spread_over(len(instances), limit):
        instance = instances[number]
        document = instance.document or ""
        lines = [
            examples.add_line(-1, source, [Version(target)], [Version("")] * len(systems), document)
            for source, target in context_lines(instance)
        ]
        source = (instance.source or "").split()
        texts = [" ".join(one.output.payloads[number].split()) for one in systems]
        reference = " ".join((instance.reference or "").split())
        versions = [Version(text) for text in texts]
        lines.append(
            examples.add_line(-1, " ".join(source), [Version(reference)], versions, document)
        )
        at = places_of(source, instance.source_pronoun)
        last = len(lines) - 1
        examples.add(
            (instance.source_pronoun or instance.reference_pronoun or "").lower(),
            lines,
            [_marks(last, at, _found(evaluation, instance, reference, ()))],
            [
                Rendering(
                    int(one.verdicts[number]),
                    cells[place][number],
                    _marks(last, at, _found(evaluation, instance, text, one.rivals[number])),
                )
                for place, (one, text) in enumerate(zip(systems, texts, strict=True))
            ],
            instance.name,
            f"{shown} {instance.groups.get(shown, UNKNOWN)}" if shown else "",
        )
    return examples


def _found(
    evaluation: GenerativeEvaluation, instance: Instance, text: str, rivals: Sequence[str]
) -> list[int]:
    """The places of the expected form and of the rivals among the words between spaces."""
    words_of = target_words(evaluation.language)
    forms = [words_of.form(word) for word in (instance.reference_pronoun or "", *rivals)]
    return [
        place
        for place, chunk in enumerate(text.split())
        if any(form and has_form(words_of(chunk), form) for form in forms)
    ]


def _marks(line: int, source: Sequence[int], target: Sequence[int]) -> list[Mark]:
    return [Mark(line, source, ()), Mark(line, (), target)]
