"""Confusion counts: what every score of a submission is computed from.

Counts are integer arrays whose last two axes are (gold, predicted); leading axes are resamples, so
every function here and in `scores.py` works on one matrix and on thousands alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Indices = NDArray[np.integer]


def confusion_counts(gold: Indices, predicted: Indices, size: int) -> Counts:
    """The matrix (gold, predicted) of two aligned arrays of class indices."""
    cells = gold.astype(np.int64) * size + predicted
    return np.bincount(cells, minlength=size * size).reshape(size, size).astype(np.int64)


def regroup(counts: Counts, groups: Sequence[int]) -> Counts:
    """The matrix after class i has become class `groups[i]`."""
    size = max(groups) + 1
    onto = np.zeros((len(groups), size), dtype=np.int64)
    onto[np.arange(len(groups)), list(groups)] = 1
    return onto.T @ counts @ onto
