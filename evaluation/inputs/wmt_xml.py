"""MT tests in the XML of WMT, one file with all documents.

The form is that of schema/wmt-schema.rnc of wmt-conference/wmt-format-tools, from 2022 on with
`collection` around documents: `doc` with `src`, `ref translator=…`, `hyp system=…`, each of `seg
id=…`. A translation may lack segments; it must have none that the source lacks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.formats.xml_stream import TextBuffer, xml_events
from crosspro.evaluation.inputs.mt_tests import DocumentTexts, MTTest, assembled_test

_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[_-].*)?")


def read_wmt_xml(path: Path) -> MTTest:
    """A test in the XML of WMT."""
    reader = _WmtXml(path)
    for event in xml_events(path):
        if event.kind == "start":
            reader.start(event.name, event.attributes, event.line)
        elif event.kind == "end":
            reader.end(event.name, event.line)
        else:
            reader.text(event.text, event.line)
    if reader.problems:
        raise InputError(reader.problems)
    return assembled_test(
        path, reader.documents, (reader.languages["src"], reader.languages["hyp"])
    )


class _WmtXml:
    """Collects the documents of a file and what is wrong with it."""

    def __init__(self, path: Path) -> None:
        self.path, self.buffer = path, TextBuffer(path)
        self.documents: list[DocumentTexts] = []
        self.problems: list[Problem] = []
        self.languages: dict[str, str | None] = {"src": None, "hyp": None}
        self.document: DocumentTexts | None = None
        self.segments: dict[str, str] | None = None
        self.segment: str | None = None
        self.root = ""

    def problem(self, line: int, field: str, expected: str, found: str) -> None:
        self.problems.append(Problem(str(self.path), line, field, expected, found))

    def start(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        if not self.root:
            self.root = name
            if name != "dataset":
                raise input_error(self.path, "XML", "<dataset> of WMT", f"<{quoted(name)}>", line)
        elif name == "doc":
            if not attributes.get("id"):
                self.problem(line, "doc", "an id", "none")
            known = attributes.get("id") or str(len(self.documents) + 1)
            self.document = DocumentTexts(known, line, attributes.get("domain", ""))
            self.documents.append(self.document)
        elif name in ("src", "ref", "hyp"):
            self.begin_text(name, attributes, line)
        elif name == "seg":
            self.segment = attributes.get("id")
            self.buffer.clear()
            if self.segments is None:
                self.problem(line, "seg", "inside <src>, <ref> or <hyp>", "outside")
            elif not self.segment:
                self.problem(line, "seg", "an id", "none")
            elif self.segment in self.segments:
                self.problem(line, "seg", "each id once in a text", quoted(self.segment))

    def begin_text(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        if self.document is None:
            self.problem(line, name, "inside <doc>", "outside")
            self.segments = {}
            return
        written = attributes.get("lang") or attributes.get("language")
        side = "src" if name == "src" else "hyp"
        own, known = _language(written), self.languages[side]
        if own is not None and known is not None and own != known:
            self.problem(line, "lang", f"{known} as before", quoted(own))
        self.languages[side] = known or own
        if name == "src":
            self.segments = self.document.source
            return
        here = self.document.references if name == "ref" else self.document.outputs
        key = attributes.get("translator" if name == "ref" else "system", "")
        if name == "hyp" and not key:
            self.problem(line, "hyp", "the name of a system", "none")
        key = key or "ref"
        if key in here:
            self.problem(line, name, "each translation once in a document", quoted(key))
        self.segments = here.setdefault(key, {})

    def text(self, text: str, line: int) -> None:
        if self.segment is not None:
            self.buffer.add(text, line)

    def end(self, name: str, line: int) -> None:
        if name == "seg" and self.segments is not None and self.segment:
            self.segments[self.segment] = self.buffer.content()
            known = self.document.source if self.document is not None else {}
            if self.segments is not known and self.segment not in known:
                self.problem(line, "seg", "the id of a segment of <src>", quoted(self.segment))
        if name == "seg":
            self.segment = None
        elif name in ("src", "ref", "hyp"):
            self.segments = None
        elif name == "doc":
            self.document = None


def _language(written: str | None) -> str | None:
    """The language of a code such as de, de_DE or de-AT."""
    found = _LANGUAGE.fullmatch(written or "")
    return found[1] if found else None
