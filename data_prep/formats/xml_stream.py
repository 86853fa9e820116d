"""XML read as a stream of events with line numbers, in bounded memory, from files of any origin.

Entity declarations are refused, so no document can grow when it is read, and nothing outside the
file is ever opened. A DOCTYPE that only names its DTD, as most TMX files have, does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html.entities import html5
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from crosspro.data_prep.core.errors import InputError, input_error
from crosspro.data_prep.core.files import open_bytes

BLOCK = 1 << 14
LINE_BYTES = 1 << 26
"""Characters of a segment: 10 million words."""


class Event(NamedTuple):
    """A start tag (with its attributes), an end tag, or text between tags (`name` is empty)."""

    kind: str
    name: str
    attributes: dict[str, str]
    text: str
    line: int


def xml_events(path: Path, pieces: Iterable[bytes] | None = None) -> Iterator[Event]:
    """The events of a file, or of pieces of it that were prepared in some way."""
    reader = _Reader(path)
    for piece in _blocks(path) if pieces is None else pieces:
        yield from reader.feed(piece, last=False)
    yield from reader.feed(b"", last=True)


def _blocks(path: Path) -> Iterator[bytes]:
    with open_bytes(path) as handle:
        while True:
            block = handle.read(BLOCK)
            if not block:
                return
            yield block


class _Reader:
    """Collects the events of one file, piece by piece."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events: list[Event] = []
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.EntityDeclHandler = self.entity
        parser.SkippedEntityHandler = self.undeclared

    def feed(self, piece: bytes, *, last: bool) -> list[Event]:
        """The events that a further piece of the file completes."""
        self.events = []
        try:
            self.parser.Parse(piece, last)
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise self.error("XML", "well-formed XML", str(error).partition(": line")[0]) from error
        return self.events

    def error(self, field: str, expected: str, found: str) -> InputError:
        line = self.parser.ErrorLineNumber or self.parser.CurrentLineNumber
        return input_error(self.path, field, expected, found, line)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.events.append(Event("start", name, attributes, "", line))

    def end(self, name: str) -> None:
        self.events.append(Event("end", name, {}, "", self.parser.CurrentLineNumber))

    def text(self, text: str) -> None:
        self.events.append(Event("text", "", {}, text, self.parser.CurrentLineNumber))

    def entity(self, name: str, *_: object) -> None:
        raise self.error("entity", "no entity declarations", f"<!ENTITY {name} …>")

    def undeclared(self, name: str, is_parameter: bool) -> None:
        """Names that a DTD elsewhere declares are taken from HTML, as they are meant."""
        if not is_parameter:
            self.text(html5.get(f"{name};", f"&{name};"))


class TextBuffer:
    """The text between two tags, up to a limit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts: list[str] = []
        self.length = 0

    def clear(self) -> None:
        """Begin anew."""
        self.parts = []
        self.length = 0

    def add(self, text: str, line: int) -> None:
        """Add a piece that ends in this line."""
        self.parts.append(text)
        self.length += len(text)
        if self.length > LINE_BYTES:
            expected = f"at most {LINE_BYTES:,} characters"
            raise input_error(self.path, "segment", expected, "more", line)

    def content(self) -> str:
        """The whole text on one line."""
        return " ".join("".join(self.parts).split())
