"""Reader and writer of CoNLL-U, the format of treebanks and parsers.

A sentence is a list of syntactic words; ranges such as `3-4 du` are kept apart as `Contraction`s,
and empty nodes (`5.1`) are left out. `scan_conllu` goes through a file once, in constant memory,
and yields a sentence or a `Problem` for each fault; `read_conllu` is what most code wants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from crosspro.data_prep.core.errors import Problem, choices, quoted, without_problems
from crosspro.data_prep.core.files import bad_byte, read_lines

UPOS = (
    "ADJ",
    "ADP",
    "ADV",
    "AUX",
    "CCONJ",
    "DET",
    "INTJ",
    "NOUN",
    "NUM",
    "PART",
    "PRON",
    "PROPN",
    "PUNCT",
    "SCONJ",
    "SYM",
    "VERB",
    "X",
    "CONJ",
    "_",
)
"""The universal tags; CONJ is that of version 1."""


@dataclass(frozen=True, slots=True)
class ConlluWord:
    """A syntactic word: one line. `head` counts from 1; 0 is the root, None is unknown."""

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    head: int | None = None
    deprel: str = "_"
    deps: str = "_"
    misc: str = "_"


@dataclass(frozen=True, slots=True)
class Contraction:
    """A written word that stands for the syntactic words `first` to `last`, counted from 1."""

    first: int
    last: int
    form: str
    misc: str = "_"


@dataclass(frozen=True, slots=True)
class ConlluSentence:
    """A sentence with its comments; `line` is where it begins in its file.

    `document` is the last `newdoc id` before it, so that each sentence knows its document.
    """

    words: tuple[ConlluWord, ...]
    contractions: tuple[Contraction, ...] = ()
    comments: tuple[str, ...] = ()
    document: str | None = None
    line: int | None = None

    @property
    def forms(self) -> tuple[str, ...]:
        """The syntactic words."""
        return tuple(word.form for word in self.words)

    def written(self) -> tuple[ConlluWord, ...]:
        """The words as they are written: each contraction is one word.

        It takes lemma, tags and features from its first part, and its place in the tree from the
        part whose head lies outside.
        """
        if not self.contractions:
            return self.words
        ranges = {part.first: part for part in self.contractions}
        groups: list[tuple[int, int, str]] = []
        position = 1
        while position <= len(self.words):
            part = ranges.get(position)
            if part is None:
                groups.append((position, position, self.words[position - 1].form))
            else:
                groups.append((part.first, part.last, part.form))
            position = groups[-1][1] + 1
        place = {0: 0}
        for number, (first, last, _) in enumerate(groups, start=1):
            place.update(dict.fromkeys(range(first, last + 1), number))
        return tuple(self._group(*group, place) for group in groups)

    def _group(self, first: int, last: int, form: str, place: dict[int, int]) -> ConlluWord:
        parts = self.words[first - 1 : last]
        outside = (w for w in parts if w.head is not None and not first <= w.head <= last)
        top = next(outside, parts[0])
        head = None if top.head is None else place[top.head]
        return replace(parts[0], form=form, head=head, deprel=top.deprel, deps="_")


def comment_value(comments: Iterable[str], key: str) -> str | None:
    """The value of a comment `# key = value`."""
    for comment in comments:
        name, equals, value = comment.removeprefix("#").partition("=")
        if equals and name.strip() == key:
            return value.strip()
    return None


def read_conllu(path: str | Path) -> Iterator[ConlluSentence]:
    """The sentences of a file.

    At the first fault no further sentence is yielded; the rest of the file is still checked, and
    all faults are raised together as one `InputError`.
    """
    return without_problems(scan_conllu(path))


def scan_conllu(path: str | Path) -> Iterator[ConlluSentence | Problem]:
    """All sentences and all problems of a file, in order of lines."""
    path = Path(path)
    reader = _SentenceReader(str(path))
    number = 0
    for number, raw in enumerate(read_lines(path), start=1):
        try:
            line = raw.decode("utf-8").removesuffix("\n").rstrip("\r")
        except UnicodeDecodeError as error:
            yield Problem(str(path), number, "encoding", "UTF-8", bad_byte(error))
            reader.spoilt = True
            continue
        if line.strip():
            yield from reader.add(number, line)
        else:
            yield from reader.end()
    yield from reader.end()


def format_sentence(sentence: ConlluSentence) -> str:
    """The lines of a sentence, with the empty line that ends it; nothing if it has no words."""
    if not sentence.words:
        return ""
    lines = list(sentence.comments)
    ranges = {part.first: part for part in sentence.contractions}
    for number, word in enumerate(sentence.words, start=1):
        if number in ranges:
            part = ranges[number]
            lines.append("\t".join((f"{part.first}-{part.last}", part.form, *"_______", part.misc)))
        head = "_" if word.head is None else str(word.head)
        lines.append(
            "\t".join(
                (
                    str(number),
                    word.form,
                    word.lemma,
                    word.upos,
                    word.xpos,
                    word.feats,
                    head,
                    word.deprel,
                    word.deps,
                    word.misc,
                )
            )
        )
    return "\n".join(lines) + "\n\n"


class _SentenceReader:
    """Collects the lines of one sentence after another."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.document: str | None = None
        self.reset()

    def reset(self) -> None:
        self.start: int | None = None
        self.comments: list[str] = []
        self.words: list[tuple[int, ConlluWord]] = []
        self.contractions: list[tuple[int, Contraction]] = []
        self.spoilt = False

    def problem(self, line: int, field: str, expected: str, found: str) -> Problem:
        self.spoilt = True
        return Problem(self.path, line, field, expected, found)

    def add(self, number: int, line: str) -> Iterator[Problem]:
        if self.start is None:
            self.start = number
        if line.startswith("#"):
            self.comments.append(line)
            return
        columns = line.split("\t")
        if len(columns) != 10:
            yield self.problem(
                number, "columns", "10 separated by tabs", f"{len(columns)}: {quoted(line)}"
            )
            return
        identity = columns[0]
        if "." in identity and identity.replace(".", "", 1).isdigit():
            return  # an empty node: a word that is not there
        if not columns[1]:
            yield self.problem(number, "FORM", "a word", "nothing")
        expected = len(self.words) + 1
        if "-" in identity:
            first, _, last = identity.partition("-")
            if first != str(expected) or not _is_number(last) or int(last) <= expected:
                yield self.problem(number, "ID", f"a range from {expected}", quoted(identity))
                return
            if self.contractions and self.contractions[-1][1].last >= expected:
                before = f"a range that begins after {self.contractions[-1][1].last}"
                yield self.problem(number, "ID", before, quoted(identity))
                return
            self.contractions.append(
                (number, Contraction(expected, int(last), columns[1], columns[9]))
            )
            return
        if identity != str(expected):
            yield self.problem(number, "ID", str(expected), quoted(identity))
        if columns[3] not in UPOS:
            yield self.problem(number, "UPOS", choices(UPOS), quoted(columns[3]))
        head = columns[6]
        if head != "_" and not _is_number(head):
            yield self.problem(number, "HEAD", "a number or _", quoted(head))
            head = "_"
        form, lemma, upos, xpos, feats = columns[1:6]
        deprel, deps, misc = columns[7:]
        known_head = None if head == "_" else int(head)
        word = ConlluWord(form, lemma, upos, xpos, feats, known_head, deprel, deps, misc)
        self.words.append((number, word))

    def end(self) -> Iterator[ConlluSentence | Problem]:
        """What the lines since the last end amount to; nothing for comments alone."""
        length = len(self.words)
        for position, (number, word) in enumerate(self.words, start=1):
            if word.head is not None and (word.head > length or word.head == position):
                expected = f"another word of 1 to {length}, or 0"
                yield self.problem(number, "HEAD", expected, str(word.head))
        for number, part in self.contractions:
            if part.last > length:
                found = f"{part.first}-{part.last}"
                yield self.problem(number, "ID", f"a range inside {length} words", found)
        new_document = comment_value(self.comments, "newdoc id")
        if new_document is not None:
            self.document = new_document
        if self.words and not self.spoilt:
            yield ConlluSentence(
                tuple(word for _, word in self.words),
                tuple(part for _, part in self.contractions),
                tuple(self.comments),
                self.document,
                self.start,
            )
        self.reset()


def _is_number(text: str) -> bool:
    """Whether text is the number of a word, which nobody writes with more than nine digits."""
    return text.isascii() and text.isdecimal() and len(text) < 10
