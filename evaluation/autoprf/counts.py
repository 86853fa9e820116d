"""Counts behind AutoPRF: what is summed over the units of a text, for scores and for resampling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.evaluation.apt.occurrences import OTHER, Anchor
from crosspro.evaluation.mt_text.document_units import Units
from crosspro.evaluation.statistics.ratio_bootstrap import Floats, bootstrap_sums, exchanged_sums
from crosspro.evaluation.statistics.significance import Difference, Resampling, interval, p_value
from crosspro.evaluation.submissions.scores import Score, harmonic_mean

METRICS = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class Example:
    """A source pronoun with the words that are compared, and how many match.

    Under corpus clipping matches belong to the text and not to an example.
    """

    anchor: Anchor
    reference: tuple[str, ...]
    candidate: tuple[str, ...]
    matches: int


@dataclass(frozen=True)
class Row:
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
    """Statistics of each unit, from whose sums precision, recall and F1 follow.

    The columns are the numbers of candidate words, of reference words, and of matches. Where
    `words` are given, matches are clipped over the text: they follow from the counts of each word,
    which stand in the place of the matches.
    """

    def __init__(
        self, examples: Sequence[Example], units: Units, words: Sequence[str] | None
    ) -> None:
        self.units = units
        sizes = [(len(e.candidate), len(e.reference), e.matches) for e in examples]
        self.items: Floats = np.array(sizes, dtype=np.float64).reshape(-1, 3)
        self.clip = _clipped
        if words is not None:
            counts = _word_counts(examples, words)
            self.items = np.concatenate((self.items[:, :2], *counts), axis=1)
            self.clip = _clip_words

    def statistics(self, chosen: NDArray[np.bool_]) -> Floats:
        """The statistics of each unit over the chosen examples."""
        result = np.zeros((self.units.count, self.items.shape[1]))
        np.add.at(result, self.units.of_item[chosen], self.items[chosen])
        return result

    def values(self, sums: Floats) -> Floats:
        """Precision, recall and F1 in the last axis; not a number where nothing is linked."""
        candidate, reference, matches = sums[..., 0], sums[..., 1], self.clip(sums)
        precision, recall = _divide(matches, candidate), _divide(matches, reference)
        f1 = harmonic_mean(precision, recall)
        f1[np.isnan(precision + recall)] = np.nan
        return np.stack((precision, recall, f1), axis=-1)

    def row(
        self, name: str, chosen: NDArray[np.bool_], plan: Resampling | None, signature: str
    ) -> Row:
        """Counts and scores of some examples."""
        sums = self.items[chosen].sum(axis=0)
        limits: list[tuple[float | None, float | None]] = [(None, None)] * len(METRICS)
        if plan is not None and chosen.any():
            some = np.bincount(self.units.of_item, chosen, self.units.count) > 0
            samples = self.values(bootstrap_sums(self.statistics(chosen)[some], plan))
            limits = [defined_interval(samples[:, column]) for column in range(len(METRICS))]
        scores = tuple(
            Score(metric, float(value), signature, *((None, None) if np.isnan(value) else limit))
            for metric, value, limit in zip(METRICS, self.values(sums), limits, strict=True)
        )
        return Row(name, int(self.clip(sums)), int(sums[0]), int(sums[1]), scores)


def defined_interval(values: Floats) -> tuple[float | None, float | None]:
    """The 95% interval over the resamples that have a value."""
    defined = values[~np.isnan(values)]
    return interval(defined) if len(defined) else (None, None)


def _clipped(sums: Floats) -> Floats:
    return np.asarray(sums[..., 2])


def _clip_words(sums: Floats) -> Floats:
    words = (sums.shape[-1] - 2) // 2
    ours, theirs = sums[..., 2 : 2 + words], sums[..., 2 + words :]
    return np.asarray(np.minimum(ours, theirs).sum(axis=-1))


def shared_words(candidates: Iterable[Sequence[Example]]) -> tuple[str, ...]:
    """The words that are linked in the reference and in some candidate."""
    ours: set[str] = set()
    theirs: set[str] = set()
    for examples in candidates:
        ours.update(word for example in examples for word in example.reference)
        theirs.update(word for example in examples for word in example.candidate)
    return tuple(sorted((ours & theirs) - {OTHER}))


def _word_counts(examples: Sequence[Example], words: Sequence[str]) -> tuple[Floats, Floats]:
    """How often each word is linked in the reference and in the candidate, by example."""
    column = {word: number for number, word in enumerate(words)}
    counts = np.zeros((2, len(examples), len(column)))
    for number, example in enumerate(examples):
        for side, linked in enumerate((example.reference, example.candidate)):
            for word in linked:
                if word in column:
                    counts[side, number, column[word]] += 1
    return counts[0], counts[1]


def compare_tables(
    names: tuple[str, str], first: CountTable, second: CountTable, plan: Resampling
) -> Iterator[tuple[str, Difference]]:
    """Paired bootstrap and approximate randomisation of two candidates under each metric.

    There is none where a score is not defined.
    """
    every = np.ones(len(first.items), dtype=bool)
    one, other = first.statistics(every), second.statistics(every)
    both = bootstrap_sums(np.concatenate((one, other), axis=1), plan)
    width = one.shape[1]
    resampled = first.values(both[:, :width]) - second.values(both[:, width:])
    left, right = exchanged_sums(one, other, plan)
    exchanged = first.values(left) - second.values(right)
    observed = first.values(one.sum(axis=0)) - second.values(other.sum(axis=0))
    for column, metric in enumerate(METRICS):
        value = float(observed[column])
        drawn, swapped = (
            sums[~np.isnan(sums)] for sums in (resampled[:, column], exchanged[:, column])
        )
        if np.isnan(value) or not len(drawn):
            continue
        low, high = interval(drawn)
        yield (
            metric,
            Difference(
                *names,
                value,
                low,
                high,
                p_value(drawn - value, value),
                p_value(swapped, value),
            ),
        )


def _divide(part: Floats, whole: Floats) -> Floats:
    result: Floats = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result
