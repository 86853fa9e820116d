"""How far rare classes are favoured: weights in training, and prior correction chosen on dev.

Logit adjustment (Menon et al. 2021): divide the probability of a class by its training frequency
to the power tau. With tau 0 nothing changes; larger values trade accuracy for macro recall.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import check_settings, settings
from crosspro.data_prep.core.task import Task

Probabilities = NDArray[np.float64]

WeightPower = Annotated[float, Field(ge=0, le=5)]
"""How much rare classes count for more, as the type of a setting."""


def class_counts(task: Task, examples: Sequence[Example]) -> NDArray[np.int64]:
    """How often each class labels a gap; there must be one label at least."""
    labels = [gap.label for example in examples for gap in example.gaps if gap.label is not None]
    if not labels:
        raise CrossproError(
            f"task {task.name}: train: expected labelled gaps, found none in "
            f"{len(examples):,} examples"
        )
    numbers = [task.class_index[label] for label in labels]
    return np.bincount(numbers, minlength=len(task.classes))


def class_weights(
    labels: NDArray[np.int32] | NDArray[np.int64], classes: int, power: float
) -> NDArray[np.float64]:
    """Weights n^-power of the class counts, scaled so that an average gap weighs 1.

    Power 0 weighs all gaps alike (accuracy), 1 all classes alike (macro recall).
    """
    counts = np.bincount(labels[labels >= 0], minlength=classes).astype(np.float64)
    weights: NDArray[np.float64] = np.where(counts > 0, np.maximum(counts, 1) ** -power, 0.0)
    return np.asarray(weights * counts.sum() / (weights * counts).sum())


TAUS: tuple[float, ...] = tuple(round(0.1 * step, 1) for step in range(-5, 21))


def adjust(
    probabilities: Probabilities, frequencies: NDArray[np.float64], tau: float
) -> Probabilities:
    """Probabilities divided by the frequency of each class that training had to the power tau."""
    factors = np.where(frequencies > 0, np.maximum(frequencies, 1e-12) ** -tau, 1.0)
    scaled = probabilities * factors
    return np.asarray(scaled / np.maximum(scaled.sum(axis=1, keepdims=True), 1e-300))


def tune_tau(
    probabilities: Probabilities,
    frequencies: NDArray[np.float64],
    score: Callable[[Probabilities], float],
) -> float:
    """The tau with the best dev score; of equal ones the nearest to 0."""
    values = {tau: score(adjust(probabilities, frequencies, tau)) for tau in TAUS}
    best = max(values.values())
    return min((tau for tau in TAUS if values[tau] >= best - 1e-9), key=abs)


ADJUSTMENT = "adjustment.json"


@settings
class Adjustment:
    """How strongly rare classes are favoured, and the frequencies that say which are."""

    tau: float
    frequencies: tuple[float, ...]

    def of(self, probabilities: Probabilities) -> Probabilities:
        """Probabilities in favour of rare classes; as they are with tau 0."""
        if not self.tau:
            return probabilities
        return adjust(probabilities, np.array(self.frequencies), self.tau)


def save_adjustment(adjustment: Adjustment, folder: Path) -> None:
    write_text(folder / ADJUSTMENT, json.dumps(vars(adjustment)))


def load_adjustment(folder: Path, classes: int) -> Adjustment:
    path = folder / ADJUSTMENT
    saved = check_settings(Adjustment, read_json_object(path), path)
    if len(saved.frequencies) != classes:
        raise input_error(path, "frequencies", str(classes), str(len(saved.frequencies)))
    return saved
