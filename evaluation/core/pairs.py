"""Which systems are compared with which by paired tests: all, each with the best, or with one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import isnan

PairChoice = Callable[[Sequence[str], Sequence[float]], list[tuple[int, int]]]
"""Pairs of places of systems, whose names and scores are given; the second is subtracted."""


def every_pair(names: Sequence[str], values: Sequence[float]) -> list[tuple[int, int]]:
    """Each system with each other."""
    return list(combinations(range(len(names)), 2))


def against_best(names: Sequence[str], values: Sequence[float]) -> list[tuple[int, int]]:
    """The system with the highest score, of equals the first, with each other."""
    defined = [place for place, value in enumerate(values) if not isnan(value)]
    if not defined:
        return []
    best = max(defined, key=values.__getitem__)
    return [(best, other) for other in range(len(names)) if other != best]


def against(name: str, names: Sequence[str], values: Sequence[float]) -> list[tuple[int, int]]:
    """Each other system with the one of this name; with the best where it is not among them."""
    if name not in names:
        return against_best(names, values)
    place = list(names).index(name)
    return [(other, place) for other in range(len(names)) if other != place]
