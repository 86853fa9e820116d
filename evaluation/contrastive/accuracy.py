"""Accuracy on a contrastive set: in total, by group, by block, with intervals and paired tests.

An instance is right only if its reference is strictly better than every error: a system that
cannot tell them apart gets nothing for it. Intervals resample documents where they are known, the
blocks of DiscEvalMT, else instances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.errors import InputError, Problem, quoted
from crosspro.evaluation.contrastive.formats import FAR, UNKNOWN, ContrastiveSet
from crosspro.evaluation.mt_text.parallel_lines import lines_of
from crosspro.evaluation.statistics.ratio import percentage, ratio_statistics
from crosspro.evaluation.statistics.score import Score
from crosspro.evaluation.statistics.signature import make_signature
from crosspro.evaluation.statistics.significance import (
    Difference,
    Resampling,
    paired_tests,
    scores_of,
)
from crosspro.evaluation.statistics.units import (
    Floats,
    ResampledUnits,
    choose_units,
    side_by_side,
    tally,
)

TOTAL = "total"
BLOCKS = "blocks entirely right"


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
class Decisions:
    """Which instances a system has right; `tied` where no error is better but one is as good."""

    right: NDArray[np.bool_]
    tied: NDArray[np.bool_]


@dataclass(frozen=True)
class GroupAccuracy:
    """The accuracy of all systems on one group of instances (or on all, or on blocks)."""

    breakdown: str
    group: str
    instances: int
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class ContrastiveEvaluation:
    """Everything that was computed for some systems on one set."""

    test_set: ContrastiveSet
    systems: tuple[SystemScores, ...]
    decisions: tuple[Decisions, ...]
    groups: tuple[GroupAccuracy, ...]
    decidable: tuple[Score | None, ...]
    comparisons: tuple[Difference, ...]
    unit: str
    units: int
    warnings: tuple[str, ...]


def scan_scores(path: Path, test_set: ContrastiveSet | None) -> tuple[list[float], list[Problem]]:
    """The scores of a file, one a line, and everything that is wrong with it.

    Blank lines at the end do not count. Without a set, the number of scores is not looked at.
    """
    faults: list[Problem] = []
    read = lines_of(path, faults)
    if read is None:
        return [], faults
    lines = [line.strip() for line in read]
    while lines and not lines[-1]:
        lines.pop()
    problems = []
    values = []
    for number, line in enumerate(lines, start=1):
        try:
            value = float(line)
        except ValueError:
            value = math.nan
        if math.isnan(value):
            found = quoted(line) if line else "nothing"
            problems.append(Problem(str(path), number, "score", "a number", found))
        values.append(value)
    if test_set is not None and len(lines) != test_set.candidates:
        expected = (
            f"{test_set.candidates} (a reference and its errors for each of "
            f"{len(test_set.instances)} instances)"
        )
        first = min(len(lines), test_set.candidates) + 1
        problems.append(Problem(str(path), first, "scores", expected, str(len(lines))))
    return values, problems


def read_scores(
    paths: Sequence[Path], test_set: ContrastiveSet, maximise: bool = False
) -> list[SystemScores]:
    """The systems of score files; raises `InputError` with the faults of all of them."""
    read = [(path, *scan_scores(path, test_set)) for path in paths]
    problems = [problem for _, _, found in read for problem in found]
    if problems:
        raise InputError(problems)
    names = _names(paths)
    return [
        SystemScores(name, np.array(values), maximise)
        for name, (_, values, _) in zip(names, read, strict=True)
    ]


def _names(paths: Sequence[Path]) -> list[str]:
    """File names without their last suffix, or whole paths where these are equal."""
    whole = [path.name.removesuffix(".xz").removesuffix(".gz") for path in paths]
    short = [Path(name).stem for name in whole]
    return [
        name if short.count(name) == 1 else str(path)
        for name, path in zip(short, paths, strict=True)
    ]


def decide(test_set: ContrastiveSet, system: SystemScores) -> Decisions:
    """Compare the score of each reference with the best of its errors."""
    sizes = np.array([1 + len(instance.errors) for instance in test_set.instances])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    values = system.values if system.maximise else -system.values
    reference = values[starts]
    errors = values.copy()
    errors[starts] = -np.inf
    best = np.maximum.reduceat(errors, starts)
    return Decisions(reference > best, reference == best)


def evaluate_contrastive(
    test_set: ContrastiveSet, systems: Sequence[SystemScores], plan: Resampling | None = None
) -> ContrastiveEvaluation:
    """Accuracy of each system; with a resampling plan also intervals and paired tests."""
    decisions = tuple(decide(test_set, system) for system in systems)
    units = _units(test_set)
    counter = _Counter(test_set, units, plan)
    everything = np.ones(len(test_set.instances), dtype=np.bool_)
    groups = [counter.group("", TOTAL, everything, systems, decisions)]
    if test_set.instances[0].block is not None:
        groups.append(counter.blocks(systems, decisions))
    for breakdown, group, mask in _groups(test_set):
        groups.append(counter.group(breakdown, group, mask, systems, decisions))
    comparisons = []
    if plan:
        counted = [counter.statistics(everything, decided.right) for decided in decisions]
        for one, other in combinations(range(len(systems)), 2):
            names = systems[one].name, systems[other].name
            table = side_by_side(counted[one], counted[other])
            comparisons += paired_tests(names, table, {"accuracy": percentage}, plan)
    return ContrastiveEvaluation(
        test_set,
        tuple(systems),
        decisions,
        tuple(groups),
        tuple(
            counter.decidable(system, decided)
            for system, decided in zip(systems, decisions, strict=True)
        ),
        tuple(comparisons),
        units.name,
        units.count,
        tuple(_warnings(test_set, decisions, systems, units, plan)),
    )


def _units(test_set: ContrastiveSet) -> ResampledUnits:
    documents = [instance.document for instance in test_set.instances]
    blocks = [instance.block for instance in test_set.instances]
    return choose_units(
        document=None if None in documents else documents,
        block=None if None in blocks else blocks,
        instance=range(len(test_set.instances)),
    )


def _groups(test_set: ContrastiveSet) -> list[tuple[str, str, NDArray[np.bool_]]]:
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


@dataclass(frozen=True)
class _Counter:
    """Turns decisions into scores with intervals and signatures."""

    test_set: ContrastiveSet
    units: ResampledUnits
    plan: Resampling | None

    def statistics(self, mask: NDArray[np.bool_], right: NDArray[np.bool_]) -> Floats:
        """Right instances and all instances of each unit that has one under the mask."""
        units = self.units.among(mask)
        return ratio_statistics(units.sums(right[mask]), units.sums(np.ones(int(mask.sum()))))

    def score(self, name: str, statistics: Floats, system: SystemScores) -> Score:
        text = self.signature(name, system)
        return scores_of(tally(statistics), {name: percentage}, self.plan, {name: text})[name]

    def signature(self, name: str, system: SystemScores) -> str:
        parts = [
            name.replace(" ", "_"),
            f"set:{self.test_set.name}",
            f"content:{self.test_set.digest}",
            f"instances:{len(self.test_set.instances)}",
            "rule:strictly-better",
            f"better:{'higher' if system.maximise else 'lower'}",
            *system.origin,
        ]
        return make_signature(parts, self.plan, self.units.name)

    def group(
        self,
        breakdown: str,
        group: str,
        mask: NDArray[np.bool_],
        systems: Sequence[SystemScores],
        decisions: Sequence[Decisions],
    ) -> GroupAccuracy:
        scores = tuple(
            self.score("accuracy", self.statistics(mask, one.right), system)
            for system, one in zip(systems, decisions, strict=True)
        )
        return GroupAccuracy(breakdown, group, int(mask.sum()), scores)

    def blocks(
        self, systems: Sequence[SystemScores], decisions: Sequence[Decisions]
    ) -> GroupAccuracy:
        """Blocks all of whose pairs are right; each block is a unit."""
        names = [instance.block or "" for instance in self.test_set.instances]
        number = np.unique(np.array(names, dtype=np.str_), return_inverse=True)[1]
        size = int(number.max()) + 1
        scores = []
        for system, one in zip(systems, decisions, strict=True):
            whole = np.bincount(number, minlength=size) == np.bincount(
                number[one.right], minlength=size
            )
            statistics = ratio_statistics(whole, np.ones(size))
            scores.append(self.score("whole blocks", statistics, system))
        return GroupAccuracy("", BLOCKS, size, tuple(scores))

    def decidable(self, system: SystemScores, decided: Decisions) -> Score | None:
        """The accuracy over the instances that the system can decide, where these are not all."""
        hopeless = system.undecidable
        if hopeless is None or hopeless.all() or not hopeless.any():
            return None
        statistics = self.statistics(~hopeless, decided.right)
        return self.score("accuracy of decidable instances", statistics, system)


def _warnings(
    test_set: ContrastiveSet,
    decisions: Sequence[Decisions],
    systems: Sequence[SystemScores],
    units: ResampledUnits,
    plan: Resampling | None,
) -> list[str]:
    warnings = list(test_set.warnings)
    for system, one in zip(systems, decisions, strict=True):
        hopeless = np.False_ if system.undecidable is None else system.undecidable
        ties = int((one.tied & ~hopeless).sum())
        if ties:
            warnings.append(
                f"{system.name}: {ties:,} instances where an error scores as well as the "
                "reference; they count as wrong"
            )
    if plan and units.few_documents:
        warnings.append(
            f"{test_set.name}: {units.count} documents are few: intervals and bootstrap p values "
            "are too small"
        )
    return warnings
