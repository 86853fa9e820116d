"""Several systems as one: a weighted average of their probabilities.

The interpolation of UU-Hardmeier (003 §5.10, 004 §5.4) with weights chosen on dev: coordinate
search over a simplex, by a dev score. Equal weights are the default. The average is arithmetic, or
geometric, where a class needs some probability from every member. Dev may also choose how far rare
classes are favoured after that (`adjustment`), in place of how far each member favours them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

import numpy as np
from pydantic import Field, model_validator

from crosspro.data_prep.core.errors import CrossproError, choices, input_error, quoted
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.pointed_nouns import PointedNouns, mixed
from crosspro.prediction.adjustment import (
    Adjustment,
    adjustment_content,
    read_adjustment,
    tune_tau,
)
from crosspro.prediction.dev_score import MONITORS, Monitor, class_shares, dev_score
from crosspro.prediction.evidence import Evidence, EvidenceTable, ExplainedMember, GapQuestion
from crosspro.prediction.explanation import explanation_of
from crosspro.prediction.fit_report import FitReport, ensemble_report
from crosspro.prediction.runs import MEMBERS
from crosspro.prediction.system import (
    Classes,
    Examples,
    LayerDifference,
    Probabilities,
    System,
    load_saved,
)

DevScore = Callable[[Probabilities], float]
Choose = Literal["weights", "prior", "both"]
"""What a dev score may choose: weights, the strength of the prior, or one after the other."""
CHOICES: tuple[str, ...] = get_args(Choose)
Average = Literal["arithmetic", "geometric"]
AVERAGES: tuple[str, ...] = get_args(Average)

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
    choose: Choose = "weights"
    average: Average = "arithmetic"

    @model_validator(mode="after")
    def _chosen_by_a_score(self) -> Self:
        if self.choose != "weights" and self.tune is None:
            raise ValueError(f"choose={self.choose} needs a dev score: tune={choices(MONITORS)}")
        return self


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
        self._fitted: list[tuple[str, System]] = []  # with the name of its folder
        self.parts: list[System] = []
        self._names: list[str] = []  # of the member of each part
        self.weights: list[float] = []
        self.adjustment: Adjustment | None = None

    @classmethod
    def of(
        cls,
        members: Sequence[System],
        weights: Sequence[float] | None = None,
        average: str = "arithmetic",
    ) -> Ensemble:
        """An ensemble of fitted systems of one task."""
        names = {member.task.name for member in members}
        if len(names) != 1 or len({member.task.classes for member in members}) != 1:
            found = ", ".join(sorted(names)) or "no run"
            raise CrossproError(f"ensemble: expected runs of one task, found {found}")
        result = cls(members, average=average)
        result.task = members[0].task
        result.parts = list(members)
        result._names = list(result.members)
        result.weights = list(weights or [1 / len(members)] * len(members))
        return result

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        if not self.members:
            raise input_error("settings", "system.members", "at least one system", "none")
        if self.settings.tune:
            dev_score(task, dev, self.settings.tune)  # refuses an unfit dev set before training
        self.task = task
        self._fitted = list(self._with_seeds())
        for name, member in self._fitted:
            member.fit(task, train, dev, _member_folder(folder, name))
        self._join(dev, folder)

    @property
    def fine_tunes(self) -> bool:
        return any(member.fine_tunes for member in self.members.values())

    def fine_tune(self, in_domain: Examples, dev: Examples, folder: Path | None = None) -> None:
        for name, member in self._fitted:
            if member.fine_tunes:
                member.fine_tune(in_domain, dev, _member_folder(folder, name))
        self._join(dev, folder)

    def reseeded(self, by: int) -> Ensemble | None:
        others = {name: member.reseeded(by) for name, member in self.members.items()}
        if not any(others.values()):
            return None
        members = {name: others[name] or member for name, member in self.members.items()}
        return Ensemble(members, **vars(self.settings))

    def _with_seeds(self) -> Iterator[tuple[str, System]]:
        for name, member in self.members.items():
            yield name, member
            for number in range(1, self.settings.seeds):
                other = member.reseeded(number)
                if other is not None:
                    yield f"{name}.seed{number + 1}", other

    def _join(self, dev: Examples, folder: Path | None) -> None:
        """Take the snapshots of all members as parts, and choose their weights."""
        self.parts, self._names = [], []
        for name, member in self._fitted:
            snapshots = member.snapshots()
            self.parts += snapshots
            self._names += [name] * len(snapshots)
        tune = self.settings.tune
        report = self.weigh(dev, tune, self.settings.choose)
        if folder and tune:
            rows = [
                {"member": member["name"], "weight": member["weight"], tune: member["score"]}
                for member in report.figures["members"]
            ]
            write_text(folder / "ensemble_weights.json", json.dumps(rows, indent=2) + "\n")

    def weigh(self, dev: Examples, tune: str | None, choose: str = "weights") -> FitReport:
        """Give the parts the weights that a dev score chooses, or equal ones.

        Where a prior is chosen, the scores of parts are those before prior correction.
        """
        self.weights = [1 / len(self.parts)] * len(self.parts)
        self.adjustment = None
        total: float | None = None
        scores: list[float | None] = [None] * len(self.parts)
        if tune:
            score = dev_score(self.task, dev, tune)
            corrected = choose == "weights"
            chances = [part.predict(dev) if corrected else part.unadjusted(dev)
                       for part in self.parts]  # fmt: skip
            if choose != "prior":
                self.weights = tune_weights(chances, score, self.average)
            joined = mix(chances, self.weights, self.average)
            if choose != "weights":
                shares = class_shares(self.task, dev)
                self.adjustment = Adjustment(tune_tau(joined, shares, score), shares)
                joined = self.adjustment.of(joined)
            total, scores = score(joined), [score(chance) for chance in chances]
        rows = zip(self._names, self.parts, self.weights, scores, strict=True)
        members = [
            {"name": name, "system": part.shown_name, "weight": weight, "score": alone}
            for name, part, weight, alone in rows
        ]
        tau = None if self.adjustment is None else self.adjustment.tau
        reports = [part.report for part in self.parts]
        self.report = report = ensemble_report(tune, total, members, reports, tau)
        return report

    @property
    def context(self) -> int:
        systems = self.parts or self.members.values()
        return max((system.context for system in systems), default=0)

    @property
    def reads_source_parse(self) -> bool:
        return any(part.reads_source_parse for part in self.parts)

    def unlike_training(self, present: frozenset[str]) -> list[LayerDifference]:
        """How data with these layers differs from that of each part's training."""
        return [difference for part in self.parts for difference in part.unlike_training(present)]

    def predict(self, examples: Examples) -> Probabilities:
        if self.adjustment is not None:
            return self.adjustment.of(self.unadjusted(examples))
        return mix([part.predict(examples) for part in self.parts], self.weights, self.average)

    def unadjusted(self, examples: Examples) -> Probabilities:
        return mix([part.unadjusted(examples) for part in self.parts], self.weights, self.average)

    @property
    def _pointing(self) -> list[tuple[System, float]]:
        pairs = zip(self.parts, self.weights, strict=True)
        return [(part, weight) for part, weight in pairs if part.points and weight > 0]

    @property
    def points(self) -> bool:
        return bool(self._pointing)

    def antecedents(self, examples: Examples, classes: Classes) -> list[PointedNouns]:
        if not self._pointing:
            return super().antecedents(examples, classes)
        nouns = [part.antecedents(examples, classes) for part, _ in self._pointing]
        return mixed(nouns, [weight for _, weight in self._pointing])

    def evidence(self, question: GapQuestion) -> Evidence:
        total = sum(self.weights)
        members, rows = [], []
        chosen, against = (self.task.classes[n] for n in (question.chosen, question.against))
        for name, part, weight in zip(self._names, self.parts, self.weights, strict=True):
            explanation = explanation_of(part, question.examples, question.line, question.number)
            members.append(ExplainedMember(name, weight / total, explanation))
            chances = explanation.probabilities
            if self.adjustment is not None:
                row = part.unadjusted(question.examples)[question.row]
                chances = dict(zip(self.task.classes, row.tolist(), strict=True))
            rows.append((members[-1].label, weight / total, chances[chosen], chances[against]))
        columns = ("member", "weight", f"p({chosen})", f"p({against})")
        how = f"the weighted {self.average} mean of its members' probabilities"
        if self.adjustment is not None:
            share = f"the share of the class in dev to the power {self.adjustment.tau}"
            how += f" before they favour rare classes, divided by {share}"
        table = EvidenceTable("Members", columns, tuple(rows))
        return Evidence(how, (table,), members=tuple(members))

    def save_state(self, folder: Path) -> None:
        for number, part in enumerate(self.parts):
            part.save(folder / f"member{number}")
        content: dict[str, Any] = {"weights": self.weights, "names": self._names}
        if self.average != AVERAGES[0]:
            content["average"] = self.average
        if self.adjustment is not None:
            content["adjustment"] = adjustment_content(self.adjustment)
        write_text(folder / _FILE, json.dumps(content))

    def load_state(self, folder: Path) -> None:
        path = folder / _FILE
        content = read_json_object(path)
        count = sum(re.fullmatch(r"member\d+", file.name) is not None for file in folder.iterdir())
        self.weights = _weights(path, content, count)
        names = content.get("names", [""] * count)
        texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if not texts or len(names) != count:
            raise input_error(path, "names", f"{count} names", quoted(repr(names)))
        self._names = list(names)
        self.average = content.get("average", AVERAGES[0])
        if self.average not in AVERAGES:
            raise input_error(path, "average", choices(AVERAGES), quoted(repr(self.average)))
        self.adjustment = None
        if "adjustment" in content:
            classes = len(self.task.classes)
            self.adjustment = read_adjustment(path, content["adjustment"], classes)
        self.parts = [load_saved(folder / f"member{number}") for number in range(count)]
        for number, part in enumerate(self.parts):
            if part.task.classes != self.task.classes:
                expected = f"the classes of {self.task.name}"
                found = f"those of {part.task.name}"
                raise input_error(folder / f"member{number}", "task", expected, found)


