"""Labels of a gold file and of submissions, paired gap by gap.

Only labels are read; whole examples are read by `data_prep/formats/shared_task.py`. What the
released scorer accepts is accepted and what it refuses is refused, but all faults of all files are
reported, not just the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    input_error,
    quoted,
    unknown_label,
)
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import read_lines
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.data_prep.formats.shared_task import (
    COLUMNS,
    count_placeholders,
    document_runs,
    read_doc_ids,
)
from crosspro.evaluation.core.statistics import ResampledUnits, choose_units
from crosspro.evaluation.metrics.submissions.file_checks import (
    kind_of_difference,
    text_columns,
    text_differences,
)

ClassIndices = NDArray[np.int8]


@dataclass(frozen=True)
class LineLabels:
    """The classes of all gaps of a file, and the number of gaps of each line.

    `unequal` are the lines of a gold file with another number of labels than of placeholders,
    `texts` the source and the target of each line as they are written (`text_columns`).
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

    def fewest_problems(self) -> list[Problem]:
        """The problems of the file; one for all of them where no label of it is of the task."""
        if not self.problems or len(self.known) > 1:
            return self.problems
        expected = f"labels of {self.task.name} ({choices(self.task.class_index)})"
        return [Problem(self.path, None, "classes", expected, "none in the whole file")]

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


_SUFFIXES = (".gz", ".xz", ".data", ".tsv", ".txt", ".csv")


@dataclass(frozen=True)
class Gold:
    """The gold classes of a file.

    `classes` has an entry for each gap and `gaps` the number of gaps of each line. `documents`
    numbers the document of each gap (a document is a run of lines with equal ids) and is None
    where documents are not known; `texts` has the source and the target of each line as they are
    written, for gold that was read from a file.
    """

    name: str
    classes: ClassIndices
    gaps: NDArray[np.int64]
    documents: NDArray[np.int64] | None = None
    warnings: tuple[str, ...] = ()
    texts: tuple[bytes, ...] = ()

    @property
    def document_count(self) -> int | None:
        """The number of documents that have a gap, where documents are known."""
        return None if self.documents is None else len(set(self.documents.tolist()))

    @property
    def units(self) -> ResampledUnits:
        """What is resampled: documents, else gaps."""
        return choose_units(document=self.documents, gap=np.arange(len(self.classes)))


@dataclass(frozen=True)
class Submission:
    """The predictions of one system: a class for each gap of gold, in the same order."""

    name: str
    classes: ClassIndices
    warnings: tuple[str, ...] = ()
    probabilities: NDArray[np.float64] | None = None
    """Of each class for each gap, where a system gave them."""
    contrastive: bool = False
    """Whether it stands beside others without a rank, as contrastive submissions do."""
    pointed: Sequence[PointedNouns] | None = None
    """The nouns that each gap stands for, where a system points at them."""


def read_gold(path: str | Path, task: Task, doc_ids: str | Path | None = None) -> Gold:
    """Read the gold labels of a file; raises `InputError` with all its faults."""
    labels = LabelParser(task, path)
    found = gold_by_line(Path(path), labels)
    documents = None if doc_ids is None else list(read_doc_ids(doc_ids))
    lines = len(found.gaps)
    if documents is not None and not labels.problems and len(documents) != lines:
        raise input_error(
            doc_ids or "", "doc-ids", f"{lines} lines as in {path}", f"{len(documents)} lines"
        )
    if labels.problems:
        raise InputError(labels.fewest_problems())
    warnings: tuple[str, ...] = ()
    if found.unequal and not len(found.classes):
        blind = f"none for the gaps of {len(found.unequal):,} lines: this is a blind file"
        raise input_error(path, "classes", "gold labels", blind)
    if found.unequal:
        warnings = (
            f"{path}: {len(found.unequal)} lines with another number of labels than of "
            f"placeholders, the first is line {found.unequal[0]} (`crosspro check` shows them all)",
        )
    return _gold(str(path), found, documents, warnings)


def gold_by_line(path: Path, labels: LabelParser) -> LineLabels:
    """The labels of a gold file; `labels` gets the problems of all lines."""
    per_line: list[tuple[int, ...]] = []
    unequal: list[int] = []
    texts: list[bytes] = []
    for number, raw in enumerate(read_lines(path), start=1):
        columns = raw.split(b"\t")
        if len(columns) != len(COLUMNS):
            found = f"{len(columns)}: {quoted(as_text(raw.rstrip()))}"
            labels.problem(number, "columns", f"5 ({', '.join(COLUMNS)}) separated by tabs", found)
            continue
        column, _, source, target, links = columns
        if not (source and target and links):  # the line end counts as content of the last
            for field, text in zip(COLUMNS[2:], columns[2:], strict=True):
                if not text:
                    labels.problem(number, field, "text", "nothing")
        classes = labels.parse(column, number)
        per_line.append(classes)
        texts.append(text_columns(raw))
        if len(classes) != count_placeholders(target):
            unequal.append(number)
    return LineLabels(flat(per_line), _lengths(per_line), tuple(unequal), tuple(texts))


def gold_from_classes(
    name: str,
    per_line: Sequence[tuple[int, ...]],
    documents: Sequence[str | None] | None,
    warnings: tuple[str, ...] = (),
) -> Gold:
    """Gold from the class indices of each line and, where known, the document id of each line."""
    return _gold(name, LineLabels(flat(per_line), _lengths(per_line)), documents, warnings)


