"""Reader and writer of CoNLL-U, the format of treebanks and parsers.

A sentence is a list of syntactic words; ranges such as `3-4 du` are kept apart as `Contraction`s,
and empty nodes (`5.1`) are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, choices, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines

UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X", "CONJ", "_",
)  # fmt: skip
"""The universal tags; CONJ is that of version 1."""
_COLUMNS = 10


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

    def written_positions(self) -> list[int]:
        """For each syntactic word the position of the written word that it belongs to."""
        positions: list[int] = []
        ranges = {part.first: part.last for part in self.contractions}
        written = 0
        while len(positions) < len(self.words):
            number = len(positions) + 1
            positions += [written] * (ranges.get(number, number) - number + 1)
            written += 1
        return positions

    def written(self) -> tuple[ConlluWord, ...]:
        """The words as they are written: each contraction is one word.

        It takes lemma, tags and features from its first part, and its place in the tree from the
        part whose head lies outside.
        """
        if not self.contractions:
            return self.words
        positions = self.written_positions()
        forms = {part.first: part.form for part in self.contractions}
        groups: list[list[int]] = [[] for _ in range(positions[-1] + 1)]
        for number, position in enumerate(positions, start=1):
            groups[position].append(number)
        words = []
        for group in groups:
            parts = [self.words[number - 1] for number in group]
            outside = (part for part in parts if part.head is not None and part.head not in group)
            top = next(outside, parts[0])
            head = positions[top.head - 1] + 1 if top.head else top.head
            form = forms.get(group[0], parts[0].form)
            words.append(replace(parts[0], form=form, head=head, deprel=top.deprel, deps="_"))
        return tuple(words)


def comment_value(comments: Iterable[str], key: str) -> str | None:
    """The value of a comment `# key = value`."""
    for comment in comments:
        name, equals, value = comment.removeprefix("#").partition("=")
        if equals and name.strip() == key:
            return value.strip()
    return None


def read_conllu(path: str | Path) -> Iterator[ConlluSentence]:
    """The sentences of a file; the first fault is raised with its line."""
    reader = _SentenceReader(Path(path))
    for number, line in enumerate(read_text_lines(Path(path)), start=1):
        line = line.rstrip("\r")
        if line.strip():
            reader.add(number, line)
        else:
            yield from reader.end()
    yield from reader.end()


def format_sentence(sentence: ConlluSentence) -> str:
    """The lines of a sentence, with the empty line that ends it; nothing if it has no words."""
    if not sentence.words:
        return ""
    rows = list(sentence.comments)
    ranges = {part.first: part for part in sentence.contractions}
    for number, word in enumerate(sentence.words, start=1):
        if part := ranges.get(number):
            rows.append("\t".join((f"{part.first}-{part.last}", part.form, *"_______", part.misc)))
        head = "_" if word.head is None else str(word.head)
        first = (str(number), word.form, word.lemma, word.upos, word.xpos, word.feats)
        rows.append("\t".join((*first, head, word.deprel, word.deps, word.misc)))
    return "\n".join(rows) + "\n\n"


class _SentenceReader:
    """Collects the lines of one sentence after another."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.document: str | None = None
        self.reset()

    def reset(self) -> None:
        self.start: int | None = None
        self.comments: list[str] = []
        self.words: list[ConlluWord] = []
        self.lines: list[int] = []
        self.contractions: list[tuple[int, Contraction]] = []

    def error(self, line: int, field: str, expected: str, found: str) -> InputError:
        return input_error(self.path, field, expected, found, line)

    def add(self, line: int, text: str) -> None:
        if self.start is None:
            self.start = line
        if text.startswith("#"):
            self.comments.append(text)
            return
        columns = text.split("\t")
        if len(columns) != _COLUMNS:
            found = f"{len(columns)}: {quoted(text)}"
            raise self.error(line, "columns", f"{_COLUMNS} separated by tabs", found)
        identity, form, lemma, upos, xpos, feats, head, deprel, deps, misc = columns
        if "." in identity and identity.replace(".", "", 1).isdigit():
            return  # an empty node: a word that is not there
        if not form:
            raise self.error(line, "FORM", "a word", "nothing")
        if "-" in identity:
            self.add_contraction(line, identity, form, misc)
            return
        expected = str(len(self.words) + 1)
        if identity != expected:
            raise self.error(line, "ID", expected, quoted(identity))
        if upos not in UPOS:
            raise self.error(line, "UPOS", choices(UPOS), quoted(upos))
        if head != "_" and not _is_number(head):
            raise self.error(line, "HEAD", "a number or _", quoted(head))
        known_head = None if head == "_" else int(head)
        self.words.append(
            ConlluWord(form, lemma, upos, xpos, feats, known_head, deprel, deps, misc)
        )
        self.lines.append(line)

    def add_contraction(self, line: int, identity: str, form: str, misc: str) -> None:
        expected = len(self.words) + 1
        before = self.contractions[-1][1].last if self.contractions else 0
        first, _, last = identity.partition("-")
        fits = first == str(expected) and _is_number(last) and int(last) > expected > before
        if not fits:
            begin = f"a range from {max(expected, before + 1)}"
            raise self.error(line, "ID", begin, quoted(identity))
        self.contractions.append((line, Contraction(expected, int(last), form, misc)))

    def end(self) -> Iterator[ConlluSentence]:
        """The sentence of the lines since the last end; nothing for comments alone."""
        length = len(self.words)
        for number, (line, word) in enumerate(zip(self.lines, self.words, strict=True), start=1):
            if word.head is not None and (word.head > length or word.head == number):
                expected = f"another word of 1 to {length}, or 0"
                raise self.error(line, "HEAD", expected, str(word.head))
        for line, part in self.contractions:
            if part.last > length:
                found = f"{part.first}-{part.last}"
                raise self.error(line, "ID", f"a range inside {length} words", found)
        self.document = comment_value(self.comments, "newdoc id") or self.document
        if self.words:
            contractions = tuple(part for _, part in self.contractions)
            comments = tuple(self.comments)
            yield ConlluSentence(
                tuple(self.words), contractions, comments, self.document, self.start
            )
        self.reset()


def _is_number(text: str) -> bool:
    """Whether text is the number of a word, which nobody writes with more than nine digits."""
    return text.isascii() and text.isdecimal() and len(text) < 10
