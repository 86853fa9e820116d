"""Parallel text with tags around it: IWSLT (XML, and train.tags) and TMX.

IWSLT has the TED files of WIT3. A dev or test set is a file for each language with
`<doc docid="…">` and `<seg id="…">`. A training set, `train.tags.en-fr.en`, has a talk's metadata
in lines such as `<talkid>1</talkid>` and then a segment a line. Titles and descriptions are not
read as text. Translation memories (TMX 1.4) have units with a text for each language, in one file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import zip_longest
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

from crosspro.data_prep.bitext.segment import Segment, canonical_tag, same_language
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_lines, read_text_lines
from crosspro.data_prep.formats.xml_elements import Element, read_elements

_BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)")
_TAG_LINE = re.compile(
    r"<(/?)(doc|url|keywords|speaker|talkid|title|description|reviewer|translator|transcript)"
    r"\b([^>]*)>(?:(.*?)</\2>)?\s*$"
)
_DOC_ID = re.compile(r"""\bdocid\s*=\s*["']([^"']*)["']""")

_DOCUMENT_PROPERTY = re.compile(
    r"(?:x-)?(?:doc(?:ument)?(?:-?id)?|file(?:-?name)?|source-?file|original)", re.IGNORECASE
)
"""The name of a TMX property that says a unit's document."""
_CODES = {"bpt", "ept", "it", "ph", "ut"}
"""Elements inside a TMX segment whose content is a file format's code, not text."""
_SEPARATING = {"it", "ph", "ut"}
"""Codes that stand for something of their own, such as a line break."""


@dataclass(slots=True)
class _Document:
    """A talk in one language: its segments by id, with their lines."""

    name: str | None
    line: int
    segments: dict[str, tuple[str, int]] = field(default_factory=dict)


def read_iwslt(source: Path, target: Path) -> Iterator[Segment]:
    """The segments of two XML files, paired by the ids of documents and segments."""
    return _paired(source, target, _xml_documents)


def read_train_tags(source: Path, target: Path) -> Iterator[Segment]:
    """The segments of two `train.tags` files, paired by talk and line."""
    return _paired(source, target, _tag_documents)


def _paired(
    source: Path, target: Path, documents: Callable[[Path], Iterator[_Document]]
) -> Iterator[Segment]:
    for left, right in zip_longest(documents(source), documents(target)):
        if left is None or right is None or left.name != right.name:
            path, document, other = (target, right, left) if right else (source, left, right)
            expected = f"document {other.name}" if other else "as many documents in both files"
            raise input_error(path, "document", expected, str(document.name), document.line)
        for key in left.segments | right.segments:
            text, line = left.segments.get(key, ("", 0))
            translation, other_line = right.segments.get(key, ("", 0))
            if text and translation:
                yield Segment(text, translation, left.name, line)
            elif text or translation:
                path, other, line = (source, target, line) if text else (target, source, other_line)
                expected = f"segment {key} of document {left.name} in {other} too"
                raise input_error(path, "segment", expected, "no text", line)


def _xml_documents(path: Path) -> Iterator[_Document]:
    # The files are not always escaped: an ampersand that begins no entity stands for itself.
    lines = (_BARE_AMPERSAND.sub(b"&amp;", line) for line in read_lines(path))
    for element in read_elements(path, {"doc", "seg"}, lines):
        if element.tag == "seg":
            raise input_error(path, "segment", "<seg> inside <doc>", "no <doc>", element.line)
        document = _Document(element.get("docid"), element.line)
        for segment in cast("Iterator[Element]", element.iter("seg")):
            key = segment.get("id", str(len(document.segments) + 1))
            if key in document.segments:
                actual = f"a second segment {key} in document {document.name}"
                raise input_error(path, "segment", "ids that occur once", actual, segment.line)
            document.segments[key] = (segment.plain_text(), segment.line)
        yield document


def _tag_documents(path: Path) -> Iterator[_Document]:
    document: _Document | None = None
    for number, line in enumerate(map(str.strip, read_text_lines(path)), start=1):
        tag = _TAG_LINE.match(line)
        if tag is None:
            if document is not None:
                document.segments[str(len(document.segments) + 1)] = unescape(line), number
            elif line:
                expected = "metadata such as <url>…</url> before the first segment"
                raise input_error(path, "document", expected, "text", number)
            continue
        closing, name, attributes, content = tag.groups()
        if document is not None and (document.segments or (closing and name == "doc")):
            yield document
            document = None
        if closing:
            continue
        document = document or _Document(None, number)
        if name == "doc" and (docid := _DOC_ID.search(attributes)):
            document.name = docid[1]
        elif content and (name == "talkid" or (name == "url" and document.name is None)):
            document.name = content.strip()
    if document is not None:
        yield document


def read_tmx(path: Path, source_language: str, target_language: str) -> Iterator[Segment]:
    """The segments of a memory in two of its languages; units with neither are passed over.

    A unit's document is the value of a property named after a document or file; else the name of
    the memory itself.
    """
    memory = path.name.split(".tmx")[0]
    paired = False
    for unit in read_elements(path, {"tu"}):
        texts: dict[str, str] = {}
        for variant in unit.iterfind("tuv"):
            language = variant.get("xml:lang") or variant.get("lang") or ""
            for segment in variant.iterfind("seg"):
                texts.setdefault(language, " ".join("".join(_without_codes(segment)).split()))
        source, target = _in_language(texts, source_language), _in_language(texts, target_language)
        if source and target:
            paired = True
            properties = (
                " ".join((part.text or "").split())
                for part in unit.iterfind("prop")
                if _DOCUMENT_PROPERTY.fullmatch(part.get("type", ""))
            )
            yield Segment(source, target, next(filter(None, properties), memory), unit.line)
        elif source or target:
            lacking = target_language if source else source_language
            actual = f"only {', '.join(texts)}"
            raise input_error(path, "unit", f"a text in {lacking}", actual, unit.line)
    if not paired:
        expected = f"units in {source_language} and {target_language}"
        raise input_error(path, "languages", expected, "none")


def _in_language(texts: dict[str, str], language: str) -> str | None:
    """The text in a language: the exact tag first, else the first region of it."""
    exact = (tag for tag in texts if canonical_tag(tag) == canonical_tag(language))
    regions = (tag for tag in texts if same_language(tag, language))
    return next((texts[tag] for tag in (*exact, *regions)), None)


def _without_codes(element: ElementTree.Element) -> Iterator[str]:
    yield element.text or ""
    for part in element:
        if part.tag not in _CODES:
            yield from _without_codes(part)
        elif part.tag in _SEPARATING:
            yield " "
        yield part.tail or ""
