"""Choose documents for a test set: rich in rare classes, of a given size, unseen elsewhere.

003 §3.2 and 004 §3.2: about eight talks for a group of language pairs, some tens of thousands of
words in all, chosen for pronouns of rare classes (feminine ones in French and German,
demonstratives in English), disjoint from all other sets. What "rich" means is not stated; here each
further instance of a class counts less the more are chosen already and the more frequent the class
is, so that rare classes are covered first and none is piled up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crosspro.data_prep.errors import CrossproError
from crosspro.data_prep.example import Example
from crosspro.data_prep.task import OTHER, Task


@dataclass(frozen=True)
class CandidateDocument:
    """A document that may be chosen."""

    document: str
    segments: int
    words: int
    classes: dict[str, int]


@dataclass(frozen=True)
class Selection:
    """The chosen documents, in order of choice, and the class counts of their union."""

    chosen: tuple[CandidateDocument, ...]
    classes: dict[str, int]
    words: int


def candidates(
    examples: Sequence[Example], task: Task, excluded: Collection[str] = ()
) -> list[CandidateDocument]:
    """The documents of a data set, without those that are excluded."""
    groups: dict[str, list[Example]] = {}
    for example in examples:
        groups.setdefault(example.document or "", []).append(example)
    found = []
    for document, group in groups.items():
        if document in excluded:
            continue
        labels = Counter(
            task.classes[task.class_index[gap.label]]
            for example in group
            for gap in example.gaps
            if gap.label is not None
        )
        words = sum(len(example.source) for example in group)
        found.append(CandidateDocument(document, len(group), words, dict(labels)))
    return found


def select_documents(
    found: Sequence[CandidateDocument],
    task: Task,
    number: int,
    max_words: int,
    min_segments: int = 20,
) -> Selection:
    """Greedily the document that adds most per word, until there are enough documents or words."""
    usable = [c for c in found if c.document and c.segments >= min_segments]
    if not usable:
        raise CrossproError(
            f"select-test: expected documents of at least {min_segments} segments, found none of "
            f"{len(found)} (document ids are needed)"
        )
    frequency: Counter[str] = Counter()
    for candidate in found:
        frequency.update(candidate.classes)
    total = sum(frequency.values()) or 1
    rarity = {
        name: -math.log((frequency[name] + 1) / (total + len(task.classes)))
        for name in task.classes
        if name != OTHER
    }
    chosen: list[CandidateDocument] = []
    have: Counter[str] = Counter()
    words = 0
    while len(chosen) < number:
        fitting = [c for c in usable if c not in chosen and words + c.words <= max_words]
        if not fitting:
            break

        def gain(candidate: CandidateDocument) -> float:
            """Diminishing returns per class, per word of text."""
            added = sum(
                weight
                * (math.log1p(have[name] + candidate.classes.get(name, 0)) - math.log1p(have[name]))
                for name, weight in rarity.items()
            )
            return added / candidate.words

        best = max(fitting, key=lambda c: (gain(c), c.document))
        chosen.append(best)
        have.update(best.classes)
        words += best.words
    return Selection(tuple(chosen), {name: have[name] for name in task.classes}, words)
