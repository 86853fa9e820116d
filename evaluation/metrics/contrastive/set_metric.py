"""Accuracy on a set of instances: in total and by group, with intervals.

It does not matter here how an instance was decided: by the scores of its translations, or by what
stands in a system's own translation. Intervals resample documents where they are known, else
instances.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.core.metric import Booleans, Metric, Part, Scored
from crosspro.evaluation.core.statistics import Floats, ResampledUnits, choose_units, percentage
from crosspro.evaluation.core.tables import Matrix, make_matrices, without_rare
from crosspro.evaluation.metrics.contrastive.formats import FAR, UNKNOWN, ContrastiveSet, Instance
from crosspro.evaluation.output.examples import (
    Examples,
    ExampleVerdict,
    Rendering,
)


class SetData(Protocol):
    """A set, with what systems made of it."""

    @property
    def test_set(self) -> ContrastiveSet:
        """The set."""


class SetItem(Protocol):
    """An instance as a system has it."""

    @property
    def right(self) -> bool:
        """Whether it is right."""

    @property
    def verdict(self) -> int:
        """The number of its verdict."""


Settings = TypeVar("Settings")
Data = TypeVar("Data", bound=SetData)
Item = TypeVar("Item", bound=SetItem)

_SHOWN = ("distance", "antecedent", "rule")
"""The breakdown by which the examples of a page are grouped: the first that a set has."""
_BESIDE_WORDS = ".,;:!?…\"'’”“«»()[]-"


class SetMetric(Metric[Settings, Data, Item]):
    """A metric by which an instance of a set is right or wrong."""

    measures = {"accuracy": "accuracy (%)"}
    headline = "accuracy"
    shown_counts = {"instances": "instances"}

    @abstractmethod
    def how(self, scored: Scored[Data, Item], system: int) -> tuple[str, ...]:
        """How that was found, for the signature."""

    @abstractmethod
    def cells(self, scored: Scored[Data, Item]) -> list[list[tuple[str, str]]]:
        """The expected word and what a system has instead, of each instance."""

    @abstractmethod
    def rendering(
        self, scored: Scored[Data, Item], number: int, system: int, line: int, cell: tuple[str, str]
    ) -> tuple[str, Rendering]:
        """The text of a system's instance, and what became of the pronoun in it."""

    @abstractmethod
    def reference(self, instance: Instance, line: int) -> tuple[str, list[Any]]:
        """The text of the reference, and marks."""

    def verdicts(self, scored: Scored[Data, Item], system: int) -> Sequence[int]:
        """The verdict on each instance."""
        return [item.verdict for item in scored.items[system]]

    def statistics(self, scored: Scored[Data, Item], system: int) -> Floats:
        """Right instances and all."""
        right = np.array([item.right for item in scored.items[system]], dtype=np.float64)
        return np.stack((right, np.ones(len(right))), axis=1)

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """Accuracy in per cent."""
        return {"accuracy": percentage(sums)}

    def compared(self, measures: Iterable[str]) -> list[str]:
        """Systems are compared by accuracy alone."""
        return [name for name in measures if name in self.measures]

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """How many instances there are."""
        return {"instances": int(sums[1])}

    def more_of_total(self, scored: Scored[Data, Item], system: int) -> Iterable[Part]:
        """Further measures of all instances."""
        return ()

    def parts(self, scored: Scored[Data, Item], system: int) -> Iterable[Part]:
        """All instances, and each group."""
        yield Part(columns=(0, 1))
        yield from self.more_of_total(scored, system)
        for breakdown, group, mask in groups_of(scored.data.test_set):
            yield Part(breakdown, group, mask, (0, 1))

    def described(
        self, scored: Scored[Data, Item], part: Part, measure: str, system: int
    ) -> list[str]:
        """The measure, the set, and how instances are decided."""
        test_set = scored.data.test_set
        return [
            measure.replace(" ", "_"),
            f"set:{test_set.name}",
            f"content:{test_set.digest}",
            f"instances:{len(test_set.instances)}",
            *self.how(scored, system),
        ]

    def heading(self, scored: Scored[Data, Item]) -> str:
        """The name of the set and its size."""
        test_set, units = scored.data.test_set, scored.units
        number = counted(len(test_set.instances), "instance")
        text = f"{test_set.name} ({test_set.kind}): {number}"
        return text if units.name == "instance" else f"{text} in {units.count:,} {units.name}s"

    def matrices(self, scored: Scored[Data, Item]) -> Sequence[Matrix]:
        """What stands where which word is expected."""
        return make_matrices(without_rare(self.cells(scored)))

    def placed(self, scored: Scored[Data, Item], number: int) -> dict[str, str]:
        """Where an instance stands: its name, its document and its groups, for its record."""
        test_set = scored.data.test_set
        one = test_set.instances[number]
        breakdowns = dict.fromkeys(name for other in test_set.instances for name in other.groups)
        groups = {name: one.groups.get(name, "") for name in breakdowns}
        return {"instance": one.name, "document": one.document or "", **groups}

    def examples(self, scored: Scored[Data, Item], numbers: Sequence[int]) -> Examples:
        """Instances with their context, and what each system has made of them."""
        test_set = scored.data.test_set
        groups = groups_of(test_set)
        shown = next((name for name in _SHOWN if name in {one[0] for one in groups}), "")
        labels = [f"{shown} {group}" for breakdown, group, _ in groups if breakdown == shown]
        own: Any = self.verdict_kinds
        kinds = [ExampleVerdict(name, kind) for name, kind in own]
        examples = Examples(scored.systems, kinds, scored.size, shown, labels)
        cells = without_rare(self.cells(scored))
        systems = range(len(scored.systems))
        for number in numbers:
            instance = test_set.instances[number]
            document = instance.document or ""
            empty = [""] * len(systems)
            lines = [
                examples.add_line(-1, source, [target], empty, document)
                for source, target in context_lines(instance)
            ]
            made = [
                self.rendering(scored, number, place, len(lines), cells[place][number])
                for place in systems
            ]
            text, marks = self.reference(instance, len(lines))
            source = " ".join((instance.source or "").split())
            outputs = [output for output, _ in made]
            lines.append(examples.add_line(-1, source, [text], outputs, document))
            examples.add(
                (instance.source_pronoun or instance.reference_pronoun or "").lower(),
                lines,
                [marks],
                [rendering for _, rendering in made],
                instance.name,
                f"{shown} {instance.groups.get(shown, UNKNOWN)}" if shown else "",
            )
        return examples


