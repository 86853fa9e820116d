"""Reader of CoNLL-U, the format of treebanks and parsers.

A sentence is a list of syntactic words; ranges such as `3-4 du` are kept apart.
Empty nodes (`5.1`) and enhanced dependencies (column 9) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import read_text_lines

SCHEME_COMMENT = "xpos_scheme"
"""Comment of our own files that names the set of the XPOS tags."""
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
class ConlluSentence:
    """A sentence; `line` is where it begins in its file, and `scheme` the set of its XPOS tags.

    `contractions` are written words that stand for several syntactic ones: by the number of their
    first word, counted from 1, that of the last one and the form.
    """

    words: tuple[ConlluWord, ...]
    contractions: Mapping[int, tuple[int, str]]
    scheme: str
    line: int

    def written(self) -> tuple[ConlluWord, ...]:
        """The words as they are written: each contraction is one word.

        It takes lemma, tags and features from its first part, and its place in the tree from the
        part whose head lies outside.
        """
        if not self.contractions:
            return self.words
        groups: list[range] = []
        start = 1
        while start <= len(self.words):
            last, _ = self.contractions.get(start, (start, ""))
            groups.append(range(start, last + 1))
            start = last + 1
        heads = {n: place for place, group in enumerate(groups, start=1) for n in group} | {0: 0}
        words = []
        for group in groups:
            parts = [self.words[number - 1] for number in group]
            outside = (word for word in parts if word.head is not None and word.head not in group)
            top = next(outside, parts[0])
            head = None if top.head is None else heads[top.head]
            _, form = self.contractions.get(group.start, (0, parts[0].form))
            words.append(replace(parts[0], form=form, head=head, deprel=top.deprel))
        return tuple(words)


def read_conllu(path: str | Path) -> Iterator[ConlluSentence]:
    """The sentences of a file; the first fault is raised with its line."""
    lines = enumerate((line.rstrip("\r") for line in read_text_lines(Path(path))), start=1)
    for blank, block in groupby(lines, lambda line: not line[1].strip()):
        sentence = None if blank else _sentence(Path(path), list(block))
        if sentence and sentence.words:  # not comments alone
            yield sentence


def _sentence(path: Path, lines: list[tuple[int, str]]) -> ConlluSentence:
    scheme = ""
    words: dict[int, ConlluWord] = {}
    contractions: dict[int, tuple[int, str]] = {}
    reach = 0
    for line, text in lines:
        if text.startswith("#"):
            key, _, value = text.removeprefix("#").partition("=")
            scheme = value.strip() if key.strip() == SCHEME_COMMENT else scheme
            continue
        columns = text.split("\t")
        if len(columns) != _COLUMNS:
            actual = f"{len(columns)}: {quoted(text)}"
            raise input_error(path, "columns", f"{_COLUMNS} separated by tabs", actual, line)
        identity, form, lemma, upos, xpos, feats, head, deprel, _, misc = columns
        following = len(words) + 1
        if _EMPTY_NODE.fullmatch(identity):
            continue
        if not form:
            raise input_error(path, "FORM", "a word", "nothing", line)
        if bounds := _RANGE.fullmatch(identity):
            first, last = int(bounds[1]), int(bounds[2])
            if first != following or last <= first or first <= reach:
                expected = f"a range of several words from {following}"
                raise input_error(path, "ID", expected, quoted(identity), line)
            contractions[first] = last, form
            reach = last
            continue
        if identity != str(following):
            raise input_error(path, "ID", str(following), quoted(identity), line)
        if head != "_" and not _NUMBER.fullmatch(head):
            raise input_error(path, "HEAD", "a number or _", quoted(head), line)
        word_head = None if head == "_" else int(head)
        words[line] = ConlluWord(form, lemma, upos, xpos, feats, word_head, deprel, misc)
    for position, (line, word) in enumerate(words.items(), start=1):
        if word.head is not None and (word.head > len(words) or word.head == position):
            expected = f"another word of 1 to {len(words)}, or 0"
            raise input_error(path, "HEAD", expected, str(word.head), line)
    if reach > len(words):
        expected = f"ranges inside {len(words)} words"
        raise input_error(path, "ID", expected, str(reach), lines[0][0])
    return ConlluSentence(tuple(words.values()), contractions, scheme, lines[0][0])
