"""One classifier, or two in a row: first OTHER or a pronoun, then which pronoun (Stymne 2016)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import csr_matrix

from crosspro.baselines.estimators.forest import Forest, RandomForest
from crosspro.baselines.estimators.linear import (
    LinearModel,
    LinearSVM,
    MaxEnt,
    SGDLogistic,
    calibrated,
)
from crosspro.baselines.estimators.model import Arrays, Estimator, FeatureModel, Labels
from crosspro.prediction.adjustment import class_weights

AnyEstimator = Annotated[
    LinearSVM | MaxEnt | SGDLogistic | RandomForest, Field(discriminator="name")
]
MODELS: dict[str, type[FeatureModel]] = {kind.kind: kind for kind in (LinearModel, Forest)}

Probabilities = NDArray[np.float64]


@dataclass(frozen=True)
class FittedStep:
    """A choice between groups of classes; classes that training never had are in none.

    `model` is None where there is one group, and nothing to choose.
    """

    name: str
    groups: tuple[tuple[int, ...], ...]
    model: FeatureModel | None

    def probabilities(self, matrix: csr_matrix) -> Probabilities:
        """The probability of each group."""
        if self.model is None:
            return np.ones((matrix.shape[0], 1))
        return self.model.probabilities(matrix)

    def group_of(self, labels: Labels) -> Labels:
        """The group of each label, -1 where it has none."""
        table = np.full(1 + max(labels.max(initial=0), *map(max, self.groups)), -1)
        for number, group in enumerate(self.groups):
            table[list(group)] = number
        return np.where(labels < 0, -1, table[labels])


@dataclass(frozen=True)
class FittedSteps:
    """All steps: the first group of the first step may be divided by the second."""

    steps: tuple[FittedStep, ...]

    def probabilities(self, matrix: csr_matrix, classes: int) -> Probabilities:
        """The probability of each class: that of its groups in all steps, multiplied."""
        chances = np.zeros((matrix.shape[0], classes))
        first = self.steps[0].probabilities(matrix)
        for group, column in zip(self.steps[0].groups, first.T, strict=True):
            inner = self.steps[1] if len(group) > 1 else None
            if inner is None:
                chances[:, group[0]] = column
                continue
            for (member,), share in zip(inner.groups, inner.probabilities(matrix).T, strict=True):
                chances[:, member] = column * share
        return chances


@dataclass(frozen=True)
class Fitting:
    """How steps are fitted."""

    estimator: Estimator
    class_weight_power: float
    seed: int


def fit_steps(
    fitting: Fitting,
    train: tuple[csr_matrix, Labels],
    dev: tuple[csr_matrix, Labels],
    other: int | None,
) -> FittedSteps:
    """One step over all classes or, if `other` is a class, first that one or not, then the rest."""
    seen = np.unique(train[1][train[1] >= 0]).tolist()
    alone = tuple((one,) for one in seen)
    rest = tuple(one for one in seen if one != other)
    if other is None or len(rest) < 2 or len(rest) == len(seen):
        return FittedSteps((_fit_step("classes", alone, fitting, train, dev),))
    first = _fit_step("OTHER or a pronoun", (rest, (int(other),)), fitting, train, dev)
    pronouns = tuple((one,) for one in rest)
    return FittedSteps((first, _fit_step("pronouns", pronouns, fitting, train, dev)))


def _fit_step(
    name: str,
    groups: tuple[tuple[int, ...], ...],
    fitting: Fitting,
    train: tuple[csr_matrix, Labels],
    dev: tuple[csr_matrix, Labels],
) -> FittedStep:
    step = FittedStep(name, groups, None)
    if len(groups) < 2:
        return step
    matrix, labels = _known(train[0], step.group_of(train[1]))
    weights = class_weights(labels, len(groups), fitting.class_weight_power)[labels]
    model = fitting.estimator.fit(matrix, labels, weights, fitting.seed)
    if fitting.estimator.calibrated and isinstance(model, LinearModel):
        model = calibrated(model, *_known(dev[0], step.group_of(dev[1])))
    return replace(step, model=model)


def _known(matrix: csr_matrix, labels: Labels) -> tuple[csr_matrix, Labels]:
    """The rows that have a label."""
    rows = labels >= 0
    return (matrix, labels) if rows.all() else (matrix[rows], labels[rows])


def steps_to_files(fitted: FittedSteps) -> tuple[list[dict[str, Any]], Arrays]:
    """What of the steps is JSON, and the arrays of all, named by their step."""
    described = [
        {
            "name": step.name,
            "groups": [list(group) for group in step.groups],
            "model": step.model.kind if step.model else None,
        }
        for step in fitted.steps
    ]
    arrays = {
        f"{number}.{name}": array
        for number, step in enumerate(fitted.steps)
        if step.model
        for name, array in step.model.arrays().items()
    }
    return described, arrays


def steps_from_files(
    described: Sequence[Any], arrays: Mapping[str, NDArray[Any]], classes: int, size: int
) -> FittedSteps:
    """The steps as saved; a `ValueError`, `KeyError` or `TypeError` says what is wrong."""
    steps = []
    for number, one in enumerate(described):
        groups = tuple(tuple(int(member) for member in group) for group in one["groups"])
        members = [member for group in groups for member in group]
        if sorted(set(members)) != sorted(members) or not set(members) <= set(range(classes)):
            raise ValueError(f"groups {groups} of {classes} classes")
        model = None
        if len(groups) > 1:
            prefix = f"{number}."
            own = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
            model = MODELS[one["model"]].from_arrays(own, len(groups), size)
        steps.append(FittedStep(str(one["name"]), groups, model))
    _check_nesting(steps)
    return FittedSteps(tuple(steps))


def _check_nesting(steps: Sequence[FittedStep]) -> None:
    """One step of single classes, or a second one that divides the first's first group."""
    if not 1 <= len(steps) <= 2 or not all(step.groups and all(step.groups) for step in steps):
        raise ValueError(f"{len(steps)} steps")
    divided = [group for group in steps[0].groups if len(group) > 1]
    inner = [tuple(m for g in step.groups for m in g) for step in steps[1:]]
    if divided != inner or any(len(group) > 1 for step in steps[1:] for group in step.groups):
        raise ValueError("steps that do not fit into each other")