def _member_folder(folder: Path | None, name: str) -> Path | None:
    if folder is None:
        return None
    place = folder / MEMBERS / name
    place.mkdir(parents=True, exist_ok=True)
    return place


def _named(members: Mapping[str, System] | Sequence[System]) -> dict[str, System]:
    """Members by name, which is also that of a folder; those of a list are numbered."""
    systems = "systems (sections with _target_), by name or in a list"
    if not isinstance(members, Mapping | list | tuple):
        raise input_error("settings", "members", systems, quoted(repr(members)))
    pairs = members.items() if isinstance(members, Mapping) else enumerate(members)
    named = {str(name): member for name, member in pairs}
    for name, member in named.items():
        if not _NAME.fullmatch(name):
            expected = "names of letters, digits, - and _, which are also those of folders"
            raise input_error("settings", "members", expected, quoted(name))
        if not isinstance(member, System):
            raise input_error("settings", f"members.{name}", systems, quoted(repr(member)))
    return named


def _weights(path: Path, content: Mapping[str, Any], members: int) -> list[float]:
    weights = content.get("weights")
    if (
        not isinstance(weights, list)
        or len(weights) != members
        or not all(type(weight) in (int, float) and weight >= 0 for weight in weights)
        or not 0 < sum(weights) < inf
    ):
        expected = f"{members} numbers from 0, not all of them 0, with a finite sum"
        raise input_error(path, "weights", expected, quoted(repr(weights)))
    return [float(weight) for weight in weights]


