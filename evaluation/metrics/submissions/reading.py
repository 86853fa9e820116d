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
from pathlib import Path

from crosspro.data_prep.core.errors import (
    SHOWN_AT_MOST,
    InputError,
    Problem,
    choices,
    input_error,
    quoted,
    unknown_label,
)
from crosspro.data_prep.core.files import read_lines
from crosspro.data_prep.core.task import OTHER, Task, load_task, task_names
from crosspro.data_prep.formats.shared_task import (
    COLUMNS,
    PLACEHOLDER,
    count_placeholders,
    read_doc_ids,
)
from crosspro.evaluation.metrics.submissions.submission import (
    Gold,
    Submission,
    display_names,
    flat_classes,
    number_documents,
)

_TEXT = slice(2, 4)
_SHOWN_WORDS = 6
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
        self._index = dict(task.class_index)
        self._parsed: dict[bytes, tuple[int, ...]] = {b"": ()}
        self._labels: set[str] = set()
        self._other_tasks = other_tasks

    def problem(self, line: int | None, field: str, expected: str, found: str) -> None:
        """Note what is wrong with a line."""
        self.problems.append(Problem(self.path, line, field, expected, found))

    def parse(self, column: bytes, line: int) -> tuple[int, ...]:
        """The classes of a column, with a problem for each label that is none of the task."""
        classes = self._parsed.get(column)
        if classes is not None:
            return classes
        text = column.decode("utf-8", errors="surrogateescape")
        labels = text.split(" ")
        self._labels.update(labels)
        for label in labels:
            if (
                label not in self._index
                and self._other_tasks
                and label in _labels_of_pair(self.task)
            ):
                self._index[label] = self.task.class_index[OTHER]
                self.replaced.add(label)
        unknown = [label for label in labels if label not in self._index]
        for label in unknown:
            found = unknown_label(label, text, self.task.class_index)
            self.problem(line, "classes", choices(self.task.class_index), found)
        if unknown:
            return (-1,) * len(labels)
        classes = self._parsed[column] = tuple(self._index[label] for label in labels)
        return classes

    def fewest_problems(self) -> list[Problem]:
        """The problems; only one where all labels are those of another task, or of none."""
        if self._labels <= self._index.keys():
            return self.problems
        fitting = [name for name in task_names() if self._labels <= {*load_task(name).class_index}]
        if not fitting and len(self._parsed) > 1:
            return self.problems
        expected = f"labels of {self.task.name} ({choices(self.task.class_index)})"
        found = f"those of {' or '.join(fitting)}" if fitting else "none in the whole file"
        return [Problem(self.path, None, "classes", expected, found)]


def _labels_of_pair(task: Task) -> frozenset[str]:
    return _labels_of_languages(task.source_language, task.target_language)


@cache
def _labels_of_languages(*pair: str) -> frozenset[str]:
    tasks = [load_task(name) for name in task_names()]
    of_pair = [task for task in tasks if (task.source_language, task.target_language) == pair]
    return frozenset(label for task in of_pair for label in task.class_index)


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
    if labels.problems:
        raise InputError(labels.fewest_problems())
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
    return Gold(str(path), indices, gaps, numbers, tuple(warnings), tuple(texts), has_words)


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
    """A submission; where it has another number of lines and does not fit, only that is told."""
    path, gaps = labels.path, gold.gaps.tolist()
    texts = gold.texts or (b"",) * len(gaps)
    per_line: list[tuple[int, ...]] = []
    unequal: list[Problem] = []
    other_text: list[Problem] = []
    lines, number_other_text, has_words = 0, 0, False
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
            unequal.append(Problem(path, lines, "classes", expected, found))
        has_words = has_words or (len(columns) == len(COLUMNS) and bool(columns[1]))
        text, gold_text = b"\t".join(columns[_TEXT]), texts[lines - 1]
        if text and gold_text and text != gold_text and (other := _difference(text, gold_text)):
            number_other_text += 1
            if len(other_text) < SHOWN_AT_MOST:
                field, expected, found = other
                expected = f"{expected} as in {gold.name}"
                other_text.append(Problem(path, lines, field, expected, found))
    expected = f"{len(gaps):,} as in {gold.name}"
    another_set = Problem(path, None, "lines", expected, f"{lines:,}: another set?")
    if lines < len(gaps) or (lines > len(gaps) and unequal):
        raise InputError([another_set])
    faults = labels.fewest_problems()
    if faults and faults[0].line is None:
        raise InputError(faults)
    if faults or unequal:
        raise InputError(sorted([*faults, *unequal], key=lambda problem: problem.line or 0))
    if other_text and not lenient:
        faults = [another_set, *other_text] if lines > len(gaps) else other_text
        hint = f"{path} has other text than gold; --lenient scores it as it is"
        raise InputError(faults, hint, number_other_text)
    warnings = []
    if labels.replaced:
        listed = ", ".join(sorted(labels.replaced))
        warnings.append(f"{path}: {OTHER} for labels that {labels.task.name} lacks: {listed}")
    if lines > len(gaps):
        warnings.append(f"{path}: lines after line {len(gaps):,} are ignored, as gold ends there")
    if has_words and not gold.has_words:
        warnings.append(f"{path} looks like gold and {gold.name} like a submission: gold is first")
    if other_text:
        warnings.append(f"{path}: other text than gold on {number_other_text:,} lines, at first "
                        f"line {other_text[0].line}: {other_text[0].found}")  # fmt: skip
    return Submission(name, flat_classes(per_line)[0], tuple(warnings))


def _difference(text: bytes, gold: bytes) -> tuple[str, str, str] | None:
    """The first column with other words than gold: its name, and the words of gold and its own.

    Both are shown from the first word that differs.
    """
    columns = zip(COLUMNS[_TEXT], text.split(b"\t"), gold.split(b"\t"), strict=False)
    for field, column, expected in columns:
        words, gold_words = _words(column), _words(expected)
        if not words or words == gold_words:
            continue
        for place in range(max(len(words), len(gold_words))):
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
