"""One classifier, or two in a row: first OTHER or a pronoun, then which pronoun (Stymne 2016)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from zipfile import BadZipFile

import numpy as np
from pydantic import Field
from scipy.sparse import csr_matrix

from crosspro.baselines.estimators.forest import Forest, RandomForest
from crosspro.baselines.estimators.linear import (
    Floats,
    Labels,
    LinearModel,
    LinearSVM,
    MaxEnt,
    SGDLogistic,
)
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.stored import read_npz
from crosspro.prediction.adjustment import class_weights

Estimator = Annotated[LinearSVM | MaxEnt | SGDLogistic | RandomForest, Field(discriminator="name")]
_NAMES = {1: ("classes",), 2: ("OTHER or a pronoun", "pronouns")}
_FILE = "steps.npz"


@dataclass(frozen=True)
class LabelledRows:
    """A row of features and a label (-1: not known) for each gap."""

    matrix: csr_matrix
    labels: Labels


@dataclass(frozen=True)
class Step:
    """A choice between groups of classes; classes that training never had are in none.

    `model` is None where there is one group, and nothing to choose.
    """

    groups: tuple[tuple[int, ...], ...]
    model: LinearModel | Forest | None

    @classmethod
    def fit(
        cls,
        groups: tuple[tuple[int, ...], ...],
        estimator: LinearSVM | MaxEnt | SGDLogistic | RandomForest,
        rows: tuple[LabelledRows, LabelledRows],
        class_weight_power: float,
        seed: int,
    ) -> Step:
        """Learn from the rows of training whose class is in a group, and calibrate on dev's."""
        if len(groups) < 2:
            return cls(groups, None)
        train, dev = (_grouped(part, groups) for part in rows)
        weights = class_weights(train.labels, len(groups), class_weight_power)[train.labels]
        model = estimator.fit(train.matrix, train.labels, weights, seed)
        if isinstance(model, LinearModel) and not isinstance(estimator, MaxEnt):
            model = model.calibrated(dev.matrix, dev.labels)
        return cls(groups, model)

    def probabilities(self, matrix: csr_matrix) -> Floats:
        """The probability of each group."""
        return self.model.probabilities(matrix) if self.model else np.ones((matrix.shape[0], 1))


def _grouped(rows: LabelledRows, groups: Sequence[Sequence[int]]) -> LabelledRows:
    """The rows whose class is in a group, labelled by its number."""
    numbers = {label: number for number, group in enumerate(groups) for label in group}
    labels = np.array([numbers.get(label, -1) for label in rows.labels.tolist()], np.int64)
    return LabelledRows(rows.matrix[labels >= 0], labels[labels >= 0])


@dataclass(frozen=True)
class Steps:
    """All steps: the first group of the first step may be divided by the second."""

    steps: tuple[Step, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What each step chooses."""
        return _NAMES[len(self.steps)]

    @classmethod
    def fit(
        cls,
        estimator: LinearSVM | MaxEnt | SGDLogistic | RandomForest,
        train: LabelledRows,
        dev: LabelledRows,
        other: int | None = None,
        class_weight_power: float = 0.0,
        seed: int = 1,
    ) -> Steps:
        """One step over all classes; if `other` is a class, first that one or not, then the rest.

        Classes weigh n^-power of their counts.
        """
        classes = np.unique(train.labels[train.labels >= 0]).tolist()
        rest = tuple(label for label in classes if label != other)
        divisions = [tuple((label,) for label in classes)]
        if other is not None and 2 <= len(rest) < len(classes):
            divisions = [(rest, (other,)), tuple((label,) for label in rest)]
        return cls(
            tuple(
                Step.fit(groups, estimator, (train, dev), class_weight_power, seed)
                for groups in divisions
            )
        )

    def probabilities(self, matrix: csr_matrix, classes: int) -> Floats:
        """The probability of each class: those of its groups in all steps, multiplied."""
        chances = np.zeros((matrix.shape[0], classes))
        for step in self.steps:
            shares = step.probabilities(matrix)
            if step is not self.steps[0]:  # the first group is what it divides
                shares *= chances[:, step.groups[0][:1]]
            for group, share in zip(step.groups, shares.T, strict=True):
                chances[:, group] = share[:, None]
        return chances

    def save(self, folder: Path) -> None:
        """Write the arrays of all steps; `groups` has a row for each class: its group or -1."""
        arrays = {}
        for number, step in enumerate(self.steps):
            pairs = [(label, n) for n, group in enumerate(step.groups) for label in group]
            arrays[f"{number}.groups"] = np.array(pairs, np.int64)
            for name, array in (step.model.arrays() if step.model else {}).items():
                arrays[f"{number}.{name}"] = array
        content = io.BytesIO()
        np.savez(content, **arrays)
        with atomic_output(folder / _FILE) as file:
            file.write(content.getvalue())

    @classmethod
    def load(cls, folder: Path, classes: int, features: int) -> Steps:
        """Read the steps; they must be of so many classes and features."""
        path = folder / _FILE
        steps = []
        try:
            arrays = read_npz(path)
            for number in range(2 if "1.groups" in arrays else 1):
                prefix = f"{number}."
                own = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
                pairs = own["groups"].tolist()
                if not all(0 <= label < classes for label, _ in pairs):
                    raise ValueError(f"labels of other than {classes} classes")
                groups = tuple(
                    tuple(label for label, group in pairs if group == n)
                    for n in range(1 + max(group for _, group in pairs))
                )
                kind = Forest if "roots" in own else LinearModel
                model = kind.from_arrays(own, len(groups), features) if len(groups) > 1 else None
                steps.append(Step(groups, model))
        except (OSError, BadZipFile, KeyError, ValueError, TypeError, IndexError) as error:
            expected = f"the classifier of {features:,} features"
            raise input_error(path, "arrays", expected, str(error)) from error
        return cls(tuple(steps))
