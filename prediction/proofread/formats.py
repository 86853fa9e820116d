"""Translations in PO (polib), XLIFF and TMX (lxml), SubRip and WebVTT (pysubs2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from html import unescape
from importlib import import_module
from typing import Any

from crosspro.data_prep.core.errors import CrossproError, how_to_install, input_error
from crosspro.data_prep.words.language import same_language
from crosspro.prediction.proofread.files import (
    File,
    Pair,
    Passage,
    Piece,
    Translation,
)
from crosspro.prediction.proofread.text import check_sizes


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise CrossproError(f"{name} is missing: {how_to_install('formats')}") from error


def _languages(*tags: str | None) -> set[str]:
    """The languages of tags such as de-AT or ca@valencia."""
    return {re.split("[-_@.]", tag.lower())[0] for tag in tags if tag}


# PO -----------------------------------------------------------------------------------------------

_PO_WIDTH = 78


class Catalogue(Translation):
    """A gettext catalogue, whose messages are documents of their own.

    Otherwise a document is the file in which messages are first used. Fuzzy entries count as not
    translated. Of plural forms the first translates the singular, all others the plural.
    """

    by_message = True

    def __init__(self, source: File, target: File) -> None:
        super().__init__(source, target)
        polib = _library("polib")
        self._encoding = polib.detect_encoding(target.raw)
        try:
            content = target.raw.decode(self._encoding)
            self._entries = polib.pofile(content + "\n", encoding=self._encoding)
        except (OSError, ValueError, LookupError) as error:
            raise input_error(target.name, "file", "a PO file", str(error)) from error
        wrapped = max(map(len, content.splitlines()), default=0) <= _PO_WIDTH
        self._entries.wrapwidth = _PO_WIDTH if wrapped else 0

    def stated(self) -> tuple[set[str], set[str]]:
        header = self._entries.metadata
        source = _languages(header.get("X-Source-Language", "en"))
        return source, _languages(header.get("Language"))

    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        for entry in self._entries:
            if entry.obsolete:
                continue
            document = entry.occurrences[0][0] if entry.occurrences else ""
            line, forms = max(1, entry.linenum), entry.msgstr_plural
            translated = [(entry.msgid, Piece(entry.msgstr, partial(setattr, entry, "msgstr")))]
            if forms:
                translated = [
                    (
                        entry.msgid_plural if number or len(forms) == 1 else entry.msgid,
                        Piece(forms[form], partial(forms.__setitem__, form)),
                    )
                    for number, form in enumerate(sorted(forms))
                ]
            for source, target in translated:
                pieces = [] if entry.fuzzy else [target]
                yield Pair(Passage([Piece(source)], line), Passage(pieces, line), document)

    def encoded(self) -> bytes:
        return f"{self._entries}\n".encode(self._encoding)


# XLIFF and TMX ------------------------------------------------------------------------------------

_SPACES = frozenset({"it", "ph", "ut", "x", "cp"})
"""Codes inside a segment that stand for something of their own, such as a line break."""
_CODES = _SPACES | {"bpt", "ept", "bx", "ex", "sc", "ec", "sm", "em"}
_XML_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_DOCUMENT = re.compile(
    "(x-)?(doc(ument)?(-?id)?|file(-?name)?|source-?file|original)", re.IGNORECASE
)
"""Properties of a unit of TMX that name its document."""


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _passage(element: Any) -> Passage:
    return Passage([], 0) if element is None else Passage([*_pieces(element)], element.sourceline)


def _pieces(element: Any) -> Iterator[Piece]:
    """The text of an element and of those in it, without codes."""
    if element.text:
        yield Piece(element.text, partial(setattr, element, "text"))
    for child in element:
        name = _name(child)
        if not name and (child.text or "").startswith("&"):
            yield Piece(unescape(child.text))
        elif name in _SPACES:
            yield Piece(" ")
        elif name and name not in _CODES and child.get("mtype") != "x-sdl-deleted":
            yield from _pieces(child)
        if child.tail:
            yield Piece(child.tail, partial(setattr, child, "tail"))


class _Xml(Translation):
    """A parsed XML file; entities are not resolved and no other file is read."""

    root_name = ""

    def __init__(self, source: File, target: File) -> None:
        super().__init__(source, target)
        self._etree = _library("lxml.etree")
        parser = self._etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, strip_cdata=False
        )
        try:
            self._root = self._etree.fromstring(target.raw, parser)
        except (self._etree.XMLSyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            raise input_error(target.name, "XML", "well-formed XML", str(error), line) from error
        if _name(self._root) != self.root_name:
            root = f"<{_name(self._root)}>"
            raise input_error(target.name, "format", f"<{self.root_name}>", root)

    def encoded(self) -> bytes:
        tree = self._root.getroottree()
        encoding = tree.docinfo.encoding or "UTF-8"
        raw: bytes = self._etree.tostring(tree, encoding=encoding, xml_declaration=True)
        return raw if encoding.upper().startswith("UTF-16") else raw + b"\n"


class Xliff(_Xml):
    """XLIFF 1.2 and 2, whose units are documents of their own, or otherwise each `<file>`.

    What is not to be translated is left out.
    """

    root_name = "xliff"
    by_message = True

    def stated(self) -> tuple[set[str], set[str]]:
        elements = [self._root, *self._root.iterfind("{*}file")]
        source, target = (
            _languages(*(element.get(key) for element in elements for key in keys))
            for keys in (("source-language", "srcLang"), ("target-language", "trgLang"))
        )
        return source, target

    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        """Units, their `<segment>` elements, or what is marked as a segment on both sides."""
        for number, file in enumerate(self._root.iterfind("{*}file"), start=1):
            document = file.get("original") or file.get("id") or str(number)
            for unit in file.iter("{*}trans-unit", "{*}segment"):
                stated = (element.get("translate") for element in (unit, *unit.iterancestors()))
                if next(filter(None, stated), "yes") == "yes":
                    for source, target in _segments(unit):
                        yield Pair(_passage(source), _passage(target), document)


def _segments(unit: Any) -> list[tuple[Any, Any]]:
    """Source and target of a unit, or of its marked segments if both sides have the same."""
    source, target = unit.find("{*}source"), unit.find("{*}target")
    segmented = unit.find("{*}seg-source")
    marks = [_marks(source if segmented is None else segmented), _marks(target)]
    if marks[0] and marks[0].keys() == marks[1].keys():
        return [(mark, marks[1][key]) for key, mark in marks[0].items()]
    return [(source, target)]


def _marks(element: Any) -> dict[str, Any]:
    marks = [] if element is None else element.iterfind(".//{*}mrk[@mtype='seg']")
    return {mark.get("mid", ""): mark for mark in marks}


class Memory(_Xml):
    """A translation memory (TMX); a document is what a property of the units says."""

    root_name = "tmx"

    def _units(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Each unit with its segments by language tags."""
        for unit in self._root.iterfind("{*}body/{*}tu"):
            variants: dict[str, Any] = {}
            for variant in unit.iterfind("{*}tuv"):
                tag = variant.get(_XML_LANGUAGE) or variant.get("lang") or ""
                variants.setdefault(tag.lower().replace("_", "-"), variant.find("{*}seg"))
            yield unit, variants

    def stated(self) -> tuple[set[str], set[str]]:
        """The source language of the header, and all other languages."""
        header = self._root.find("{*}header")
        source = _languages(None if header is None else header.get("srclang")) - {"*all*"}
        return source, _languages(*(tag for _, tags in self._units() for tag in tags)) - source

    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        """The units in order; units without both languages are not translated."""
        complete = False
        for unit, variants in self._units():
            source, target = (_variant(variants, language) for language in languages)
            complete |= source is not None and target is not None
            documents = (
                item.text
                for item in unit.iterfind("{*}prop")
                if _DOCUMENT.fullmatch(item.get("type", ""))
            )
            if source is not None or target is not None:
                yield Pair(_passage(source), _passage(target), next(documents, None) or "")
        if not complete:
            expected = f"units in {languages[0]} and {languages[1]}"
            raise input_error(self.target.name, "languages", expected, "none")


