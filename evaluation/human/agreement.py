"""How far annotators agree: equal verdicts, Cohen's kappa, Krippendorff's alpha.

A rating is a mapping from annotators to values; only items with two or more ratings count. Cohen's
kappa (1960) is that of a pair of annotators; for several it is the mean over pairs, weighted by the
items that they share. Krippendorff's alpha is that of nominal values: an item with m ratings gives
each ordered pair of them the weight 1/(m-1).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

Table = Counter[tuple[str, str]]
"""How often two values were given to the same item."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Measures over the items that several annotators rated; None where one is not defined."""

    items: int
    equal: float | None
    kappa: float | None
    alpha: float | None


def agreement(ratings: Iterable[Mapping[str, str]]) -> Agreement:
    """All measures."""
    shared = [rating for rating in ratings if len(rating) > 1]
    pairs: dict[tuple[str, str], Table] = defaultdict(Counter)
    coincidences: dict[tuple[str, str], float] = defaultdict(float)
    for rating in shared:
        for first, second in combinations(sorted(rating), 2):
            pairs[first, second][rating[first], rating[second]] += 1
        for values in permutations(rating.values(), 2):
            coincidences[values] += 1 / (len(rating) - 1)
    total = sum(table.total() for table in pairs.values())
    equal = sum(_diagonal(table) for table in pairs.values())
    return Agreement(
        len(shared), equal / total if total else None, _mean_kappa(pairs.values()),
        _alpha(coincidences),
    )  # fmt: skip


def _mean_kappa(tables: Iterable[Table]) -> float | None:
    """A pair that always gives the same single value says nothing, and is left out."""
    kappas = []
    for table in tables:
        size = table.total()
        first, second = _margin(table, 0), _margin(table, 1)
        expected = sum(count * second[value] for value, count in first.items()) / size**2
        if expected < 1:
            kappas.append(((_diagonal(table) / size - expected) / (1 - expected), size))
    sizes = sum(size for _, size in kappas)
    return sum(kappa * size for kappa, size in kappas) / sizes if sizes else None


def _alpha(coincidences: Mapping[tuple[str, str], float]) -> float | None:
    margin = _margin(coincidences, 0)
    total = sum(margin.values())
    expected = total**2 - sum(count**2 for count in margin.values())
    if expected < 1e-9:
        return None
    return 1 - (total - 1) * (total - _diagonal(coincidences)) / expected


def _diagonal(table: Mapping[tuple[str, str], float]) -> float:
    return sum(count for (first, second), count in table.items() if first == second)


def _margin(table: Mapping[tuple[str, str], float], side: int) -> dict[str, float]:
    margin: dict[str, float] = defaultdict(float)
    for values, count in table.items():
        margin[values[side]] += count
    return margin
