"""Several systems as one: a weighted average of their probabilities.

The interpolation of UU-Hardmeier (003 §5.10, 004 §5.4) with weights chosen on dev: coordinate
search over a simplex, by a dev score. Equal weights are the default. The average is arithmetic, or
geometric, where a class needs some probability from every member.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, permutations
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from crosspro.data_prep.core.errors import CrossproError, input_error, quoted
from crosspro.data_prep.core.files import make_folder, read_json_object, write_text
from crosspro.data_prep.core.settings import check_settings, settings
from crosspro.data_prep.core.task import Task
from crosspro.prediction.dev_score import Monitor, dev_score
from crosspro.prediction.fit_report import FitReport
from crosspro.prediction.runs import MEMBERS
from crosspro.prediction.system import Examples, Probabilities, System, load_saved

Weight = Annotated[float, Field(ge=0)]
DevScore = Callable[[Probabilities], float]
Average = Literal["arithmetic", "geometric"]

_FILE = "weights.json"
_LEAST = 1e-9
"""Probabilities are at least so large before their logarithms are averaged."""
_STEPS = (0.2, 0.05)
_SAME = 1e-9
"""Scores that differ by less are the same."""
_NAME = re.compile(r"\w[\w-]*")


@settings
class EnsembleSettings:
    """How members are joined; `tune` is null for equal weights."""

    tune: Monitor | None = None
    seeds: Annotated[int, Field(ge=1)] = 1
    average: Average = "arithmetic"


class Ensemble(System):
    """Systems of one task, and their weights.

    `fit` fits the members, those with a seed with `seeds` seeds from their own on, and joins their
    snapshots as `parts`. A loaded ensemble has parts and no members.
    """

    name = "ensemble"
    settings_class = EnsembleSettings
    settings: EnsembleSettings

    def __init__(
        self, members: Mapping[str, System] | Sequence[System] = (), **values: Any
    ) -> None:
        super().__init__(**values)
        self.members = _named(members)
        self.average = self.settings.average
        self.parts: list[System] = []
        self._names: list[str] = []  # of the member of each part
        self.weights: list[float] = []

    @classmethod
    def of(
        cls,
        members: Sequence[System],
        average: str = "arithmetic",
    ) -> Ensemble:
        if len({(member.task.name, member.task.classes) for member in members}) != 1:
            names = ", ".join(sorted({member.task.name for member in members})) or "no run"
            raise CrossproError(f"ensemble: expected runs of one task, found {names}")
        result = cls(members, average=average)
        result.task = members[0].task
        result.parts = list(members)
        result._names = list(result.members)
        result.weights = [1 / len(members)] * len(members)
        return result

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        if not self.members:
            raise input_error("settings", "system.members", "at least one system", "none")
        if self.settings.tune:
            dev_score(task, dev, self.settings.tune)  # refuses an unfit dev set before training
        self.task = task
        fitted: dict[str, System] = {}
        for name, member in self.members.items():
            fitted[name] = member
            for number in range(1, self.settings.seeds):
                if (other := member.reseeded(number)) is not None:
                    fitted[f"{name}.seed{number + 1}"] = other
        for name, member in fitted.items():
            member.fit(task, train, dev, _member_folder(folder, name))
        snapshots = [(name, part) for name, member in fitted.items() for part in member.snapshots()]
        self._names = [name for name, _ in snapshots]
        self.parts = [part for _, part in snapshots]
        self.weigh(dev, self.settings.tune)

    def reseeded(self, by: int) -> Ensemble | None:
        others = {name: member.reseeded(by) for name, member in self.members.items()}
        if not any(others.values()):
            return None
        members = {name: others[name] or member for name, member in self.members.items()}
        return Ensemble(members, **vars(self.settings))

    def weigh(self, dev: Examples, tune: str | None, *, search: bool = True) -> FitReport:
        """Give the parts the weights that a dev score chooses.

        Without `search` weights are equal, and parts are scored before prior correction.
        """
        self.weights = [1 / len(self.parts)] * len(self.parts)
        total: float | None = None
        scores: list[float | None] = [None] * len(self.parts)
        if tune:
            score = dev_score(self.task, dev, tune)
            predictions = [
                part.predict(dev) if search else part.unadjusted(dev) for part in self.parts
            ]
            if search:
                self.weights = tune_weights(predictions, score, self.average)
            total = score(mix(predictions, self.weights, self.average))
            scores = [score(prediction) for prediction in predictions]
        self.report = self._report(tune, total, scores)
        return self.report

    def _report(
        self, monitor: str | None, total: float | None, scores: Sequence[float | None]
    ) -> FitReport:
        members, weights, warnings = [], [], []
        for part, name, weight, score in zip(
            self.parts, self._names, self.weights, scores, strict=True
        ):
            report, label = part.report, f"{name} ({part.shown_name})"
            member = {"name": name, "system": part.shown_name, "weight": weight, "score": score}
            members.append({**member, "fit": report and dict(report.figures)})
            weights.append(f"{label} {weight:.2f}")
            warnings += [f"{label}: {warning}" for warning in (report.warnings if report else ())]
        how = f"chosen by dev {monitor}" if monitor else "equal"
        figures = {"monitor": monitor, "score": total, "members": members}
        return FitReport(f"weights, {how}: {', '.join(weights)}", figures, tuple(warnings))

    @property
    def context(self) -> int:
        systems = self.parts or self.members.values()
        return max((system.context for system in systems), default=0)

    @property
    def reads_source_parse(self) -> bool:
        return any(part.reads_source_parse for part in self.parts)

    def layer_warnings(self, data: str, present: frozenset[str]) -> list[str]:
        of_parts = (part.layer_warnings(data, present) for part in self.parts)
        return list(dict.fromkeys(chain.from_iterable(of_parts)))

    def predict(self, examples: Examples) -> Probabilities:
        """Members correct their priors unless the ensemble does so."""
        if self.adjustment is not None:
            return super().predict(examples)
        return mix([part.predict(examples) for part in self.parts], self.weights, self.average)

    def unadjusted(self, examples: Examples) -> Probabilities:
        return mix([part.unadjusted(examples) for part in self.parts], self.weights, self.average)

    def save_state(self, folder: Path) -> None:
        for number, part in enumerate(self.parts):
            part.save(folder / f"member{number}")
        content = {"weights": self.weights, "names": self._names, "average": self.average}
        write_text(folder / _FILE, json.dumps(content))

    def load_state(self, folder: Path) -> None:
        path = folder / _FILE
        state = check_settings(_State, read_json_object(path), path)
        self.weights, self._names = list(state.weights), list(state.names)
        self.average = state.average
        self.parts = []
        for number in range(len(self.weights)):
            place = folder / f"member{number}"
            part = load_saved(place)
            if part.task.classes != self.task.classes:
                expected, actual = f"the classes of {self.task.name}", f"those of {part.task.name}"
                raise input_error(place, "task", expected, actual)
            self.parts.append(part)


@settings
class _State:
    """What an ensemble saves beside its parts: a weight and the name of its member for each."""

    weights: Annotated[tuple[Weight, ...], Field(min_length=1)]
    names: tuple[str, ...]
    average: Average = "arithmetic"

    @model_validator(mode="after")
    def _parts(self) -> Self:
        if len(self.names) != len(self.weights) or not 0 < sum(self.weights) < inf:
            raise ValueError("should have a name for each weight, and weights with a finite sum")
        return self


def _member_folder(folder: Path | None, name: str) -> Path | None:
    if folder is None:
        return None
    make_folder(folder / MEMBERS / name)
    return folder / MEMBERS / name


def _named(members: Mapping[str, System] | Sequence[System]) -> dict[str, System]:
    """Members by name, which is also that of a folder; those of a list are numbered."""
    if isinstance(members, list | tuple):
        members = {str(number): member for number, member in enumerate(members)}
    expected = "systems (sections with _target_), by names of letters, digits, - and _, or a list"
    if not isinstance(members, Mapping):
        raise input_error("settings", "members", expected, quoted(repr(members)))
    for name, member in members.items():
        if not _NAME.fullmatch(str(name)) or not isinstance(member, System):
            raise input_error("settings", f"members.{name}", expected, quoted(repr(member)))
    return dict(members)


def mix(
    probabilities: Sequence[Probabilities], weights: Sequence[float], average: str = "arithmetic"
) -> Probabilities:
    """The weighted average of the probabilities of several systems."""
    shares = [weight / sum(weights) for weight in weights]
    parts = list(zip(shares, probabilities, strict=True))
    if average == "arithmetic":
        return np.asarray(sum(share * part for share, part in parts))
    mean = np.exp(sum(share * np.log(np.maximum(part, _LEAST)) for share, part in parts))
    return np.asarray(mean / mean.sum(axis=1, keepdims=True))


def tune_weights(
    probabilities: Sequence[Probabilities], score: DevScore, average: str = "arithmetic"
) -> list[float]:
    """Weights that are best on dev, by moving weight between members in ever smaller steps.

    A change must help to be made, so members that add nothing keep an equal share. Where that ends
    below what a member has alone, the search begins again with that member.
    """
    size = len(probabilities)

    def score_of(weights: list[float]) -> float:
        return score(mix(probabilities, weights, average))

    weights, best = _climb([1 / size] * size, score_of)
    alone = [score(probability) for probability in probabilities]
    if max(alone) > best + _SAME:
        start = np.eye(size)[int(np.argmax(alone))].tolist()
        weights, _ = _climb(start, score_of)
    return weights


def _climb(
    weights: list[float], score_of: Callable[[list[float]], float]
) -> tuple[list[float], float]:
    """The weights from which no step helps any more, and their score."""
    best = score_of(weights)
    for step in _STEPS:
        improved = True
        while improved:
            improved = False
            for giver, taker in permutations(range(len(weights)), 2):
                moved = min(step, weights[giver])
                if moved <= 0:
                    continue
                trial = list(weights)
                trial[giver] -= moved
                trial[taker] += moved
                value = score_of(trial)
                if value > best + _SAME:
                    weights, best, improved = trial, value, True
    return weights, best
