"""Gold classes and the predictions of systems, gap by gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.formats.shared_task import document_runs
from crosspro.evaluation.resampling import Units

ClassIndices = NDArray[np.int8]
Numbers = NDArray[np.int64]
_SUFFIXES = (".gz", ".xz", ".data", ".tsv", ".txt", ".csv")


@dataclass(frozen=True)
class Gold:
    """The gold classes of a file.

    `classes` has an entry for each gap, `gaps` the number of gaps of each line. `documents` numbers
    the document of each gap (a document is a run of lines with equal ids), where documents are
    known; `texts` has source and target of each line as they are written, for gold from a file.
    """

    name: str
    classes: ClassIndices
    gaps: Numbers
    documents: Numbers | None = None
    warnings: tuple[str, ...] = ()
    texts: tuple[bytes, ...] = ()

    @property
    def document_count(self) -> int | None:
        return None if self.documents is None else len(set(self.documents.tolist()))

    @property
    def units(self) -> Units:
        return Units.choose(document=self.documents, gap=np.arange(len(self.classes)))


@dataclass(frozen=True)
class Submission:
    """The predictions of one system: a class for each gap of gold, in the same order."""

    name: str
    classes: ClassIndices
    warnings: tuple[str, ...] = ()
    probabilities: NDArray[np.float64] | None = None
    """Of each class for each gap, where a system gave them."""
    contrastive: bool = False
    """Whether it has no rank, as contrastive submissions."""


def gold_of(examples: Sequence[Example], task: Task, name: str) -> Gold:
    """The gold classes of examples, all of whose gaps are labelled."""
    index = task.class_index
    per_line = [tuple(index[gap.label or OTHER] for gap in example.gaps) for example in examples]
    classes, gaps = flat_classes(per_line)
    documents = [example.document for example in examples]
    return Gold(
        name, classes, gaps, None if None in documents else number_documents(documents, gaps)
    )


def gold_of_labels(
    labels: Sequence[str], task: Task, documents: Sequence[str] | None = None
) -> Gold:
    gaps = np.ones(len(labels), dtype=np.int64)
    return Gold(
        "gold", class_indices(labels, task, "gold"), gaps, number_documents(documents, gaps)
    )


def class_indices(labels: Iterable[str], task: Task, name: str) -> ClassIndices:
    """The classes of labels; the first one that the task does not have is an error."""
    index, listed = task.class_index, list(labels)
    try:
        return np.fromiter(map(index.__getitem__, listed), np.int8, len(listed))
    except (KeyError, TypeError) as error:
        valid = [isinstance(label, str) and label in index for label in listed]
        label = listed[valid.index(False)]
        actual = quoted(label) if isinstance(label, str) else repr(label)
        raise input_error(name, "label", choices(index), actual, valid.index(False) + 1) from error


def flat_classes(per_line: Sequence[tuple[int, ...]]) -> tuple[ClassIndices, Numbers]:
    """The classes of all lines one after the other, and the number of each line."""
    gaps = np.fromiter(map(len, per_line), np.int64, len(per_line))
    return np.fromiter(chain.from_iterable(per_line), np.int8, int(gaps.sum())), gaps


def number_documents(documents: Iterable[str | None] | None, gaps: Numbers) -> Numbers | None:
    """The number of each gap's document, from the document of each line."""
    if documents is None:
        return None
    runs = [lines for _, lines in document_runs(documents)]
    return np.repeat(np.repeat(np.arange(len(runs)), runs), gaps)


def unlabelled_line(examples: Sequence[Example]) -> int | None:
    """The first line, from 1, with a gap that has no label."""
    for number, example in enumerate(examples, start=1):
        if any(gap.label is None for gap in example.gaps):
            return number
    return None


def mapped(submission: Submission, path: str | Path, of_system: Task, task: Task) -> Submission:
    """The predictions of a system for another task (`of_system`), as classes of this one.

    A class that this task does not have is what it makes of any other word: `OTHER`.
    """
    if of_system.classes == task.classes:
        return submission
    languages = (task.source_language, task.target_language, task.tagged)
    if languages != (of_system.source_language, of_system.target_language, of_system.tagged):
        raise input_error(path, "run", f"a system for {task.name}", f"one for {of_system.name}")
    groups = [task.class_index[task.class_of(name)] for name in of_system.classes]
    probabilities = submission.probabilities
    if probabilities is not None:
        probabilities = probabilities @ np.eye(len(task.classes))[groups]
    classes = np.array(groups, dtype=np.int8)[submission.classes]
    return replace(submission, classes=classes, probabilities=probabilities)


def display_names(paths: Sequence[str | Path]) -> list[str]:
    """Names of submissions as shown in tables: the file name without its usual suffixes."""
    names = []
    for path in map(Path, paths):
        while path.suffix in _SUFFIXES and path.stem:
            path = path.with_suffix("")
        names.append(path.name)
    return [
        name if names.count(name) == 1 else str(path)
        for name, path in zip(names, paths, strict=True)
    ]
