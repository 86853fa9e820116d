"""Any systems as one: a weighted average of their probabilities.

The interpolation of UU-Hardmeier (003 §5.10, 004 §5.4) with weights chosen on dev: coordinate
search over a simplex, by a dev score. Equal weights are the default. The average is arithmetic, or
geometric (that of the logarithms), where a class needs some probability from every member. Dev may
also choose how far rare classes are favoured after that (`adjustment`), in place of how far each
member favours them for itself. Members are fitted together, or are runs that have been.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from sys import float_info
from typing import Annotated, Any, Literal, Self, get_args

import numpy as np
from pydantic import Field, model_validator

from crosspro.data_prep.core.errors import CrossproError, choices, input_error, quoted
from crosspro.data_prep.core.example import Example
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
from crosspro.prediction.explanation import explained
from crosspro.prediction.fit_report import EnsembleReport, MemberReport
from crosspro.prediction.runs import MEMBERS
from crosspro.prediction.system import Classes, LayerDifference, Probabilities, System, load_saved

DevScore = Callable[[Probabilities], float]

Choose = Literal["weights", "prior", "both"]
"""What a dev score may choose: weights, the strength of the prior, or one after the other."""
CHOICES: tuple[str, ...] = get_args(Choose)

Average = Literal["arithmetic", "geometric"]
AVERAGES: tuple[str, ...] = get_args(Average)

_FILE, _ADJUSTMENT, _AVERAGE = "weights.json", "adjustment", "average"
_LEAST = 1e-9
"""Probabilities are at least so large before their logarithms are averaged."""
_STEPS = (0.2, 0.05)
_SAME = 1e-9
"""Scores that differ by less are the same."""
_part = re.compile(r"member\d+")
_name = re.compile(r"\w[\w-]*")


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

    `fit` fits the members and joins their snapshots; a loaded one has parts and no members. Members
    that draw random numbers are fitted with so many `seeds`, from their own on. Each part is saved
    in a folder of its own.
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
        self._fitted: list[tuple[str, System]] = []  # with each seed, and the name of its folder
        self.parts: list[System] = []
        self._names: list[str] = []  # of each part that of its member
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
            raise CrossproError(
                f"ensemble: expected runs of one task, found {', '.join(sorted(names)) or 'no run'}"
            )
        result = cls(members, average=average)
        result.task = members[0].task
        result.parts = list(members)
        result._names = list(result.members)
        result.weights = list(weights or [1 / len(members)] * len(members))
        return result

    def fit(
        self,
        task: Task,
        train: Sequence[Example],
        dev: Sequence[Example],
        folder: Path | None = None,
    ) -> None:
        """Fit each member, in a folder of its own, and choose the weights."""
        if not self.members:
            raise input_error("settings", "system.members", "at least one system", "none")
        if self.settings.tune:
            dev_score(task, dev, self.settings.tune)  # a dev set that cannot choose is told at once
        self.task = task
        self._fitted = list(self._with_seeds())
        for name, member in self._fitted:
            member.fit(task, train, dev, _place(folder, name))
        self._join(dev, folder)

    @property
    def fine_tunes(self) -> bool:
        """Whether any member does."""
        return any(member.fine_tunes for member in self.members.values())

    def fine_tune(
        self, in_domain: Sequence[Example], dev: Sequence[Example], folder: Path | None = None
    ) -> None:
        """Let the members go on that can, and choose the weights anew."""
        for name, member in self._fitted:
            if member.fine_tunes:
                member.fine_tune(in_domain, dev, _place(folder, name))
        self._join(dev, folder)

    def reseeded(self, by: int) -> Ensemble | None:
        """The same with greater seeds of its members; None if none of them draws anything."""
        others = {name: member.reseeded(by) for name, member in self.members.items()}
        if not any(others.values()):
            return None
        members = {name: others[name] or member for name, member in self.members.items()}
        return Ensemble(members, **vars(self.settings))

    def _with_seeds(self) -> Iterator[tuple[str, System]]:
        """The members, and the same with further seeds, each with a name for its folder."""
        for name, member in self.members.items():
            yield name, member
            for number in range(1, self.settings.seeds):
                other = member.reseeded(number)
                if other is not None:
                    yield f"{name}.seed{number + 1}", other

    def _join(self, dev: Sequence[Example], folder: Path | None) -> None:
        """Take the snapshots of all members as parts, and choose their weights."""
        self.parts, self._names = [], []
        for name, member in self._fitted:
            snapshots = member.snapshots()
            self.parts += snapshots
            self._names += [name] * len(snapshots)
        report = self.weigh(dev, self.settings.tune, self.settings.choose)
        if folder and self.settings.tune:
            rows = [
                {"member": one.name, "weight": round(one.weight, 6), self.settings.tune: one.score}
                for one in report.members
            ]
            write_text(folder / "ensemble_weights.json", json.dumps(rows, indent=2) + "\n")

    def weigh(
        self, dev: Sequence[Example], tune: str | None, choose: str = "weights"
    ) -> EnsembleReport:
        """Give the parts the weights that a dev score chooses, or equal ones, and report them.

        Where a prior is chosen, the scores of parts are those before they favour rare classes.
        """
        self.weights = [1 / len(self.parts)] * len(self.parts)
        self.adjustment = None
        total: float | None = None
        scores: list[float | None] = [None] * len(self.parts)
        if tune:
            score = dev_score(self.task, dev, tune)
            own = choose == "weights"
            chances = [part.predict(dev) if own else part.unadjusted(dev) for part in self.parts]
            if choose != "prior":
                self.weights = tune_weights(chances, score, self.average)
            joined = mix(chances, self.weights, self.average)
            if choose != "weights":
                shares = class_shares(self.task, dev)
                self.adjustment = Adjustment(tune_tau(joined, shares, score), shares)
                joined = self.adjustment.of(joined)
            total, scores = score(joined), [score(chance) for chance in chances]
        parts = zip(self._names, self.weights, scores, self.parts, strict=True)
        members = [
            MemberReport(name, part.shown_name, weight, alone, part.report)
            for name, weight, alone, part in parts
        ]
        tau = None if self.adjustment is None else self.adjustment.tau
        self.report = report = EnsembleReport(tune, total, members, tau)
        return report

    @property
    def context(self) -> int:
        """The most that a member looks at."""
        systems = self.parts or self.members.values()
        return max((system.context for system in systems), default=0)

    @property
    def reads_source_parse(self) -> bool:
        """Whether a part does."""
        return any(part.reads_source_parse for part in self.parts)

    def unlike_training(self, present: frozenset[str]) -> list[LayerDifference]:
        """How data with these layers differs from that of each part's training."""
        return [one for part in self.parts for one in part.unlike_training(present)]

    def predict(self, examples: Sequence[Example]) -> Probabilities:
        """The weighted average of the members' probabilities.

        Where dev chose how far rare classes are favoured, members do not favour them themselves.
        """
        if self.adjustment is not None:
            return self.adjustment.of(self.unadjusted(examples))
        return mix([part.predict(examples) for part in self.parts], self.weights, self.average)

    def unadjusted(self, examples: Sequence[Example]) -> Probabilities:
        """The weighted average, with rare classes favoured by nobody."""
        return mix([part.unadjusted(examples) for part in self.parts], self.weights, self.average)

    @property
    def points(self) -> bool:
        """Whether a part with any weight does."""
        pairs = zip(self.parts, self.weights, strict=True)
        return any(part.points and weight > 0 for part, weight in pairs)

    def antecedents(self, examples: Sequence[Example], classes: Classes) -> list[PointedNouns]:
        """The weighted average of the parts that point."""
        parts = zip(self.parts, self.weights, strict=True)
        pointing = [(part, weight) for part, weight in parts if part.points and weight > 0]
        if not pointing:
            return super().antecedents(examples, classes)
        found = [part.antecedents(examples, classes) for part, _ in pointing]
        return mixed(found, [weight for _, weight in pointing])

    def evidence(self, question: GapQuestion) -> Evidence:
        """The probabilities of each part and its own explanation; a part may have none."""
        asked = (question.examples, question.line, question.number)
        total = sum(self.weights)
        members = tuple(
            ExplainedMember(name, weight / total, explained(part, *asked))
            for name, part, weight in zip(self._names, self.parts, self.weights, strict=True)
        )
        chosen, against = (self.task.classes[n] for n in (question.chosen, question.against))
        place = (
            sum(len(example.gaps) for example in question.examples[: question.line])
            + question.number
        )
        rows = []
        for one, part in zip(members, self.parts, strict=True):
            chances = one.explanation.probabilities
            if self.adjustment is not None:
                found = part.unadjusted(question.examples)[place]
                chances = dict(zip(self.task.classes, found.tolist(), strict=True))
            rows.append((one.label, one.weight, chances[chosen], chances[against]))
        columns = ("member", "weight", f"p({chosen})", f"p({against})")
        table = EvidenceTable("Members", columns, tuple(rows))
        how = f"the weighted {self.average} mean of its members' probabilities"
        if self.adjustment is not None:
            share = f"the share of the class in dev to the power {self.adjustment.tau}"
            how += f" before they favour rare classes, divided by {share}"
        return Evidence(how, (table,), members=members)

    def save_state(self, folder: Path) -> None:
        """Write the parts into sub-folders."""
        for number, part in enumerate(self.parts):
            part.save(folder / f"member{number}")
        content: dict[str, Any] = {"weights": self.weights, "names": self._names}
        if self.average != AVERAGES[0]:
            content[_AVERAGE] = self.average
        if self.adjustment is not None:
            content[_ADJUSTMENT] = adjustment_content(self.adjustment)
        write_text(folder / _FILE, json.dumps(content))

    def load_state(self, folder: Path) -> None:
        """Read the parts."""
        saved = [path for path in folder.iterdir() if _part.fullmatch(path.name)]
        content = read_json_object(folder / _FILE)
        self.weights = _weights(folder / _FILE, content, len(saved))
        self._names = _names(folder / _FILE, content, len(self.weights))
        self.average = content.get(_AVERAGE, AVERAGES[0])
        if self.average not in AVERAGES:
            expected = choices(AVERAGES)
            raise input_error(folder / _FILE, _AVERAGE, expected, quoted(repr(self.average)))
        self.adjustment = None
        if _ADJUSTMENT in content:
            found, classes = content[_ADJUSTMENT], len(self.task.classes)
            self.adjustment = read_adjustment(folder / _FILE, found, classes)
        self.parts = [load_saved(folder / f"member{n}") for n in range(len(self.weights))]
        for number, part in enumerate(self.parts):
            if part.task.classes != self.task.classes:
                found = f"those of {part.task.name}"
                expected = f"the classes of {self.task.name}"
                raise input_error(folder / f"member{number}", "task", expected, found)


