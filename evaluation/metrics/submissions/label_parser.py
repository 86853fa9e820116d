"""Label columns as class indices, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import Problem, choices, unknown_label
from crosspro.data_prep.core.task import Task

ClassIndices = NDArray[np.int8]


@dataclass(frozen=True)
class LineLabels:
    """The classes of all gaps of a file, and the number of gaps of each line.

    `unequal` are the lines of a gold file with another number of labels than of placeholders,
    `texts` the source and the target of each line as they are written (`same_text.text_columns`).
    """

    classes: ClassIndices
    gaps: NDArray[np.int64]
    unequal: tuple[int, ...] = ()
    texts: tuple[bytes, ...] = ()


class LabelParser:
    """Turns label columns into class indices; the few different columns are parsed once each."""

    def __init__(self, task: Task, path: str | Path) -> None:
        self.task = task
        self.path = str(path)
        self.known: dict[bytes, tuple[int, ...]] = {b"": ()}
        self.problems: list[Problem] = []

    def problem(self, line: int | None, field: str, expected: str, found: str) -> None:
        """Note what is wrong with a line."""
        self.problems.append(Problem(self.path, line, field, expected, found))

    def parse(self, column: bytes, line: int) -> tuple[int, ...]:
        """The classes of a column; a problem for each label that is none of the task."""
        known = self.known.get(column)
        if known is not None:
            return known
        index = self.task.class_index
        labels = as_text(column).split(" ")
        wrong = [label for label in labels if label not in index]
        for label in wrong:
            found = unknown_label(label, as_text(column), index)
            self.problem(line, "classes", choices(index), found)
        if wrong:
            return (-1,) * len(labels)
        self.known[column] = classes = tuple(index[label] for label in labels)
        return classes


def label_column(raw: bytes) -> bytes:
    """The text of a prediction line before the first tab, CR or LF."""
    return raw.split(b"\t", 1)[0].partition(b"\r")[0].removesuffix(b"\n")


def as_text(raw: bytes) -> str:
    """Bytes of a file for a message."""
    return raw.decode("utf-8", errors="surrogateescape")


def flat(per_line: Iterable[tuple[int, ...]]) -> ClassIndices:
    """The classes of all lines, one after the other."""
    return np.fromiter(chain.from_iterable(per_line), np.int8)
