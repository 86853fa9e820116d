"""The evaluation of one or more submissions: all scores, intervals, ranks and paired tests.

This is the record that every layout (`report.py`, `page.py`, `released.py`) is printed from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

from crosspro import __version__
from crosspro.data_prep.errors import CrossproError
from crosspro.data_prep.task import Task
from crosspro.evaluation.statistics.significance import (
    FEW_DOCUMENTS,
    Difference,
    Metric,
    Resampling,
    agreement,
    bootstrap,
    compare,
    find_patterns,
    interval,
)
from crosspro.evaluation.submissions.confusion import Counts, confusion_counts, regroup
from crosspro.evaluation.submissions.scores import (
    Absent,
    Score,
    Values,
    accuracy,
    macro_f1,
    macro_recall,
)
from crosspro.evaluation.submissions.submission import Gold, Submission


@dataclass(frozen=True)
class Result:
    """The scores of one submission; `scores` is in the order in which they are shown."""

    name: str
    counts: Counts
    scores: dict[str, Score]


@dataclass(frozen=True)
class Comparison:
    """Two submissions under one metric."""

    metric: str
    difference: Difference


@dataclass(frozen=True)
class Evaluation:
    """Everything that was computed for some submissions of one gold file."""

    task: Task
    gold: Gold
    absent: Absent
    results: tuple[Result, ...]
    comparisons: tuple[Comparison, ...] = ()
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
    size = len(task.classes)
    pairs = list(combinations(submissions, 2)) if plan else []
    results = [_result(task, gold, one, metrics, absent, plan) for one in submissions]
    comparisons = [
        Comparison(name, compare(gold, pair, size, metrics[name], plan))
        for pair in pairs
        for name in (task.official_score, "accuracy")
        if plan
    ]
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


def metrics_of(task: Task, absent: Absent) -> dict[str, Metric]:
    """The metrics of a task by name, the official one first."""
    metrics: dict[str, Metric] = {
        "macro_recall": partial(macro_recall, absent=absent),
        "macro_f1": partial(macro_f1, absent=absent),
        "accuracy": accuracy,
    }
    order = sorted(metrics, key=lambda name: name != task.official_score)
    metrics = {name: metrics[name] for name in order}
    if task.coarse:  # the two evaluations of DiscoMT 2015
        groups = coarse_groups(task)
        for name in ("macro_f1", "accuracy"):
            metrics[f"coarse_{name}"] = _grouped(metrics[name], groups)
    return metrics


def coarse_groups(task: Task) -> list[int]:
    """The coarse class index of each class."""
    index = {name: position for position, name in enumerate(task.coarse_classes)}
    return [index[task.coarse.get(name, name)] for name in task.classes]


def _grouped(metric: Metric, groups: Sequence[int]) -> Metric:
    return lambda counts: metric(regroup(counts, groups))


def _result(
    task: Task,
    gold: Gold,
    submission: Submission,
    metrics: dict[str, Metric],
    absent: Absent,
    plan: Resampling | None,
) -> Result:
    size = len(task.classes)
    counts = confusion_counts(gold.classes, submission.classes, size)
    samples: Counts | None = None
    if plan:
        patterns = find_patterns(gold, [submission], size)
        samples = patterns.confusion(0, bootstrap(patterns, plan.resamples, plan.seed))
    scores = {}
    for name, metric in metrics.items():
        low, high = (None, None) if samples is None else interval(metric(samples))
        text = signature(name, task, gold, absent, plan)
        scores[name] = Score(name, float(metric(counts)), text, low, high)
    return Result(submission.name, counts, scores)


def signature(name: str, task: Task, gold: Gold, absent: Absent, plan: Resampling | None) -> str:
    """How a score was computed, in one line that can be quoted with it."""
    digest = hashlib.sha256(gold.classes.tobytes()).hexdigest()[:8]
    parts = [
        f"task:{task.name}",
        f"classes:{len(task.coarse_classes if name.startswith('coarse') else task.classes)}",
        *([f"absent:{absent}"] if "macro" in name else []),
        f"gaps:{len(gold.classes)}",
        f"gold:{digest}",
    ]
    if plan:
        unit = "gap" if gold.document_count in (None, 1) else "document"
        parts.append(f"bootstrap:{plan.resamples}")
        parts.append(f"by:{unit}")
        parts.append(f"seed:{plan.seed}")
    return "|".join([name, *parts, f"crosspro:{__version__}"])


def ranks(values: Sequence[float]) -> list[int]:
    """The rank of each value, the highest first; equal values share the better rank."""
    return [1 + sum(other > value for other in values) for value in values]
