"""How far two orders of systems agree, and p values of several tests.

The published order of a shared task and the order of the same systems trained here are compared by
Spearman's and Kendall's coefficient. Documents of the test set are resampled, with the same
documents for all systems, so the interval says how sure the order here is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from crosspro.evaluation.correlation.systems import FEWEST, correlation
from crosspro.evaluation.evaluation import Score
from crosspro.evaluation.resampling import (
    USUAL,
    Columns,
    Floats,
    Resampling,
    Sums,
    Units,
    interval,
    unit_table,
)


@dataclass(frozen=True)
class OrderAgreement:
    """Coefficients from -1 to 1 with their 95% intervals over resampled documents."""

    systems: int
    spearman: Score
    kendall: Score


def order_agreement(
    published: Sequence[float],
    systems: Sequence[Columns],
    units: Units,
    score: Callable[[Sums], Floats],
    resampling: Resampling = USUAL,
) -> OrderAgreement:
    """Compare published scores with those of the same systems here; higher is better in both.

    `systems` has the statistics of each system for each item, `units` the documents of the items.
    """
    if not len(published) == len(systems) >= FEWEST:
        raise ValueError(f"expected at least {FEWEST} systems with published scores")
    table = unit_table(systems, units)

    def scores(sums: Floats) -> Floats:
        of_systems = [score(table.named(sums, place)) for place in range(len(systems))]
        return np.stack(of_systems, axis=-1)

    here, resampled = scores(table.sums), scores(resampling.bootstrap(table))
    ranking = np.asarray(published, dtype=np.float64)
    coefficients = {
        kind: Score(
            float(correlation(kind, ranking, here)[0]),
            *interval(correlation(kind, ranking, resampled)),
        )
        for kind in ("spearman", "kendall")
    }
    return OrderAgreement(len(systems), **coefficients)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values corrected for their number by Holm's step-down procedure (1979)."""
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(1, np.maximum.accumulate(factors * values[order]))
    return [float(value) for value in corrected]
