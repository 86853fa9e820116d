"""Scores of machines as probabilities: one number, fitted on dev (Platt 1999, Guo et al. 2017).

Softmax of the scores times a sharpness; the sharpness gives the gold classes of dev the highest
likelihood. With one parameter nothing can be overfitted, and no decision changes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_matrix
from scipy.special import logsumexp

from crosspro.baselines.estimators.linear import LinearModel
from crosspro.baselines.estimators.model import Labels

_RANGE = (-5.0, 5.0)
"""Of the sharpness's natural logarithm, where scores are at most 1; larger ones may need less."""


def calibrated(model: LinearModel, matrix: csr_matrix, labels: Labels) -> LinearModel:
    """The model with the sharpness that suits some labelled rows; without rows, as it is."""
    if not len(labels):
        return model
    scores = model.scores(matrix)
    gold = scores[np.arange(len(labels)), labels]

    def loss(logarithm: float) -> float:
        sharpness = np.exp(logarithm)
        return float(np.mean(logsumexp(scores * sharpness, axis=1) - gold * sharpness))

    low = _RANGE[0] - np.log(max(1.0, float(np.abs(scores).max())))
    best = minimize_scalar(loss, bounds=(low, _RANGE[1]), method="bounded")
    return replace(model, sharpness=float(np.exp(best.x)))
