"""Reader and writer of CoNLL-U, the format of treebanks and parsers.

A sentence is a list of syntactic words; ranges such as `3-4 du` are kept apart as `Contraction`s.
Empty nodes (`5.1`) and enhanced dependencies (column 9) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, choices, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines

UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X", "CONJ", "_",
)  # fmt: skip
"""The universal tags; CONJ is that of version 1."""
_COLUMNS = 10
_NUMBER = re.compile("[0-9]{1,9}")
_RANGE = re.compile("([0-9]{1,9})-([0-9]{1,9})")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")


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
    misc: str = "_"


@dataclass(frozen=True, slots=True)
class Contraction:
    """A written word that stands for the syntactic words `first` to `last`, counted from 1."""

    first: int
    last: int
    form: str


@dataclass(frozen=True, slots=True)
class ConlluSentence:
    """A sentence with its comments; `line` is where it begins in its file."""

    words: tuple[ConlluWord, ...]
    contractions: tuple[Contraction, ...] = ()
    comments: tuple[str, ...] = ()
    line: int | None = None

    def written(self) -> tuple[ConlluWord, ...]:
        """The words as they are written: each contraction is one word.

        It takes lemma, tags and features from its first part, and its place in the tree from the
        part whose head lies outside.
        """
        if not self.contractions:
            return self.words
        contractions = {part.first: part for part in self.contractions}
        groups: list[range] = []
        while not groups or groups[-1].stop <= len(self.words):
            start = groups[-1].stop if groups else 1
            part = contractions.get(start)
            groups.append(range(start, (part.last if part else start) + 1))
        heads = {n: place for place, group in enumerate(groups, start=1) for n in group} | {0: 0}
        words = []
        for group in groups:
            parts = [self.words[number - 1] for number in group]
            outside = (word for word in parts if word.head is not None and word.head not in group)
            top = next(outside, parts[0])
            part = contractions.get(group.start)
            form = part.form if part else parts[0].form
            head = None if top.head is None else heads[top.head]
            words.append(replace(parts[0], form=form, head=head, deprel=top.deprel))
        return tuple(words)


def comment_value(comments: Iterable[str], key: str) -> str | None:
    """The value of a comment `# key = value`."""
    for comment in comments:
        name, equals, value = comment.removeprefix("#").partition("=")
        if equals and name.strip() == key:
            return value.strip()
    return None


def format_sentence(sentence: ConlluSentence) -> str:
    """The lines of a sentence, with the empty line that ends it; nothing if it has no words."""
    if not sentence.words:
        return ""
    rows = list(sentence.comments)
    for number, word in enumerate(sentence.words, start=1):
        head = "_" if word.head is None else str(word.head)
        first = (str(number), word.form, word.lemma, word.upos, word.xpos, word.feats)
        rows.append("\t".join((*first, head, word.deprel, "_", word.misc)))
    return "\n".join(rows) + "\n\n"


def read_conllu(path: str | Path) -> Iterator[ConlluSentence]:
    """The sentences of a file; the first fault is raised with its line."""
    lines = enumerate((line.rstrip("\r") for line in read_text_lines(Path(path))), start=1)
    for blank, block in groupby(lines, lambda line: not line[1].strip()):
        if not blank:
            sentence = _sentence(Path(path), list(block))
            if sentence.words:
                yield sentence


def _sentence(path: Path, lines: list[tuple[int, str]]) -> ConlluSentence:
    """The sentence of some lines, which has no words if there are comments alone."""

    def error(field: str, expected: str, found: str) -> InputError:
        return input_error(path, field, expected, found, number)

    comments: list[str] = []
    words: list[ConlluWord] = []
    word_lines: list[int] = []
    contractions: list[Contraction] = []
    for number, text in lines:
        if text.startswith("#"):
            comments.append(text)
            continue
        columns = text.split("\t")
        if len(columns) != _COLUMNS:
            found = f"{len(columns)}: {quoted(text)}"
            raise error("columns", f"{_COLUMNS} separated by tabs", found)
        identity, form, lemma, upos, xpos, feats, head, deprel, _, misc = columns
        following = len(words) + 1
        if _EMPTY_NODE.fullmatch(identity):
            continue
        if not form:
            raise error("FORM", "a word", "nothing")
        if bounds := _RANGE.fullmatch(identity):
            first, last = map(int, bounds.groups())
            before = contractions[-1].last if contractions else 0
            if not (last > first == following > before):
                raise error("ID", f"a range from {max(following, before + 1)}", identity)
            contractions.append(Contraction(first, last, form))
            continue
        if identity != str(following):
            raise error("ID", str(following), quoted(identity))
        if upos not in UPOS:
            raise error("UPOS", choices(UPOS), quoted(upos))
        if head != "_" and not _NUMBER.fullmatch(head):
            raise error("HEAD", "a number or _", quoted(head))
        word_head = None if head == "_" else int(head)
        words.append(ConlluWord(form, lemma, upos, xpos, feats, word_head, deprel, misc))
        word_lines.append(number)
    for position, (number, word) in enumerate(zip(word_lines, words, strict=True), start=1):
        if word.head is not None and (word.head > len(words) or word.head == position):
            expected = f"another word of 1 to {len(words)}, or 0"
            raise input_error(path, "HEAD", expected, str(word.head), number)
    if contractions and contractions[-1].last > len(words):
        expected = f"ranges inside {len(words)} words"
        raise input_error(path, "ID", expected, str(contractions[-1].last), lines[0][0])
    return ConlluSentence(tuple(words), tuple(contractions), tuple(comments), lines[0][0])
