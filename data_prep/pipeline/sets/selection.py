"""Choose documents for a test set: rich in rare classes, of a given size, unseen elsewhere.

003 §3.2 and 004 §3.2: about eight talks for a group of language pairs, some tens of thousands of
words in all, chosen for pronouns of rare classes (feminine ones in French and German,
demonstratives in English), disjoint from all other sets. The papers do not define "rich"; here each
further instance of a class counts less the more are chosen already and the more frequent the class
is, so that rare classes are covered first and none is piled up.

A group of documents may serve several tasks, as English talks with their French and their German
translations did: the same documents are then chosen from the data of all of them. The gain of a
document for a task counts in proportion to what the task has already, so the task that lies behind
decides.
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


def select_shared(
    sets: Sequence[Sequence[CandidateDocument]],
    tasks: Sequence[Task],
    number: int,
    max_words: int,
    min_segments: int = 20,
) -> list[list[CandidateDocument]]:
    """The same documents for all tasks, in order of choice; `max_words` holds for each task."""
    by_name = _in_all(sets, min_segments)
    coverages = [_Coverage(documents, task) for documents, task in zip(sets, tasks, strict=True)]

    def fits(name: str) -> bool:
        pairs = zip(coverages, by_name[name], strict=True)
        return all(coverage.words + version.words <= max_words for coverage, version in pairs)

    def gain(name: str) -> tuple[float, str]:
        pairs = zip(coverages, by_name[name], strict=True)
        gains = sum(coverage.gain(version) for coverage, version in pairs)
        return gains / sum(version.words for version in by_name[name]), name

    chosen: list[str] = []
    while len(chosen) < number:
        fitting = [name for name in by_name if name not in chosen and fits(name)]
        if not fitting:
            break
        chosen.append(max(fitting, key=gain))
        for coverage, version in zip(coverages, by_name[chosen[-1]], strict=True):
            coverage.words += version.words
            coverage.have.update(version.classes)
    return [[by_name[name][place] for name in chosen] for place in range(len(tasks))]


def _in_all(
    sets: Sequence[Sequence[CandidateDocument]], min_segments: int
) -> dict[str, list[CandidateDocument]]:
    """The versions of the documents that all tasks have, long enough in each."""
    maps = [{version.document: version for version in documents} for documents in sets]
    shared = [name for name in maps[0] if name and all(name in versions for versions in maps)]
    usable = {
        name: [versions[name] for versions in maps]
        for name in shared
        if all(versions[name].segments >= min_segments for versions in maps)
    }
    if not usable:
        raise CrossproError(
            f"select-test: expected documents of at least {min_segments} segments that all data "
            f"sets have, found none of {len(shared)} (document ids are needed)"
        )
    return usable


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
        self.worth_of_all = self._worth(frequency)
        self.have: Counter[str] = Counter()
        self.words = 0

    def _worth(self, numbers: Mapping[str, int]) -> float:
        """Diminishing returns for each class."""
        return sum(w * math.log1p(numbers.get(name, 0)) for name, w in self.rarity.items())

    def gain(self, candidate: CandidateDocument) -> float:
        """What a document adds, in proportion to what there is (a hundredth of all, at least)."""
        have = self._worth(self.have)
        added = self._worth(self.have + Counter(candidate.classes)) - have
        return added / (have + self.worth_of_all / 100 or 1)
