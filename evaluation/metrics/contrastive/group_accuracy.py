"""Right and wrong instances of a set as accuracies: in total, by group, by block, with intervals.

It does not matter here how an instance was decided: by the scores of its translations, or by what
stands in a system's own translation. Intervals resample documents where they are known, the blocks
of DiscEvalMT, else instances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.evaluation.core.pairs import PairChoice, every_pair
from crosspro.evaluation.core.ratio import percentage, ratio_statistics
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.signature import make_signature
from crosspro.evaluation.core.significance import (
    Difference,
    Resampling,
    paired_tests,
    scores_of,
)
from crosspro.evaluation.core.units import (
    Floats,
    ResampledUnits,
    choose_units,
    side_by_side,
    tally,
)
from crosspro.evaluation.metrics.contrastive.formats import FAR, UNKNOWN, ContrastiveSet

TOTAL = "total"
BLOCKS = "blocks entirely right"

Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class GroupAccuracy:
    """The accuracy of all systems on one group of instances (or on all, or on blocks)."""

    breakdown: str
    group: str
    instances: int
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class DecidedSystem:
    """A system, the instances that it has right, and how that was found, for the signature."""

    name: str
    right: Booleans
    how: tuple[str, ...]


def units_of(test_set: ContrastiveSet) -> ResampledUnits:
    """What is resampled: documents, blocks or instances."""
    documents = [instance.document for instance in test_set.instances]
    blocks = [instance.block for instance in test_set.instances]
    return choose_units(
        document=None if None in documents else documents,
        block=None if None in blocks else blocks,
        instance=range(len(test_set.instances)),
    )


def groups_of(test_set: ContrastiveSet) -> list[tuple[str, str, Booleans]]:
    """The groups of each breakdown, in order, with the instances that belong to them."""
    breakdowns = dict.fromkeys(name for one in test_set.instances for name in one.groups)
    found = []
    for breakdown in breakdowns:
        labels = np.array([one.groups.get(breakdown, UNKNOWN) for one in test_set.instances])
        for group in sorted(set(labels.tolist()), key=_place):
            found.append((breakdown, group, labels == group))
    return found


def _place(group: str) -> tuple[int, str]:
    return (2 if group == UNKNOWN else 1 if group == FAR else 0, group)


def few_documents(test_set: ContrastiveSet, units: ResampledUnits) -> list[str]:
    """The warning that intervals by document are too small, where that is so."""
    if not units.few_documents:
        return []
    text = f"{test_set.name}: {units.count} documents are few: intervals and bootstrap p values "
    return [f"{text}are too small"]


@dataclass(frozen=True)
class AccuracyCounter:
    """Turns decisions into scores with intervals and signatures."""

    test_set: ContrastiveSet
    units: ResampledUnits
    plan: Resampling | None

    def groups(self, systems: Sequence[DecidedSystem]) -> tuple[GroupAccuracy, ...]:
        """The accuracy on all instances, on whole blocks if there are any, and on each group."""
        groups = [self._group("", TOTAL, self._everything(), systems)]
        if self.test_set.instances[0].block is not None:
            groups.append(self._blocks(systems))
        for breakdown, group, mask in groups_of(self.test_set):
            groups.append(self._group(breakdown, group, mask, systems))
        return tuple(groups)

    def comparisons(
        self, systems: Sequence[DecidedSystem], pairs: PairChoice = every_pair
    ) -> tuple[Difference, ...]:
        """Paired tests between systems; none without a plan."""
        if self.plan is None:
            return ()
        counted = [self._statistics(self._everything(), system.right) for system in systems]
        found = []
        names = [system.name for system in systems]
        for one, other in pairs(names, [float(system.right.mean()) for system in systems]):
            table = side_by_side(counted[one], counted[other])
            pair = names[one], names[other]
            found += paired_tests(pair, table, {"accuracy": percentage}, self.plan)
        return tuple(found)

    def share(
        self, name: str, mask: Booleans | None, chosen: Booleans, how: Sequence[str]
    ) -> Score:
        """The share of the instances under the mask (all, if None) that are chosen, in per cent."""
        where = self._everything() if mask is None else mask
        return self._score(name, self._statistics(where, chosen), how)

    def _everything(self) -> Booleans:
        return np.ones(len(self.test_set.instances), dtype=np.bool_)

    def _statistics(self, mask: Booleans, right: Booleans) -> Floats:
        """Right instances and all instances of each unit that has one under the mask."""
        units = self.units.among(mask)
        return ratio_statistics(units.sums(right[mask]), units.sums(np.ones(int(mask.sum()))))

    def _score(self, name: str, statistics: Floats, how: Sequence[str]) -> Score:
        parts = [
            name.replace(" ", "_"),
            f"set:{self.test_set.name}",
            f"content:{self.test_set.digest}",
            f"instances:{len(self.test_set.instances)}",
            *how,
        ]
        text = make_signature(parts, self.plan, self.units.name)
        return scores_of(tally(statistics), {name: percentage}, self.plan, {name: text})[name]

    def _group(
        self, breakdown: str, group: str, mask: Booleans, systems: Sequence[DecidedSystem]
    ) -> GroupAccuracy:
        scores = tuple(self.share("accuracy", mask, one.right, one.how) for one in systems)
        return GroupAccuracy(breakdown, group, int(mask.sum()), scores)

    def _blocks(self, systems: Sequence[DecidedSystem]) -> GroupAccuracy:
        """Blocks all of whose pairs are right; each block is a unit."""
        names = [instance.block or "" for instance in self.test_set.instances]
        number = np.unique(np.array(names, dtype=np.str_), return_inverse=True)[1]
        size = int(number.max()) + 1
        scores = []
        for one in systems:
            whole = np.bincount(number, minlength=size) == np.bincount(
                number[one.right], minlength=size
            )
            statistics = ratio_statistics(whole, np.ones(size))
            scores.append(self._score("whole blocks", statistics, one.how))
        return GroupAccuracy("", BLOCKS, size, tuple(scores))
