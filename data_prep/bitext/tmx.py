"""Translation memories (TMX 1.4): units with a text for each language, in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from crosspro.data_prep.bitext.segment import Missing, Segment, same_language, segments_of
from crosspro.data_prep.core.errors import Problem
from crosspro.data_prep.formats.xml_stream import TextBuffer, xml_events

_DOCUMENT_PROPERTY = r"(?:x-)?(?:doc(?:ument)?(?:-?id)?|file(?:-?name)?|source-?file|original)"
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
    pattern = re.escape(document_property) if document_property else _DOCUMENT_PROPERTY
    properties = re.compile(pattern, re.IGNORECASE)
    return segments_of(_scan(path, source_language, target_language, properties, missing))


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
