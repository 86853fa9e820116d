"""Linear classifiers: support vector machines, maximum entropy, and logistic loss by SGD.

scikit-learn finds the weights; what is kept are the arrays. Where the scores are no log-odds (one
machine for each class), probabilities are the softmax of the scores times a sharpness, the one
that gives the gold classes of dev the highest likelihood (Platt 1999, Guo et al. 2017). With one
parameter nothing can be overfitted, and no decision changes.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_matrix
from scipy.special import logsumexp

from crosspro.baselines.estimators.model import (
    Arrays,
    Contributions,
    Estimator,
    FeatureModel,
    Labels,
    diverged,
)
from crosspro.data_prep.core.settings import settings

Weights = NDArray[np.float32]
Positive = Annotated[float, Field(ge=1e-15, le=1e15)]
"""Of other numbers no weights come that can be counted with."""


@dataclass(frozen=True)
class LinearModel(FeatureModel):
    """A row of weights and a bias for each class; probabilities are softmax(scores · sharpness)."""

    kind = "linear"
    weights: Weights
    bias: Weights
    sharpness: float = 1.0

    def scores(self, matrix: csr_matrix) -> NDArray[np.float64]:
        """The score of each class for each row."""
        return np.asarray(matrix @ self.weights.T + self.bias, dtype=np.float64)

    def probabilities(self, matrix: csr_matrix) -> NDArray[np.float64]:
        """Softmax of the scores."""
        scores = self.scores(matrix) * self.sharpness
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def contributions(self, row: csr_matrix) -> Contributions:
        """What each feature of a row adds to the score of each class."""
        features = row.indices.astype(np.int64)
        return Contributions(
            features, self.weights[:, features].T.astype(np.float64), self.bias.astype(np.float64)
        )

    def arrays(self) -> Arrays:
        """Weights, bias and sharpness."""
        sharpness = np.array([self.sharpness], np.float64)
        return {"weights": self.weights, "bias": self.bias, "sharpness": sharpness}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], classes: int, size: int
    ) -> LinearModel:
        """The model of saved arrays; a `ValueError` says what is wrong with them."""
        weights, bias, sharpness = (arrays[name] for name in ("weights", "bias", "sharpness"))
        shapes = (weights.shape, bias.shape, sharpness.shape)
        if shapes != ((classes, size), (classes,), (1,)):
            raise ValueError(f"weights of {shapes}, for {classes} classes and {size} features")
        if not all(np.isfinite(array).all() for array in (weights, bias, sharpness)):
            raise ValueError("numbers that are not finite")
        return cls(weights, bias, float(sharpness[0]))


class _LinearEstimator(Estimator):
    """Fits something of scikit-learn that has weights and biases."""

    @abstractmethod
    def machine(self, seed: int) -> Any:
        """What scikit-learn fits."""

    def fit(
        self, matrix: csr_matrix, labels: Labels, weights: NDArray[np.float64], seed: int
    ) -> LinearModel:
        """The weights of all classes; of two classes each has half of the difference."""
        from sklearn.exceptions import ConvergenceWarning  # slow to import, and for training only

        machine = self.machine(seed)
        with warnings.catch_warnings():
            # The dual solver says so at any limit of iterations that is worth having.
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                machine.fit(matrix.astype(np.float64), labels, sample_weight=weights)
            except ValueError as error:  # so it says that numbers grew too large
                raise diverged("system.estimator", str(error)) from error
        coef, bias = np.asarray(machine.coef_), np.asarray(machine.intercept_)
        if len(coef) == 1:
            coef, bias = np.concatenate([-coef, coef]) / 2, np.concatenate([-bias, bias]) / 2
        with np.errstate(over="ignore"):
            narrow = np.ascontiguousarray(coef, np.float32), bias.astype(np.float32)
        if not all(np.isfinite(array).all() for array in narrow):
            raise diverged("system.estimator", "weights that are not finite")
        return LinearModel(*narrow)


@settings
class LinearSVM(_LinearEstimator):
    """One machine for each class, squared hinge loss, LIBLINEAR's dual solver."""

    name: Literal["linear_svm"] = "linear_svm"
    cost: Positive = 0.1
    tolerance: Positive = 0.1
    iterations: Annotated[int, Field(ge=1)] = 100
    calibrated: ClassVar = True

    def machine(self, seed: int) -> Any:
        """LinearSVC."""
        from sklearn.svm import LinearSVC

        return LinearSVC(
            C=self.cost, tol=self.tolerance, max_iter=self.iterations, dual=True, random_state=seed
        )


@settings
class MaxEnt(_LinearEstimator):
    """Multinomial logistic regression: one distribution over all classes."""

    name: Literal["maxent"] = "maxent"
    cost: Positive = 0.1
    tolerance: Positive = 0.001
    iterations: Annotated[int, Field(ge=1)] = 100

    def machine(self, seed: int) -> Any:
        """LogisticRegression."""
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=self.cost, tol=self.tolerance, max_iter=self.iterations)


@settings
class SGDLogistic(_LinearEstimator):
    """Logistic loss by stochastic gradient descent, one model for each class, weights averaged."""

    name: Literal["sgd_logistic"] = "sgd_logistic"
    penalty: Positive = 1e-6
    epochs: Annotated[int, Field(ge=1)] = 10
    calibrated: ClassVar = True

    def machine(self, seed: int) -> Any:
        """SGDClassifier."""
        from sklearn.linear_model import SGDClassifier

        return SGDClassifier(
            loss="log_loss",
            alpha=self.penalty,
            max_iter=self.epochs,
            tol=None,
            average=True,
            random_state=seed,
        )


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
