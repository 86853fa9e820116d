"""The text that is proofread, and what proofreading says of a pronoun of its translation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Side

ONE_LINE = str.maketrans(dict.fromkeys("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", " "))
"""Line breaks inside a segment are spaces, so that characters keep their places."""


class Place(NamedTuple):
    """Characters of a segment, and the line of the file where the segment begins.

    Segments and characters count from 0, lines from 1.
    """

    segment: int
    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Segment:
    """A piece of the source and its translation; either may be empty.

    Segments with the same document are context for each other, if they follow each other; one with
    the document None is read alone. `source_line` and `target_line` are lines of the files.
    """

    source: str
    target: str
    document: str | None
    source_line: int
    target_line: int


@dataclass(frozen=True)
class TranslatedText:
    """A text in two languages.

    A segment `is_line` in plain files, so that a character of the segment is one of the line.
    """

    source_name: str
    target_name: str
    segments: tuple[Segment, ...]
    is_line: bool = True

    @property
    def document_count(self) -> int:
        """Named documents, and segments that are documents of their own."""
        alone = sum(segment.document is None for segment in self.segments)
        return alone + len({segment.document for segment in self.segments} - {None})

    def __repr__(self) -> str:
        return f"<{len(self.segments):,} segments of {self.source_name} and {self.target_name}>"


def text_of_lines(
    source: Sequence[str], target: Sequence[str], documents: Sequence[str] | None = None
) -> TranslatedText:
    """Parallel lines; without documents they are one document."""
    check_sizes("source", source, "translation", target, "lines")
    names: Sequence[str | None] = [""] * len(source)
    if documents is not None:
        check_sizes("source", source, "documents", documents, "lines")
        names = [name or None for name in documents]
    for name, lines in (("source", source), ("translation", target)):
        for number, line in enumerate(lines, start=1):
            if "\n" in line:
                raise input_error(name, "line", "one line of text", repr(line)[:60], number)
    rows = enumerate(zip(source, target, names, strict=True), start=1)
    segments = (
        Segment(first.translate(ONE_LINE), second.translate(ONE_LINE), document, number, number)
        for number, (first, second, document) in rows
    )
    return TranslatedText("source", "translation", tuple(segments))


def check_sizes(
    name: str, items: Sequence[Any], other: str, others: Sequence[Any], of: str
) -> None:
    """Refuse two sides of different lengths; `of` says what is counted."""
    if len(items) != len(others):
        expected = f"{len(items):,} {of} as in {name}"
        raise input_error(other, of, expected, f"{len(others):,} {of}")


# Doubts -------------------------------------------------------------------------------------------


class DoubtKind(StrEnum):
    """What may be wrong: a word, or that nothing translates a pronoun of the source."""

    WORD = "word"
    MISSING = "missing"


@dataclass(frozen=True)
class StoodFor:
    """A noun that a pronoun seems to stand for.

    `gender` and `number` come from the model's lexicon, and are empty for unknown nouns.
    """

    word: str
    side: Side
    place: Place
    probability: float
    gender: str = ""
    number: str = ""


@dataclass(frozen=True)
class PronounDoubt:
    """A pronoun of a translation, what the model expects there, and how probably it is wrong.

    `place` is in the translation; the `word` of a missing pronoun is empty. `probabilities` has
    every class of the model, the most probable first; `label` is the class of the word.
    `suggestion` is a word of the best other class, as it would be written there. `wrong` is
    calibrated: of pronouns with 0.8 about four of five are wrong.
    """

    document: str | None
    kind: DoubtKind
    place: Place
    word: str
    label: str
    source_word: str
    source_place: Place
    probabilities: Mapping[str, float]
    suggestion: str
    suggestion_label: str
    wrong: float
    stands_for: tuple[StoodFor, ...] = ()
    reason: str = ""

    @property
    def probability(self) -> float:
        return self.probabilities[self.label]

    @property
    def suggestion_probability(self) -> float:
        return self.probabilities[self.suggestion_label]

    @property
    def expects_other(self) -> bool:
        """Whether something else is likelier than the word that stands there."""
        better = self.suggestion_probability > self.probability
        return better or self.kind is DoubtKind.MISSING
