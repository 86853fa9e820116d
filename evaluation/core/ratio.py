"""Metrics that are ratios of sums: APT, contrastive accuracy, PROTEST, disagreement with people."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from crosspro.evaluation.core.units import Floats


def ratio_statistics(numerators: ArrayLike, denominators: ArrayLike) -> Floats:
    """The statistics of units, in two columns, whose sums `ratio` divides."""
    first, second = (np.asarray(values, dtype=np.float64) for values in (numerators, denominators))
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"one numerator and one denominator a unit: {first.shape}, {second.shape}")
    return np.stack((first, second), axis=1)


def ratio(sums: Floats) -> Floats:
    """The first column over the second, 0 where that is 0."""
    result: Floats = np.zeros(len(sums))
    np.divide(sums[:, 0], sums[:, 1], out=result, where=sums[:, 1] != 0)
    return result


def quotient(part: Floats, whole: Floats) -> Floats:
    """One over the other, not a number where that is 0: there is nothing to score."""
    result: Floats = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result


def percentage(sums: Floats) -> Floats:
    """The same in per cent."""
    return 100 * ratio(sums)


def harmonic_mean(first: Floats, second: Floats) -> Floats:
    """2ab/(a+b), 0 where both are 0."""
    total = first + second
    result: Floats = np.zeros_like(total)
    np.divide(2 * first * second, total, out=result, where=total > 0)
    return result


def wilson_interval(part: int, whole: int) -> tuple[float, float]:
    """The 95% interval of a share of independent examples, of which there is at least one."""
    z = 1.959964
    p = part / whole
    centre = p + z * z / (2 * whole)
    spread = z * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole))
    below = 1 + z * z / whole
    return max(0.0, (centre - spread) / below), min(1.0, (centre + spread) / below)
