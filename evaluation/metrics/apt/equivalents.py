"""Equivalent pronouns estimated from judged examples (000 §2.5).

A sample of translated pronouns is judged right or wrong by people. Of the pairs of a candidate's
pronoun t and a different pronoun r of the reference, those with less than 5% of the sample are
dropped, and those with p(right | t, r) > 0.5 are equivalents. Identical pronouns are one pronoun.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.statistics import wilson_interval
from crosspro.evaluation.inputs.pronoun_lists import Equivalent, PronounLists

LEAST_SHARE = 0.05
LEAST_PROBABILITY = 0.5


@dataclass(frozen=True, slots=True)
class SampledPronoun:
    """A translated pronoun to be judged: its place, its labels, and the sentences around it.

    In each sentence the words that belong to the pronoun stand in brackets.
    """

    sentence: int
    position: int
    pronoun: str
    reference: str
    candidate: str
    source_text: str
    reference_text: str
    candidate_text: str


@dataclass(frozen=True, slots=True)
class Judged:
    """The labels of a candidate's pronoun and of the reference's, and whether it was judged right.

    `right` is None where nobody had to judge: the two are the same, or one is no pronoun.
    """

    candidate: str
    reference: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class PairEstimate:
    """How often a candidate's pronoun was right where the reference has another one.

    `low` and `high` are the 95% Wilson interval of the probability.
    """

    candidate: str
    reference: str
    examples: int
    right: int
    share: float
    low: float
    high: float
    equivalent: bool

    @property
    def probability(self) -> float:
        """The share of examples that were judged right."""
        return self.right / self.examples


def draw(evaluation: Evaluation, size: int = 100, seed: int = 12345) -> list[SampledPronoun]:
    """A random sample of the first candidate's pronouns in an evaluation by APT."""
    data, occurrences = evaluation.scored.data, evaluation.scored.items[0]
    generator = np.random.default_rng(seed)
    chosen = generator.choice(len(occurrences), min(size, len(occurrences)), replace=False)
    sample = []
    for number in sorted(chosen.tolist()):
        occurrence = occurrences[number]
        anchor = occurrence.anchor
        texts = (data.source, data.reference.text, data.candidates[0].text)
        sides = occurrence.reference, occurrence.candidate
        places = ((anchor.position,), *(side.positions for side in sides))
        shown = [
            _bracketed(text.words(anchor.sentence), positions)
            for text, positions in zip(texts, places, strict=True)
        ]
        sample.append(
            SampledPronoun(
                anchor.sentence, anchor.position, anchor.pronoun, *occurrence.cell, *shown
            )
        )
    return sample


def _bracketed(words: Sequence[str], positions: Iterable[int]) -> str:
    marked = frozenset(positions)
    return " ".join(f"[{w}]" if place in marked else w for place, w in enumerate(words))


def estimate(
    judged: Sequence[Judged],
    least_share: float = LEAST_SHARE,
    least_probability: float = LEAST_PROBABILITY,
) -> list[PairEstimate]:
    """All pairs of different pronouns, the frequent ones first; each direction by itself."""
    seen: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    for example in judged:
        pair = example.candidate, example.reference
        if pair[0] != pair[1] and not {OTHER, NONE} & {*pair}:
            seen[pair] += 1
            right[pair] += bool(example.right)
    estimates = []
    for pair, number in sorted(seen.items(), key=lambda item: (-item[1], item[0])):
        share, probability = number / len(judged), right[pair] / number
        equivalent = share >= least_share and probability > least_probability
        low, high = wilson_interval(right[pair], number)
        estimates.append(PairEstimate(*pair, number, right[pair], share, low, high, equivalent))
    return estimates


def with_equivalents(lists: PronounLists, estimates: Sequence[PairEstimate]) -> PronounLists:
    """The lists with the estimated equivalents; probabilities are pooled over both directions."""
    seen: Counter[tuple[str, ...]] = Counter()
    right: Counter[tuple[str, ...]] = Counter()
    for pair_estimate in estimates:
        if pair_estimate.equivalent:
            pair = tuple(sorted((pair_estimate.candidate, pair_estimate.reference)))
            seen[pair] += pair_estimate.examples
            right[pair] += pair_estimate.right
    groups = tuple(Equivalent(pair, round(right[pair] / seen[pair], 4)) for pair in seen)
    return replace(lists, equivalent=groups)
