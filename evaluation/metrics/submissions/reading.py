"""Reads the labels of a gold file and of submissions.

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
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    input_error,
    quoted,
)
from crosspro.data_prep.core.files import read_lines
from crosspro.data_prep.core.task import OTHER, Task, load_task, task_names
from crosspro.data_prep.formats.shared_task import (
    COLUMNS,
    PLACEHOLDER,
    count_placeholders,
    read_doc_ids,
    unknown_label,
)
from crosspro.evaluation.metrics.submissions.submission import (
    Gold,
    Submission,
    display_names,
    flat_classes,
    number_documents,
)

_TEXT = slice(2, 4)
_UNKNOWN = -1
_PLACEHOLDER = PLACEHOLDER.casefold()
_NUMBERED = re.compile(rf"{_PLACEHOLDER}\d+")


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
        self._other_tasks = other_tasks
        self._parsed: dict[bytes, tuple[int, ...]] = {b"": ()}

    def problem(self, line: int | None, field: str, expected: str, actual: str) -> None:
        self.problems.append(Problem(self.path, line, field, expected, actual))

    def parse(self, column: bytes, line: int) -> tuple[int, ...]:
        """The classes of a column, with a problem for each label that is none of the task."""
        if column not in self._parsed:
            index = self.task.class_index
            text = column.decode("utf-8", errors="surrogateescape")
            labels = text.split(" ")
            replaced = {*labels} - index.keys()
            if self._other_tasks and replaced:
                replaced &= _labels_of_pair(self.task.source_language, self.task.target_language)
                self.replaced |= replaced
                labels = [OTHER if label in replaced else label for label in labels]
            unknown = [label for label in labels if label not in index]
            for label in unknown:
                self.problem(line, "classes", choices(index), unknown_label(label, text, index))
            if unknown:
                return (_UNKNOWN,) * len(labels)
            self._parsed[column] = tuple(index[label] for label in labels)
        return self._parsed[column]


@cache
def _labels_of_pair(source_language: str, target_language: str) -> frozenset[str]:
    tasks = [load_task(name) for name in task_names()]
    return frozenset(
        label
        for task in tasks
        if (task.source_language, task.target_language) == (source_language, target_language)
        for label in task.class_index
    )


def read_gold(path: str | Path, task: Task, doc_ids: str | Path | None = None) -> Gold:
    """Read the gold labels of a file; raises `InputError` with all its faults."""
    labels = LabelColumns(task, path)
    per_line: list[tuple[int, ...]] = []
    texts: list[bytes] = []
    unequal: list[int] = []
    for number, raw in enumerate(read_lines(Path(path)), start=1):
        columns = raw.split(b"\t")
        if len(columns) != len(COLUMNS):
            actual = f"{len(columns)}: {quoted(raw.rstrip())}"
            labels.problem(number, "columns", f"5 ({', '.join(COLUMNS)}) separated by tabs", actual)
            continue
        column, _, source, target, links = columns
        if not (source and target and links):  # the line end counts as content of the last
            for field, text in zip(COLUMNS[2:], columns[2:], strict=True):
                if not text:
                    labels.problem(number, field, "text", "nothing")
        classes = labels.parse(column, number)
        per_line.append(classes)
        texts.append(source + b"\t" + target)
        if len(classes) != count_placeholders(target):
            unequal.append(number)
    if labels.problems:
        raise InputError(labels.problems)
    documents = None if doc_ids is None else list(read_doc_ids(doc_ids))
    if doc_ids is not None and documents is not None and len(documents) != len(per_line):
        expected = f"{len(per_line)} lines as in {path}"
        raise input_error(doc_ids, "doc-ids", expected, f"{len(documents)} lines")
    if unequal and not any(per_line):
        blind = f"none for the gaps of {len(unequal):,} lines: this is a blind file"
        raise input_error(path, "classes", "gold labels", blind)
    warnings = []
    if unequal:
        warnings.append(
            f"{path}: {len(unequal)} lines with another number of labels than of placeholders, "
            f"the first is line {unequal[0]} (`crosspro check` shows them all)"
        )
    indices, gaps = flat_classes(per_line)
    numbers = number_documents(documents, gaps)
    return Gold(str(path), indices, gaps, numbers, tuple(warnings), tuple(texts))


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
    language pair become `OTHER`, unless `other_tasks` is false.
    """
    problems: list[Problem] = []
    submissions = []
    for path, name in zip(paths, display_names(paths), strict=True):
        labels = LabelColumns(task, path, other_tasks)
        try:
            submissions.append(_read_submission(name, labels, gold, lenient))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return submissions