def _variant(variants: dict[str, Any], language: str) -> Any:
    """The segment in a language: the exact tag first, else the first region of it."""
    exact = variants.get(language.lower())
    regions = (segment for tag, segment in variants.items() if same_language(tag, language))
    return next(regions, None) if exact is None else exact


# Subtitles ----------------------------------------------------------------------------------------

_MARKUP = re.compile(
    r"(?P<entity>&(?:amp|lt|gt|quot|apos|nbsp|lrm|rlm|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)"
    r"|<[^<>\n]*>|\{\\[^{}\n]*\}|\{/?[bius]\}|(?P<dash>[-‐‑–—]+(?!\d)[ \t]*)",
    re.IGNORECASE,
)


class Subtitles(Translation):
    """Two files of subtitles with as many cues. A cue is a segment, the file is one document.

    pysubs2 reads them. A change is made in the content itself, because pysubs2 does not write
    notes, styles and settings of WebVTT.
    """

    def __init__(self, source: File, target: File) -> None:
        super().__init__(source, target)
        self._line_end = "\r\n" if b"\r\n" in target.raw else "\n"
        self._contents = [[file.decoded().replace("\r\n", "\n")] for file in (source, target)]

    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        names = self.source.name, self.target.name
        source, target = map(_cues, names, self._contents)
        check_sizes(names[0], source, names[1], target, "cues")
        return (Pair(first, second, "") for first, second in zip(source, target, strict=True))

    def encoded(self) -> bytes:
        return self._contents[1][0].replace("\n", self._line_end).encode("utf-8")


