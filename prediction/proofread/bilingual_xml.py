"""XML files with both languages as a translated text: XLIFF 1.2 and 2, TMX.

The files are parsed by expat, which tells the place of everything; entity declarations and internal
subsets of a DTD are refused, and no other file is opened.

XLIFF: each `<file>` is a document. Units are segments, or their `<segment>` elements, or what is
marked as segments on both sides (`<mrk mtype="seg">`). What is not to be translated is left out.
TMX: the units in order; a document is what a property of them says, if there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from typing import NamedTuple
from xml.parsers import expat

from crosspro.data_prep.bitext.segment import same_language
from crosspro.data_prep.bitext.xml_corpora import DOCUMENT_PROPERTY
from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.prediction.proofread.text import (
    PlacedRun,
    PlacedText,
    TranslatedSegment,
    WrittenFile,
    placed_text,
)

_XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
_DEEPEST = 200
_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_CODES = {"bpt", "ept", "it", "ph", "ut", "x", "bx", "ex", "sc", "ec", "sm", "em", "cp"}
"""Elements inside a segment that are a file format's code, with all in them."""
_SEPARATING = {"it", "ph", "ut", "x", "cp"}
"""Codes that stand for something of their own, such as a line break."""
_DOCUMENT = re.compile(DOCUMENT_PROPERTY, re.IGNORECASE)


class XmlText(NamedTuple):
    """Some text of an element; in a CDATA section it is `literal`, and nothing is escaped."""

    text: str
    start: int
    end: int
    literal: bool


@dataclass(slots=True)
class XmlElement:
    """An element of a file: its name without the namespace of the root, and what is in it."""

    name: str
    attributes: Mapping[str, str]
    place: int
    parts: list[XmlElement | XmlText] = field(default_factory=list)

    def children(self, *names: str) -> Iterator[XmlElement]:
        """The elements of these names in it."""
        for part in self.parts:
            if isinstance(part, XmlElement) and part.name in names:
                yield part

    def child(self, name: str) -> XmlElement | None:
        """The first element of a name in it."""
        return next(self.children(name), None)

    def text(self) -> str:
        """All text directly in it."""
        return "".join(part.text for part in self.parts if isinstance(part, XmlText))


def parsed_xml(file: WrittenFile) -> XmlElement:
    """The root of a file; raises if it is no well-formed XML, or has declarations in it."""
    return _PlacedParser(file).root()