def scored_set(
    data: Data, systems: Iterable[str], items: Iterable[Sequence[Item]], warnings: Iterable[str]
) -> Scored[Data, Item]:
    """The instances of a set, as each system has them."""
    test_set = data.test_set
    facts = {"set": test_set.name, "kind": test_set.kind, "content": test_set.digest}
    return Scored(data, tuple(systems), tuple(items), units_of(test_set), facts, tuple(warnings))


def units_of(test_set: ContrastiveSet) -> ResampledUnits:
    """What is resampled: documents or instances."""
    documents = [instance.document for instance in test_set.instances]
    return choose_units(
        document=None if None in documents else documents,
        instance=range(len(test_set.instances)),
    )


def groups_of(test_set: ContrastiveSet) -> list[tuple[str, str, Booleans]]:
    """The groups of each breakdown, in order, with the instances that belong to them."""
    breakdowns = dict.fromkeys(name for instance in test_set.instances for name in instance.groups)
    found = []
    for breakdown in breakdowns:
        labels = np.array([one.groups.get(breakdown, UNKNOWN) for one in test_set.instances])
        for group in sorted(set(labels.tolist()), key=_place):
            found.append((breakdown, group, labels == group))
    return found


def _place(group: str) -> tuple[int, str]:
    return (2 if group == UNKNOWN else 1 if group == FAR else 0, group)


def context_lines(instance: Instance) -> list[tuple[str, str]]:
    """Earlier lines, the last ones beside each other where one side has more."""
    ours, theirs = instance.source_context, instance.reference_context
    size = max(len(ours), len(theirs))
    first, second = (
        [""] * (size - len(side)) + [" ".join(line.split()) for line in side]
        for side in (ours, theirs)
    )
    return list(zip(first, second, strict=True))


def places_of(instance: Instance) -> list[int]:
    """The places of the words of the source that are the pronoun."""
    wanted = (instance.source_pronoun or "").lower()
    source = (instance.source or "").split()
    return [at for at, word in enumerate(source) if word.lower().strip(_BESIDE_WORDS) == wanted]
