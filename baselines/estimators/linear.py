"""Linear classifiers over sparse features: support vector machines, maximum entropy, SGD.

scikit-learn finds the weights; arrays are kept. Where the scores are no log-odds (one machine for
each class), probabilities are the softmax of the scores times a sharpness, the one that gives the
gold classes of dev the highest likelihood (Platt 1999, Guo et al. 2017). One parameter overfits
nothing and changes no decision.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_matrix
from scipy.special import logsumexp, softmax

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.settings import settings

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]
Positive = Annotated[float, Field(ge=1e-15, le=1e15)]
"""Other numbers give no weights that can be calculated with."""
_LOG_SHARPNESS = (-5.0, 5.0)
"""Bounds of the search, where scores are at most 1; larger scores may need less."""


@dataclass(frozen=True)
class LabelledRows:
    """A row of features and a label (-1: not known) for each gap."""

    matrix: csr_matrix
    labels: Labels

    def of(self, groups: Sequence[Sequence[int]]) -> LabelledRows:
        numbers = {label: number for number, group in enumerate(groups) for label in group}
        labels = np.array([numbers.get(label, -1) for label in self.labels.tolist()], np.int64)
        return LabelledRows(self.matrix[labels >= 0], labels[labels >= 0])


@dataclass(frozen=True)
class LinearModel:
    """A row of weights and a bias for each class; probabilities are softmax(scores · sharpness)."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    sharpness: float | Floats = 1.0

    def calibrated(self, dev: LabelledRows) -> LinearModel:
        """The model with the sharpness that suits labelled rows; without rows, as it is."""
        if not len(dev.labels):
            return self
        scores = self.scores(dev.matrix)
        gold = scores[np.arange(len(dev.labels)), dev.labels]

        def loss(logarithm: float) -> float:
            sharpness = np.exp(logarithm)
            return float(np.mean(logsumexp(scores * sharpness, axis=1) - gold * sharpness))

        low = _LOG_SHARPNESS[0] - np.log(max(1.0, float(np.abs(scores).max())))
        best = minimize_scalar(loss, bounds=(low, _LOG_SHARPNESS[1]), method="bounded")
        return replace(self, sharpness=float(np.exp(best.x)))

    def scores(self, matrix: csr_matrix) -> Floats:
        return np.asarray(matrix @ self.weights.T + self.bias, dtype=np.float64)

    def probabilities(self, matrix: csr_matrix) -> Floats:
        return np.asarray(softmax(self.scores(matrix) * self.sharpness, axis=1))

    def check(self, classes: int, features: int) -> None:
        """Raise a ValueError if the arrays are those of another model."""
        shapes = self.weights.shape, self.bias.shape, np.shape(self.sharpness)
        if shapes != ((classes, features), (classes,), ()):
            raise ValueError(f"weights of {shapes[0]}, not of {(classes, features)}")


def _fit(machine: Any, matrix: csr_matrix, labels: Labels, weights: Floats) -> LinearModel:
    """Fit something of scikit-learn that has weights and biases; of two classes each has half."""
    from sklearn.exceptions import ConvergenceWarning  # slow to import, and for training only

    with warnings.catch_warnings(), np.errstate(over="ignore"):
        # The dual solver warns at any limit of iterations that is worth having.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            machine.fit(matrix.astype(np.float64), labels, sample_weight=weights)
            coef, bias = machine.coef_, machine.intercept_
            if len(coef) == 1:
                coef, bias = np.concatenate([-coef, coef]) / 2, np.concatenate([-bias, bias]) / 2
            model = LinearModel(np.ascontiguousarray(coef, np.float32), bias.astype(np.float32))
            if not (np.isfinite(model.weights).all() and np.isfinite(model.bias).all()):
                raise ValueError("weights that are not finite")
        except ValueError as error:  # numbers grew too large
            expected = "values with which training converges (nearer to those of conf/system)"
            actual = f"a divergence: {error}"
            raise input_error("settings", "system.estimator", expected, actual) from error
    return model


@settings
class LinearSVM:
    """One machine for each class, squared hinge loss, LIBLINEAR's dual solver."""

    name: Literal["linear_svm"] = "linear_svm"
    cost: Positive = 0.1
    tolerance: Positive = 0.1
    iterations: Annotated[int, Field(ge=1)] = 100

    def fit(self, matrix: csr_matrix, labels: Labels, weights: Floats, seed: int) -> LinearModel:
        from sklearn.svm import LinearSVC

        some = {"C": self.cost, "tol": self.tolerance, "max_iter": self.iterations}
        return _fit(LinearSVC(**some, dual=True, random_state=seed), matrix, labels, weights)


@settings
class MaxEnt:
    """Multinomial logistic regression: one distribution over all classes."""

    name: Literal["maxent"] = "maxent"
    cost: Positive = 0.1
    tolerance: Positive = 0.001
    iterations: Annotated[int, Field(ge=1)] = 100

    def fit(self, matrix: csr_matrix, labels: Labels, weights: Floats, seed: int) -> LinearModel:
        from sklearn.linear_model import LogisticRegression

        some = {"C": self.cost, "tol": self.tolerance, "max_iter": self.iterations}
        return _fit(LogisticRegression(**some), matrix, labels, weights)


@settings
class SGDLogistic:
    """Logistic loss by stochastic gradient descent, one model for each class, weights averaged."""

    name: Literal["sgd_logistic"] = "sgd_logistic"
    penalty: Positive = 1e-6
    epochs: Annotated[int, Field(ge=1)] = 10

    def fit(self, matrix: csr_matrix, labels: Labels, weights: Floats, seed: int) -> LinearModel:
        from sklearn.linear_model import SGDClassifier

        some = {"alpha": self.penalty, "max_iter": self.epochs, "random_state": seed}
        machine = SGDClassifier(loss="log_loss", tol=None, average=True, **some)
        return _fit(machine, matrix, labels, weights)