class _PlacedParser:
    """Makes elements of what expat finds, with places in characters of the content."""

    def __init__(self, file: WrittenFile) -> None:
        self.file = file
        self.raw = file.content.encode("utf-8")
        self.byte = self.character = 0
        self.open: list[XmlElement] = [XmlElement("", {}, 0)]
        self.literal = False
        self.namespace: str | None = None
        self.parser = parser = expat.ParserCreate("utf-8", " ")
        parser.buffer_text = False
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.StartCdataSectionHandler = self.cdata
        parser.EndCdataSectionHandler = self.no_cdata
        parser.StartDoctypeDeclHandler = self.doctype
        parser.EntityDeclHandler = self.entity
        parser.SkippedEntityHandler = self.undeclared

    def root(self) -> XmlElement:
        """The element that holds all others."""
        try:
            self.parser.Parse(self.raw, True)
        except (expat.ExpatError, ValueError) as error:
            self.byte = self.character = 0
            place = self.place(max(0, self.parser.ErrorByteIndex))
            found = str(error).partition(": line")[0]
            raise self.error("XML", "well-formed XML", found, place) from error
        return next(part for part in self.open[0].parts if isinstance(part, XmlElement))

    def error(self, field: str, expected: str, found: str, place: int) -> InputError:
        return input_error(self.file.name, field, expected, found, self.file.line(place))

    def place(self, byte: int) -> int:
        """The character that begins at a byte; they are asked for in order."""
        self.character += len(self.raw[self.byte : byte].decode("utf-8", "replace"))
        self.byte = byte
        return self.character

    def here(self) -> int:
        return self.place(self.parser.CurrentByteIndex)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.open) > _DEEPEST:
            found = "more"
            raise self.error(
                "XML", f"at most {_DEEPEST} elements in each other", found, self.here()
            )
        namespace, _, local = name.rpartition(" ")
        if self.namespace is None:
            self.namespace = namespace
        known = {}
        for key, value in attributes.items():
            space, _, attribute = key.rpartition(" ")
            if space in ("", _XML_NAMESPACE):
                known[f"xml:{attribute}" if space else attribute] = value
        element = XmlElement(
            local if namespace == self.namespace else f"{namespace} {local}", known, self.here()
        )
        self.open[-1].parts.append(element)
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()

    def cdata(self) -> None:
        self.literal = True

    def no_cdata(self) -> None:
        self.literal = False

    def text(self, text: str) -> None:
        byte = self.parser.CurrentByteIndex
        start = self.place(byte)
        if self.raw[byte : byte + 1] == b"&" and not self.literal:
            self.named(text, start)
            return
        end = start + len(text)
        if text == "\n" and self.raw[byte : byte + 2] == b"\r\n":
            end += 1
        self.open[-1].parts.append(XmlText(text, start, end, self.literal))

    def named(self, text: str, start: int) -> None:
        """A character that is written by its name or number, from & to ;."""
        end = self.file.content.index(";", start) + 1
        self.open[-1].parts.append(XmlText(text, start, end, False))

    def doctype(self, _name: str, _system: str | None, _public: str | None, subset: int) -> None:
        if subset:
            raise self.error("DTD", "no declarations", "<!DOCTYPE … […]>", self.here())

    def entity(self, name: str, *_: object) -> None:
        raise self.error("entity", "no entity declarations", f"<!ENTITY {name} …>", self.here())

    def undeclared(self, name: str, is_parameter: bool) -> None:
        """Names that a DTD elsewhere declares are taken from HTML, as they are meant."""
        if not is_parameter:
            meant = html5.get(f"{name};", "")
            start = self.here()
            if len(meant) == 1:
                self.named(meant, start)
            else:
                written = f"&{name};"
                self.open[-1].parts.append(XmlText(written, start, start + len(written), False))


def _placed(element: XmlElement | None) -> PlacedText:
    """The text of a segment, or of none."""
    if element is None:
        return placed_text(())
    runs = list(_runs(element))
    literal = all(run.literal for run in runs if run.text.strip())
    return placed_text((PlacedRun(*run[:3]) for run in runs), None if literal else _ESCAPES)


def _runs(element: XmlElement) -> Iterator[XmlText]:
    for part in element.parts:
        if isinstance(part, XmlText):
            yield part
        elif part.name in _CODES:
            if part.name in _SEPARATING:
                yield XmlText("", part.place, part.place + 1, False)
        elif part.attributes.get("mtype") != "x-sdl-deleted":
            yield from _runs(part)


def xml_segments(
    file: WrittenFile, languages: tuple[str, str] | None, expected: str
) -> Iterator[TranslatedSegment | Problem]:
    """The segments of a file whose root should be `expected` (xliff, tmx), or what is wrong."""
    try:
        root = parsed_xml(file)
    except InputError as error:
        yield from error.problems
        return
    if root.name != expected:
        line = file.line(root.place)
        yield Problem(file.name, line, "format", f"<{expected}>", f"<{root.name}>")
    elif expected == "tmx":
        yield from _memory_segments(file, root, languages)
    else:
        yield from _xliff_segments(file, root, languages)


def _xliff_segments(
    file: WrittenFile, root: XmlElement, languages: tuple[str, str] | None
) -> Iterator[TranslatedSegment | Problem]:
    names: set[str] = set()
    for number, part in enumerate(root.children("file"), start=1):
        stated = (
            part.attributes.get("source-language") or root.attributes.get("srcLang"),
            part.attributes.get("target-language") or root.attributes.get("trgLang"),
        )
        if languages is not None:
            for side, tag, wanted in zip(("source", "target"), stated, languages, strict=True):
                if tag and not same_language(tag, wanted):
                    line = file.line(part.place)
                    yield Problem(file.name, line, f"{side} language", wanted, tag)
        name = part.attributes.get("original") or part.attributes.get("id") or str(number)
        if name in names:
            name = f"{name} ({number})"
        names.add(name)
        for first, second in _units(part, True):
            yield TranslatedSegment(_placed(first), _placed(second), name)


