"""Parallel text with tags around it: IWSLT (XML, and train.tags) and TMX.

The TED files of IWSLT (WIT3): XML for dev and test sets, tagged lines for training sets.

A dev or test set is a file for each language with `<doc docid="…">` and `<seg id="…">`; a training
set, `train.tags.en-fr.en`, has a talk's metadata in lines such as `<talkid>1</talkid>` and then a
segment a line. Titles, descriptions and the like are not read as text.

Translation memories (TMX 1.4): units with a text for each language, in one file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from crosspro.data_prep.bitext.segment import (
    Missing,
    Segment,
    or_nothing,
    same_language,
)
from crosspro.data_prep.core.errors import Problem, without_problems
from crosspro.data_prep.core.files import bad_byte, read_lines
from crosspro.data_prep.formats.xml_stream import TextBuffer, xml_events

_BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)")
_ESCAPED = re.compile("&(amp|lt|gt|quot|apos);")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_TAG_LINE = re.compile(
    r"<(/?)(doc|url|keywords|speaker|talkid|title|description|reviewer|translator|transcript)"
    r"\b([^>]*)>(?:(.*?)</\2>)?\s*$"
)
_DOC_ID = re.compile(r"""\bdocid\s*=\s*["']([^"']*)["']""")


@dataclass(slots=True)
class _Document:
    """A talk in one language: its segments by id, with their lines."""

    name: str | None
    line: int
    segments: dict[str, tuple[str, int]] = field(default_factory=dict)


def read_iwslt(source: Path, target: Path, *, missing: Missing = "error") -> Iterator[Segment]:
    """The segments of two XML files, paired by the ids of documents and segments."""
    return without_problems(or_nothing(_paired(source, target, missing, _xml_documents), source))


def read_train_tags(source: Path, target: Path, *, missing: Missing = "error") -> Iterator[Segment]:
    """The segments of two `train.tags` files, paired by talk and line."""
    return without_problems(or_nothing(_paired(source, target, missing, _tag_documents), source))


def _paired(
    source: Path,
    target: Path,
    missing: Missing,
    documents: Callable[[Path], Iterator[_Document | Problem]],
) -> Iterator[Segment | Problem]:
    for first, second in zip_longest(documents(source), documents(target)):
        if isinstance(first, Problem) or isinstance(second, Problem):
            yield from (side for side in (first, second) if isinstance(side, Problem))
            return
        if first is None or second is None:
            here, there = (source, target) if second is None else (target, source)
            extra = first or second
            expected = f"document {extra.name} in {there} too"
            yield Problem(str(here), extra.line, "document", expected, "none there")
            return
        if first.name != second.name:
            expected = f"document {first.name} as at {source}:{first.line}"
            yield Problem(str(target), second.line, "document", expected, f"{second.name}")
            return
        yield from _segments(first, second, source, target, missing)


def _segments(
    first: _Document, second: _Document, source: Path, target: Path, missing: Missing
) -> Iterator[Segment | Problem]:
    for key, (text, line) in first.segments.items():
        translation, other_line = second.segments.get(key, ("", 0))
        if text and translation:
            yield Segment(text, translation, first.name, line)
        elif missing == "error" and (text or translation or not other_line):
            yield _unpaired(key, first.name, source, line, target, other_line, bool(text))
    for key, (text, line) in second.segments.items():
        if key not in first.segments and missing == "error":
            yield _unpaired(key, first.name, target, line, source, 0, bool(text))


def _unpaired(
    key: str, document: str | None, here: Path, line: int, there: Path, other: int, text: bool
) -> Problem:
    """A segment with text in one file only: the problem is where the text is missing."""
    name = f"segment {key} of document {document}"
    if not other:
        return Problem(str(here), line, "segment", f"{name} in {there} too", "none there")
    empty, place, full, full_place = (
        (there, other, here, line) if text else (here, line, there, other)
    )
    expected = f"text for {name} as at {full}:{full_place}"
    return Problem(str(empty), place, "segment", expected, "an empty segment")


def _xml_documents(path: Path) -> Iterator[_Document | Problem]:
    document: _Document | None = None
    key: str | None = None
    begun = 0
    text = TextBuffer(path)
    # The files are not always escaped: an ampersand that begins no entity stands for itself.
    lines = (_BARE_AMPERSAND.sub(b"&amp;", line) for line in read_lines(path))
    for event in xml_events(path, lines):
        if event.kind == "text":
            if key is not None:
                text.add(event.text, event.line)
        elif event.kind == "start" and event.name == "doc":
            document = _Document(event.attributes.get("docid"), event.line)
        elif event.kind == "end" and event.name == "doc" and document is not None:
            yield document
            document = None
        elif event.kind == "start" and event.name == "seg":
            if document is None:
                yield Problem(str(path), event.line, "segment", "<seg> inside <doc>", "no <doc>")
                return
            key, begun = event.attributes.get("id", str(len(document.segments) + 1)), event.line
            if key in document.segments:
                found = f"a second segment {key} in document {document.name}"
                yield Problem(str(path), event.line, "segment", "ids that occur once", found)
                return
            text.clear()
        elif event.kind == "end" and event.name == "seg":
            if document is not None and key is not None:
                document.segments[key] = (text.content(), begun)
            key = None


def _tag_documents(path: Path) -> Iterator[_Document | Problem]:
    document: _Document | None = None
    for number, raw in enumerate(read_lines(path), start=1):
        try:
            line = raw.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            yield Problem(str(path), number, "encoding", "UTF-8", bad_byte(error))
            return
        tag = _TAG_LINE.match(line)
        if tag is None:
            if document is None:
                if line:
                    expected = "metadata such as <url>…</url> before the first segment"
                    yield Problem(str(path), number, "document", expected, "text")
                    return
                continue
            key = str(len(document.segments) + 1)
            document.segments[key] = (_ESCAPED.sub(lambda m: _CHARACTERS[m[1]], line), number)
            continue
        closing, name, attributes, content = tag.groups()
        if document is not None and (document.segments or (closing and name == "doc")):
            yield document
            document = None
        if closing:
            continue
        document = document or _Document(None, number)
        if name == "doc" and (found := _DOC_ID.search(attributes)):
            document.name = found[1]
        elif content and (name == "talkid" or (name == "url" and document.name is None)):
            document.name = content.strip()
    if document is not None:
        yield document


DOCUMENT_PROPERTY = r"(?:x-)?(?:doc(?:ument)?(?:-?id)?|file(?:-?name)?|source-?file|original)"
"""The name of a property of a unit that says its document."""
_CODES = {"bpt", "ept", "it", "ph", "ut"}
"""Elements inside a segment whose content is a file format's code, not text."""
_SEPARATING = {"it", "ph", "ut"}
"""Codes that stand for something of their own, such as a line break."""


