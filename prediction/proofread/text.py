"""A translation as it is written, and where each of its characters stands in a file.

Whatever is found in a text must be found again in its file, and nothing but what is mended may
change there. So a text keeps, for each of its characters, the place of that character in the file:
of a subtitle without its tags, of a message whose escapes are undone, of several lines that are one
segment.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, groupby
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
        return all(self.end(i) == self.places[i + 1] for i in range(start, end - 1))

    def edit(self, start: int, end: int, text: str) -> Edit:
        """The edit of the file that puts a text for these characters, which stand together."""
        if not self.stands_together(start, end):
            raise ValueError(f"{self.text[start:end]!r} does not stand together in the file")
        return Edit(*self.span(start, end), text.translate(self.escapes))


class PlacedCharacter(NamedTuple):
    """A character of a text and where it begins and ends in a file; an empty one is a tag there."""

    text: str
    start: int
    end: int


LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What ends a line somewhere; within a segment it is a space."""


def placed_text(
    characters: Iterable[PlacedCharacter], escapes: Mapping[int, str] | None = None
) -> PlacedText:
    """The text of some characters, without blanks at its ends.

    Blanks with a line break among them are one space without width at the place of the break; so is
    a tag before a word that would run into what is before it.
    """
    kept: list[PlacedCharacter] = []
    for blank, run in groupby(characters, lambda one: one.text.isspace() or not one.text):
        found = list(run)
        if blank:
            ends_line = next((one for one in found if one.text and one.text in LINE_BREAKS), None)
            if ends_line is not None:
                found = [PlacedCharacter(" ", ends_line.start, ends_line.start)]
            elif any(one.text for one in found):
                found = [one for one in found if one.text]
            else:
                found = [PlacedCharacter("", found[0].start, found[0].start)]
        kept += found
    while kept and not kept[-1].text.strip():
        kept.pop()
    first = next((i for i, one in enumerate(kept) if one.text.strip()), 0)
    kept = kept[first:]
    shown = []
    for i, one in enumerate(kept):
        if one.text:
            shown.append(one)
        elif _ends_word(kept[i - 1].text) and kept[i + 1].text.isalnum():
            shown.append(PlacedCharacter(" ", one.start, one.start))
    places = [one.start for one in shown]
    plain = all(one.end == one.start + 1 for one in shown)
    ends = None if plain else [one.end for one in shown]
    return PlacedText("".join(one.text for one in shown), places, ends, escapes or {})


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
        """Where these characters of the content are; they are of one line."""
        line = self.line(start)
        first = self._line_starts[line - 1]
        return FilePlace(line, start - first, end - first)

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
