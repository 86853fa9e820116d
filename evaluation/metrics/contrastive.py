"""Accuracy on contrastive sets: is the reference strictly better than every error?

A system scores the reference first and then each error, in the order of the file. A system that
cannot tell them apart gets nothing for an instance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import counted, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.metric import Display, Group, Items, Metric
from crosspro.evaluation.metrics.contrastive_sets import FAR, UNKNOWN, ContrastiveSet, Instance
from crosspro.evaluation.resampling import Columns, Scores, Sums, Units, ratio


@dataclass(frozen=True)
class SetData:
    """A set; subclasses have what systems made of it."""

    test_set: ContrastiveSet


Settings = TypeVar("Settings")
Data = TypeVar("Data", bound=SetData)
Item = TypeVar("Item")


class SetMetric(Metric[Settings, Data, Item]):
    """What metrics by which an instance is right or wrong share: units, groups, signature."""

    def set_items(
        self,
        data: Data,
        values: Mapping[str, Sequence[Item]],
        warnings: Sequence[str],
        **facts: Any,
    ) -> Items[Data, Item]:
        """The instances of a set as each system has them, resampled by document if possible."""
        test_set = data.test_set
        documents = [instance.document for instance in test_set.instances]
        units = Units.choose(
            document=None if None in documents else documents,
            instance=range(len(test_set.instances)),
        )
        size = counted(len(test_set.instances), "instance")
        description = f"{test_set.name} ({test_set.kind}): {size}"
        if units.name == "document":
            description += f" in {counted(units.count, 'document')}"
        facts |= {"set": test_set.name, "kind": test_set.kind, "content": test_set.digest}
        return Items(
            data, tuple(values), tuple(values.values()), units, description, facts, tuple(warnings)
        )

    def counts(self, items: Items[Data, Item], candidate: int) -> Columns:
        return {"instances": np.ones(items.size)}

    def groups(self, items: Items[Data, Item]) -> Iterable[Group]:
        """The groups of each breakdown; unknown ones and large distances last."""
        instances = items.data.test_set.instances
        for breakdown in dict.fromkeys(name for instance in instances for name in instance.groups):
            labels = np.array([instance.groups.get(breakdown, UNKNOWN) for instance in instances])
            order = {UNKNOWN: 2, FAR: 1}
            for group in sorted(set(labels.tolist()), key=lambda name: (order.get(name, 0), name)):
                yield Group(breakdown, group, labels == group)

    def signature(self, items: Items[Data, Item]) -> Sequence[str]:
        test_set = items.data.test_set
        return [
            f"set:{test_set.name}",
            f"content:{test_set.digest}",
            f"instances:{len(test_set.instances)}",
        ]


def placed(instance: Instance) -> dict[str, str]:
    """The fields of a record that say which instance it is."""
    return {"instance": instance.name, "document": instance.document or "", **instance.groups}


@dataclass(frozen=True)
class SystemScores:
    """The score of every translation: of the reference, then of each error, instance by instance.

    `notes` says what a reader must know to judge the accuracy; `undecidable[i]` that the system can
    give no different scores to instance i whatever it learns. `origin` is how the scores were made,
    for the signature.
    """

    name: str
    values: NDArray[np.float64]
    maximise: bool = False
    undecidable: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()
    origin: tuple[str, ...] = ("scores:file",)


@dataclass(frozen=True)
class ScoredSet(SetData):
    """A set whose translations systems have scored."""

    systems: tuple[SystemScores, ...]


RIGHT, TIED, WRONG, UNDECIDABLE = "right", "tied", "wrong", "undecidable"


@dataclass(frozen=True)
class DecidedInstance:
    """A verdict, the translation that is scored best (0 the reference), and all scores."""

    verdict: str
    preferred: int
    values: tuple[float, ...]


class Contrastive(SetMetric[None, ScoredSet, DecidedInstance]):
    """Is the reference strictly better than every error?"""

    name = "contrastive"
    display = Display(
        "Contrastive accuracy",
        headline="accuracy",
        compared=("accuracy",),
        counts=("instances",),
        notes=("right only if the reference is strictly better than every error.",),
    )

    def items(self, data: ScoredSet) -> Items[ScoredSet, DecidedInstance]:
        decided = {system.name: decide(data.test_set, system) for system in data.systems}
        warnings = [f"{system.name}: {note}" for system in data.systems for note in system.notes]
        for name, instances in decided.items():
            if ties := sum(instance.verdict == TIED for instance in instances):
                warnings.append(
                    f"{name}: {ties:,} instances where an error scores as well as the reference; "
                    "they count as wrong"
                )
        undecidable = any(
            instance.verdict == UNDECIDABLE
            for instances in decided.values()
            for instance in instances
        )
        return self.set_items(data, decided, warnings, undecidable=undecidable)

    def statistics(self, items: Items[ScoredSet, DecidedInstance], candidate: int) -> Columns:
        """Right instances and all; those that a system can decide, where these are not all."""
        verdicts = np.array([instance.verdict for instance in items.values[candidate]])
        columns = {"right": verdicts == RIGHT, "instances": np.ones(items.size)}
        return columns | (
            {"decidable": verdicts != UNDECIDABLE} if items.facts["undecidable"] else {}
        )

    def score(self, sums: Sums) -> Scores:
        scores = {"accuracy": 100 * ratio(sums["right"], sums["instances"])}
        if "decidable" in sums:
            scores["accuracy_of_decidable"] = 100 * ratio(sums["right"], sums["decidable"])
        return scores

    def signature(self, items: Items[ScoredSet, DecidedInstance]) -> Sequence[str]:
        systems = []
        for system in items.data.systems:
            better = "higher" if system.maximise else "lower"
            systems.append(f"{system.name}={','.join((f'better:{better}', *system.origin))}")
        return [*super().signature(items), "rule:strictly-better", *systems]

    def details(
        self, items: Items[ScoredSet, DecidedInstance], candidate: int
    ) -> Iterable[Mapping[str, Any]]:
        instances = items.data.test_set.instances
        for instance, decided in zip(instances, items.values[candidate], strict=True):
            words = [instance.reference_pronoun or "reference"]
            for number, error in enumerate(instance.errors, start=1):
                words.append(error.word or f"error {number}")
            words = [word.lower() for word in words]
            yield {
                **placed(instance),
                "verdict": decided.verdict,
                "preferred": words[decided.preferred],
                "scores": dict(zip(words, decided.values, strict=True)),
            }


def decide(test_set: ContrastiveSet, system: SystemScores) -> list[DecidedInstance]:
    decided, start = [], 0
    for number, instance in enumerate(test_set.instances):
        end = start + 1 + len(instance.errors)
        values = tuple(system.values[start:end].tolist())
        reference, *errors = (value if system.maximise else -value for value in values)
        best = max(errors, default=-inf)
        if system.undecidable is not None and system.undecidable[number]:
            verdict = UNDECIDABLE
        else:
            verdict = RIGHT if reference > best else TIED if reference == best else WRONG
        # Of an equal reference and error the error counts as preferred.
        preferred = 0 if reference > best else 1 + errors.index(best)
        decided.append(DecidedInstance(verdict, preferred, values))
        start = end
    return decided


def read_scores(path: Path, test_set: ContrastiveSet) -> NDArray[np.float64]:
    """The scores of a file, one a line; blank lines at the end do not count."""
    lines = "\n".join(read_text_lines(path)).rstrip().split("\n")
    values = []
    for number, line in enumerate(lines, start=1):
        try:
            value = float(line)
        except ValueError:
            value = np.nan
        if isnan(value):
            raise input_error(path, "score", "a number", quoted(line), number)
        values.append(value)
    if len(values) != test_set.candidates:
        expected = (
            f"{test_set.candidates} (a reference and its errors for each of "
            f"{len(test_set.instances)} instances)"
        )
        first = min(len(values), test_set.candidates) + 1
        raise input_error(path, "scores", expected, str(len(values)), first)
    return np.array(values)
