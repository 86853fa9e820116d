"""Do two data sets share text? Segments are compared by their words, whatever their case."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from crosspro.data_prep.core.example import Example


@dataclass
class TextIndex:
    """Digests of the segments of a data set, and its document ids."""

    segments: set[bytes] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)

    def add(self, examples: Iterable[Example]) -> None:
        """Index more examples."""
        self.add_sources((example.source, example.document) for example in examples)

    def add_sources(self, lines: Iterable[tuple[Sequence[str], str | None]]) -> None:
        """Index more lines: source words, and the document."""
        for source, document in lines:
            self.segments.add(_digest(source))
            if document:
                self.documents.add(document)


@dataclass(frozen=True)
class Overlap:
    """How much of a data set stands in another one."""

    segments: int
    shared_segments: int
    documents: int
    shared_documents: tuple[str, ...]
    rich_documents: tuple[tuple[str, float], ...]
    """Documents more than half of whose longer segments are shared, whatever their ids."""


def segment_digest(example: Example) -> bytes:
    """The source side decides: target sides differ by annotation and by placeholders."""
    return _digest(example.source)


def _digest(source: Sequence[str]) -> bytes:
    text = " ".join(source).lower()
    return hashlib.blake2b(text.encode("utf-8"), digest_size=10).digest()


def overlap(examples: Iterable[Example], other: TextIndex, longer_than: int = 5) -> Overlap:
    """Compare a data set with an index.

    Segments of at most `longer_than` words (Thank you.) recur in any two texts, so they do not
    count for documents.
    """
    segments = shared = 0
    sizes: dict[str, list[int]] = {}
    for example in examples:
        found = segment_digest(example) in other.segments
        segments += 1
        shared += found
        tally = sizes.setdefault(example.document or "", [0, 0])
        if len(example.source) > longer_than:
            tally[0] += 1
            tally[1] += found
    named = [document for document in sizes if document]
    rich = tuple(
        (document, hits / total)
        for document, (total, hits) in sizes.items()
        if total and hits / total > 0.5
    )
    same = tuple(document for document in named if document in other.documents)
    return Overlap(segments, shared, len(named), same, rich)
