"""A contrastive evaluation as an HTML page: of each system, the translation that it prefers.

Sets have no word links and say a pronoun's word but not its place; the words in which reference and
errors differ are marked, and the source words that are equal to the pronoun.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.metrics.contrastive.accuracy import ContrastiveEvaluation, SystemScores
from crosspro.evaluation.metrics.contrastive.formats import UNKNOWN, Instance
from crosspro.evaluation.metrics.contrastive.report import RIGHT, group_title, note_under
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

VERDICTS = (
    ExampleVerdict("right", "right"),
    ExampleVerdict("tied", "wrong"),
    ExampleVerdict("wrong", "wrong"),
    ExampleVerdict("undecidable", "open"),
)
_BESIDE_WORDS = ".,;:!?…\"'’”“«»()[]-"


def contrastive_page(evaluation: ContrastiveEvaluation, max_examples: int = MOST_EXAMPLES) -> str:
    """The page of an evaluation, with at most so many examples."""
    test_set, systems = evaluation.test_set, evaluation.systems
    preferred = [preferred_translations(evaluation, system) for system in systems]
    pairs = without_rare(
        [
            [
                (_words(instance)[0], _words(instance)[choice])
                for instance, choice in zip(test_set.instances, own, strict=True)
            ]
            for own in preferred
        ]
    )
    matrices = zip((one.name for one in systems), make_matrices(pairs), strict=True)
    rows = [
        (
            group_title(group),
            f"{group.instances:,}",
            *(shown_score(score, 100) for score in group.scores),
        )
        for group in evaluation.groups
    ]
    table = html_table(("accuracy (%)", "instances", *(one.name for one in systems)), rows)
    note = note_under(evaluation.groups, RIGHT)
    notes = " ".join(f"{one.name}: {text}" for one in systems for text in one.notes)
    page = Page(
        "Contrastive accuracy",
        f"{test_set.name} ({test_set.kind}): {counted(len(test_set.instances), 'instance')}",
        [
            Section("Accuracy", table, f"{note} {notes}".strip()),
            *difference_section(evaluation.comparisons, 2),
            heat_maps(list(matrices)),
        ],
        [score.signature for group in evaluation.groups for score in group.scores],
        evaluation.warnings,
        "Shown is what each system scores best: the reference if it is right.",
    )
    return render(page, _examples(evaluation, preferred, pairs, max_examples))


def preferred_translations(evaluation: ContrastiveEvaluation, system: SystemScores) -> list[int]:
    """The translation of each instance that a system scores best: 0 the reference, n an error."""
    values = -system.values if system.maximise else system.values
    chosen = []
    start = 0
    for instance in evaluation.test_set.instances:
        end = start + 1 + len(instance.errors)
        # The first of equals would be the reference, which does not count as preferred then.
        chosen.append(len(instance.errors) - int(np.argmin(values[start:end][::-1])))
        start = end
    return chosen


def _words(instance: Instance) -> list[str]:
    """The word of the reference and of each error, or what stands in its place."""
    found = [instance.reference_pronoun or _different(instance, 0)]
    for number, error in enumerate(instance.errors, start=1):
        found.append(error.word or _different(instance, number) or f"error {number}")
    return [word.lower() or "reference" for word in found]


def translation_texts(instance: Instance) -> list[list[str]]:
    """The words of the reference and of each error."""
    texts = (instance.reference, *(error.text for error in instance.errors))
    return [(text or "").split() for text in texts]


def _different(instance: Instance, translation: int) -> str:
    words = translation_texts(instance)[translation]
    return " ".join(words[place] for place in differing_words(instance, translation))


def differing_words(instance: Instance, translation: int) -> range:
    """The positions at which a translation differs from the reference (it from the first error)."""
    texts = translation_texts(instance)
    one, other = texts[translation], texts[0 if translation else 1]
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    end = next(
        (at for at in range(shorter - start) if one[-1 - at] != other[-1 - at]), shorter - start
    )
    return range(start, len(one) - end)


def _examples(
    evaluation: ContrastiveEvaluation,
    preferred: Sequence[Sequence[int]],
    pairs: Sequence[Sequence[tuple[str, str]]],
    limit: int,
) -> Examples:
    instances, systems = evaluation.test_set.instances, evaluation.systems
    breakdowns = dict.fromkeys(one.breakdown for one in evaluation.groups if one.breakdown)
    shown = next((name for name in ("distance", "antecedent") if name in breakdowns), "")
    labels = [f"{shown} {one.group}" for one in evaluation.groups if shown == one.breakdown != ""]
    names = [one.name for one in systems]
    examples = Examples(names, VERDICTS, len(instances), shown, labels)
    ends = np.cumsum([1 + len(one.errors) for one in instances])
    for number in spread_over(len(instances), limit):
        instance = instances[number]
        texts = [" ".join(words) for words in translation_texts(instance)]
        document = instance.document or instance.block or ""
        lines = [
            examples.add_line(-1, source, [Version(target)], [Version("")] * len(systems), document)
            for source, target in context_lines(instance)
        ]
        source = (instance.source or "").split()
        chosen = [own[number] for own in preferred]
        versions = [Version(texts[choice]) for choice in chosen]
        lines.append(
            examples.add_line(-1, " ".join(source), [Version(texts[0])], versions, document)
        )
        at = places_of(source, instance.source_pronoun)
        end = int(ends[number])
        examples.add(
            (instance.source_pronoun or "").lower(),
            lines,
            [_marks(len(lines) - 1, at, differing_words(instance, 0))],
            [
                Rendering(
                    _verdict(evaluation, place, number),
                    pairs[place][number],
                    _marks(len(lines) - 1, at, differing_words(instance, choice)),
                    _scores(instance, system.values[end - 1 - len(instance.errors) : end].tolist()),
                )
                for place, (system, choice) in enumerate(zip(systems, chosen, strict=True))
            ],
            instance.name,
            f"{shown} {instance.groups.get(shown, UNKNOWN)}" if shown else "",
        )
    return examples


def context_lines(instance: Instance) -> list[tuple[str, str]]:
    """Earlier lines, the last ones beside each other where one side has more."""
    ours, theirs = instance.source_context, instance.reference_context
    size = max(len(ours), len(theirs))
    first, second = (
        [""] * (size - len(side)) + [" ".join(line.split()) for line in side]
        for side in (ours, theirs)
    )
    return list(zip(first, second, strict=True))


def places_of(source: Sequence[str], pronoun: str | None) -> list[int]:
    """The places of the words of a source that are the pronoun."""
    wanted = (pronoun or "").lower()
    return [at for at, word in enumerate(source) if word.lower().strip(_BESIDE_WORDS) == wanted]


def _marks(line: int, source: Sequence[int], target: Sequence[int]) -> list[Mark]:
    """One mark, or two that are not joined where it is not known which source word it is."""
    if len(source) == 1:
        return [Mark(line, source, target)]
    return [Mark(line, source, ()), Mark(line, (), target)]


def _verdict(evaluation: ContrastiveEvaluation, system: int, number: int) -> int:
    hopeless = evaluation.systems[system].undecidable
    if hopeless is not None and hopeless[number]:
        return 3
    decided = evaluation.decisions[system]
    return 0 if decided.right[number] else 1 if decided.tied[number] else 2


def _scores(instance: Instance, values: Sequence[float]) -> str:
    words = _words(instance)
    return ", ".join(f"{word} {value:.4g}" for word, value in zip(words, values, strict=True))
