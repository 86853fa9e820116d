"""Accuracy on a contrastive set: systems that score the reference and its errors.

An instance is right only if its reference is strictly better than every error: a system that
cannot tell them apart gets nothing for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.evaluation.core.pairs import PairChoice, every_pair
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.significance import Difference, Resampling
from crosspro.evaluation.core.units import ResampledUnits
from crosspro.evaluation.inputs.parallel_lines import lines_of
from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet
from crosspro.evaluation.metrics.contrastive.group_accuracy import (
    AccuracyCounter,
    DecidedSystem,
    GroupAccuracy,
    few_documents,
    units_of,
)


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
    names = names_of_files(paths)
    return [
        SystemScores(name, np.array(values), maximise)
        for name, (_, values, _) in zip(names, read, strict=True)
    ]


def names_of_files(paths: Sequence[Path]) -> list[str]:
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
    test_set: ContrastiveSet,
    systems: Sequence[SystemScores],
    plan: Resampling | None = None,
    pairs: PairChoice = every_pair,
) -> ContrastiveEvaluation:
    """Accuracy of each system; with a resampling plan also intervals and paired tests."""
    decisions = tuple(decide(test_set, system) for system in systems)
    units = units_of(test_set)
    counter = AccuracyCounter(test_set, units, plan)
    decided = [
        DecidedSystem(system.name, one.right, _how(system))
        for system, one in zip(systems, decisions, strict=True)
    ]
    return ContrastiveEvaluation(
        test_set,
        tuple(systems),
        decisions,
        counter.groups(decided),
        tuple(
            _decidable(counter, system, one.right)
            for system, one in zip(systems, decisions, strict=True)
        ),
        counter.comparisons(decided, pairs),
        units.name,
        units.count,
        tuple(_warnings(test_set, decisions, systems, units, plan)),
    )


def _how(system: SystemScores) -> tuple[str, ...]:
    better = f"better:{'higher' if system.maximise else 'lower'}"
    return ("rule:strictly-better", better, *system.origin)


def _decidable(
    counter: AccuracyCounter, system: SystemScores, right: NDArray[np.bool_]
) -> Score | None:
    """The accuracy over the instances that the system can decide, where these are not all."""
    hopeless = system.undecidable
    if hopeless is None or hopeless.all() or not hopeless.any():
        return None
    return counter.share("accuracy of decidable instances", ~hopeless, right, _how(system))


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
    if plan:
        warnings += few_documents(test_set, units)
    return warnings
