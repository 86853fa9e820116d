"""The text that is proofread: segments of a source and of its translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.words.language import language_warnings

ONE_LINE = str.maketrans(dict.fromkeys("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", " "))
"""Line breaks inside a segment are spaces, so that characters keep their places."""


class Place(NamedTuple):
    """Characters of a segment, counted from 0, and the line of the file where it begins.

    Segments count from 0, lines from 1.
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
    for name, lines in (("translation", target), ("documents", documents)):
        if lines is not None and len(lines) != len(source):
            expected = f"{len(source):,} lines as in source"
            raise input_error(name, "lines", expected, f"{len(lines):,}")
    for name, lines in (("source", source), ("translation", target)):
        for number, line in enumerate(lines, start=1):
            if not isinstance(line, str) or "\n" in line:
                raise input_error(name, "line", "one line of text", repr(line)[:60], number)
    names = [""] * len(source) if documents is None else [name or None for name in documents]
    segments = (
        Segment(first.translate(ONE_LINE), second.translate(ONE_LINE), document, number, number)
        for number, (first, second, document) in enumerate(
            zip(source, target, names, strict=True), start=1
        )
    )
    return TranslatedText("source", "translation", tuple(segments))


def check_languages(text: TranslatedText, task: Task) -> list[str]:
    """Warnings where a short text looks like another language; a long one is an error."""
    sides = (
        (text.source_name, task.source_language, [segment.source for segment in text.segments]),
        (text.target_name, task.target_language, [segment.target for segment in text.segments]),
    )
    return language_warnings(sides)
