"""Labels of a gold file and of submissions, paired gap by gap.

Only labels are read; whole examples are read by `data_prep/formats/shared_task.py`. What the
released scorer accepts is accepted and what it refuses is refused, but all faults of all files are
reported, not just the first.

Labels alone do not tell whether two lines have changed places, but source and target do (columns 3
and 4). Participants' files are not the blind file byte for byte: columns may be missing or empty,
text in lower case, gaps without their number (`REPLACE`) or filled. Whatever is there is compared
without case, and a gap of gold with a gap of the same number, a bare one, or any other word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import (
    SHOWN_AT_MOST,
    InputError,
    Problem,
    choices,
    input_error,
    quoted,
    unknown_label,
)
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import read_lines
from crosspro.data_prep.core.task import OTHER, Task, load_task, task_names
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.data_prep.formats.shared_task import (
    COLUMNS,
    PLACEHOLDER,
    count_placeholders,
    document_runs,
    read_doc_ids,
)
from crosspro.evaluation.resampling import Units

ClassIndices = NDArray[np.int8]
_SUFFIXES = (".gz", ".xz", ".data", ".tsv", ".txt", ".csv")
_TEXT = slice(2, 4)
_SHOWN_WORDS = 6
_PLACEHOLDER = PLACEHOLDER.casefold()
_NUMBERED = re.compile(rf"{_PLACEHOLDER}\d+")


@dataclass(frozen=True)
class Gold:
    """The gold classes of a file.

    `classes` has an entry for each gap, `gaps` the number of gaps of each line. `documents` numbers
    the document of each gap (a document is a run of lines with equal ids), where documents are
    known; `texts` has source and target of each line as they are written, for gold from a file.
    """

    name: str
    classes: ClassIndices
    gaps: NDArray[np.int64]
    documents: NDArray[np.int64] | None = None
    warnings: tuple[str, ...] = ()
    texts: tuple[bytes, ...] = ()
    has_words: bool = True
    """Whether the words of the gaps are there (column 2), which submissions usually lack."""

    @property
    def document_count(self) -> int | None:
        """The number of documents that have a gap, where documents are known."""
        return None if self.documents is None else len(np.unique(self.documents))

    @property
    def units(self) -> Units:
        """What is resampled: documents, else gaps."""
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
    pointed: Sequence[PointedNouns] | None = None
    """The nouns that each gap stands for, where a system points at them."""


class LabelColumns:
    """Class indices of label columns; the few different columns are parsed once each.

    With `other_tasks`, a label of another task of the language pair that this task does not have is
    what the task makes of any other word: `OTHER`.
    """

    def __init__(self, task: Task, path: str | Path, other_tasks: bool = False) -> None:
        self.task = task
        self.path = str(path)
        self.problems: list[Problem] = []
        self.replaced: set[str] = set()
        self._index = dict(task.class_index)
        self._parsed: dict[bytes, tuple[int, ...]] = {b"": ()}
        self._labels: set[str] = set()
        self._others = labels_of_pair(task) if other_tasks else frozenset()

    def problem(self, line: int | None, field: str, expected: str, found: str) -> None:
        """Note what is wrong with a line."""
        self.problems.append(Problem(self.path, line, field, expected, found))

    def parse(self, column: bytes, line: int) -> tuple[int, ...]:
        """The classes of a column, with a problem for each label that is none of the task."""
        parsed = self._parsed.get(column)
        return self._new(column, line) if parsed is None else parsed

    def _new(self, column: bytes, line: int) -> tuple[int, ...]:
        text = column.decode("utf-8", errors="surrogateescape")
        labels = text.split(" ")
        self._labels.update(labels)
        wrong = False
        for label in labels:
            if label in self._index:
                continue
            if label in self._others:
                self._index[label] = self.task.class_index[OTHER]
                self.replaced.add(label)
            else:
                wrong = True
                expected = choices(self.task.class_index)
                found = unknown_label(label, text, self.task.class_index)
                self.problem(line, "classes", expected, found)
        if wrong:
            return (-1,) * len(labels)
        self._parsed[column] = classes = tuple(self._index[label] for label in labels)
        return classes

    def fewest_problems(self) -> list[Problem]:
        """The problems of the file; only one if its labels are none of the task's.

        Its labels may be those of another task, or no label of a task at all.
        """
        if all(label in self._index for label in self._labels):
            return self.problems
        fitting = [
            name for name in task_names() if self._labels <= set(load_task(name).class_index)
        ]
        if not fitting and len(self._parsed) > 1:
            return self.problems
        expected = f"labels of {self.task.name} ({choices(self.task.class_index)})"
        found = f"those of {' or '.join(fitting)}" if fitting else "none in the whole file"
        return [Problem(self.path, None, "classes", expected, found)]

    def warnings(self) -> list[str]:
        """What was made of labels of other tasks."""
        if not self.replaced:
            return []
        listed = ", ".join(sorted(self.replaced))
        return [f"{self.path}: {OTHER} for labels that {self.task.name} does not have: {listed}"]


@cache
def _labels_of(source_language: str, target_language: str) -> frozenset[str]:
    tasks = map(load_task, task_names())
    pair = (source_language, target_language)
    return frozenset(
        label
        for task in tasks
        if (task.source_language, task.target_language) == pair
        for label in task.class_index
    )


def labels_of_pair(task: Task) -> frozenset[str]:
    """The labels of all tasks of the language pair."""
    return _labels_of(task.source_language, task.target_language)


def read_gold(path: str | Path, task: Task, doc_ids: str | Path | None = None) -> Gold:
    """Read the gold labels of a file; raises `InputError` with all its faults."""
    labels = LabelColumns(task, path)
    per_line: list[tuple[int, ...]] = []
    texts: list[bytes] = []
    unequal: list[int] = []
    has_words = False
    for number, raw in enumerate(read_lines(Path(path)), start=1):
        columns = raw.split(b"\t")
        if len(columns) != len(COLUMNS):
            found = f"{len(columns)}: {quoted(raw.rstrip())}"
            labels.problem(number, "columns", f"5 ({', '.join(COLUMNS)}) separated by tabs", found)
            continue
        column, words, source, target, links = columns
        if not (source and target and links):  # the line end counts as content of the last
            for field, text in zip(COLUMNS[2:], columns[2:], strict=True):
                if not text:
                    labels.problem(number, field, "text", "nothing")
        classes = labels.parse(column, number)
        per_line.append(classes)
        texts.append(source + b"\t" + target)
        has_words = has_words or bool(words)
        if len(classes) != count_placeholders(target):
            unequal.append(number)
    documents = None if doc_ids is None else list(read_doc_ids(doc_ids))
    if documents is not None and not labels.problems and len(documents) != len(per_line):
        expected = f"{len(per_line)} lines as in {path}"
        raise input_error(doc_ids or "", "doc-ids", expected, f"{len(documents)} lines")
    if labels.problems:
        raise InputError(labels.fewest_problems())
    warnings = []
    if unequal and not any(per_line):
        blind = f"none for the gaps of {len(unequal):,} lines: this is a blind file"
        raise input_error(path, "classes", "gold labels", blind)
    if unequal:
        warnings.append(
            f"{path}: {len(unequal)} lines with another number of labels than of placeholders, "
            f"the first is line {unequal[0]} (`crosspro check` shows them all)"
        )
    classes, gaps = _flat(per_line)
    numbers = _numbered(documents, gaps)
    return Gold(str(path), classes, gaps, numbers, tuple(warnings), tuple(texts), has_words)


def _flat(per_line: Sequence[tuple[int, ...]]) -> tuple[ClassIndices, NDArray[np.int64]]:
    """The classes of all lines one after the other, and the number of each line."""
    gaps = np.fromiter(map(len, per_line), np.int64, len(per_line))
    return np.fromiter(chain.from_iterable(per_line), np.int8, int(gaps.sum())), gaps


def _numbered(
    documents: Iterable[str | None] | None, gaps: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """The number of each gap's document."""
    if documents is None:
        return None
    runs = [lines for _, lines in document_runs(documents)]
    return np.repeat(np.repeat(np.arange(len(runs)), runs), gaps)


