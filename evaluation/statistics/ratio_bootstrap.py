"""Intervals and paired tests for ratios of sums: APT, AutoPRF, contrastive accuracy, PROTEST.

A test set is a list of units (documents where they are known, else sentences or instances), and
every unit carries a few numbers whose sums make the score. Units with equal numbers cannot be told
apart, so a resample is a draw of counts from their multinomial distribution: as fast for fifty
thousand sentences as for fifty documents. The tests are those of `significance.py`: paired
bootstrap and approximate randomisation, two-sided, with p values that are never 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosspro.evaluation.statistics.significance import Difference, Resampling, interval, p_value

Floats = NDArray[np.float64]

_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Ratio:
    """A system's score as a ratio of sums: a numerator and a denominator for each unit."""

    name: str
    numerators: Floats
    denominators: Floats

    @property
    def value(self) -> float:
        """The score itself."""
        return float(_quotient(self.numerators.sum(), self.denominators.sum()))


def make_ratio(name: str, numerators: ArrayLike, denominators: ArrayLike) -> Ratio:
    """A ratio from any sequences of numbers of equal length."""
    first, second = (np.asarray(values, dtype=np.float64) for values in (numerators, denominators))
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"one numerator and one denominator a unit: {first.shape}, {second.shape}")
    return Ratio(name, first, second)


def ratio_interval(
    numerators: ArrayLike, denominators: ArrayLike, plan: Resampling
) -> tuple[float, float]:
    """The 95% bootstrap interval of sum(numerators) / sum(denominators)."""
    ratio = make_ratio("", numerators, denominators)
    sums = bootstrap_sums(np.stack((ratio.numerators, ratio.denominators), axis=1), plan)
    return interval(_quotient(sums[:, 0], sums[:, 1]))


def compare_ratios(first: Ratio, second: Ratio, plan: Resampling) -> Difference:
    """Paired bootstrap and approximate randomisation of two systems over the same units."""
    if first.numerators.shape != second.numerators.shape:
        raise ValueError("the two systems have different units")
    one, other = (np.stack((r.numerators, r.denominators), axis=1) for r in (first, second))
    observed = first.value - second.value
    both = bootstrap_sums(np.concatenate((one, other), axis=1), plan)
    resampled = _quotient(both[:, 0], both[:, 1]) - _quotient(both[:, 2], both[:, 3])
    left, right = exchanged_sums(one, other, plan)
    exchanged = _quotient(left[:, 0], left[:, 1]) - _quotient(right[:, 0], right[:, 1])
    low, high = interval(resampled)
    return Difference(
        first.name,
        second.name,
        observed,
        low,
        high,
        p_value(resampled - observed, observed),
        p_value(exchanged, observed),
    )


def bootstrap_sums(statistics: Floats, plan: Resampling) -> Floats:
    """Column sums of each resample of the units, which are the rows."""
    generator = np.random.default_rng(plan.seed)
    kinds, counts = np.unique(statistics, axis=0, return_counts=True)
    units = len(statistics)
    rows = [
        generator.multinomial(units, counts / units, size=size) @ kinds
        for size in _blocks(plan.resamples, len(kinds))
    ]
    return np.concatenate(rows)


def exchanged_sums(first: Floats, second: Floats, plan: Resampling) -> tuple[Floats, Floats]:
    """Column sums of two systems after each unit was exchanged with probability one half."""
    generator = np.random.default_rng(plan.seed)
    kinds, counts = np.unique(np.concatenate((first, second), axis=1), axis=0, return_counts=True)
    change = kinds[:, first.shape[1] :] - kinds[:, : first.shape[1]]
    moved = np.concatenate(
        [
            generator.binomial(counts, 0.5, size=(size, len(kinds))) @ change
            for size in _blocks(plan.resamples, len(kinds))
        ]
    )
    return first.sum(axis=0) + moved, second.sum(axis=0) - moved


def _blocks(resamples: int, kinds: int) -> list[int]:
    """Sizes of the blocks in which resamples are drawn, so that memory stays small."""
    size = max(1, _CELLS_AT_ONCE // max(kinds, 1))
    return [min(size, resamples - start) for start in range(0, resamples, size)]


def _quotient(numerator: ArrayLike, denominator: ArrayLike) -> Floats:
    above, below = np.asarray(numerator, np.float64), np.asarray(denominator, np.float64)
    result: Floats = np.zeros(np.broadcast(above, below).shape)
    np.divide(above, below, out=result, where=below != 0)
    return result