def _cues(name: str, content: list[str]) -> list[Passage]:
    """The text of the cues of a content, whose pieces lie in its only string."""
    pysubs2 = _library("pysubs2")
    text = content[0]
    is_webvtt = re.match(r"WEBVTT\b", text) is not None
    if name.lower().removesuffix(".gz").removesuffix(".xz").endswith(".vtt") and not is_webvtt:
        raise input_error(name, "format", "WEBVTT in the first line", "another", 1)
    kind = "vtt" if is_webvtt else "srt"
    parser = pysubs2.formats.FORMAT_IDENTIFIER_TO_FORMAT_CLASS[kind]
    events = pysubs2.SSAFile.from_string(text, format_=kind, keep_html_tags=True)
    ends, offset = [], 0
    for number, line in enumerate(text.split("\n"), start=1):
        offset += len(line) + 1
        if len(parser.TIMESTAMP.findall(line)) == 2:
            ends.append((number, offset))
        elif "-->" in line:
            expected = "times such as 00:00:01,000 --> 00:00:02,500"
            raise input_error(name, "time", expected, line.strip(), number)
    if not events or len(events) != len(ends):
        raise input_error(name, "cues", "at least one cue", "none")
    texts = (event.text.replace("\\N", "\n") for event in events)
    return [
        Passage(_cue_pieces(content, cue, offset, is_webvtt), number)
        for cue, (number, offset) in zip(texts, ends, strict=True)
    ]


def _cue_pieces(content: list[str], text: str, offset: int, is_webvtt: bool) -> list[Piece]:
    """The text of a cue without tags, and without the dashes before what somebody says."""
    if is_webvtt:  # a blank line ends the cue; a note or the name of the next one follows
        text = "" if content[0].startswith("\n", offset) else text.partition("\n\n")[0]
    start = content[0].find(text, offset)
    if start < 0:  # pysubs2 has read other characters
        return [Piece(text)]
    pieces: list[Piece] = []
    done = 0
    for match in _MARKUP.finditer(text):
        line_before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if match["dash"] and _MARKUP.sub("", line_before).strip():
            continue
        if match["entity"] and not is_webvtt:
            continue
        pieces.append(_content_piece(content, start + done, start + match.start()))
        if match["entity"]:
            pieces.append(Piece(unescape(match[0])))
        done = match.end()
    return [*pieces, _content_piece(content, start + done, start + len(text))]


def _content_piece(content: list[str], start: int, end: int) -> Piece:
    """Some characters of the only string of a content; changes are made from the end on."""
    piece = Piece(content[0][start:end])

    def store(text: str) -> None:
        content[0] = content[0][:start] + text + content[0][start + len(piece.text) :]

    piece.store = store
    return piece
