"""Choose documents for a test set: rich in rare classes, of a given size, unseen elsewhere.

003 §3.2 and 004 §3.2: about eight talks, some tens of thousands of
words in all, chosen for pronouns of rare classes (feminine ones in French and German,
demonstratives in English), disjoint from all other sets. The papers do not define "rich"; here each
further instance of a class counts less the more are chosen already and the more frequent the class
is, so that rare classes are covered first and none is piled up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import OTHER, Task


@dataclass(frozen=True)
class CandidateDocument:
    """A document that may be chosen."""

    document: str
    segments: int
    words: int
    classes: Mapping[str, int]


def candidates(
    examples: Sequence[Example], task: Task, excluded: Collection[str] = ()
) -> list[CandidateDocument]:
    """The documents of a data set, without those that are excluded."""
    groups: dict[str, list[Example]] = {}
    for example in examples:
        if (example.document or "") not in excluded:
            groups.setdefault(example.document or "", []).append(example)
    documents = []
    for document, group in groups.items():
        labels = (gap.label for example in group for gap in example.gaps)
        classes = Counter(task.classes[task.class_index[label]] for label in labels if label)
        words = sum(len(example.source) for example in group)
        documents.append(CandidateDocument(document, len(group), words, classes))
    return documents


def select_documents(
    documents: Sequence[CandidateDocument],
    task: Task,
    number: int,
    max_words: int,
    min_segments: int = 20,
) -> list[CandidateDocument]:
    """Documents in order of choice."""
    usable = [row for row in documents if row.document and row.segments >= min_segments]
    if not usable:
        raise CrossproError(
            f"select-test: expected documents of at least {min_segments} segments, found none of "
            f"{len(documents)} (document ids are needed)"
        )
    coverage = _Coverage(documents, task)
    chosen: list[CandidateDocument] = []
    while len(chosen) < number:
        left = max_words - sum(document.words for document in chosen)
        fitting = [row for row in usable if row not in chosen and row.words <= left]
        if not fitting:
            break
        chosen.append(max(fitting, key=lambda row: (coverage.gain(row) / row.words, row.document)))
        coverage.have.update(chosen[-1].classes)
    return chosen


class _Coverage:
    """How well the classes of a task are covered while documents are chosen."""

    def __init__(self, documents: Sequence[CandidateDocument], task: Task) -> None:
        frequency: Counter[str] = Counter()
        for candidate in documents:
            frequency.update(candidate.classes)
        total = sum(frequency.values()) or 1
        self.rarity = {
            name: -math.log((frequency[name] + 1) / (total + len(task.classes)))
            for name in task.classes
            if name != OTHER
        }
        self.have: Counter[str] = Counter()

    def _worth(self, numbers: Mapping[str, int]) -> float:
        """Diminishing returns for each class."""
        return sum(w * math.log1p(numbers.get(name, 0)) for name, w in self.rarity.items())

    def gain(self, candidate: CandidateDocument) -> float:
        """What a document adds to the documents chosen so far."""
        return self._worth(self.have + Counter(candidate.classes)) - self._worth(self.have)
