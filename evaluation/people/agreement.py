"""How far annotators agree: equal verdicts, Cohen's kappa, Krippendorff's alpha.

A rating is a mapping from annotators to values; only items with two or more ratings count. Cohen's
kappa (1960) is that of a pair of annotators; for several it is the mean over pairs, weighted by the
items that they share. Krippendorff's alpha is that of nominal values: an item with m ratings gives
each ordered pair of them the weight 1/(m-1).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations


@dataclass(frozen=True)
class Agreement:
    """Measures over the items that several annotators rated; None where one is not defined."""

    items: int
    equal: float | None
    kappa: float | None
    alpha: float | None


def agreement(ratings: Iterable[Mapping[str, str]]) -> Agreement:
    shared = [rating for rating in ratings if len(rating) > 1]
    by_annotators: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    coincidences: dict[tuple[str, str], float] = defaultdict(float)
    for rating in shared:
        for first, second in combinations(sorted(rating), 2):
            by_annotators[first, second].append((rating[first], rating[second]))
        for values in permutations(rating.values(), 2):
            coincidences[values] += 1 / (len(rating) - 1)
    pairs = [values for shared_values in by_annotators.values() for values in shared_values]
    kappas = [
        (cohens_kappa(shared_values), len(shared_values))
        for shared_values in by_annotators.values()
    ]
    weighted = [(kappa * size, size) for kappa, size in kappas if kappa is not None]
    return Agreement(
        len(shared),
        sum(first == second for first, second in pairs) / len(pairs) if pairs else None,
        sum(part for part, _ in weighted) / sum(size for _, size in weighted) if weighted else None,
        _alpha(coincidences),
    )


def cohens_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Agreement of two annotators beyond chance; None if both always give the same single value."""
    size = len(pairs)
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    expected = sum(count * second[value] for value, count in first.items()) / size**2
    equal = sum(value == other for value, other in pairs) / size
    return (equal - expected) / (1 - expected) if expected < 1 else None


def _alpha(coincidences: Mapping[tuple[str, str], float]) -> float | None:
    margin: dict[str, float] = defaultdict(float)
    for (value, _), weight in coincidences.items():
        margin[value] += weight
    total = sum(margin.values())
    expected = total**2 - sum(weight**2 for weight in margin.values())
    if expected < 1e-9:
        return None
    equal = sum(weight for (first, second), weight in coincidences.items() if first == second)
    return 1 - (total - 1) * (total - equal) / expected
