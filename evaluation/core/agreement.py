"""How far annotators agree: raw agreement, Cohen's kappa and Krippendorff's alpha, with intervals.

All three are functions of summed counts, so that they share the bootstrap of all other scores. An
item counts once for each pair of annotators who judged it. Cohen's kappa (1960) is that of a pair;
for several pairs it is the mean over pairs, weighted by what they share. Krippendorff's alpha
(nominal values, any number of annotators, missing verdicts) comes from coincidences: an item with
m verdicts gives each ordered pair of them the weight 1/(m-1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from crosspro.evaluation.core.score import Score, make_signature
from crosspro.evaluation.core.statistics import (
    Floats,
    Measure,
    Resampling,
    choose_units,
    scores_of,
    tally,
)

MEASURES = ("raw", "kappa", "alpha")


@dataclass(frozen=True, slots=True)
class RatedItem:
    """The values that annotators gave to an item; `document` is what it is resampled with."""

    values: Mapping[str, str]
    document: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Measures of agreement by name; how many items two or more annotators judged."""

    items: int
    pairs: int
    scores: Mapping[str, Score]


def agreement(
    items: Sequence[RatedItem], values: Sequence[str], plan: Resampling | None = None
) -> Agreement:
    """Raw agreement, mean kappa and alpha; a measure that is not defined is not a number."""
    shared = [item for item in items if len(item.values) > 1]
    names = sorted({name for item in shared for name in item.values})
    pairs = list(combinations(names, 2))
    columns = {name: at for at, name in enumerate(values)}
    size = len(values) ** 2
    statistics = np.zeros((len(shared), (len(pairs) + 1) * size))
    for row, item in zip(statistics, shared, strict=True):
        given = {name: columns[value] for name, value in item.values.items()}
        for at, (one, other) in enumerate(pairs):
            if one in given and other in given:
                row[at * size + given[one] * len(values) + given[other]] += 1
        for first, second in permutations(given.values(), 2):
            row[len(pairs) * size + first * len(values) + second] += 1 / (len(given) - 1)
    units = choose_units(document=[item.document for item in shared], item=range(len(shared)))
    metrics: dict[str, Measure] = {
        "raw": lambda sums: _raw(_tables(sums, len(values))[:, :-1]),
        "kappa": lambda sums: mean_kappa(_tables(sums, len(values))[:, :-1]),
        "alpha": lambda sums: alpha(_tables(sums, len(values))[:, -1]),
    }
    used = plan if units.count > 1 else None
    signatures = {name: make_signature([f"agreement-{name}"], used, units.name) for name in metrics}
    found = sum(len(item.values) * (len(item.values) - 1) // 2 for item in shared)
    if not shared:
        scores = {name: Score(name, float("nan"), signatures[name]) for name in metrics}
    else:
        scores = scores_of(tally(units.sums(statistics)), metrics, used, signatures)
    return Agreement(len(shared), found, scores)


def _tables(sums: Floats, values: int) -> Floats:
    return sums.reshape(len(sums), -1, values, values)


def _raw(tables: Floats) -> Floats:
    """The share of equal verdicts over all pairs."""
    return _divided(np.trace(tables, axis1=2, axis2=3).sum(axis=1), tables.sum(axis=(1, 2, 3)))


def mean_kappa(tables: Floats) -> Floats:
    """Cohen's kappa of each pair's table, averaged over pairs by the items that they share.

    A pair that always gives the same single value says nothing, and is left out.
    """
    totals = tables.sum(axis=(2, 3))
    observed = _divided(np.trace(tables, axis1=2, axis2=3), totals)
    margins = tables.sum(axis=3) * tables.sum(axis=2)
    expected = _divided(margins.sum(axis=2), totals**2)
    kappas = _divided(observed - expected, 1 - expected)
    known = ~np.isnan(kappas)
    weights = np.where(known, totals, 0.0)
    return _divided((np.where(known, kappas, 0.0) * weights).sum(axis=1), weights.sum(axis=1))


def alpha(coincidences: Floats) -> Floats:
    """Krippendorff's alpha for nominal values, from tables of coincidences."""
    margins = coincidences.sum(axis=2)
    total = margins.sum(axis=1)
    disagreed = total - np.trace(coincidences, axis1=1, axis2=2)
    expected = total**2 - (margins**2).sum(axis=1)
    return 1 - _divided((total - 1) * disagreed, expected)


def _divided(above: Floats, below: Floats) -> Floats:
    """Division that gives no number where there is nothing to divide by."""
    result: Floats = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=result, where=(below > 1e-12) & ~np.isnan(above))
    return result