def gold_of(examples: Sequence[Example], task: Task, name: str) -> Gold:
    """The gold classes of examples, all of whose gaps are labelled."""
    index = task.class_index
    classes, gaps = _flat(
        [tuple(index[gap.label or OTHER] for gap in example.gaps) for example in examples]
    )
    documents = [example.document for example in examples]
    return Gold(name, classes, gaps, None if None in documents else _numbered(documents, gaps))


def gold_of_labels(
    labels: Sequence[str], task: Task, documents: Sequence[str] | None = None
) -> Gold:
    """Gold labels, one for each gap, and the document of each."""
    gaps = np.ones(len(labels), dtype=np.int64)
    return Gold("gold", class_indices(labels, task, "gold"), gaps, _numbered(documents, gaps))


def class_indices(labels: Iterable[str], task: Task, name: str) -> ClassIndices:
    """The classes of labels; the first one that the task does not have is an error."""
    index = task.class_index
    listed = list(labels)
    try:
        return np.fromiter(map(index.__getitem__, listed), np.int8, len(listed))
    except (KeyError, TypeError) as error:
        number, label = next(
            (number, label)
            for number, label in enumerate(listed, start=1)
            if not isinstance(label, str) or label not in index
        )
        found = quoted(label) if isinstance(label, str) else repr(label)
        raise input_error(name, "label", choices(index), found, number) from error


