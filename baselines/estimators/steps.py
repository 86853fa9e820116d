"""One classifier, or two in a row: first OTHER or a pronoun, then which pronoun (Stymne 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field
from safetensors import SafetensorError
from safetensors.numpy import save
from scipy.sparse import csr_matrix

from crosspro.baselines.estimators.forest import Forest, RandomForest
from crosspro.baselines.estimators.linear import (
    Floats,
    LabelledRows,
    LinearModel,
    LinearSVM,
    MaxEnt,
    SGDLogistic,
)
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output
from crosspro.prediction.adjustment import class_weights
from crosspro.prediction.stored_tensors import load_tensors

Estimator = LinearSVM | MaxEnt | SGDLogistic | RandomForest
EstimatorSetting = Annotated[Estimator, Field(discriminator="name")]
_FILE = "steps.safetensors"


@dataclass(frozen=True)
class Step:
    """A choice between groups of classes; classes that training never had are in none.

    `model` is None where there is one group, and nothing to choose.
    """

    groups: tuple[tuple[int, ...], ...]
    model: LinearModel | Forest | None

    def probabilities(self, matrix: csr_matrix) -> Floats:
        return self.model.probabilities(matrix) if self.model else np.ones((matrix.shape[0], 1))


@dataclass(frozen=True)
class Steps:
    """All steps: the first group of the first step may be divided by the second."""

    steps: tuple[Step, ...]

    @classmethod
    def fit(
        cls,
        estimator: Estimator,
        train: LabelledRows,
        dev: LabelledRows,
        other: int | None = None,
        class_weight_power: float = 0.0,
        seed: int = 1,
    ) -> Steps:
        """One step over all classes; if `other` is a class, first that one or not, then the rest.

        Classes weigh n^-power of their counts. Scores that are no log-odds are calibrated on dev.
        """
        classes = np.unique(train.labels[train.labels >= 0]).tolist()
        rest = tuple(label for label in classes if label != other)
        divisions = [tuple((label,) for label in classes)]
        if other is not None and 2 <= len(rest) < len(classes):
            divisions = [(rest, (other,)), tuple((label,) for label in rest)]
        steps = []
        for groups in divisions:
            model = None
            if len(groups) > 1:
                rows = train.of(groups)
                weights = class_weights(rows.labels, len(groups), class_weight_power)
                model = estimator.fit(rows.matrix, rows.labels, weights[rows.labels], seed)
                if isinstance(model, LinearModel) and not isinstance(estimator, MaxEnt):
                    model = model.calibrated(dev.of(groups))
            steps.append(Step(groups, model))
        return cls(tuple(steps))

    def probabilities(self, matrix: csr_matrix, classes: int) -> Floats:
        chances = np.zeros((matrix.shape[0], classes))
        for step in self.steps:
            shares = step.probabilities(matrix)
            if step is not self.steps[0]:  # the first group is what it divides
                shares *= chances[:, step.groups[0][:1]]
            for group, share in zip(step.groups, shares.T, strict=True):
                chances[:, group] = share[:, None]
        return chances

    def save(self, folder: Path) -> None:
        """Write the arrays of all steps; `groups` has pairs of a class and its group."""
        arrays = {}
        for number, step in enumerate(self.steps):
            pairs = [(label, n) for n, group in enumerate(step.groups) for label in group]
            arrays[f"{number}.groups"] = np.array(pairs, np.int64)
            for name, array in (vars(step.model) if step.model else {}).items():
                arrays[f"{number}.{name}"] = np.asarray(array)
        with atomic_output(folder / _FILE) as file:
            file.write(save(arrays))

    @classmethod
    def load(cls, folder: Path, classes: int, features: int) -> Steps:
        path = folder / _FILE
        steps = []
        try:
            arrays = load_tensors(path)
            for number in ("0", "1") if "1.groups" in arrays else ("0",):
                step = {k[2:]: array for k, array in arrays.items() if k.startswith(f"{number}.")}
                pairs = step.pop("groups").tolist()
                if not all(0 <= label < classes for label, _ in pairs):
                    raise ValueError(f"labels of other than {classes} classes")
                groups = tuple(
                    tuple(label for label, group in pairs if group == n)
                    for n in range(1 + max(group for _, group in pairs))
                )
                model = None
                if len(groups) > 1:
                    model = Forest(**step) if "roots" in step else LinearModel(**step)
                    model.check(len(groups), features)
                steps.append(Step(groups, model))
        except (OSError, SafetensorError, KeyError, ValueError, TypeError, IndexError) as error:
            expected = f"the classifier of {features:,} features"
            raise input_error(path, "arrays", expected, str(error)) from error
        return cls(tuple(steps))
