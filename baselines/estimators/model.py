"""What every classifier over sparse features is: an estimator with settings, a model of arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from crosspro.data_prep.core.errors import InputError, input_error


def diverged(setting: str, found: str) -> InputError:
    """The error of a training that ended in numbers that nobody can count with."""
    expected = "values with which training comes to an end (nearer to those of conf/system)"
    return input_error("settings", setting, expected, f"a training that diverged: {found}")


Labels = NDArray[np.int64]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Contributions:
    """What features add to the score of each class of a gap, beside what is there without any.

    `values` has a row for each of `features` (numbers of the vocabulary) and a column for each
    class; `base` has a value for each class. Their sum is what the classes are compared by.
    """

    features: NDArray[np.int64]
    values: NDArray[np.float64]
    base: NDArray[np.float64]


class FeatureModel(ABC):
    """What was learnt: arrays, and how probabilities follow from them."""

    kind: ClassVar[str]
    """Which model a saved file holds."""

    @abstractmethod
    def probabilities(self, matrix: csr_matrix) -> NDArray[np.float64]:
        """The probability of each class for each row."""

    @abstractmethod
    def contributions(self, row: csr_matrix) -> Contributions:
        """Why a row (a matrix of one) gets its probabilities."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """All that there is to save."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], classes: int, size: int) -> Self:
        """The model of saved arrays; a `ValueError` or `KeyError` says what is wrong with them."""


class Estimator(ABC):
    """Learns a model; a settings class."""

    calibrated: ClassVar = False
    """Whether scores must be made probabilities on dev."""

    @abstractmethod
    def fit(
        self, matrix: csr_matrix, labels: Labels, weights: NDArray[np.float64], seed: int
    ) -> FeatureModel:
        """Learn from rows with labels 0, 1, … (at least two of them) and weights."""