_Pair = tuple[XmlElement | None, XmlElement | None]


def _units(element: XmlElement, translated: bool) -> Iterator[_Pair]:
    """Source and target of what is to be translated in a file or a group."""
    translated = element.attributes.get("translate", "yes" if translated else "no") == "yes"
    for child in element.children("body", "group", "trans-unit", "unit"):
        if child.name in ("body", "group"):
            yield from _units(child, translated)
        elif child.attributes.get("translate", "yes" if translated else "no") == "yes":
            if child.name == "unit":
                for segment in child.children("segment"):
                    yield segment.child("source"), segment.child("target")
            else:
                yield from _marked_segments(child)


def _marked_segments(unit: XmlElement) -> Iterator[_Pair]:
    """The segments of a unit of XLIFF 1.2 by their marks, if both sides have the same."""
    source, target = unit.child("seg-source") or unit.child("source"), unit.child("target")
    marked = _marks(source), _marks(target)
    if marked[0] and marked[0].keys() == marked[1].keys():
        for key, first in marked[0].items():
            yield first, marked[1][key]
    else:
        yield unit.child("source"), target


def _marks(element: XmlElement | None) -> dict[str, XmlElement]:
    found: dict[str, XmlElement] = {}
    for part in element.parts if element else ():
        if isinstance(part, XmlElement):
            if part.attributes.get("mtype") == "seg":
                found[part.attributes.get("mid", "")] = part
            elif part.name not in _CODES:
                found |= _marks(part)
    return found


def _memory_segments(
    file: WrittenFile, root: XmlElement, languages: tuple[str, str] | None
) -> Iterator[TranslatedSegment | Problem]:
    units = [unit for body in root.children("body") for unit in body.children("tu")]
    texts = [_by_language(unit) for unit in units]
    known = list(dict.fromkeys(tag for some in texts for tag in some))
    if languages is None:
        header = root.child("header")
        source = header.attributes.get("srclang", "").lower() if header else ""
        others = [tag for tag in known if not same_language(tag, source)]
        if source not in known or len(others) != 1:
            found = ", ".join(known) or "none"
            yield Problem(file.name, None, "languages", "a source and one other language", found)
            return
        languages = source, others[0]
    pairs = [tuple(_in_language(some, one) for one in languages) for some in texts]
    if not any(all(pair) for pair in pairs):
        found = f"units in {', '.join(known)}" if known else "no unit"
        expected = f"units in {languages[0]} and {languages[1]}"
        yield Problem(file.name, None, "languages", expected, found)
        return
    for unit, (first, second) in zip(units, pairs, strict=True):
        if first is not None or second is not None:
            yield TranslatedSegment(_placed(first), _placed(second), _document(unit))


def _by_language(unit: XmlElement) -> dict[str, XmlElement]:
    """The segments of a unit by their languages."""
    found: dict[str, XmlElement] = {}
    for variant in unit.children("tuv"):
        tag = variant.attributes.get("xml:lang") or variant.attributes.get("lang") or ""
        segment = variant.child("seg")
        if segment is not None:
            found.setdefault(tag.lower().replace("_", "-"), segment)
    return found


def _in_language(texts: Mapping[str, XmlElement], language: str) -> XmlElement | None:
    """The segment in a language: the exact tag first, else the first region of it."""
    exact = texts.get(language.lower().replace("_", "-"))
    regions = (one for tag, one in texts.items() if same_language(tag, language))
    return exact or next(regions, None)


def _document(unit: XmlElement) -> str:
    for one in unit.children("prop"):
        if _DOCUMENT.fullmatch(one.attributes.get("type", "")):
            return one.text().strip()
    return ""
