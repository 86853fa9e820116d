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
from itertools import zip_longest
from pathlib import Path

from crosspro.data_prep.bitext.segment import Missing, Segment, same_language
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_lines, read_text_lines
from crosspro.data_prep.formats.xml_elements import Element, read_elements

_BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)")
_ESCAPED = re.compile("&(amp|lt|gt|quot|apos);")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_TAG_LINE = re.compile(
    r"<(/?)(doc|url|keywords|speaker|talkid|title|description|reviewer|translator|transcript)"
    r"\b([^>]*)>(?:(.*?)</\2>)?\s*$"
)
_DOC_ID = re.compile(r"""\bdocid\s*=\s*["']([^"']*)["']""")

DOCUMENT_PROPERTY = r"(?:x-)?(?:doc(?:ument)?(?:-?id)?|file(?:-?name)?|source-?file|original)"
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


def read_iwslt(source: Path, target: Path, missing: Missing = "error") -> Iterator[Segment]:
    """The segments of two XML files, paired by the ids of documents and segments."""
    return _paired(source, target, missing, _xml_documents)


def read_train_tags(source: Path, target: Path, missing: Missing = "error") -> Iterator[Segment]:
    """The segments of two `train.tags` files, paired by talk and line."""
    return _paired(source, target, missing, _tag_documents)


def _paired(
    source: Path,
    target: Path,
    missing: Missing,
    documents: Callable[[Path], Iterator[_Document]],
) -> Iterator[Segment]:
    for left, right in zip_longest(documents(source), documents(target)):
        if left is None or right is None:
            here, there = (source, target) if right is None else (target, source)
            extra = left or right
            expected = f"document {extra.name} in {there} too"
            raise input_error(here, "document", expected, "none there", extra.line)
        if left.name != right.name:
            expected = f"document {left.name} as at {source}:{left.line}"
            raise input_error(target, "document", expected, str(right.name), right.line)
        if missing == "error":
            _check_paired(left, right, source, target)
        for key, (text, line) in left.segments.items():
            translation, _ = right.segments.get(key, ("", 0))
            if text and translation:
                yield Segment(text, translation, left.name, line)


def _check_paired(left: _Document, right: _Document, source: Path, target: Path) -> None:
    """Raise if a segment of one side has no text on the other."""
    for here, there, one_side, other_side in (
        (source, target, left, right),
        (target, source, right, left),
    ):
        for key, (text, line) in one_side.segments.items():
            name = f"segment {key} of document {left.name}"
            if key not in other_side.segments:
                raise input_error(here, "segment", f"{name} in {there} too", "none there", line)
            translation, other_line = other_side.segments[key]
            if text and not translation:
                expected = f"text for {name} as at {here}:{line}"
                raise input_error(there, "segment", expected, "an empty segment", other_line)


def _xml_documents(path: Path) -> Iterator[_Document]:
    # The files are not always escaped: an ampersand that begins no entity stands for itself.
    lines = (_BARE_AMPERSAND.sub(b"&amp;", line) for line in read_lines(path))
    for element in read_elements(path, {"doc", "seg"}, lines):
        if element.name == "seg":
            raise input_error(path, "segment", "<seg> inside <doc>", "no <doc>", element.line)
        document = _Document(element.attributes.get("docid"), element.line)
        for segment in _descendants(element, "seg"):
            key = segment.attributes.get("id", str(len(document.segments) + 1))
            if key in document.segments:
                found = f"a second segment {key} in document {document.name}"
                raise input_error(path, "segment", "ids that occur once", found, segment.line)
            document.segments[key] = (segment.text(), segment.line)
        yield document


def _descendants(element: Element, name: str) -> Iterator[Element]:
    for part in element.content:
        if isinstance(part, Element):
            if part.name == name:
                yield part
            else:
                yield from _descendants(part, name)


def _tag_documents(path: Path) -> Iterator[_Document]:
    document: _Document | None = None
    for number, line in enumerate(map(str.strip, read_text_lines(path)), start=1):
        tag = _TAG_LINE.match(line)
        if tag is None:
            if document is not None:
                key = str(len(document.segments) + 1)
                document.segments[key] = (_ESCAPED.sub(lambda m: _CHARACTERS[m[1]], line), number)
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


def read_tmx(
    path: Path, source_language: str, target_language: str, missing: Missing = "error"
) -> Iterator[Segment]:
    """The segments of a memory in two of its languages; units with neither are passed over.

    A unit's document is the value of a property named after a document or file; else the name of
    the memory itself.
    """
    memory = path.name.split(".tmx")[0]
    languages: dict[str, None] = {}
    paired = False
    for unit in read_elements(path, {"tu"}):
        texts = _texts(unit)
        languages.update(dict.fromkeys(texts))
        source, target = _in_language(texts, source_language), _in_language(texts, target_language)
        if source and target:
            paired = True
            yield Segment(source, target, _document(unit) or memory, unit.line)
        elif (source or target) and missing == "error":
            lacking = target_language if source else source_language
            found = f"only {', '.join(texts)}"
            raise input_error(path, "unit", f"a text in {lacking}", found, unit.line)
    if not paired:
        expected = f"units in {source_language} and {target_language}"
        found = f"units in {', '.join(languages)}" if languages else "no unit"
        raise input_error(path, "languages", expected, found)


def _texts(unit: Element) -> dict[str, str]:
    """The texts of a unit by language tag, in order."""
    texts: dict[str, str] = {}
    for variant in unit.children("tuv"):
        language = variant.attributes.get("xml:lang") or variant.attributes.get("lang") or ""
        for segment in variant.children("seg"):
            words = " ".join("".join(_without_codes(segment)).split())
            texts.setdefault(language.lower().replace("_", "-"), words)
    return texts


def _in_language(texts: dict[str, str], language: str) -> str | None:
    """The text in a language: the exact tag first, else the first region of it."""
    exact = language.lower().replace("_", "-")
    if exact in texts:
        return texts[exact]
    return next((text for tag, text in texts.items() if same_language(tag, language)), None)


def _document(unit: Element) -> str | None:
    names = re.compile(DOCUMENT_PROPERTY, re.IGNORECASE)
    properties = [part for part in unit.children("prop") if part.attributes.get("type")]
    named = (part.text() for part in properties if names.fullmatch(part.attributes["type"]))
    return next(filter(None, named), None)


def _without_codes(element: Element) -> Iterator[str]:
    for part in element.content:
        if isinstance(part, str):
            yield part
        elif part.name not in _CODES:
            yield from _without_codes(part)
        elif part.name in _SEPARATING:
            yield " "
