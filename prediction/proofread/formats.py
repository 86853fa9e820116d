"""Translations in PO (polib), XLIFF and TMX (lxml), SubRip and WebVTT (pysubs2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from importlib import import_module
from typing import Any

from crosspro.data_prep.bitext.segment import same_language
from crosspro.data_prep.core.errors import CrossproError, how_to_install, input_error
from crosspro.prediction.proofread.files import File, Pair, Passage, Piece, Translation, check_sizes

EMPTY = Passage((), 0)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise CrossproError(f"{name} is missing: {how_to_install('formats')}") from error


def _language(tag: str | None) -> set[str]:
    return {re.split("[-_@.]", tag.lower())[0]} if tag else set()


# PO -----------------------------------------------------------------------------------------------


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
        source = _language(header.get("X-Source-Language")) or {"en"}
        return source, _language(header.get("Language"))

    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        """The messages, and each of their plural forms."""
        for entry in self._entries:
            if entry.obsolete:
                continue
            document = entry.occurrences[0][0] if entry.occurrences else ""
            forms = sorted(entry.msgstr_plural)
            translated = [(entry.msgid, Piece(entry.msgstr, entry, "msgstr"))]
            if forms:
                translated = [
                    (
                        entry.msgid_plural if number or len(forms) == 1 else entry.msgid,
                        Piece(entry.msgstr_plural[form], entry.msgstr_plural, form),
                    )
                    for number, form in enumerate(forms)
                ]
            for source, target in translated:
                line = max(1, entry.linenum)
                pieces = [] if entry.fuzzy else [target]
                yield Pair(Passage([Piece(source)], line), Passage(pieces, line), document)

    def encoded(self) -> bytes:
        return f"{self._entries}\n".encode(self._encoding)


_PO_WIDTH = 78


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


def _children(element: Any, *names: str) -> Iterator[Any]:
    """The elements of these names in another, in its namespace."""
    space = element.tag.rpartition("}")[0]
    for child in element:
        if _name(child) in names and child.tag.rpartition("}")[0] == space:
            yield child


def _child(element: Any, name: str) -> Any:
    return next(_children(element, name), None)


def _passage(element: Any) -> Passage:
    return EMPTY if element is None else Passage(list(_pieces(element)), element.sourceline)


def _pieces(element: Any) -> Iterator[Piece]:
    """The text of an element and of those in it, without codes."""
    if element.text:
        yield Piece(element.text, element, "text")
    for child in element:
        name = _name(child)
        if not name and (child.text or "").startswith("&"):
            yield Piece(unescape(child.text))
        elif name in _SPACES:
            yield Piece(" ")
        elif name and name not in _CODES and child.get("mtype") != "x-sdl-deleted":
            yield from _pieces(child)
        if child.tail:
            yield Piece(child.tail, child, "tail")


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
            found = f"<{_name(self._root)}>"
            raise input_error(target.name, "format", f"<{self.root_name}>", found)

    def encoded(self) -> bytes:
        tree = self._root.getroottree()
        encoding = tree.docinfo.encoding or "UTF-8"
        raw: bytes = self._etree.tostring(tree, encoding=encoding, xml_declaration=True)
        return raw if encoding.upper().startswith("UTF-16") else raw + b"\n"


class Xliff(_Xml):
    """XLIFF 1.2 and 2. Each `<file>` is a document; what is not to be translated is left out."""

    root_name = "xliff"

    def stated(self) -> tuple[set[str], set[str]]:
        elements = [self._root, *_children(self._root, "file")]
        sides = ("source-language", "srcLang"), ("target-language", "trgLang")
        source, target = (
            {code for element in elements for key in keys for code in _language(element.get(key))}
            for keys in sides
        )
        return source, target

    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        """Units, their `<segment>` elements, or what is marked as a segment on both sides."""
        documents: set[str] = set()
        for number, file in enumerate(_children(self._root, "file"), start=1):
            document = file.get("original") or file.get("id") or str(number)
            if document in documents:
                document = f"{document} ({number})"
            documents.add(document)
            for source, target in _units(file, True):
                yield Pair(_passage(source), _passage(target), document)


def _units(element: Any, translated: bool) -> Iterator[tuple[Any, Any]]:
    translated = element.get("translate", "yes" if translated else "no") == "yes"
    for child in _children(element, "body", "group", "trans-unit", "unit"):
        if _name(child) in ("body", "group"):
            yield from _units(child, translated)
        elif child.get("translate", "yes" if translated else "no") == "yes":
            if _name(child) == "unit":
                for segment in _children(child, "segment"):
                    yield _child(segment, "source"), _child(segment, "target")
            else:
                yield from _marked_segments(child)


def _marked_segments(unit: Any) -> Iterator[tuple[Any, Any]]:
    """The segments of a unit of XLIFF 1.2 by their marks, if both sides have the same."""
    source, target = _child(unit, "source"), _child(unit, "target")
    segmented = _child(unit, "seg-source")
    marked = _marks(source if segmented is None else segmented), _marks(target)
    if marked[0] and marked[0].keys() == marked[1].keys():
        for key, mark in marked[0].items():
            yield mark, marked[1][key]
    else:
        yield source, target


def _marks(element: Any) -> Mapping[str, Any]:
    marks = [] if element is None else element.iterfind(".//{*}mrk[@mtype='seg']")
    return {mark.get("mid", ""): mark for mark in marks}


class Memory(_Xml):
    """A translation memory (TMX); a document is what a property of the units says."""

    root_name = "tmx"

    def _units(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        for unit in self._root.iterfind("{*}body/{*}tu"):
            variants: dict[str, Any] = {}
            for variant in _children(unit, "tuv"):
                tag = variant.get(_XML_LANGUAGE) or variant.get("lang") or ""
                variants.setdefault(tag.lower().replace("_", "-"), _child(variant, "seg"))
            yield unit, variants

    def stated(self) -> tuple[set[str], set[str]]:
        header = _child(self._root, "header")
        source = _language(None if header is None else header.get("srclang")) - {"*all*"}
        tags = {tag for _, variants in self._units() for tag in variants}
        return source, set().union(*map(_language, tags)) - source

    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        """The units in order; units without both languages are not translated."""
        complete = False
        for unit, variants in self._units():
            source, target = (_variant(variants, language) for language in languages)
            complete |= source is not None and target is not None
            documents = (
                item.text
                for item in _children(unit, "prop")
                if _DOCUMENT.fullmatch(item.get("type", ""))
            )
            if source is not None or target is not None:
                yield Pair(_passage(source), _passage(target), next(documents, None) or "")
        if not complete:
            expected = f"units in {languages[0]} and {languages[1]}"
            raise input_error(self.target.name, "languages", expected, "none")


def _variant(variants: Mapping[str, Any], language: str) -> Any:
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
        content = target.decoded()
        self._line_end = "\r\n" if "\r\n" in content else "\n"
        self._target = [content.replace("\r\n", "\n")]

    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        """The first cue of one file with the first of the other, and so on."""
        source = _cues(self.source.name, [self.source.decoded().replace("\r\n", "\n")])
        target = _cues(self.target.name, self._target)
        check_sizes(self.source.name, source, self.target.name, target, "cues")
        return (Pair(first, second, "") for first, second in zip(source, target, strict=True))

    def encoded(self) -> bytes:
        return self._target[0].replace("\n", self._line_end).encode("utf-8")


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
        _cue_passage(content, cue, *end, is_webvtt) for cue, end in zip(texts, ends, strict=True)
    ]


def _cue_passage(content: list[str], text: str, line: int, offset: int, is_webvtt: bool) -> Passage:
    """The text of a cue without tags, and without the dashes before what somebody says."""
    if is_webvtt:  # a blank line ends the cue; a note or the name of the next one follows
        text = "" if content[0].startswith("\n", offset) else text.partition("\n\n")[0]
    start = content[0].find(text, offset)
    owner = content if start >= 0 else None
    pieces: list[Piece] = []
    done = 0
    for match in _MARKUP.finditer(text):
        line_before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if match["dash"] and _MARKUP.sub("", line_before).strip():
            continue
        if match["entity"] and not is_webvtt:
            continue
        pieces.append(Piece(text[done : match.start()], owner, 0, start + done))
        if match["entity"]:
            pieces.append(Piece(unescape(match[0])))
        done = match.end()
    pieces.append(Piece(text[done:], owner, 0, start + done))
    return Passage([piece for piece in pieces if piece.text], line)
