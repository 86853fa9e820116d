"""Counts behind AutoPRF: what is summed over the units of a text, for scores and for resampling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.task import OTHER
from crosspro.evaluation.core.ratio import harmonic_mean, quotient
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.significance import Metric, Resampling, scores_of
from crosspro.evaluation.core.units import Floats, ResampledUnits, tally
from crosspro.evaluation.inputs.anchors import Anchor


@dataclass(frozen=True, slots=True)
class ComparedPronoun:
    """A source pronoun with the words that are compared, and how many match.

    Under corpus clipping matches belong to the text and not to an example.
    """

    anchor: Anchor
    reference: tuple[str, ...]
    candidate: tuple[str, ...]
    matches: int


@dataclass(frozen=True)
class PrfRow:
    """Counts and scores of a pronoun, a document, or all of them."""

    name: str
    matches: int
    candidate: int
    reference: int
    scores: tuple[Score, ...]

    @property
    def values(self) -> tuple[float, ...]:
        """Precision, recall and F1, each from 0 to 1."""
        return tuple(score.value for score in self.scores)


class CountTable:
    """Statistics of each pronoun, from whose sums precision, recall and F1 follow.

    The columns are the numbers of candidate words, of reference words, and of matches. Where
    `words` are given, matches are clipped over the text: they follow from the counts of each word,
    which stand in the place of the matches.
    """

    def __init__(
        self,
        examples: Sequence[ComparedPronoun],
        units: ResampledUnits,
        words: Sequence[str] | None,
    ) -> None:
        self.units = units
        sizes = [(len(e.candidate), len(e.reference), e.matches) for e in examples]
        self.items: Floats = np.array(sizes, dtype=np.float64).reshape(-1, 3)
        self.clip = _clipped
        if words is not None:
            counts = _word_counts(examples, words)
            self.items = np.concatenate((self.items[:, :2], *counts), axis=1)
            self.clip = _clip_words

    @property
    def metrics(self) -> dict[str, Metric]:
        """Precision, recall and F1 of sums; not a number where nothing is linked."""
        return {
            "precision": lambda sums: quotient(self.clip(sums), sums[:, 0]),
            "recall": lambda sums: quotient(self.clip(sums), sums[:, 1]),
            "f1": self._f1,
        }

    def _f1(self, sums: Floats) -> Floats:
        matches = self.clip(sums)
        precision, recall = quotient(matches, sums[:, 0]), quotient(matches, sums[:, 1])
        f1 = harmonic_mean(precision, recall)
        f1[np.isnan(precision + recall)] = np.nan
        return f1

    def statistics(self) -> Floats:
        """The statistics of each unit over all pronouns."""
        return self.units.sums(self.items)

    def row(
        self, name: str, chosen: NDArray[np.bool_], plan: Resampling | None, signature: str
    ) -> PrfRow:
        """Counts and scores of some pronouns."""
        table = tally(self.units.among(chosen).sums(self.items[chosen]))
        scores = scores_of(table, self.metrics, plan, dict.fromkeys(self.metrics, signature))
        candidate, reference = int(table.sums[0]), int(table.sums[1])
        matches = int(self.clip(table.sums[None])[0])
        return PrfRow(name, matches, candidate, reference, tuple(scores.values()))


def _clipped(sums: Floats) -> Floats:
    return sums[:, 2]


def _clip_words(sums: Floats) -> Floats:
    words = (sums.shape[1] - 2) // 2
    ours, theirs = sums[:, 2 : 2 + words], sums[:, 2 + words :]
    return np.asarray(np.minimum(ours, theirs).sum(axis=1))


def shared_words(candidates: Iterable[Sequence[ComparedPronoun]]) -> tuple[str, ...]:
    """The words that are linked in the reference and in some candidate."""
    ours: set[str] = set()
    theirs: set[str] = set()
    for examples in candidates:
        ours.update(word for example in examples for word in example.reference)
        theirs.update(word for example in examples for word in example.candidate)
    return tuple(sorted((ours & theirs) - {OTHER}))


def _word_counts(
    examples: Sequence[ComparedPronoun], words: Sequence[str]
) -> tuple[Floats, Floats]:
    """How often each word is linked in the reference and in the candidate, by example."""
    column = {word: number for number, word in enumerate(words)}
    counts = np.zeros((2, len(examples), len(column)))
    for number, example in enumerate(examples):
        for side, linked in enumerate((example.reference, example.candidate)):
            for word in linked:
                if word in column:
                    counts[side, number, column[word]] += 1
    return counts[0], counts[1]
