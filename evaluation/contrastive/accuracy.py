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

from crosspro import __version__
from crosspro.data_prep.errors import InputError, Problem, quoted
from crosspro.evaluation.contrastive.formats import FAR, UNKNOWN, ContrastiveSet
from crosspro.evaluation.mt_text.parallel_lines import lines_of
from crosspro.evaluation.statistics.ratio_bootstrap import Ratio, compare_ratios, ratio_interval
from crosspro.evaluation.statistics.significance import FEW_DOCUMENTS, Difference, Resampling
from crosspro.evaluation.submissions.scores import Score

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
    unit, numbers = _units(test_set)
    counter = _Counter(test_set, numbers, unit, plan)
    everything = np.ones(len(test_set.instances), dtype=np.bool_)
    groups = [counter.group("", TOTAL, everything, systems, decisions)]
    if test_set.instances[0].block is not None:
        groups.append(counter.blocks(systems, decisions))
    for breakdown, group, mask in _groups(test_set):
        groups.append(counter.group(breakdown, group, mask, systems, decisions))
    comparisons = []
    if plan:
        ratios = [
            counter.ratio(system.name, everything, decided.right)
            for system, decided in zip(systems, decisions, strict=True)
        ]
        comparisons = [
            _percent(compare_ratios(one, other, plan)) for one, other in combinations(ratios, 2)
        ]
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
        unit,
        int(numbers.max()) + 1,
        tuple(_warnings(test_set, decisions, systems, unit, int(numbers.max()) + 1, plan)),
    )


def _units(test_set: ContrastiveSet) -> tuple[str, NDArray[np.int64]]:
    """What is resampled, and the unit of each instance."""
    documents = [instance.document for instance in test_set.instances]
    blocks = [instance.block for instance in test_set.instances]
    for unit, names in (("document", documents), ("block", blocks)):
        if None not in names and len(set(names)) > 1:
            return unit, np.unique(np.array(names, dtype=np.str_), return_inverse=True)[1]
    return "instance", np.arange(len(test_set.instances))


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
    numbers: NDArray[np.int64]
    unit: str
    plan: Resampling | None

    def ratio(self, name: str, mask: NDArray[np.bool_], right: NDArray[np.bool_]) -> Ratio:
        size = int(self.numbers.max()) + 1
        within = np.bincount(self.numbers[mask], minlength=size)
        hits = np.bincount(self.numbers[mask & right], minlength=size)
        return Ratio(name, hits.astype(np.float64), within.astype(np.float64))

    def score(self, name: str, ratio: Ratio, system: SystemScores) -> Score:
        low = high = None
        if self.plan:
            # Units without an instance of the group say nothing about it.
            kept = ratio.denominators > 0
            low, high = ratio_interval(ratio.numerators[kept], ratio.denominators[kept], self.plan)
            low, high = 100 * low, 100 * high
        return Score(name, 100 * ratio.value, self.signature(name, system), low, high)

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
        if self.plan:
            parts += [
                f"bootstrap:{self.plan.resamples}",
                f"by:{self.unit}",
                f"seed:{self.plan.seed}",
            ]
        return "|".join([*parts, f"crosspro:{__version__}"])

    def group(
        self,
        breakdown: str,
        group: str,
        mask: NDArray[np.bool_],
        systems: Sequence[SystemScores],
        decisions: Sequence[Decisions],
    ) -> GroupAccuracy:
        scores = tuple(
            self.score("accuracy", self.ratio(system.name, mask, one.right), system)
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
            ratio = Ratio(system.name, whole.astype(np.float64), np.ones(size))
            scores.append(self.score("whole blocks", ratio, system))
        return GroupAccuracy("", BLOCKS, size, tuple(scores))

    def decidable(self, system: SystemScores, decided: Decisions) -> Score | None:
        """The accuracy over the instances that the system can decide, where these are not all."""
        hopeless = system.undecidable
        if hopeless is None or hopeless.all() or not hopeless.any():
            return None
        ratio = self.ratio(system.name, ~hopeless, decided.right)
        return self.score("accuracy of decidable instances", ratio, system)


def _percent(one: Difference) -> Difference:
    return Difference(
        one.first,
        one.second,
        100 * one.difference,
        100 * one.low,
        100 * one.high,
        one.p_bootstrap,
        one.p_randomisation,
    )


def _warnings(
    test_set: ContrastiveSet,
    decisions: Sequence[Decisions],
    systems: Sequence[SystemScores],
    unit: str,
    units: int,
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
    if plan and unit == "document" and units < FEW_DOCUMENTS:
        warnings.append(
            f"{test_set.name}: {units} documents are few: intervals and bootstrap p values are "
            "too small"
        )
    return warnings
