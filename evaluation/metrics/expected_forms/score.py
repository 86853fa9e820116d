"""Scores of generated translations: is the expected form there, and what is there instead?

An instance is right if the expected form is a word of the payload, whatever else is there. A rival
form beside it is counted apart: which of the two translates the pronoun cannot be seen from the
words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.evaluation.core.pairs import PairChoice, every_pair
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.significance import Difference, Resampling
from crosspro.evaluation.inputs.translation_words import has_form, target_words
from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet
from crosspro.evaluation.metrics.contrastive.group_accuracy import (
    AccuracyCounter,
    DecidedSystem,
    GroupAccuracy,
    few_documents,
    groups_of,
    units_of,
)
from crosspro.evaluation.metrics.expected_forms.expected_sets import rival_words
from crosspro.evaluation.metrics.expected_forms.outputs import GeneratedOutput
from crosspro.evaluation.metrics.expected_forms.payload import PayloadRules

ALONE, BESIDE, RIVAL, NEITHER = range(4)
VERDICTS = ("right", "right beside a rival", "rival instead", "neither")
"""What can be said of an instance, by number."""


@dataclass(frozen=True)
class JudgedOutput:
    """A system's output with the verdict on each instance, and the rivals that were found."""

    output: GeneratedOutput
    verdicts: NDArray[np.int64]
    rivals: tuple[tuple[str, ...], ...]

    @property
    def right(self) -> NDArray[np.bool_]:
        """Where the expected form is there."""
        found: NDArray[np.bool_] = self.verdicts <= BESIDE
        return found


@dataclass(frozen=True)
class GenerativeEvaluation:
    """Everything that was computed for some outputs on one set.

    `shares` has the share of each verdict, system by system; `group_shares` the same in numbers
    for each of the groups.
    """

    test_set: ContrastiveSet
    language: str
    systems: tuple[JudgedOutput, ...]
    groups: tuple[GroupAccuracy, ...]
    shares: tuple[tuple[Score, ...], ...]
    group_counts: tuple[tuple[tuple[int, ...], ...], ...]
    comparisons: tuple[Difference, ...]
    unit: str
    units: int
    warnings: tuple[str, ...]


def judge(test_set: ContrastiveSet, output: GeneratedOutput, language: str) -> JudgedOutput:
    """The verdict on each instance."""
    words_of = target_words(language)
    verdicts = []
    found = []
    for instance, payload in zip(test_set.instances, output.payloads, strict=True):
        words = words_of(payload)
        own = words_of.form(instance.reference_pronoun or "")
        rivals = [
            word
            for word in dict.fromkeys(rival_words(instance))
            if (form := words_of.form(word)) != own and has_form(words, form)
        ]
        if has_form(words, own):
            verdicts.append(BESIDE if rivals else ALONE)
        else:
            verdicts.append(RIVAL if rivals else NEITHER)
        found.append(tuple(rivals))
    return JudgedOutput(output, np.array(verdicts, dtype=np.int64), tuple(found))


def evaluate_generative(
    test_set: ContrastiveSet,
    outputs: Sequence[GeneratedOutput],
    language: str,
    rules: PayloadRules,
    plan: Resampling | None = None,
    pairs: PairChoice = every_pair,
) -> GenerativeEvaluation:
    """Accuracy of each output; with a resampling plan also intervals and paired tests."""
    systems = tuple(judge(test_set, output, language) for output in outputs)
    units = units_of(test_set)
    counter = AccuracyCounter(test_set, units, plan)
    how = ("rule:expected-form-in-payload", rules.signature, f"language:{language}")
    decided = [DecidedSystem(one.output.name, one.right, how) for one in systems]
    groups = counter.groups(decided)
    everything = np.ones(len(test_set.instances), dtype=np.bool_)
    masks = [everything, *(mask for _, _, mask in groups_of(test_set))]
    warnings = [f"{one.output.name}: {note}" for one in systems for note in one.output.notes]
    return GenerativeEvaluation(
        test_set,
        language,
        systems,
        groups,
        tuple(
            tuple(
                counter.share(name, None, one.verdicts == verdict, how)
                for verdict, name in enumerate(VERDICTS)
            )
            for one in systems
        ),
        tuple(
            tuple(
                tuple(np.bincount(one.verdicts[mask], minlength=len(VERDICTS)).tolist())
                for one in systems
            )
            for mask in masks
        ),
        counter.comparisons(decided, pairs),
        units.name,
        units.count,
        (*test_set.warnings, *warnings, *(few_documents(test_set, units) if plan else ())),
    )
