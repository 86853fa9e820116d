"""Ranks: which rows of a table differ, and which ranks each of them may have.

Every row is compared with every other one. The p values of a row are corrected for the number of
its comparisons (Holm 1979); of a pair the larger of both counts, so that two rows agree on whether
they differ. Where three rows of ten are significantly better than a row, and five worse, its rank
is 4 or 5: paired tests cannot say more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from crosspro.evaluation.core.statistics import Floats, holm, interval, p_value

SIGNIFICANT = 0.05
"""Rows differ where p, corrected, is below."""


class RankRange(NamedTuple):
    """The best and the worst rank that a row may have."""

    first: int
    last: int


class PairwiseTests(NamedTuple):
    """All rows of a table compared: in each matrix a row less a column, by their names.

    `low` and `high` are bounds of 95% intervals, `p` those of approximate randomisation.
    """

    names: tuple[str, ...]
    value: Floats
    low: Floats
    high: Floats
    p: Floats

    def corrected(self) -> Floats:
        """The p values of each pair, corrected for the comparisons of either row."""
        result = np.ones_like(self.p)
        for place, own in enumerate(self.p):
            others = np.arange(len(own)) != place
            result[place, others] = holm(own[others].tolist())
        return np.maximum(result, result.T)

    def ranks(self, lower_is_better: bool = False) -> tuple[RankRange, ...]:
        """The range of each row: one more than are better, to all but those that are worse."""
        ahead = -self.value if lower_is_better else self.value
        differs = self.corrected() < SIGNIFICANT
        better, worse = ((differs & which).sum(axis=1) for which in (ahead < 0, ahead > 0))
        size = len(self.names)
        pairs = zip(better.tolist(), worse.tolist(), strict=True)
        return tuple(RankRange(1 + above, size - below) for above, below in pairs)


def pairwise_tests(
    names: Sequence[str], values: Floats, exchanged: Callable[[int, int], Floats]
) -> PairwiseTests:
    """Compare all rows, which share their resamples.

    `values` has the scores of all rows, then those in each resample. `exchanged` gives the
    differences of two rows after some of their documents were exchanged. Where a difference is
    defined in no resample its interval has no width.
    """
    size = len(names)
    value, low, high, p = (np.full((size, size), one) for one in (0.0, 0.0, 0.0, 1.0))
    for one in range(size):
        for other in range(one + 1, size):
            change = values[:, one] - values[:, other]
            observed = float(change[0])
            bounds = interval(change[1:])
            least, most = (observed if bound is None else bound for bound in bounds)
            value[one, other], value[other, one] = observed, -observed
            low[one, other], low[other, one] = least, -most
            high[one, other], high[other, one] = most, -least
            p[one, other] = p[other, one] = p_value(exchanged(one, other), observed)
    return PairwiseTests(tuple(names), value, low, high, p)