def _read_submission(name: str, labels: LabelColumns, gold: Gold, lenient: bool) -> Submission:
    """A submission; one with another number of lines that does not fit has this problem alone."""
    path, gaps = labels.path, gold.gaps.tolist()
    texts = gold.texts or (b"",) * len(gaps)
    per_line: list[tuple[int, ...]] = []
    other_text: list[Problem] = []
    fits, lines = True, 0
    for lines, raw in enumerate(read_lines(Path(path)), start=1):
        if lines > len(gaps):
            continue
        columns = raw.removesuffix(b"\n").split(b"\t")
        column = columns[0].partition(b"\r")[0]
        classes = labels.parse(column, lines)
        per_line.append(classes)
        if len(classes) != gaps[lines - 1] and _UNKNOWN not in classes:
            fits = False
            expected = f"{gaps[lines - 1]} labels as in {gold.name}"
            actual = f"{len(classes)}: {quoted(column.decode('utf-8', 'surrogateescape'))}"
            labels.problem(lines, "classes", expected, actual)
        text = b"\t".join(columns[_TEXT])
        if text != texts[lines - 1] and (difference := _difference(text, texts[lines - 1])):
            field, expected, actual = difference
            expected = f"{quoted(expected)} as in {gold.name}"
            other_text.append(Problem(path, lines, field, expected, quoted(actual)))
    if lines < len(gaps) or (lines > len(gaps) and not fits):
        actual = f"{lines:,}: another set, or a line for each label instead of each segment?"
        raise input_error(path, "lines", f"{len(gaps):,} as in {gold.name}", actual)
    if labels.problems:
        raise InputError(labels.problems)
    if other_text and not lenient:
        hint = f"{path} has other text than gold, which only lenient reading scores"
        raise InputError(other_text, hint)
    warnings = []
    if labels.replaced:
        listed = ", ".join(sorted(labels.replaced))
        warnings.append(f"{path}: {OTHER} for labels that {labels.task.name} lacks: {listed}")
    if lines > len(gaps):
        warnings.append(f"{path}: lines after line {len(gaps):,} are ignored, as gold ends there")
    if other_text:
        first = f"at first line {other_text[0].line}: {other_text[0].found}"
        warnings.append(f"{path}: other text than gold on {len(other_text):,} lines, {first}")
    return Submission(name, flat_classes(per_line)[0], tuple(warnings))


def _difference(text: bytes, gold: bytes) -> tuple[str, str, str] | None:
    """The first word that differs from gold: its column, that of gold, and the word itself.

    A gap of gold may be a bare one, or filled; missing columns do not count.
    """
    columns = zip(COLUMNS[_TEXT], text.split(b"\t"), gold.split(b"\t"), strict=False)
    for field, column, gold_column in columns:
        words, gold_words = _words(column), _words(gold_column)
        if not words or not gold_words:
            continue
        for word, gold_word in zip_longest(words, gold_words, fillvalue=""):
            is_gap = bool(_NUMBERED.fullmatch(gold_word))
            if word != gold_word and not (is_gap and word and not _NUMBERED.fullmatch(word)):
                return field, gold_word, word
    return None


def _words(column: bytes) -> list[str]:
    """The words without case; what is not UTF-8 is read as Latin-1, as the scorer reads any."""
    try:
        text = column.decode("utf-8")
    except UnicodeDecodeError:
        text = column.decode("latin-1")
    return unicodedata.normalize("NFC", text).casefold().split()
