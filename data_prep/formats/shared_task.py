"""The files of the shared tasks: five columns, placeholders, and documents beside them.

These are the five-column files of DiscoMT 2015, WMT 2016 and DiscoMT 2017. Columns: classes, gold
words, source, target with `REPLACE_n`, links `s-t`. A line without a gap has empty columns 1 and 2,
as has every line of a blind file. `scan` goes through a file once, in constant memory, and yields
an `Example` for each good line and a `Problem` for each fault; `read_examples` is what most code
wants.

A gap is a token that begins with `REPLACE_`, then a source position; `fooREPLACE_1` is a word.
Everyone who asks whether a token is a gap asks here.

doc-ids have one line a segment with the id of its document in the first tab-separated column. A
document is a run of lines with equal ids. Further columns are extras, such as a speaker or the mark
`cur` of the lines that are instances.

`other_form` tells whether the target of a file is `lemma|TAG` or words, as its task has it. Systems
and language models of one form know nothing of the other, and nothing else in a file of the wrong
form is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, islice, repeat
from pathlib import Path

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    input_error,
    is_whole_number,
    quoted,
    unknown_label,
    without_problems,
)
from crosspro.data_prep.core.example import TAG_SEPARATOR, Example, Gap, Link, split_tag
from crosspro.data_prep.core.files import atomic_output, bad_byte, read_lines, read_text_lines
from crosspro.data_prep.core.task import Task, load_task, task_names, task_of_labels
from crosspro.data_prep.core.words import looks_otherwise
from crosspro.data_prep.formats.links import format_links, parse_link

COLUMNS = ("classes", "words", "source", "target", "links")
_LINKS = re.compile(r"\d+-\d+( \d+-\d+)*")


def read_doc_ids(path: str | Path) -> Iterator[str]:
    """The document of each line of a text."""
    for number, line in enumerate(read_text_lines(Path(path)), start=1):
        columns = document_columns(line)
        if len(columns) == len(COLUMNS) and _LINKS.fullmatch(columns[-1]):
            expected, found = "the id of a document", f"a line of a data file: {quoted(line)}"
            raise input_error(path, "doc-ids", expected, found, number)
        yield columns[0]


def document_columns(line: str) -> list[str]:
    """The document of a line of doc-ids, and its extras."""
    return [column.rstrip("\r") for column in line.split("\t")]  # no id can end so and be written


def document_runs(ids: Iterable[str | None]) -> list[tuple[str | None, int]]:
    """The documents in order, each with its number of lines."""
    return [(document, len(list(run))) for document, run in groupby(ids)]


PLACEHOLDER = "REPLACE_"
_AT_START = PLACEHOLDER.encode()
_LATER = b" " + _AT_START


def placeholder(source_index: int) -> str:
    """The token of a gap."""
    return f"{PLACEHOLDER}{source_index}"


def is_placeholder(token: str) -> bool:
    """Whether a target token is a gap."""
    return token.startswith(PLACEHOLDER)


def as_word(token: str) -> str:
    """A word of a text as a file can hold it: one that looks like a gap gets a mark before it."""
    return f"_{token}" if is_placeholder(token) else token


def count_placeholders(target: bytes) -> int:
    """How many tokens of a target column are gaps, without looking at each token."""
    return target.count(_LATER) + target.startswith(_AT_START)


_KNOWN_TOKENS = 1 << 17
"""A text has few tokens that are not repeated."""
_FIVE = f"5 ({', '.join(COLUMNS)}) separated by tabs"


def read_examples(
    path: str | Path, task: Task, doc_ids: str | Path | None = None, *, lenient: bool = False
) -> Iterator[Example]:
    """The examples of a file, one a line.

    At the first fault no further example is yielded; the rest of the file is still checked, and all
    faults are raised together as one `InputError`.
    """
    return without_problems(scan(path, task, doc_ids, lenient=lenient))


def parse_examples(
    lines: Iterable[str], task: Task, origin: str, document: str | None = None
) -> list[Example]:
    """The examples of lines that are in no file; raises all faults, with `origin` as their path."""
    parser = _LineParser(origin, task, lenient=False)
    examples: list[Example] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        for item in parser.parse(number, line.encode("utf-8", "surrogatepass"), document):
            if isinstance(item, Problem):
                problems.append(item)
            else:
                examples.append(item)
    if problems:
        raise InputError(problems)
    return examples


def read_sources(
    path: str | Path, doc_ids: str | Path | None = None
) -> Iterator[tuple[tuple[str, ...], str | None]]:
    """The source words and the document of each line, of whatever task a file is."""
    documents = None if doc_ids is None else list(read_doc_ids(doc_ids))
    number = 0
    for number, raw in enumerate(read_lines(Path(path)), start=1):
        line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        columns = line.split("\t")
        if len(columns) != len(COLUMNS):
            found = f"{len(columns)}: {quoted(line)}"
            raise input_error(path, "columns", _FIVE, found, number)
        document = documents[number - 1] if documents and number <= len(documents) else None
        yield tuple(columns[2].split(" ")), document
    if documents is not None and len(documents) != number:
        expected = f"{number} lines as in {path}"
        raise input_error(str(doc_ids), "doc-ids", expected, f"{len(documents)} lines")


def write_examples(path: str | Path, examples: Iterable[Example]) -> None:
    """Write a file atomically, compressed if its name ends in .gz or .xz."""
    with atomic_output(Path(path)) as handle:
        for example in examples:
            handle.write(format_example(example).encode("utf-8") + b"\n")


def write_doc_ids(path: str | Path, examples: Iterable[Example]) -> None:
    """Write the document of each example, one a line."""
    with atomic_output(Path(path)) as handle:
        for example in examples:
            handle.write((example.document or "").encode("utf-8") + b"\n")


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


class _SplitTokens(dict[str, tuple[str, str | None]]):
    """Lemma and tag of tokens that have been seen, so that memory holds each of them once."""

    def __missing__(self, token: str) -> tuple[str, str | None]:
        if len(self) > _KNOWN_TOKENS:
            self.clear()
        self[token] = lemma_and_tag = split_tag(token)
        return lemma_and_tag


class _LineParser:
    """Parses the lines of one file; remembers tokens, links and CRLF across lines."""

    def __init__(self, path: str, task: Task, lenient: bool) -> None:
        self.path, self.task, self.lenient = path, task, lenient
        self.split = _SplitTokens()
        self.links: dict[str, Link] = {}
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
        gaps = self.gaps(target, len(source), self.labels(labels_text), words_text)
        links = self.parse_links(links_text, len(source), len(target))
        if not self.task.tagged:
            return Example(source, tuple(target), None, links, gaps, document)
        lemmas, tags = zip(*map(self.split.__getitem__, target), strict=True)
        return Example(source, lemmas, tags, links, gaps, document)

    def tokens(self, field: str, text: str) -> list[str]:
        if not text:
            self.problem(field, "at least one token", "none")
        elif not self.lenient and ("  " in text or text[0] == " " or text[-1] == " "):
            self.problem(field, "tokens separated by single spaces", quoted(text))
        return text.split(" ")

    def labels(self, text: str) -> list[str]:
        labels = text.split(" ") if text else []
        index = self.task.class_index
        for label in labels:
            if label not in index:
                self.problem("classes", choices(index), unknown_label(label, text, index))
        return labels

    def gaps(
        self, target: list[str], length: int, labels: list[str], words_text: str
    ) -> tuple[Gap, ...]:
        positions = [at for at, token in enumerate(target) if token.startswith(PLACEHOLDER)]
        words = words_text.split(" ") if words_text else []
        count = len(positions)
        if not self.lenient:
            for field, entries in (("classes", labels), ("words", words)):
                if entries and len(entries) != count and (field == "words" or "" not in entries):
                    expected = f"{count} {field} for {count} placeholders"
                    self.problem(field, expected, f"{len(entries)}: {quoted(' '.join(entries))}")
        if not positions:
            return ()
        known_labels: list[str | None] = [*labels] if len(labels) == count else [None] * count
        known_words: list[str | None] = [*words] if len(words) == count else [None] * count
        return tuple(
            Gap(position, self.source_index(target[position], length), label, word)
            for position, label, word in zip(positions, known_labels, known_words, strict=True)
        )

    def source_index(self, token: str, length: int) -> int:
        """The source position of a gap, written without sign, leading zeros or other digits."""
        digits = token.removeprefix(PLACEHOLDER)
        canonical = is_whole_number(digits) and (digits[0] != "0" or digits == "0")
        if canonical and int(digits) < length:
            return int(digits)
        if not self.lenient:
            found = f"{token} in {length} source tokens" if canonical else quoted(token)
            self.problem("target", f"{PLACEHOLDER} with the position of a source token", found)
        return length - 1

    def parse_links(self, text: str, source_length: int, target_length: int) -> tuple[Link, ...]:
        if not text:
            return ()
        written_links = text.split(" ")
        try:  # the fast way, for links that have been seen before and lie inside
            links = tuple(map(self.links.__getitem__, written_links))
            source, target = zip(*links, strict=True)
            if max(source) < source_length and max(target) < target_length:
                return links
        except KeyError:
            pass
        inside: list[Link] = []
        for written in written_links:
            link = self.links.get(written) or self.new_link(written)
            if link is not None and link[0] < source_length and link[1] < target_length:
                inside.append(link)
            elif self.lenient:
                continue
            elif link is None:
                self.problem("links", "links s-t separated by single spaces", quoted(written))
            else:
                lengths = f"{source_length} source and {target_length} target tokens"
                self.problem("links", f"links inside {lengths}", written)
        return tuple(inside)

    def new_link(self, written: str) -> Link | None:
        link = parse_link(written)
        if link is None or format_links([link]) != written:  # leading zeros
            return None
        if len(written) <= len("999-99"):  # longer ones are rare, and would fill the memory
            self.links[written] = link
        return link


LINES = 500
LEAST_TOKENS = 20
"""A handful of tokens may be anything."""
_TARGET = COLUMNS.index("target")
_BAR = TAG_SEPARATOR.encode()
_PLACEHOLDER = PLACEHOLDER.encode()


LEMMATISED = (
    "the target is lemmatised: systems see lemmas with tags, and agreement was taken away, so that "
    "no ending shows gender, number or tense"
)
"""What those should know who look at the target of such a task."""


def other_form(path: str | Path, task: Task) -> Problem | None:
    """The problem of a file nine in ten of whose target tokens are not in the form of the task."""
    tokens, tagged = _tagged_tokens(path)
    fitting = tagged if task.tagged else tokens - tagged
    if tokens < LEAST_TOKENS or fitting * 10 > tokens:
        return None
    forms = ("lemma|TAG", "inflected words")
    expected, found = forms if task.tagged else reversed(forms)
    expected, found = f"{expected} as in {task.name}", f"{found}{_others(task)}"
    return Problem(str(path), None, "target", expected, found)


def check_languages(path: str | Path, task: Task) -> None:
    """Refuse a file whose first lines are clearly not in the languages of the task."""
    rows = (raw.decode("utf-8", "replace").split("\t") for raw in read_lines(Path(path)))
    first = list(islice((row for row in rows if len(row) == len(COLUMNS)), LINES))
    problems = []
    for side, language in (("source", task.source_language), ("target", task.target_language)):
        found = looks_otherwise((row[COLUMNS.index(side)] for row in first), language)
        if found:
            problems.append(Problem(str(path), None, side, f"text in {language}", found))
    if problems:
        raise InputError(problems)


def _tagged_tokens(path: str | Path) -> tuple[int, int]:
    """How many target tokens the first lines of a file have, and how many with a tag."""
    tokens = tagged = 0
    for raw in islice(read_lines(Path(path)), LINES):
        columns = raw.split(b"\t")
        if len(columns) != len(COLUMNS):
            continue
        words = [word for word in columns[_TARGET].split() if not word.startswith(_PLACEHOLDER)]
        tokens += len(words)
        if _BAR in columns[_TARGET]:
            tagged += sum(_BAR in word[1:-1] for word in words)
    return tokens, tagged


def task_of_file(path: str | Path) -> Task:
    """What a file that belongs to no known task is read by: labels as they are, targets as seen."""
    tokens, tagged = _tagged_tokens(path)
    return task_of_labels(None, tagged=tagged * 10 > tokens)


def refuse_other_forms(files: Iterable[tuple[Path, Task]]) -> None:
    """Tell of all files whose targets are not in the form of their task."""
    problems = [problem for path, task in files if (problem := other_form(path, task))]
    if problems:
        raise InputError(problems)


def _others(task: Task) -> str:
    """The tasks of the same languages that have the other form."""
    languages = (task.source_language, task.target_language)
    names = [
        other.name
        for other in map(load_task, task_names())
        if (other.source_language, other.target_language) == languages
        and other.tagged != task.tagged
    ]
    return f" as in {', '.join(names)}" if names else ""