def mix(
    probabilities: Sequence[Probabilities],
    weights: Sequence[float],
    average: str = AVERAGES[0],
) -> Probabilities:
    """The weighted average, which is again a distribution."""
    total = sum(weights)
    parts = list(zip(probabilities, weights, strict=True))
    if average == AVERAGES[0]:
        return np.asarray(sum(weight / total * chances for chances, weight in parts))
    logs = sum(weight / total * np.log(np.maximum(chances, _LEAST)) for chances, weight in parts)
    mean = np.exp(logs)
    return np.asarray(mean / mean.sum(axis=1, keepdims=True))


def tune_weights(
    probabilities: Sequence[Probabilities], score: DevScore, average: str = AVERAGES[0]
) -> list[float]:
    """Weights that are best on dev, by moving weight between members in ever smaller steps.

    A change must help to be made, so members that add nothing keep an equal share. Where that ends
    below what a member has alone, the search begins again with that member.
    """
    size = len(probabilities)
    averaged = partial(mix, probabilities, average=average)
    weights, best = _climb(averaged, [1 / size] * size, score)
    alone = [score(probability) for probability in probabilities]
    if max(alone) > best + _SAME:
        start = np.eye(size)[int(np.argmax(alone))].tolist()
        weights, _ = _climb(averaged, start, score)
    return weights


def _climb(
    averaged: Callable[[list[float]], Probabilities], weights: list[float], score: DevScore
) -> tuple[list[float], float]:
    """The weights from which no step helps any more, and their score."""
    best = score(averaged(weights))
    pairs = [(giver, taker) for giver in range(len(weights)) for taker in range(len(weights))]
    for step in _STEPS:
        improved = True
        while improved:
            improved = False
            for giver, taker in pairs:
                moved = min(step, weights[giver])
                if giver == taker or moved <= 0:
                    continue
                trial = list(weights)
                trial[giver] -= moved
                trial[taker] += moved
                value = score(averaged(trial))
                if value > best + _SAME:
                    weights, best, improved = trial, value, True
    return weights, best
