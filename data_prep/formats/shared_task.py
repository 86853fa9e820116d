"""The five-column files of DiscoMT 2015, WMT 2016 and DiscoMT 2017, and documents beside them.

Columns: classes, gold words, source, target with `REPLACE_n`, links `s-t`. A line without a gap has
empty columns 1 and 2, as has every line of a blind file. `scan` goes through a file once, in
constant memory, and yields an `Example` for each good line and a `Problem` for each fault;
`read_examples` is what most code wants.

A gap is a token that begins with `REPLACE_`, then a source position; `fooREPLACE_1` is a word.

doc-ids have one line a segment with the id of its document in the first tab-separated column. A
document is a run of lines with equal ids. Further columns are extras, such as a speaker or the mark
`cur` of the lines that are instances.

The target of a file is `lemma|TAG` or words, as its task has it (`other_form`). Systems of one form
know nothing of the other, and nothing else in a file of the wrong form is wrong.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from itertools import chain, groupby, islice, repeat
from pathlib import Path

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    input_error,
    quoted,
)
from crosspro.data_prep.core.example import TAG_SEPARATOR, Example, Gap, Link, split_tag
from crosspro.data_prep.core.files import atomic_output, bad_byte, read_lines, read_text_lines
from crosspro.data_prep.core.task import Task, task_of_any_label
from crosspro.data_prep.formats.links import format_links, parse_link
from crosspro.data_prep.words.language import looks_otherwise

COLUMNS = ("classes", "words", "source", "target", "links")
_FIVE = f"5 ({', '.join(COLUMNS)}) separated by tabs"
_LINKS = re.compile(r"\d+-\d+( \d+-\d+)*")
_REMEMBERED = 1 << 17
"""Tokens that are split once; a text has few that are not repeated."""


# Documents ----------------------------------------------------------------------------------------


def read_doc_ids(path: str | Path) -> Iterator[str]:
    """The document of each line of a text."""
    for number, line in enumerate(read_text_lines(Path(path)), start=1):
        columns = document_columns(line)
        if len(columns) == len(COLUMNS) and _LINKS.fullmatch(columns[-1]):
            actual = f"a line of a data file: {quoted(line)}"
            raise input_error(path, "doc-ids", "the id of a document", actual, number)
        yield columns[0]


def document_columns(line: str) -> list[str]:
    """The document of a line of doc-ids, and its extras."""
    return [column.rstrip("\r") for column in line.split("\t")]  # no id can end so and be written


def document_runs(ids: Iterable[str | None]) -> list[tuple[str | None, int]]:
    """The documents in order, each with its number of lines."""
    return [(document, len(list(run))) for document, run in groupby(ids)]


def write_doc_ids(path: str | Path, examples: Iterable[Example]) -> None:
    """Write the document of each example, one a line."""
    with atomic_output(Path(path)) as handle:
        for example in examples:
            handle.write((example.document or "").encode("utf-8") + b"\n")


# Placeholders -------------------------------------------------------------------------------------

PLACEHOLDER = "REPLACE_"
_PLACEHOLDER = PLACEHOLDER.encode()


def placeholder(source_index: int) -> str:
    return f"{PLACEHOLDER}{source_index}"


def is_placeholder(token: str) -> bool:
    return token.startswith(PLACEHOLDER)


def as_word(token: str) -> str:
    """A word of a text as a file can hold it: one that looks like a gap gets a mark before it."""
    return f"_{token}" if is_placeholder(token) else token


def count_placeholders(target: bytes) -> int:
    """How many tokens of a target column are gaps, without looking at each token."""
    return target.count(b" " + _PLACEHOLDER) + target.startswith(_PLACEHOLDER)


def unknown_label(label: str, column: str, labels: Container[str]) -> str:
    """The `found` of a label that is not among the labels of a task."""
    if not label:
        return f"a space too many in {quoted(column)}"
    if unicodedata.normalize("NFC", label) in labels:
        return f"{quoted(label)} in decomposed Unicode (NFD); write it in composed form (NFC)"
    return quoted(label)


# Examples -----------------------------------------------------------------------------------------


def read_examples(
    path: str | Path, task: Task, doc_ids: str | Path | None = None, *, lenient: bool = False
) -> Iterator[Example]:
    """The examples of a file, one a line.

    At the first fault no further example is yielded; the rest of the file is still checked, and all
    faults are raised together as one `InputError`.
    """
    items = scan(path, task, doc_ids, lenient=lenient)
    for item in items:
        if isinstance(item, Problem):
            raise InputError(chain([item], (rest for rest in items if isinstance(rest, Problem))))
        yield item


def write_examples(path: str | Path, examples: Iterable[Example]) -> None:
    """Write a file atomically, compressed if its name ends in .gz or .xz."""
    with atomic_output(Path(path)) as handle:
        for example in examples:
            handle.write(format_example(example).encode("utf-8") + b"\n")


def format_example(example: Example) -> str:
    """The line of an example, without its line end."""
    labels = " ".join(gap.label for gap in example.gaps if gap.label is not None)
    words = " ".join(gap.word for gap in example.gaps if gap.word is not None)
    source, target = " ".join(example.source), " ".join(example.target)
    return "\t".join((labels, words, source, target, format_links(example.links)))


def scan(
    path: str | Path, task: Task, doc_ids: str | Path | None = None, *, lenient: bool = False
) -> Iterator[Example | Problem]:
    """All examples and all problems of a file, in order of lines.

    Lenient reading accepts what the official scorer accepts: five columns and permitted labels.
    Where the scorer does not look, faults are mended: undecodable bytes are replaced, bad links
    dropped, placeholder indices beyond the source moved to its last word.
    """
    path = Path(path)
    parser = _LineParser(str(path), task, lenient)
    ids: Iterator[str | None] = repeat(None) if doc_ids is None else read_doc_ids(doc_ids)
    number = documents = 0
    for number, raw in enumerate(read_lines(path), start=1):
        document = next(ids, None)
        documents += document is not None
        yield from parser.parse(number, raw, document)
    if doc_ids is not None:
        documents += sum(1 for _ in ids)
        if documents != number:
            expected = f"{number} lines as in {path}"
            yield Problem(str(doc_ids), None, "doc-ids", expected, f"{documents} lines")


_lemma_and_tag = lru_cache(_REMEMBERED)(split_tag)


class _LineParser:
    """Parses the lines of one file."""

    def __init__(self, path: str, task: Task, lenient: bool) -> None:
        self.path, self.task, self.lenient = path, task, lenient
        self.crlf_reported = lenient
        self.problems: list[Problem] = []
        self.number = 0

    def parse(self, number: int, raw: bytes, document: str | None) -> list[Example | Problem]:
        """The example of a line, or its problems."""
        self.number, self.problems = number, []
        example = self.example(raw, document)
        return [*self.problems] if self.problems or example is None else [example]

    def problem(self, field: str, expected: str, found: str) -> None:
        self.problems.append(Problem(self.path, self.number, field, expected, found))

    def example(self, raw: bytes, document: str | None) -> Example | None:
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            if not self.lenient:
                self.problem("encoding", "UTF-8", bad_byte(error))
            line = raw.decode("utf-8", errors="replace")
        ended = line.endswith(("\n", "\r"))
        line = line.removesuffix("\n")
        if line.endswith("\r"):
            line = line[:-1]
            if not self.crlf_reported:
                self.crlf_reported = True
                self.problem("line end", "LF", "CR LF (reported once for the file)")
        columns = line.split("\t")
        if len(columns) != len(COLUMNS):
            self.problem("columns", _FIVE, f"{len(columns)}: {quoted(line)}")
            return None
        labels_text, words_text, source_text, target_text, links_text = columns
        source = tuple(self.tokens("source", source_text))
        target = self.tokens("target", target_text)
        if self.lenient and not links_text and not ended:  # the scorer counts the line end as text
            self.problem("links", "links or a line end", "neither")
        gaps = self.gaps(target, len(source), labels_text, words_text)
        links = self.links(links_text, len(source), len(target)) if links_text else ()
        if not self.task.tagged:
            return Example(source, tuple(target), None, links, gaps, document)
        lemmas, tags = zip(*map(_lemma_and_tag, target), strict=True)
        return Example(source, lemmas, tags, links, gaps, document)

    def tokens(self, field: str, text: str) -> list[str]:
        if not text:
            self.problem(field, "at least one token", "none")
        elif not self.lenient and ("  " in text or text[0] == " " or text[-1] == " "):
            self.problem(field, "tokens separated by single spaces", quoted(text))
        return text.split(" ")

    def gaps(
        self, target: list[str], length: int, labels_text: str, words_text: str
    ) -> tuple[Gap, ...]:
        positions = [at for at, token in enumerate(target) if token.startswith(PLACEHOLDER)]
        labels = self.entries("classes", labels_text, len(positions))
        words = self.entries("words", words_text, len(positions))
        return tuple(
            Gap(position, self.source_index(target[position], length), label, word)
            for position, label, word in zip(positions, labels, words, strict=True)
        )

    def entries(self, field: str, text: str, gaps: int) -> list[str] | list[None]:
        """What a column says of each gap; None where it does not have as many entries."""
        entries = text.split(" ") if text else []
        labels = entries if field == "classes" else []
        for label in labels:
            if label not in self.task.class_index:
                actual = unknown_label(label, text, self.task.class_index)
                self.problem(field, choices(self.task.class_index), actual)
        if len(entries) == gaps:
            return entries
        if entries and "" not in labels and not self.lenient:
            expected = f"{gaps} {field} for {gaps} placeholders"
            self.problem(field, expected, f"{len(entries)}: {quoted(text)}")
        return [None] * gaps

    def source_index(self, token: str, length: int) -> int:
        """The source position of a gap, written without sign, leading zeros or other digits."""
        digits = token.removeprefix(PLACEHOLDER)
        canonical = re.fullmatch(r"0|[1-9][0-9]{0,17}", digits) is not None
        if canonical and int(digits) < length:
            return int(digits)
        if not self.lenient:
            actual = f"{token} in {length} source tokens" if canonical else quoted(token)
            self.problem("target", f"{PLACEHOLDER} with the position of a source token", actual)
        return length - 1

    def links(self, text: str, source_length: int, target_length: int) -> tuple[Link, ...]:
        links = []
        for written in text.split(" "):
            link = parse_link(written)
            if link is not None and link[0] < source_length and link[1] < target_length:
                links.append(link)
            elif not self.lenient:
                inside = f"links inside {source_length} source and {target_length} target tokens"
                expected = "links s-t separated by single spaces" if link is None else inside
                self.problem("links", expected, quoted(written))
        return tuple(links)


# The form of the target ---------------------------------------------------------------------------

_LINES = 500
"""Lines that tell what a file is like."""
_LEAST_TOKENS = 20
"""A handful of tokens may be anything."""
_BAR = TAG_SEPARATOR.encode()


def other_form(path: str | Path, task: Task) -> Problem | None:
    """The problem of a file nine in ten of whose target tokens are not in the form of the task."""
    tokens, tagged = _tagged_tokens(path)
    fitting = tagged if task.tagged else tokens - tagged
    if tokens < _LEAST_TOKENS or fitting * 10 > tokens:
        return None
    forms = ("lemma|TAG", "inflected words")
    expected, actual = forms if task.tagged else reversed(forms)
    return Problem(str(path), None, "target", f"{expected} as in {task.name}", actual)


def refuse_other_forms(files: Iterable[tuple[Path, Task]]) -> None:
    """Raise if the targets of any file are not in the form of its task."""
    problems = [problem for path, task in files if (problem := other_form(path, task))]
    if problems:
        raise InputError(problems)


def task_of_file(path: str | Path) -> Task:
    """What a file that belongs to no known task is read by: labels as they are, targets as seen."""
    tokens, tagged = _tagged_tokens(path)
    return task_of_any_label(tagged * 10 > tokens)


def check_languages(path: str | Path, task: Task) -> None:
    """Refuse a file whose first lines are clearly not in the languages of the task."""
    rows = list(_first_rows(path))
    problems = []
    for column, side in ((2, "source"), (3, "target")):
        language = task.source_language if side == "source" else task.target_language
        lines = (row[column].decode("utf-8", "replace") for row in rows)
        if actual := looks_otherwise(lines, language):
            problems.append(Problem(str(path), None, side, f"text in {language}", actual))
    if problems:
        raise InputError(problems)


def _first_rows(path: str | Path) -> Iterator[list[bytes]]:
    rows = (raw.split(b"\t") for raw in read_lines(Path(path)))
    return (row for row in islice(rows, _LINES) if len(row) == len(COLUMNS))


def _tagged_tokens(path: str | Path) -> tuple[int, int]:
    """How many target tokens the first lines of a file have, and how many with a tag."""
    targets = (row[3].split() for row in _first_rows(path))
    words = [word for words in targets for word in words if not word.startswith(_PLACEHOLDER)]
    return len(words), sum(_BAR in word[1:-1] for word in words)