def unlabelled_line(examples: Sequence[Example]) -> int | None:
    """The first line, from 1, with a gap that has no label."""
    for number, example in enumerate(examples, start=1):
        if any(gap.label is None for gap in example.gaps):
            return number
    return None


def read_submissions(
    paths: Sequence[str | Path],
    task: Task,
    gold: Gold,
    *,
    lenient: bool = False,
    other_tasks: bool = True,
) -> list[Submission]:
    """Read submissions for a gold file; raises `InputError` with all faults of all of them.

    Other text than that of gold is a fault, or a warning if `lenient`. Labels of other tasks of the
    language pair are mapped to classes of this one, unless `other_tasks` is false.
    """
    problems: list[Problem] = []
    submissions = []
    for path, name in zip(paths, display_names(paths), strict=True):
        try:
            submissions.append(_read_submission(path, name, task, gold, lenient, other_tasks))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return submissions


def _read_submission(
    path: str | Path, name: str, task: Task, gold: Gold, lenient: bool, other_tasks: bool
) -> Submission:
    """A submission; where it has another number of lines and does not fit, only that is told."""
    labels = LabelColumns(task, path, other_tasks)
    per_line: list[tuple[int, ...]] = []
    unequal: list[Problem] = []
    other_text: list[Problem] = []
    lines_of_other_text, has_words, lines = 0, False, 0
    gaps = gold.gaps.tolist()
    texts = gold.texts or (b"",) * len(gaps)
    for lines, raw in enumerate(read_lines(Path(path)), start=1):
        if lines > len(gaps):
            continue
        columns = raw.removesuffix(b"\n").split(b"\t")
        column = columns[0].partition(b"\r")[0]
        classes = labels.parse(column, lines)
        per_line.append(classes)
        if len(classes) != gaps[lines - 1] and not (column and b"" in column.split(b" ")):
            expected = f"{gaps[lines - 1]} labels as in {gold.name}"
            found = f"{len(classes)}: {quoted(column.decode('utf-8', 'surrogateescape'))}"
            unequal.append(Problem(labels.path, lines, "classes", expected, found))
        has_words = has_words or (len(columns) == len(COLUMNS) and bool(columns[1]))
        text = b"\t".join(columns[_TEXT])
        if text and text != texts[lines - 1] and texts[lines - 1]:
            different = _difference(text, texts[lines - 1])
            lines_of_other_text += different is not None
            if different is not None and len(other_text) < SHOWN_AT_MOST:
                field, expected, found = different
                expected = f"{expected} as in {gold.name}"
                other_text.append(Problem(labels.path, lines, field, expected, found))
    another_set = Problem(
        labels.path, None, "lines", f"{len(gaps):,} as in {gold.name}", f"{lines:,}: another set?"
    )
    if lines < len(gaps) or (lines > len(gaps) and unequal):
        raise InputError([another_set])
    faults = labels.fewest_problems()
    if faults and faults[0].line is None:
        raise InputError(faults)
    if faults or unequal:
        raise InputError(sorted([*faults, *unequal], key=lambda problem: problem.line or 0))
    warnings = labels.warnings()
    if lines > len(gaps):
        warnings.append(f"{path}: lines after line {len(gaps):,} are ignored, as gold ends there")
    if has_words and not gold.has_words:
        warnings.append(f"{path} looks like gold and {gold.name} like a submission: gold is first")
    if other_text and not lenient:
        faults = [another_set, *other_text] if lines > len(gaps) else other_text
        hint = f"{path} has other text than gold; --lenient scores it as it is"
        raise InputError(faults, hint, lines_of_other_text)
    if other_text:
        first = other_text[0]
        where = f"line {first.line}: {first.field} {first.found}, not {first.expected}"
        number = lines_of_other_text
        warnings.append(f"{path}: other text than gold on {number:,} lines, at first {where}")
    return Submission(name, _flat(per_line)[0], tuple(warnings))


