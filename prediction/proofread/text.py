"""A translation as it is written, and where each of its characters stands in a file.

Whatever is found in a text must be found again in its file, and nothing but what is mended may
change there. So a text keeps, for each of its characters, the place of that character in the file:
of a subtitle without its tags, of a message whose escapes are undone, of several lines that are one
segment.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple


class FilePlace(NamedTuple):
    """Some characters of a line in a file: the line from 1, characters of it from 0."""

    line: int
    start: int
    end: int


class Edit(NamedTuple):
    """What shall stand for some characters of a file; both ends count characters of the file."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class PlacedText:
    """The text of a segment on one side, and the place in the file of each of its characters."""

    text: str
    places: Sequence[int]

    def edit(self, start: int, end: int, text: str) -> Edit:
        """The edit of the file that puts a text for these characters; they stand together there."""
        if start == end:
            place = self.places[start - 1] + 1 if start else self.places[0]
            return Edit(place, place, text)
        return Edit(self.places[start], self.places[end - 1] + 1, text)


@dataclass(frozen=True)
class WrittenFile:
    """A file as it is: its name in messages, and its whole content with every line break."""

    name: str
    content: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *accumulate(len(line) for line in self.content.splitlines(keepends=True))]

    def place(self, start: int, end: int) -> FilePlace:
        """Where these characters of the content are; they are of one line."""
        line = bisect_right(self._line_starts, start) - 1
        first = self._line_starts[line]
        return FilePlace(line + 1, start - first, end - first)

    def mended(self, edits: Iterable[Edit]) -> str:
        """The content after some edits, which do not overlap; nothing else is changed."""
        parts, end = [], 0
        for edit in sorted(edits):
            parts += [self.content[end : edit.start], edit.text]
            end = edit.end
        return "".join([*parts, self.content[end:]])


@dataclass(frozen=True)
class TranslatedSegment:
    """A piece of the source and its translation; a document is a run of segments of one name.

    Either text may be empty: then there is nothing to judge, but the document goes on.
    """

    source: PlacedText
    target: PlacedText
    document: str | None = None


@dataclass(frozen=True)
class TranslatedText:
    """A whole text in two languages; of bilingual formats (PO, XLIFF, TMX) both are one file."""

    source: WrittenFile
    target: WrittenFile
    segments: tuple[TranslatedSegment, ...]


def text_of_lines(
    source: Sequence[str], target: Sequence[str], documents: Sequence[str] | None = None
) -> TranslatedText:
    """Lines that are known already, as if each side were a file of them, and one document."""
    names = documents if documents is not None else [""] * len(source)
    sides = _placed_lines(source), _placed_lines(target), names
    segments = tuple(TranslatedSegment(*one) for one in zip(*sides, strict=True))
    written = [
        WrittenFile(name, "".join(f"{line}\n" for line in lines))
        for name, lines in (("source", source), ("translation", target))
    ]
    return TranslatedText(written[0], written[1], segments)


def _placed_lines(lines: Sequence[str]) -> list[PlacedText]:
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    return [
        PlacedText(line, range(start, start + len(line)))
        for line, start in zip(lines, starts, strict=False)
    ]
