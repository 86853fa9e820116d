"""XML elements with their line numbers, one after the other, from files of any origin.

Entity declarations are refused, so no document can grow when it is read, and nothing outside the
file is ever opened. A DOCTYPE that only names its DTD, as most TMX files have, does no harm.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from html import unescape
from itertools import chain
from pathlib import Path
from typing import cast
from xml.etree import ElementTree
from xml.parsers import expat

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_lines


class Element(ElementTree.Element):
    """An element that begins in a line of its file."""

    line = 0

    def plain_text(self) -> str:
        """All text inside, on one line."""
        return " ".join("".join(self.itertext()).split())


def read_elements(
    path: Path, names: Collection[str], lines: Iterable[bytes] | None = None
) -> Iterator[Element]:
    """The outermost elements of some names (without prefixes), each when it is complete.

    `lines` are those of the file unless they were prepared in some way.
    """
    builder = _Builder(names)
    parser = builder.parser
    for line in chain(read_lines(path, binary=True) if lines is None else lines, [b""]):
        try:
            parser.Parse(line, not line)
        except (expat.ExpatError, ValueError, LookupError) as error:
            expected, actual = "well-formed XML without entities", str(error).partition(": line")[0]
            number = parser.ErrorLineNumber or parser.CurrentLineNumber
            raise input_error(path, "XML", expected, actual, number) from error
        yield from builder.complete
        builder.complete.clear()


class _Builder:
    """Builds the elements of some names and forgets everything else."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names
        self.depth = 0
        self.tree = ElementTree.TreeBuilder(Element)
        self.complete: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.EntityDeclHandler = self.entity_declaration
        self.parser.SkippedEntityHandler = self.undeclared_entity

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        if self.depth or name in self.names:
            self.depth += 1
            element = cast(Element, self.tree.start(name, attributes))
            element.line = self.parser.CurrentLineNumber

    def end(self, name: str) -> None:
        if self.depth:
            self.depth -= 1
            self.tree.end(name.rpartition(":")[2])
            if not self.depth:
                self.complete.append(cast(Element, self.tree.close()))
                self.tree = ElementTree.TreeBuilder(Element)

    def text(self, text: str) -> None:
        if self.depth:
            self.tree.data(text)

    def entity_declaration(self, name: str, *_: object) -> None:
        raise ValueError(f"<!ENTITY {name} …>")

    def undeclared_entity(self, name: str, is_parameter: bool) -> None:
        """Names that a DTD elsewhere declares are taken from HTML, as they are meant."""
        if not is_parameter:
            self.text(unescape(f"&{name};"))