@dataclass(slots=True)
class _Unit:
    """A translation unit as far as it is read: texts by language tag, in order."""

    line: int
    document: str | None = None
    texts: dict[str, str] = field(default_factory=dict)

    def text(self, language: str) -> str | None:
        """The text in a language: the exact tag first, else the first region of it."""
        exact = language.lower().replace("_", "-")
        if exact in self.texts:
            return self.texts[exact]
        return next((t for tag, t in self.texts.items() if same_language(tag, language)), None)


def read_tmx(
    path: Path,
    source_language: str,
    target_language: str,
    *,
    document_property: str | None = None,
    missing: Missing = "error",
) -> Iterator[Segment]:
    """The segments of a memory in two of its languages; units with neither are passed over.

    A unit's document is the value of its `document_property`, by default of any property named
    after a document or file; else the name of the memory itself.
    """
    pattern = re.escape(document_property) if document_property else DOCUMENT_PROPERTY
    properties = re.compile(pattern, re.IGNORECASE)
    return without_problems(_scan(path, source_language, target_language, properties, missing))


def _scan(
    path: Path,
    source_language: str,
    target_language: str,
    properties: re.Pattern[str],
    missing: Missing,
) -> Iterator[Segment | Problem]:
    whole = path.name.split(".tmx")[0]
    languages: dict[str, None] = {}
    paired = 0
    for unit in _units(path, properties):
        languages.update(dict.fromkeys(unit.texts))
        source, target = unit.text(source_language), unit.text(target_language)
        if source and target:
            paired += 1
            yield Segment(source, target, unit.document or whole, unit.line)
        elif (source or target) and missing == "error":
            lacking = target_language if source else source_language
            found = "no text" if not unit.texts else f"only {', '.join(unit.texts)}"
            yield Problem(str(path), unit.line, "unit", f"a text in {lacking}", found)
    if not paired:
        expected = f"units in {source_language} and {target_language}"
        found = f"units in {', '.join(languages)}" if languages else "no unit"
        yield Problem(str(path), None, "languages", expected, found)


def _units(path: Path, properties: re.Pattern[str]) -> Iterator[_Unit]:
    unit: _Unit | None = None
    language = ""
    wanted = False  # the text is a segment's or a document property's
    code = 0
    text = TextBuffer(path)
    for event in xml_events(path):
        kind, name, attributes, content, line = event
        if kind == "text":
            if wanted and not code:
                text.add(content, line)
        elif kind == "start":
            if name == "tu":
                unit = _Unit(line)
            elif name == "tuv":
                language = attributes.get("xml:lang") or attributes.get("lang") or ""
            elif name == "seg" or (
                name == "prop" and properties.fullmatch(attributes.get("type", ""))
            ):
                wanted, code = True, 0
                text.clear()
            elif wanted and name in _CODES:
                code += 1
        elif name in _CODES:
            code -= wanted
            if wanted and name in _SEPARATING and not code:
                text.add(" ", line)
        elif name == "seg" and unit is not None:
            wanted = False
            unit.texts.setdefault(language.lower().replace("_", "-"), text.content())
        elif name == "prop" and wanted and unit is not None:
            wanted = False
            unit.document = text.content() or None
        elif name == "tu" and unit is not None:
            yield unit
            unit = None
        elif name in {"seg", "prop"}:
            wanted = False