def _gold(
    name: str,
    labels: LineLabels,
    documents: Sequence[str | None] | None,
    warnings: tuple[str, ...],
) -> Gold:
    numbered = None
    if documents is not None:
        runs = [lines for _, lines in document_runs(documents)]
        numbered = np.repeat(np.repeat(np.arange(len(runs)), runs), labels.gaps)
    return Gold(name, labels.classes, labels.gaps, numbered, warnings, labels.texts)


def _lengths(per_line: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    return np.fromiter(map(len, per_line), np.int64, len(per_line))


def unlabelled_line(examples: Sequence[Example]) -> int | None:
    """The first line, from 1, with a gap that has no label."""
    for number, example in enumerate(examples, start=1):
        if any(gap.label is None for gap in example.gaps):
            return number
    return None


def gold_of(examples: Sequence[Example], task: Task, name: str) -> Gold:
    """The gold classes of examples in memory, all of whose gaps are labelled."""
    documents = [example.document for example in examples]
    per_line = _class_indices(examples, task)
    return gold_from_classes(name, per_line, None if None in documents else documents)


def _class_indices(examples: Sequence[Example], task: Task) -> list[tuple[int, ...]]:
    index = task.class_index
    return [tuple(index[gap.label or OTHER] for gap in example.gaps) for example in examples]


def read_submissions(
    paths: Sequence[str | Path], task: Task, gold: Gold, *, lenient: bool = False
) -> list[Submission]:
    """Read submissions for a gold file; raises `InputError` with all faults of all of them.

    That one has other text than gold is a fault, or a warning if `lenient`.
    """
    problems: list[Problem] = []
    hints: list[str] = []
    submissions = []
    for path, name in zip(paths, display_names(paths), strict=True):
        labels = LabelParser(task, path)
        try:
            found = submission_by_line(path, labels, gold)
            warnings, hint = _compared(path, found, labels, gold, lenient)
            submissions.append(Submission(name, found.classes, tuple(warnings)))
            hints += hint
        except InputError as error:
            problems += error.problems
        problems += labels.fewest_problems()
    if problems:
        raise InputError(problems, "\n".join(hints))
    return submissions


def _compared(
    path: str | Path, found: LineLabels, labels: LabelParser, gold: Gold, lenient: bool
) -> tuple[list[str], list[str]]:
    """Warnings about a submission that has more lines or other text than gold, and a hint.

    Where neither may be, `labels` gets the problems.
    """
    lines, extra = len(found.texts), len(found.texts) - len(gold.gaps)
    warnings = []
    if extra > 0:
        ending = "line is" if extra == 1 else f"{extra:,} lines are"
        warnings.append(f"{path}: the last {ending} ignored, as gold has no more")
    if labels.problems or not gold.texts:
        return warnings, []
    differences = text_differences(path, found.texts, gold.name, gold.texts)
    if not differences:
        return warnings, []
    if lenient:
        number, first = len(differences), differences[0]
        shown = "1 line has" if number == 1 else f"{number:,} lines have"
        where = f"line {first.line}: {first.field} {first.found}, not {first.expected}"
        warnings.append(f"{path}: {shown} other text than gold, at first {where}")
        return warnings, []
    if extra > 0:
        labels.problems.append(_another_set(labels, lines, gold))
    labels.problems += differences
    what = kind_of_difference(found.texts, gold.texts)
    return warnings, [f"{path} has {what}; --lenient scores it as it is"]


def _another_set(labels: LabelParser, lines: int, gold: Gold) -> Problem:
    expected = f"{len(gold.gaps):,} as in {gold.name}"
    return Problem(labels.path, None, "lines", expected, f"{lines:,}: another set?")


def label_problems(paths: Sequence[str | Path], task: Task) -> list[Problem]:
    """What is wrong with submissions by themselves, where gold cannot be read either."""
    problems: list[Problem] = []
    for path in paths:
        labels = LabelParser(task, path)
        try:
            for number, raw in enumerate(read_lines(Path(path)), start=1):
                labels.parse(label_column(raw), number)
        except InputError as error:
            problems += error.problems
        problems += labels.problems
    return problems


def submission_by_line(path: str | Path, labels: LabelParser, gold: Gold) -> LineLabels:
    """The labels of a submission; `labels` gets the problems of all lines.

    If it has another number of lines than gold, and does not fit, that is told alone.
    """
    per_line: list[tuple[int, ...]] = []
    texts: list[bytes] = []
    unequal: list[Problem] = []
    expected_per_line = gold.gaps.tolist()
    lines = 0
    for lines, raw in enumerate(read_lines(Path(path)), start=1):
        texts.append(text_columns(raw))
        if lines > len(expected_per_line):
            continue
        column = label_column(raw)
        classes = labels.parse(column, lines)
        spaced = bool(column) and b"" in column.split(b" ")  # reported as such already
        if len(classes) != expected_per_line[lines - 1] and not spaced:
            gaps = expected_per_line[lines - 1]
            expected = f"{gaps} label{'' if gaps == 1 else 's'} as in {gold.name}"
            shown = f"{len(classes)}: {quoted(as_text(column))}"
            unequal.append(Problem(labels.path, lines, "classes", expected, shown))
        per_line.append(classes)
    missing = len(expected_per_line) - lines
    if missing > 0 or (missing < 0 and unequal):
        labels.problems.insert(0, _another_set(labels, lines, gold))
    else:
        labels.problems = sorted(labels.problems + unequal, key=lambda one: one.line or 0)
    return LineLabels(flat(per_line), _lengths(per_line), (), tuple(texts))


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
