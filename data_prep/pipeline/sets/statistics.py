"""Counts that the papers print about a data set: documents, segments, tokens and classes.

003 Tables 1-3 (sizes of the test sets and of their documents) and Table 5 (classes before and after
filtering).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import NONE, Task


@dataclass
class DataSize:
    """A row of 003 Tables 2-3; placeholders count as tokens where they replace one."""

    document: str | None = None
    segments: int = 0
    source_tokens: int = 0
    target_tokens: int = 0
    gaps: int = 0

    def add(self, example: Example) -> None:
        """Count a segment."""
        self.segments += 1
        self.source_tokens += len(example.source)
        self.target_tokens += len(example.lemmas)
        self.target_tokens -= sum(gap.word == NONE for gap in example.gaps)
        self.gaps += len(example.gaps)


def total_size(examples: Iterable[Example]) -> DataSize:
    """The size of a data set as a whole."""
    size = DataSize()
    for example in examples:
        size.add(example)
    return size


@dataclass
class DataStatistics:
    """Sizes by document, and classes; without document ids all is one document."""

    task: Task
    total: DataSize = field(default_factory=DataSize)
    documents: list[DataSize] = field(default_factory=list)
    classes: Counter[str] = field(default_factory=Counter)

    def add(self, example: Example) -> None:
        """Count a segment."""
        if not self.documents or self.documents[-1].document != example.document:
            self.documents.append(DataSize(example.document))
        self.documents[-1].add(example)
        self.total.add(example)
        for gap in example.gaps:
            if gap.label is not None:
                self.classes[self.task.classes[self.task.class_index[gap.label]]] += 1
