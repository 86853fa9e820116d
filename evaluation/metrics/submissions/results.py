"""The evaluation of one or more submissions: all scores, intervals, ranks and paired tests.

This is the record that every layout (`report.py`, `page.py`, `released.py`) is printed from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

import numpy as np

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.task import Task
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.signature import make_signature
from crosspro.evaluation.core.significance import (
    Difference,
    Resampling,
    paired_tests,
    scores_of,
)
from crosspro.evaluation.core.units import FEW_DOCUMENTS
from crosspro.evaluation.metrics.submissions.confusion import Counts, confusion_counts, regroup
from crosspro.evaluation.metrics.submissions.scores import (
    Absent,
    ConfusionMetric,
    Values,
    accuracy,
    macro_f1,
    macro_recall,
)
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission
from crosspro.evaluation.metrics.submissions.units import confusion_units, on_sums


@dataclass(frozen=True)
class TaskMetric:
    """A metric of a task: a function of confusion counts, and what its signature says of it."""

    value: ConfusionMetric
    classes: int
    averaged: bool
    """Whether it is an average over classes, which may be absent from gold."""


@dataclass(frozen=True)
class Result:
    """The scores of one submission; `scores` is in the order in which they are shown.

    A contrastive submission has no rank.
    """

    name: str
    counts: Counts
    scores: dict[str, Score]
    contrastive: bool = False


@dataclass(frozen=True)
class Evaluation:
    """Everything that was computed for some submissions of one gold file."""

    task: Task
    gold: Gold
    absent: Absent
    results: tuple[Result, ...]
    comparisons: tuple[Difference, ...] = ()
    agreement: Values | None = None
    warnings: tuple[str, ...] = field(default=())

    @property
    def documents(self) -> int | None:
        """The number of documents that have a gap, where documents are known."""
        return self.gold.document_count


def evaluate(
    task: Task,
    gold: Gold,
    submissions: Sequence[Submission],
    absent: Absent = "skip",
    plan: Resampling | None = None,
) -> Evaluation:
    """Score submissions; with a resampling plan also their intervals and differences."""
    if not len(gold.classes):
        raise CrossproError(f"{gold.name}: classes: expected at least one label, found none")
    metrics = metrics_of(task, absent)
    results = [_result(task, gold, one, metrics, absent, plan) for one in submissions]
    compared = (task.official_score, "accuracy")
    comparisons = []
    if plan is not None:
        size = len(task.classes)
        tested = {name: on_sums(metrics[name].value, size) for name in compared}
        for one, other in combinations(submissions, 2):
            table = confusion_units(gold, (one, other), size)
            comparisons += paired_tests((one.name, other.name), table, tested, plan)
    warnings = [*gold.warnings, *(line for one in submissions for line in one.warnings)]
    if plan and gold.document_count is not None and gold.document_count < FEW_DOCUMENTS:
        warnings.append(
            f"{gold.name}: {gold.document_count} documents are few: intervals and bootstrap p "
            "values are too small"
        )
    shared = agreement(submissions) if len(submissions) > 1 else None
    return Evaluation(
        task, gold, absent, tuple(results), tuple(comparisons), shared, tuple(warnings)
    )


def metrics_of(task: Task, absent: Absent) -> dict[str, TaskMetric]:
    """The metrics of a task by name, the official one first."""
    fine = len(task.classes)
    metrics = {
        "macro_recall": TaskMetric(partial(macro_recall, absent=absent), fine, True),
        "macro_f1": TaskMetric(partial(macro_f1, absent=absent), fine, True),
        "accuracy": TaskMetric(accuracy, fine, False),
    }
    order = sorted(metrics, key=lambda name: name != task.official_score)
    metrics = {name: metrics[name] for name in order}
    if task.coarse:  # the two evaluations of DiscoMT 2015
        groups, coarse = coarse_groups(task), len(task.coarse_classes)
        for name in ("macro_f1", "accuracy"):
            one = metrics[name]
            grouped = _grouped(one.value, groups)
            metrics[f"coarse_{name}"] = TaskMetric(grouped, coarse, one.averaged)
    return metrics


def coarse_groups(task: Task) -> list[int]:
    """The coarse class index of each class."""
    index = {name: position for position, name in enumerate(task.coarse_classes)}
    return [index[task.coarse.get(name, name)] for name in task.classes]


def _grouped(metric: ConfusionMetric, groups: Sequence[int]) -> ConfusionMetric:
    return lambda counts: metric(regroup(counts, groups))


def _result(
    task: Task,
    gold: Gold,
    submission: Submission,
    metrics: dict[str, TaskMetric],
    absent: Absent,
    plan: Resampling | None,
) -> Result:
    size = len(task.classes)
    scores = scores_of(
        confusion_units(gold, [submission], size),
        {name: on_sums(metric.value, size) for name, metric in metrics.items()},
        plan,
        {
            name: make_signature([name, *_described(metric, task, gold, absent)], plan, gold.unit)
            for name, metric in metrics.items()
        },
    )
    counts = confusion_counts(gold.classes, submission.classes, size)
    return Result(submission.name, counts, scores, submission.contrastive)


def _described(metric: TaskMetric, task: Task, gold: Gold, absent: Absent) -> list[str]:
    """What a signature says of a metric and the gold file."""
    digest = hashlib.sha256(gold.classes.tobytes()).hexdigest()[:8]
    return [
        f"task:{task.name}",
        f"classes:{metric.classes}",
        *([f"absent:{absent}"] if metric.averaged else []),
        f"gaps:{len(gold.classes)}",
        f"gold:{digest}",
    ]


def agreement(submissions: Sequence[Submission]) -> Values:
    """Share of gaps, in per cent, for which each two submissions give the same class."""
    rows = np.stack([submission.classes for submission in submissions])
    return np.array([[100.0 * np.mean(one == other) for other in rows] for one in rows])


def ranks(values: Sequence[float]) -> list[int]:
    """The rank of each value, the highest first; equal values share the better rank."""
    return [1 + sum(other > value for other in values) for value in values]
