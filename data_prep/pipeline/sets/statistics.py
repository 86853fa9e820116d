"""Counts that the papers print about a data set: documents, segments, tokens and classes.

003 Tables 1-3 (sizes of the test sets) and Table 5 (classes before and after filtering).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import NONE, Task


@dataclass
class DataSize:
    """A row of 003 Tables 2-3; placeholders count as tokens where they replace one."""

    documents: int = 0
    segments: int = 0
    source_tokens: int = 0
    target_tokens: int = 0
    gaps: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    _document: str | None = None

    def add(self, example: Example, task: Task | None = None) -> None:
        """Count a segment, and with a task the classes of its gaps."""
        self.segments += 1
        self.source_tokens += len(example.source)
        self.target_tokens += len(example.lemmas)
        self.target_tokens -= sum(gap.word == NONE for gap in example.gaps)
        self.gaps += len(example.gaps)
        self.documents += bool(example.document) and example.document != self._document
        self._document = example.document
        if task is not None:
            indices = (task.class_index[gap.label] for gap in example.gaps if gap.label is not None)
            self.classes.update(task.classes[index] for index in indices)
