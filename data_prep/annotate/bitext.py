"""Parallel text: two files with a segment on each line, and the document of each line beside them.

A source may be what two file names have in common: `corpus` for corpus.en and corpus.fr, with the
documents in corpus.doc-ids if there is such a file. Files may be .gz or .xz.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.annotate.tokenise import Sentences, tokenise_lines
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import is_file, read_text_lines
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import read_doc_ids
from crosspro.data_prep.words.language import looks_otherwise

_COMPRESSED = ("", ".gz", ".xz")
_CHECKED = 2000
"""Segments that tell the language of a text."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text and its translation, usually a sentence, without blanks at the ends."""

    source: str
    target: str
    document: str | None = None


@dataclass(frozen=True)
class TokenisedBitext:
    """Both sides of a bitext, and the document of each segment."""

    source: Sentences
    target: Sentences
    documents: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.documents)


def read_bitext(
    source: Path,
    target: Path | None = None,
    *,
    source_language: str,
    target_language: str,
    doc_ids: Path | None = None,
) -> list[Segment]:
    """The segments of parallel text; lines that are blank in both files are left out."""
    if target is None and not is_file(source):
        prefix = source
        source, target = (_beside(prefix, name) for name in (source_language, target_language))
        doc_ids = doc_ids or _first_file(prefix, "doc-ids")
    if target is None:
        expected = f"a second file, or a name for X.{source_language} and X.{target_language}"
        raise input_error(source, "target", expected, "none")
    sides = [[line.strip() for line in read_text_lines(path)] for path in (source, target)]
    ids = [None] * len(sides[0]) if doc_ids is None else [*read_doc_ids(doc_ids)]
    for path, field, lines in ((target, "lines", sides[1]), (doc_ids, "doc-ids", ids)):
        if path is not None and len(lines) != len(sides[0]):
            expected = f"{len(sides[0]):,} lines as in {source}"
            raise input_error(path, field, expected, f"{len(lines):,} lines")
    segments = []
    for number, (left, right, document) in enumerate(zip(*sides, ids, strict=True), start=1):
        if left and right:
            segments.append(Segment(left, right, document and sys.intern(document)))
        elif left or right:
            blank, other = (source, target) if right else (target, source)
            expected = f"a translation of line {number} of {other}"
            raise input_error(blank, "segment", expected, "a blank line", number)
    if not segments:
        raise input_error(source, "file", "at least one segment", "none")
    return segments


def _beside(prefix: Path, language: str) -> Path:
    path = _first_file(prefix, language)
    if path is None:
        expected = f"a file, or {prefix.name}.{language} (also .gz, .xz)"
        raise input_error(prefix, "file", expected, "none of them")
    return path


def _first_file(prefix: Path, ending: str) -> Path | None:
    """The file of a prefix with an ending, compressed or not."""
    paths = (prefix.with_name(f"{prefix.name}.{ending}{end}") for end in _COMPRESSED)
    return next(filter(is_file, paths), None)


def check_source(task: Task, segments: Sequence[Segment], source: Path) -> None:
    """Refuse text whose beginning is in another language than the source of the task."""
    language = task.source_language
    lines = (segment.source for segment in segments[:_CHECKED])
    if other := looks_otherwise(lines, language):
        expected = f"text in {language}, as {task.name} is {language} to {task.target_language}"
        raise input_error(source, "language", expected, other)


def tokenised_bitext(
    task: Task, segments: Sequence[Segment], tokenised: bool | None = None
) -> TokenisedBitext:
    """The segments of a bitext, tokenised; each side is detected if `tokenised` is not stated."""
    source, target = (
        list(tokenise_lines(lines, language, tokenised=tokenised))
        for lines, language in (
            ((segment.source for segment in segments), task.source_language),
            ((segment.target for segment in segments), task.target_language),
        )
    )
    return TokenisedBitext(source, target, [segment.document for segment in segments])
