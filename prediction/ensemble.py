"""Runs of any systems as one: a weighted average of their probabilities.

The interpolation of UU-Hardmeier (003 §5.9, 004 §5.4) with weights chosen on dev: coordinate search
over a simplex, by a dev score. Equal weights are the default.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.errors import CrossproError, input_error, quoted
from crosspro.data_prep.example import Example
from crosspro.data_prep.formats.textfile import write_text
from crosspro.data_prep.task import Task
from crosspro.prediction.system import Probabilities, System, load_system, read_json_object

DevScore = Callable[[Probabilities], float]

_FILE = "weights.json"
_STEPS = (0.2, 0.05)


class Ensemble(System):
    """Saved members, each in a folder of its own, and their weights."""

    name = "ensemble"

    def __init__(self) -> None:
        self.members: list[System] = []
        self.weights: list[float] = []

    @classmethod
    def of(cls, members: Sequence[System], weights: Sequence[float] | None = None) -> Ensemble:
        """An ensemble of fitted systems of one task."""
        names = {member.task.name for member in members}
        if len(names) != 1 or len({member.task.classes for member in members}) != 1:
            raise CrossproError(
                f"ensemble: expected runs of one task, found {', '.join(sorted(names)) or 'no run'}"
            )
        result = cls()
        result.task = members[0].task
        result.members = list(members)
        result.weights = list(weights or [1 / len(members)] * len(members))
        return result

    def fit(
        self,
        task: Task,
        train: Sequence[Example],
        dev: Sequence[Example],
        folder: Path | None = None,
    ) -> None:
        """Members are fitted before; there is nothing to learn from train."""
        self.task = task

    @property
    def context(self) -> int:
        """The most that a member looks at."""
        return max((member.context for member in self.members), default=0)

    def predict(self, examples: Sequence[Example]) -> Probabilities:
        """The weighted average of the members' probabilities."""
        return mix([member.predict(examples) for member in self.members], self.weights)

    def settings(self) -> dict[str, Any]:
        """There are none."""
        return {}

    def save_state(self, folder: Path) -> None:
        """Write the members into sub-folders."""
        for number, member in enumerate(self.members):
            member.save(folder / f"member{number}")
        write_text(folder / _FILE, json.dumps({"weights": self.weights}))

    def load_state(self, folder: Path) -> None:
        """Read the members."""
        count = len(list(folder.glob("member*")))
        self.weights = _read_weights(folder / _FILE, count)
        self.members = [load_system(folder / f"member{n}") for n in range(count)]
        for number, member in enumerate(self.members):
            if member.task.classes != self.task.classes:
                found = f"those of {member.task.name}"
                expected = f"the classes of {self.task.name}"
                raise input_error(folder / f"member{number}", "task", expected, found)


def _read_weights(path: Path, members: int) -> list[float]:
    weights = read_json_object(path).get("weights")
    numbers = isinstance(weights, list) and all(
        isinstance(weight, int | float) and 0 <= weight < inf for weight in weights
    )
    if not isinstance(weights, list) or not numbers or len(weights) != members or not sum(weights):
        expected = f"{members} numbers from 0, not all of them 0"
        raise input_error(path, "weights", expected, quoted(repr(weights)))
    return [float(weight) for weight in weights]


def mix(probabilities: Sequence[Probabilities], weights: Sequence[float]) -> Probabilities:
    """The weighted average, which is again a distribution."""
    total = sum(weights)
    parts = zip(probabilities, weights, strict=True)
    return np.asarray(sum(weight / total * chances for chances, weight in parts))


def tune_weights(probabilities: Sequence[Probabilities], score: DevScore) -> list[float]:
    """Weights that are best on dev, by moving weight between members in ever smaller steps.

    A change must help to be made, so members that add nothing keep an equal share.
    """
    weights = [1 / len(probabilities)] * len(probabilities)
    best = score(mix(probabilities, weights))
    for step in _STEPS:
        improved = True
        while improved:
            improved = False
            for giver in range(len(weights)):
                for taker in range(len(weights)):
                    moved = min(step, weights[giver])
                    if giver == taker or moved <= 0:
                        continue
                    trial = list(weights)
                    trial[giver] -= moved
                    trial[taker] += moved
                    value = score(mix(probabilities, trial))
                    if value > best + 1e-9:
                        weights, best, improved = trial, value, True
    return weights
