"""XML elements with line numbers, one after the other, from files of any origin.

Entity declarations are refused, so no document can grow when it is read, and nothing outside the
file is ever opened. A DOCTYPE that only names its DTD, as most TMX files have, does no harm.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from html.entities import html5
from pathlib import Path
from xml.parsers import expat

from crosspro.data_prep.core.errors import InputError, input_error
from crosspro.data_prep.core.files import open_bytes


@dataclass(slots=True)
class Element:
    """An element with its attributes, the texts and elements inside it, and its first line."""

    name: str
    attributes: dict[str, str]
    line: int
    content: list[str | Element] = field(default_factory=list)

    def children(self, *names: str) -> list[Element]:
        """The elements of some names directly inside."""
        return [part for part in self.content if isinstance(part, Element) and part.name in names]

    def text(self) -> str:
        """All text inside, on one line."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for part in self.content:
            if isinstance(part, str):
                yield part
            else:
                yield from part._texts()


def read_elements(
    path: Path, names: Collection[str], lines: Iterable[bytes] | None = None
) -> Iterator[Element]:
    """The outermost elements of some names (without prefixes), each when it is complete.

    `lines` are those of the file unless they were prepared in some way.
    """
    builder = _Builder(path, names)
    for line in _lines(path) if lines is None else lines:
        builder.feed(line)
        yield from builder.take()
    builder.feed(b"", last=True)
    yield from builder.take()


def _lines(path: Path) -> Iterator[bytes]:
    with open_bytes(path) as handle:
        yield from handle


class _Builder:
    """Builds the elements of some names and forgets everything else."""

    def __init__(self, path: Path, names: Collection[str]) -> None:
        self.path, self.names = path, names
        self.open: list[Element] = []
        self.complete: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.EntityDeclHandler = self.entity
        self.parser.SkippedEntityHandler = self.undeclared

    def feed(self, block: bytes, *, last: bool = False) -> None:
        try:
            self.parser.Parse(block, last)
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise self.error("XML", "well-formed XML", str(error).partition(": line")[0]) from error

    def take(self) -> list[Element]:
        complete, self.complete = self.complete, []
        return complete

    def error(self, field: str, expected: str, found: str) -> InputError:
        line = self.parser.ErrorLineNumber or self.parser.CurrentLineNumber
        return input_error(self.path, field, expected, found, line)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        if self.open or name in self.names:
            element = Element(name, attributes, self.parser.CurrentLineNumber)
            if self.open:
                self.open[-1].content.append(element)
            self.open.append(element)

    def end(self, name: str) -> None:
        if self.open:
            element = self.open.pop()
            if not self.open:
                self.complete.append(element)

    def text(self, text: str) -> None:
        if self.open:
            self.open[-1].content.append(text)

    def entity(self, name: str, *_: object) -> None:
        raise self.error("entity", "no entity declarations", f"<!ENTITY {name} …>")

    def undeclared(self, name: str, is_parameter: bool) -> None:
        """Names that a DTD elsewhere declares are taken from HTML, as they are meant."""
        if not is_parameter:
            self.text(html5.get(f"{name};", f"&{name};"))
