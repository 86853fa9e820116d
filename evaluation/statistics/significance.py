"""How certain a score is, and whether two submissions really differ.

Everything works on counts. Gaps with the same gold class and the same predictions of the one or two
submissions looked at are one *pattern*; a test set is a count of patterns, per document where
documents are known. A resample is again a count of patterns, so a thousand are one array operation.

- Bootstrap: documents (or gaps) are drawn with replacement; the interval is the middle 95%. Where a
  macro average skips absent classes it does so in each resample, so a class of very few instances
  widens the interval upwards.
- Paired bootstrap (Koehn 2004): both submissions are scored on the same resamples.
- Approximate randomisation (Noreen 1989): the predictions of two systems are exchanged for each
  document (or gap) with probability one half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.evaluation.submissions.confusion import Counts
from crosspro.evaluation.submissions.scores import Values
from crosspro.evaluation.submissions.submission import Gold, Submission

Metric = Callable[[Counts], Values]

FEW_DOCUMENTS = 10
"""With fewer, the bootstrap by document is too sure of itself; the randomisation test is not."""

_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Resampling:
    """How many resamples are drawn, and from which seed."""

    resamples: int = 1000
    seed: int = 12345


@dataclass(frozen=True, slots=True)
class Difference:
    """A paired comparison: first minus second, its 95% interval and two p values."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float


@dataclass(frozen=True)
class Patterns:
    """The test set as counts: `gold[p]`, `predicted[s, p]`, and `units[u, p]` occurrences.

    Units are documents where they are known. Otherwise each gap is a unit, and `units` has one row
    with the totals, which says as much.
    """

    size: int
    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]
    units: NDArray[np.int64]
    by_document: bool

    @property
    def total(self) -> NDArray[np.int64]:
        """Occurrences of each pattern in the whole test set."""
        return np.asarray(self.units.sum(axis=0))

    def confusion(self, system: int, occurrences: NDArray[np.int64]) -> Counts:
        """Confusion counts of a system for each row of pattern occurrences."""
        cells = self.gold * self.size + self.predicted[system]
        onto = np.zeros((len(cells), self.size * self.size), dtype=np.int64)
        onto[np.arange(len(cells)), cells] = 1
        return _product(occurrences, onto).reshape(*occurrences.shape[:-1], self.size, self.size)


def find_patterns(gold: Gold, submissions: Sequence[Submission], size: int) -> Patterns:
    """Count the patterns of one or two submissions over the given number of classes."""
    code = gold.classes.astype(np.int64)
    for submission in submissions:
        code = code * size + submission.classes
    distinct, which = np.unique(code, return_inverse=True)
    powers = size ** np.arange(len(submissions), -1, -1)
    values = distinct // powers[:, None] % size
    documents = np.zeros_like(which)
    if gold.documents is not None:  # documents without a gap say nothing and are left out
        documents = np.unique(gold.documents, return_inverse=True)[1]
    number = int(documents.max(initial=0)) + 1
    by_document = number > 1  # one document cannot be resampled: its gaps are
    units = np.bincount(documents * len(distinct) + which, minlength=number * len(distinct))
    units = units.reshape(number, len(distinct))
    return Patterns(size, values[0], values[1:], units, by_document)


def bootstrap(patterns: Patterns, resamples: int, seed: int) -> NDArray[np.int64]:
    """Occurrences of each pattern in each resample."""
    generator = np.random.default_rng(seed)
    if not patterns.by_document:
        gaps = int(patterns.total.sum())
        return generator.multinomial(gaps, patterns.total / gaps, size=resamples)
    number = len(patterns.units)
    rows = []
    for start in range(0, resamples, _AT_ONCE):  # in blocks, so that memory stays small
        count = min(_AT_ONCE, resamples - start)
        chosen = generator.integers(0, number, size=(count, number))
        chosen += np.arange(count)[:, None] * number
        drawn = np.bincount(chosen.ravel(), minlength=count * number).reshape(count, number)
        rows.append(_product(drawn, patterns.units))
    return np.concatenate(rows)


def interval(values: Values) -> tuple[float, float]:
    """The middle 95% of resampled values."""
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def compare(
    gold: Gold, pair: tuple[Submission, Submission], size: int, metric: Metric, plan: Resampling
) -> Difference:
    """Paired bootstrap and approximate randomisation of two submissions under one metric.

    The p values are two-sided and never 0: n samples cannot show less than 1/(n+1).
    """
    patterns = find_patterns(gold, pair, size)

    def difference(first: Counts, second: Counts) -> Values:
        return np.asarray(metric(first) - metric(second))

    total = patterns.total
    observed = float(difference(patterns.confusion(0, total), patterns.confusion(1, total)))
    samples = bootstrap(patterns, plan.resamples, plan.seed)
    resampled = difference(patterns.confusion(0, samples), patterns.confusion(1, samples))
    exchanged = difference(*_exchange(patterns, plan))
    low, high = interval(resampled)
    # Around the observed difference the bootstrap scatters as it would around none (Koehn 2004
    # counts signs instead, which is one-sided).
    return Difference(
        pair[0].name,
        pair[1].name,
        observed,
        low,
        high,
        p_value(resampled - observed, observed),
        p_value(exchanged, observed),
    )


def p_value(under_null: Values, observed: float) -> float:
    """Two-sided: how often chance alone gives a difference as large as the observed one."""
    as_large = np.abs(under_null) >= abs(observed) - 1e-9
    return float((1 + as_large.sum()) / (1 + len(under_null)))


def _exchange(patterns: Patterns, plan: Resampling) -> tuple[Counts, Counts]:
    """Confusion counts of both systems after random exchanges of their predictions."""
    generator = np.random.default_rng(plan.seed)
    total = patterns.total
    if patterns.by_document:
        coins = generator.integers(0, 2, size=(plan.resamples, len(patterns.units)))
        moved = _product(coins, patterns.units)
    else:
        moved = generator.binomial(total, 0.5, size=(plan.resamples, len(total)))
    kept = total - moved
    return (
        patterns.confusion(0, kept) + patterns.confusion(1, moved),
        patterns.confusion(1, kept) + patterns.confusion(0, moved),
    )


def _product(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Integer matrix product through floats, which numpy does fast and exactly up to 2**53."""
    return np.rint(left.astype(np.float64) @ right.astype(np.float64)).astype(np.int64)


def agreement(submissions: Sequence[Submission]) -> Values:
    """Share of gaps, in per cent, for which each two submissions give the same class."""
    rows = np.stack([submission.classes for submission in submissions])
    return np.array([[100.0 * np.mean(one == other) for other in rows] for one in rows])
