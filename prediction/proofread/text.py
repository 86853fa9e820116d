"""The text that is proofread: segments of a source and of its translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crosspro.data_prep.core.errors import input_error

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
