"""A translation as it is written, and where each of its characters stands in a file.

Whatever is found in a text must be found again in its file, and nothing but what is mended may
change there. So a text keeps, for each of its characters, the place of that character in the file:
of a subtitle without its tags, of a message whose escapes are undone, of several lines that are one
segment.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
    """The text of a segment on one side, and the place in the file of each of its characters.

    `ends` are the places after each character, where one is not a single character of the file: an
    entity or an escape is longer; a space that stands for a line break or a tag has no width, so
    that nothing can be put for it. `escapes` are characters that the file writes otherwise.
    """

    text: str
    places: Sequence[int]
    ends: Sequence[int] | None = None
    escapes: Mapping[int, str] = field(default_factory=dict)

    def end(self, index: int) -> int:
        """The place in the file after a character."""
        return self.places[index] + 1 if self.ends is None else self.ends[index]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where these characters begin and end in the file; with none, where some could be put.

        A text without characters has no place.
        """
        if start < end:
            return self.places[start], self.end(end - 1)
        place = self.places[start] if start < len(self.places) else self.end(start - 1)
        return place, place

    def stands_together(self, start: int, end: int) -> bool:
        """Whether nothing stands between these characters in the file: no tag, no line break."""
        inside = range(start, end)
        return all(self.places[i] < self.end(i) for i in inside) and all(
            self.end(i) == self.places[i + 1] for i in inside[:-1]
        )

    def edit(self, start: int, end: int, text: str) -> Edit:
        """The edit of the file that puts a text for these characters, which stand together."""
        if not self.stands_together(start, end):
            raise ValueError(f"{self.text[start:end]!r} does not stand together in the file")
        return Edit(*self.span(start, end), text.translate(self.escapes))


class PlacedRun(NamedTuple):
    """Some text and where it begins and ends in a file.

    Each of its characters is one of the file; or it is one character, however that is written
    there; or it is empty, and what is there is a tag.
    """

    text: str
    start: int
    end: int


LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What ends a line somewhere; within a segment it is a space."""
_TAG = "\0"
_BLANKS = re.compile(r"[\s\0]+")
_BREAK = re.compile(f"[{LINE_BREAKS}]")


def placed_text(runs: Iterable[PlacedRun], escapes: Mapping[int, str] | None = None) -> PlacedText:
    """The text of some runs, without blanks at its ends.

    Blanks with a line break among them are one space without width at the place of the break; so is
    a tag before a word that would run into what is before it.
    """
    parts: list[str] = []
    places: list[int] = []
    ends: list[int] = []
    runs = tuple(runs)
    if len(runs) == 1 and len(runs[0].text) == runs[0].end - runs[0].start:
        text, start, end = runs[0]
        if next(_blanks(text), None) is None:
            return PlacedText(text, range(start, end), None, escapes or {})
    for text, start, end in runs:
        if len(text) == end - start:
            places += range(start, end)
            ends += range(start + 1, end + 1)
        else:
            places.append(start)
            ends.append(end)
        parts.append(text or _TAG)
    text = "".join(parts)
    shown: list[str] = []
    shown_places: list[int] = []
    shown_ends: list[int] = []
    copied = 0
    for first, last, kept in _blanks(text):
        for whole, some in ((places, shown_places), (ends, shown_ends)):
            some += whole[copied:first]
        shown += [text[copied:first], *(text[i] if i != at else " " for i, at in kept)]
        shown_places += [places[i] for i, _ in kept]
        shown_ends += [places[i] if i == at else ends[i] for i, at in kept]
        copied = last
    shown.append(text[copied:])
    shown_places += places[copied:]
    shown_ends += ends[copied:]
    narrow = all(end == place + 1 for place, end in zip(shown_places, shown_ends, strict=True))
    return PlacedText("".join(shown), shown_places, None if narrow else shown_ends, escapes or {})


def _blanks(text: str) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    """The blanks of a text that are not shown as they are.

    From where to where they go, and what is shown of them: the place of each character, and the
    place of one that is shown as a space without width (else -1).
    """
    for found in _BLANKS.finditer(text):
        first, last = found.span()
        if first == 0 or last == len(text):
            yield first, last, []
        elif ends_line := _BREAK.search(found[0]):
            place = first + ends_line.start()
            yield first, last, [(place, place)]
        elif _TAG in found[0]:
            kept = [(i, -1) for i in range(first, last) if text[i] != _TAG]
            if not kept and _ends_word(text[first - 1]) and text[last].isalnum():
                kept = [(first, first)]
            yield first, last, kept


def _ends_word(character: str) -> bool:
    return character.isalnum() or character in ".,;:!?…%)]"


@dataclass(frozen=True)
class WrittenFile:
    """A file as it is: its name in messages, and its whole content with every line break.

    `mark` is the byte-order mark before the content, which belongs to no line.
    """

    name: str
    content: str
    encoding: str = "utf-8"
    mark: bytes = b""

    @cached_property
    def lines(self) -> list[tuple[int, int]]:
        """Where each line begins and ends, without its line break.

        Lines end with LF or CR LF; with CR in a file that has no LF. Nothing else ends a line, so
        that `content.split("\\n")[line - 1][start:end]` is what a place means.
        """
        ending = "\n" if "\n" in self.content else "\r"
        found, start = [], 0
        for line in self.content.split(ending):
            end = start + len(line)
            found.append((start, end - line.endswith("\r")))
            start = end + 1
        if len(found) > 1 and found[-1][0] == len(self.content):
            found.pop()
        return found

    @cached_property
    def _line_starts(self) -> list[int]:
        return [start for start, _ in self.lines]

    def line(self, place: int) -> int:
        """The number of the line of a place, from 1."""
        return bisect_right(self._line_starts, place)

    def place(self, start: int, end: int) -> FilePlace:
        """Where these characters of the content are; of several lines, those of the first."""
        line = self.line(start)
        first, last = self.lines[line - 1]
        return FilePlace(line, start - first, min(end, max(start, last)) - first)

    def span(self, place: FilePlace) -> tuple[int, int]:
        """The characters of the content that a place names: what `place` was made of."""
        first = self._line_starts[place.line - 1]
        return first + place.start, first + place.end

    def mended(self, edits: Iterable[Edit]) -> str:
        """The content after some edits, which do not overlap; nothing else is changed."""
        parts, end = [], 0
        for edit in sorted(edits):
            if edit.start < end:
                raise ValueError(f"edits overlap at {self.place(edit.start, edit.end)}")
            parts += [self.content[end : edit.start], edit.text]
            end = edit.end
        return "".join([*parts, self.content[end:]])

    def encoded(self, content: str) -> bytes:
        """Some content as it would be in the file."""
        return self.mark + content.encode(self.encoding)


@dataclass(frozen=True)
class TranslatedSegment:
    """A piece of the source and its translation; a document is a run of segments of one name.

    Either text may be empty: then there is nothing to judge, but the document goes on. A whole file
    that is one document has an empty name; None is a segment by itself.
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
