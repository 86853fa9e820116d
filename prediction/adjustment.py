"""Prior correction of probabilities: how much rare classes are favoured, chosen on dev.

Logit adjustment (Menon et al. 2021): divide the probability of a class by its training frequency
to the power tau. With tau 0 nothing changes; larger values trade accuracy for macro recall.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from crosspro.prediction.system import Probabilities

TAUS: tuple[float, ...] = tuple(round(0.1 * step, 1) for step in range(-5, 21))


def factors(frequencies: NDArray[np.float64], tau: float) -> NDArray[np.float64]:
    """What the probability of each class is multiplied by; 1 for those never seen in training."""
    return np.where(frequencies > 0, np.maximum(frequencies, 1e-12) ** -tau, 1.0)


def adjust(
    probabilities: Probabilities, frequencies: NDArray[np.float64], tau: float
) -> Probabilities:
    """Probabilities in favour of rare classes."""
    scaled = probabilities * factors(frequencies, tau)
    return np.asarray(scaled / np.maximum(scaled.sum(axis=1, keepdims=True), 1e-300))


def tune_tau(
    probabilities: Probabilities,
    frequencies: NDArray[np.float64],
    score: Callable[[Probabilities], float],
) -> float:
    """The tau with which probabilities have the best dev score."""
    return best_tau(lambda tau: score(adjust(probabilities, frequencies, tau)))


def best_tau(score: Callable[[float], float], taus: Sequence[float] = TAUS) -> float:
    """The tau with the best dev score; of equal ones the nearest to 0."""
    values = {tau: score(tau) for tau in taus}
    best = max(values.values())
    return min((tau for tau in taus if values[tau] >= best - 1e-9), key=abs)
