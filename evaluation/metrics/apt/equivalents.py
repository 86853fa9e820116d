"""Equivalent pronouns estimated from judged examples (000 §2.5).

A sample of translated pronouns is judged right or wrong by people. Of the pairs of a candidate's
pronoun t and a different pronoun r of the reference, those with less than 5% of the sample are
dropped, and those with p(right | t, r) > 0.5 are equivalents. Identical pronouns are one pronoun.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.evaluation import Evaluation
from crosspro.evaluation.pronouns import Equivalent, PronounLists

LEAST_SHARE = 0.05
LEAST_PROBABILITY = 0.5


@dataclass(frozen=True, slots=True)
class SampledPronoun:
    """A pronoun to be judged: place, labels, sentences with its words in brackets."""

    sentence: int
    position: int
    pronoun: str
    reference: str
    candidate: str
    source_text: str
    reference_text: str
    candidate_text: str


@dataclass(frozen=True, slots=True)
class JudgedPronoun:
    """The labels of a candidate's pronoun and of the reference's, and the judgement.

    `right` is None where nobody had to judge: the two are the same, or one is no pronoun.
    """

    candidate: str
    reference: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class PairEstimate:
    """How often a candidate's pronoun was right where the reference has another one."""

    candidate: str
    reference: str
    examples: int
    right: int
    equivalent: bool

    @property
    def probability(self) -> float:
        return self.right / self.examples


def draw_equivalents(
    evaluation: Evaluation, size: int = 100, seed: int = 12345
) -> list[SampledPronoun]:
    """A random sample of the first candidate's pronouns in an evaluation by APT."""
    words, occurrences = evaluation.items.data.linked, evaluation.items.values[0]
    candidate = words.candidates[evaluation.items.candidates[0]]
    generator = np.random.default_rng(seed)
    chosen = generator.choice(len(occurrences), min(size, len(occurrences)), replace=False)
    sample = []
    for occurrence in (occurrences[number] for number in sorted(chosen.tolist())):
        anchor = occurrence.anchor
        shown = [
            " ".join(
                f"[{word}]" if at in places else word for at, word in enumerate(text[anchor.line])
            )
            for text, places in (
                (words.source, (anchor.position,)),
                (words.reference.words, occurrence.reference.positions),
                (candidate.words, occurrence.translation.positions),
            )
        ]
        place = anchor.line, anchor.position, anchor.pronoun
        sample.append(SampledPronoun(*place, *occurrence.cell, *shown))
    return sample


def estimate_equivalents(
    lists: PronounLists, judged: Sequence[JudgedPronoun]
) -> tuple[PronounLists, list[PairEstimate]]:
    """The lists with the estimated equivalents, and the estimate of each pair in each direction.

    Probabilities of equivalents are pooled over both directions.
    """
    examples: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    for example in judged:
        pair = example.candidate, example.reference
        if pair[0] != pair[1] and not {OTHER, NONE} & {*pair}:
            examples[pair] += 1
            right[pair] += bool(example.right)
    estimates = []
    for pair, number in sorted(examples.items(), key=lambda item: (-item[1], item[0])):
        frequent = number / len(judged) >= LEAST_SHARE
        equivalent = frequent and right[pair] / number > LEAST_PROBABILITY
        estimates.append(PairEstimate(*pair, number, right[pair], equivalent))
    pooled: dict[tuple[str, ...], list[PairEstimate]] = {}
    for estimate in estimates:
        if estimate.equivalent:
            words = tuple(sorted((estimate.candidate, estimate.reference)))
            pooled.setdefault(words, []).append(estimate)
    groups = []
    for words, of_pair in pooled.items():
        probability = sum(e.right for e in of_pair) / sum(e.examples for e in of_pair)
        groups.append(Equivalent(words, round(probability, 4)))
    return replace(lists, equivalent=tuple(groups)), estimates