def _difference(text: bytes, gold: bytes) -> tuple[str, str, str] | None:
    """The first column with other words than gold: its name, and the words of gold and its own.

    Both are shown from the first word that differs.
    """
    for field, column, expected in zip(
        COLUMNS[_TEXT], text.split(b"\t"), gold.split(b"\t"), strict=False
    ):
        words, gold_words = _words(column), _words(expected)
        if not words or words == gold_words:
            continue
        length = max(len(words), len(gold_words))
        for place in range(length):
            if not _alike(words[place : place + 1], gold_words[place : place + 1]):
                return field, f"{_from(expected, place)} (word {place + 1})", _from(column, place)
    return None


def _alike(word: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether two words, or two ends of a text, are the same but for the number of a gap."""
    if not word or not gold or word == gold:
        return word == gold
    return bool(_NUMBERED.fullmatch(gold[0])) and not word[0].startswith(_PLACEHOLDER)


def _words(column: bytes) -> list[str]:
    return unicodedata.normalize("NFC", _decoded(column)).casefold().split()


def _from(column: bytes, place: int) -> str:
    words = _decoded(column).split()[place : place + _SHOWN_WORDS]
    return quoted(" ".join(words)) if words else "the end"


def _decoded(column: bytes) -> str:
    """The text of a column; one that is not UTF-8 is taken for Latin-1, as the scorer takes any."""
    try:
        return column.decode("utf-8")
    except UnicodeDecodeError:
        return column.decode("latin-1")


def mapped(submission: Submission, path: str | Path, own: Task, task: Task) -> Submission:
    """The predictions of a system for another task (`own`), as classes of this one.

    A class that this task does not have is what it makes of any other word: `OTHER`.
    """
    if own.classes == task.classes:
        return submission
    pairs = [(one.source_language, one.target_language, one.tagged) for one in (own, task)]
    if pairs[0] != pairs[1]:
        raise input_error(path, "run", f"a system for {task.name}", f"one for {own.name}")
    groups = [task.class_index[task.class_of(name)] for name in own.classes]
    probabilities = submission.probabilities
    if probabilities is not None:
        probabilities = probabilities @ np.eye(len(task.classes))[groups]
    classes = np.array(groups, dtype=np.int8)[submission.classes]
    return replace(submission, classes=classes, probabilities=probabilities)


def label_problems(paths: Iterable[str | Path], task: Task) -> Iterator[Problem]:
    """What is wrong with the labels of submissions, where gold cannot be read either."""
    for path in paths:
        labels = LabelColumns(task, path, other_tasks=True)
        try:
            for number, raw in enumerate(read_lines(Path(path)), start=1):
                column = raw.removesuffix(b"\n").split(b"\t", 1)[0]
                labels.parse(column.partition(b"\r")[0], number)
        except InputError as error:
            yield from error.problems
        yield from labels.fewest_problems()


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
