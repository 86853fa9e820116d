"""How much a gap of each class counts in training: the rarer its class, the more."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.settings import Must

WeightPower = Annotated[float, Must("a number from 0 to 5", lambda value: 0 <= value <= 5)]
"""How much rare classes count for more, as the type of a setting."""


def class_weights(
    labels: NDArray[np.int32] | NDArray[np.int64], classes: int, power: float
) -> NDArray[np.float64]:
    """Weights n^-power of the class counts, scaled so that an average gap weighs 1.

    Power 0 weighs all gaps alike (accuracy), 1 all classes alike (macro recall).
    """
    counts = np.bincount(labels[labels >= 0], minlength=classes).astype(np.float64)
    weights: NDArray[np.float64] = np.where(counts > 0, np.maximum(counts, 1) ** -power, 0.0)
    return np.asarray(weights * counts.sum() / (weights * counts).sum())
