"""Class counts of training data: all that the two simplest systems learn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.prediction.system import Probabilities, read_json_object

FILE = "class_counts.json"


def class_counts(task: Task, examples: Sequence[Example]) -> NDArray[np.int64]:
    """How often each class labels a gap; there must be one label at least."""
    counts = np.zeros(len(task.classes), dtype=np.int64)
    for example in examples:
        for gap in example.gaps:
            if gap.label is not None:
                counts[task.class_index[gap.label]] += 1
    if not counts.any():
        raise CrossproError(
            f"task {task.name}: train: expected labelled gaps, found none in "
            f"{len(examples):,} examples"
        )
    return counts


def to_json(task: Task, counts: NDArray[np.int64]) -> dict[str, int]:
    """Counts by class name."""
    return dict(zip(task.classes, counts.tolist(), strict=True))


def from_json(task: Task, path: Path) -> NDArray[np.int64]:
    """Counts as saved by `to_json`."""
    content = read_json_object(path)
    values = [content.get(name) for name in task.classes]
    if len(content) != len(values) or not all(
        isinstance(v, int) and 0 <= v < 2**60 for v in values
    ):
        raise input_error(
            path,
            "counts",
            f"a count for each of {', '.join(task.classes)}",
            ", ".join(map(str, content)),
        )
    if not any(values):
        raise input_error(path, "counts", "a count above 0", "none")
    return np.array(values, dtype=np.int64)


def number_of_gaps(examples: Sequence[Example]) -> int:
    """Gaps of all examples."""
    return sum(len(example.gaps) for example in examples)


def repeat(row: NDArray[np.float64], times: int) -> Probabilities:
    """The same probabilities for every gap."""
    return np.tile(row, (times, 1))
