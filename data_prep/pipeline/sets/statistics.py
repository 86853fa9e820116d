"""Counts that the papers print about a data set: documents, segments, tokens and classes.

003 Tables 1-3 (sizes of the test sets and of their documents) and Table 5 (classes before and after
filtering).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import NONE, Task


@dataclass(frozen=True)
class DocumentSize:
    """A row of 003 Tables 2-3; placeholders count as tokens where they replace one."""

    document: str
    segments: int
    source_tokens: int
    target_tokens: int
    gaps: int


@dataclass(frozen=True)
class DataStatistics:
    """Sizes by document, classes, and the source pronouns of the gaps."""

    documents: tuple[DocumentSize, ...]
    classes: Mapping[str, int]
    pronouns: Mapping[str, Mapping[str, int]]

    @property
    def total(self) -> DocumentSize:
        """The sum over documents."""
        rows = self.documents
        return DocumentSize(
            "total",
            sum(row.segments for row in rows),
            sum(row.source_tokens for row in rows),
            sum(row.target_tokens for row in rows),
            sum(row.gaps for row in rows),
        )


def total_size(examples: Iterable[Example]) -> DocumentSize:
    """The total alone, however many documents there are."""
    segments = source = target = gaps = 0
    for example in examples:
        segments += 1
        source += len(example.source)
        target += _target_tokens(example)
        gaps += len(example.gaps)
    return DocumentSize("total", segments, source, target, gaps)


def _target_tokens(example: Example) -> int:
    return len(example.lemmas) - sum(gap.word == NONE for gap in example.gaps)


def data_statistics(examples: Iterable[Example], task: Task) -> DataStatistics:
    """Count a data set in one pass; without document ids it is one document."""
    rows: list[DocumentSize] = []
    classes: Counter[str] = Counter()
    pronouns: dict[str, Counter[str]] = {}
    current: str | None = None
    segments = source = target = gaps = 0
    for example in examples:
        document = example.document or ""
        if current is not None and document != current:
            rows.append(DocumentSize(current, segments, source, target, gaps))
            segments = source = target = gaps = 0
        current = document
        segments += 1
        source += len(example.source)
        target += _target_tokens(example)
        gaps += len(example.gaps)
        for gap in example.gaps:
            if gap.label is None:
                continue
            label = task.classes[task.class_index[gap.label]]
            classes[label] += 1
            word = "" if task.null_subjects else example.source[gap.source_index].lower()
            pronouns.setdefault(word, Counter())[label] += 1
    if current is not None:
        rows.append(DocumentSize(current, segments, source, target, gaps))
    ordered = {name: classes[name] for name in task.classes}
    return DataStatistics(tuple(rows), ordered, pronouns)
