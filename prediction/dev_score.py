"""The score by which settings are chosen on a development set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.evaluation.metrics.submissions.scores import (
    Counts,
    accuracy,
    confusion_counts,
    macro_f1,
    macro_recall,
)

Monitor = Literal["macro_recall", "accuracy", "mean", "macro_f1"]
MONITORS: tuple[str, ...] = get_args(Monitor)


def monitored(counts: Counts, monitor: str) -> float:
    """A score of confusion counts by name; `mean` is that of macro recall and accuracy."""
    if monitor == "mean":
        return (float(macro_recall(counts)) + float(accuracy(counts))) / 2
    metrics = {"macro_recall": macro_recall, "accuracy": accuracy, "macro_f1": macro_f1}
    return float(metrics[monitor](counts))


def dev_score(
    task: Task, examples: Sequence[Example], monitor: str
) -> Callable[[NDArray[np.float64]], float]:
    """A function from the probabilities of all gaps of dev to their score."""
    gold = _gold(task, examples)
    return lambda probabilities: monitored(
        confusion_counts(gold, probabilities.argmax(axis=1), len(task.classes)), monitor
    )


def class_shares(task: Task, examples: Sequence[Example]) -> NDArray[np.float64]:
    """How often each class is right in dev."""
    gold = _gold(task, examples)
    return np.bincount(gold, minlength=len(task.classes)) / len(gold)


def _gold(task: Task, examples: Sequence[Example]) -> NDArray[np.int64]:
    index = task.class_index
    labels = [gap.label for example in examples for gap in example.gaps]
    if not labels or None in labels:
        raise CrossproError("dev: expected a label for every gap, found gaps without")
    return np.array([index[label] for label in labels if label is not None])