def _place(folder: Path | None, name: str) -> Path | None:
    """The folder of a member while it is trained."""
    if folder is None:
        return None
    place = folder / MEMBERS / name
    place.mkdir(parents=True, exist_ok=True)
    return place


def _named(members: Mapping[str, System] | Sequence[System]) -> dict[str, System]:
    """Members by name, which is also that of a folder; those of a list are numbered."""
    key, systems = "members", "systems (sections with _target_), by name or in a list"
    if not isinstance(members, Mapping | list | tuple):
        raise input_error("settings", key, systems, quoted(repr(members)))
    pairs = members.items() if isinstance(members, Mapping) else enumerate(members)
    named = {str(name): member for name, member in pairs}
    for name, member in named.items():
        if not _name.fullmatch(name):
            expected = "names of letters, digits, - and _, which are also those of folders"
            raise input_error("settings", key, expected, quoted(name))
        if not isinstance(member, System):
            raise input_error("settings", f"{key}.{name}", systems, quoted(repr(member)))
    return named


def _weights(path: Path, content: Mapping[str, Any], members: int) -> list[float]:
    """The weights, at least as many as there are folders of members: any other is missing."""
    weights: Any = content.get("weights")
    numbers = isinstance(weights, list) and all(
        isinstance(weight, int | float) and 0 <= weight <= float_info.max for weight in weights
    )
    found = [float(weight) for weight in weights] if numbers else []
    if not found or len(found) < members or not 0 < sum(found) < inf:
        expected = f"{members} numbers from 0, not all of them 0, with a finite sum"
        raise input_error(path, "weights", expected, quoted(repr(weights)))
    return found


def _names(path: Path, content: Mapping[str, Any], members: int) -> list[str]:
    """What the ensemble calls its members; files of before do not say."""
    names = content.get("names", [""] * members)
    texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not texts or len(names) != members:
        raise input_error(path, "names", f"{members} names", quoted(repr(names)))
    return list(names)


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
    found = np.exp(logs)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def tune_weights(
    probabilities: Sequence[Probabilities], score: DevScore, average: str = AVERAGES[0]
) -> list[float]:
    """Weights that are best on dev, by moving weight between members in ever smaller steps.

    A change must help to be made, so members that add nothing keep an equal share. Where that ends
    below what a member has alone, it begins again with that member.
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
                    value = score(averaged(trial))
                    if value > best + _SAME:
                        weights, best, improved = trial, value, True
    return weights, best
