"""Do two data sets share text? Segments are compared by their words, whatever their case.

Choose documents for a test set: rich in rare classes, of a given size, unseen elsewhere.

003 §3.2 and 004 §3.2: about eight talks for a group of language pairs, some tens of thousands of
words in all, chosen for pronouns of rare classes (feminine ones in French and German,
demonstratives in English), disjoint from all other sets. What "rich" means is not stated; here each
further instance of a class counts less the more are chosen already and the more frequent the class
is, so that rare classes are covered first and none is piled up.

A group of documents may serve several tasks, as English talks with their French and their German
translations did: the same documents are then chosen from the data of all of them, balanced so that
rare classes are found in each (003 §3.2). What a document adds to a task counts in proportion to
what that task has already, so the task that lies behind decides.

Leaving out of a text what a development or test set says, by the words of either side.

The same talks are in the data of several language pairs, with other ids, sources and gaps. What
stood in gaps is known, so that the target says the same in all of them; words count without their
tags. Documents that share much with an unseen set are left out whole, of others the lines that they
share.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from crosspro.data_prep.core.errors import CrossproError, InputError, Problem
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.processes import map_forked, parts_of
from crosspro.data_prep.core.task import NONE, OTHER, Task


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


def select_shared(
    found: Sequence[Sequence[CandidateDocument]],
    tasks: Sequence[Task],
    number: int,
    max_words: int,
    min_segments: int = 20,
) -> list[Selection]:
    """The same documents for all tasks, from those that each of them has; `max_words` for each."""
    goals = [_Goal.of(own, task) for own, task in zip(found, tasks, strict=True)]
    usable = _in_all(found, min_segments)
    chosen: list[str] = []
    while len(chosen) < number:
        fitting = [
            document
            for document, own in usable.items()
            if document not in chosen
            and all(g.words + c.words <= max_words for g, c in zip(goals, own, strict=True))
        ]
        if not fitting:
            break

        def gain(document: str) -> float:
            own = usable[document]
            added = sum(goal.gain(one) for goal, one in zip(goals, own, strict=True))
            return added / sum(one.words for one in own)

        best = max(fitting, key=lambda document: (gain(document), document))
        chosen.append(best)
        for goal, one in zip(goals, usable[best], strict=True):
            goal.add(one)
    return [goal.selection() for goal in goals]


def _in_all(
    found: Sequence[Sequence[CandidateDocument]], min_segments: int
) -> dict[str, list[CandidateDocument]]:
    """The documents that all tasks have, long enough in each."""
    known = [{one.document: one for one in own if one.document} for own in found]
    shared = {
        document: [own[document] for own in known]
        for document in known[0]
        if all(document in own for own in known)
    }
    usable = {
        document: own
        for document, own in shared.items()
        if all(one.segments >= min_segments for one in own)
    }
    if not usable:
        of = f"{len(found[0])}" if len(found) == 1 else f"{len(shared)} that all data sets have"
        raise CrossproError(
            f"select-test: expected documents of at least {min_segments} segments, found none of "
            f"{of} (document ids are needed)"
        )
    return usable


@dataclass
class _Goal:
    """What one task has of the classes that it wants, while documents are chosen."""

    task: Task
    rarity: dict[str, float]
    frequency: Counter[str]
    chosen: list[CandidateDocument] = field(default_factory=list)
    have: Counter[str] = field(default_factory=Counter)
    words: int = 0

    @classmethod
    def of(cls, found: Sequence[CandidateDocument], task: Task) -> _Goal:
        """The goal of a task: the more of a class the better, and the rarer it is in the data."""
        frequency: Counter[str] = Counter()
        for candidate in found:
            frequency.update(candidate.classes)
        total = sum(frequency.values()) or 1
        rarity = {
            name: -math.log((frequency[name] + 1) / (total + len(task.classes)))
            for name in task.classes
            if name != OTHER
        }
        return cls(task, rarity, frequency)

    def worth(self, numbers: Mapping[str, int]) -> float:
        """Diminishing returns for each class."""
        return sum(w * math.log1p(numbers.get(name, 0)) for name, w in self.rarity.items())

    def gain(self, candidate: CandidateDocument) -> float:
        """What a document adds, in proportion to what there is (a hundredth of all, at least)."""
        have = self.worth(self.have)
        added = self.worth(self.have + Counter(candidate.classes)) - have
        return added / (have + self.worth(self.frequency) / 100 or 1)

    def add(self, candidate: CandidateDocument) -> None:
        """Choose a document."""
        self.chosen.append(candidate)
        self.have.update(candidate.classes)
        self.words += candidate.words

    def selection(self) -> Selection:
        """What has been chosen."""
        classes = {name: self.have[name] for name in self.task.classes}
        return Selection(tuple(self.chosen), classes, self.words)


_LONGER = 5
"""Lines of no more words (Thank you very much .) recur in any two texts."""
_MOST_SHARED = 0.2
"""Documents that share more of their longer lines are left out whole."""


def target_words(example: Example) -> list[str]:
    """The words of the target in lower case, with those that stood in gaps."""
    words: list[str | None] = [lemma.lower() for lemma in example.lemmas]
    for gap in example.gaps:
        word = None if gap.word == NONE else example.gold_lemma(gap)
        words[gap.position] = word.lower() if word else None
    return [word for word in words if word]


def line_digests(examples: Iterable[Example]) -> set[bytes]:
    """The longer lines of a set, of its source and of its target."""
    return {digest for example in examples for digest in _digests(example)}


def without_unseen(examples: Sequence[Example], unseen: set[bytes], jobs: int = 1) -> list[Example]:
    """The examples that share no line with those that must stay unseen, on neither side."""
    if not unseen:
        return list(examples)

    def compared(part: slice) -> list[tuple[bool, bool]]:
        digests = (list(_digests(example)) for example in examples[part])
        return [(bool(own), not unseen.isdisjoint(own)) for own in digests]

    expected = "unseen lines: expected those that another process finds"
    found = map_forked(compared, parts_of(len(examples), jobs), jobs, expected)
    shares: list[bool] = []
    longer: dict[str, list[int]] = {}
    for example, (long, shared) in zip(examples, chain.from_iterable(found), strict=True):
        shares.append(shared)
        if long and example.document:
            counts = longer.setdefault(example.document, [0, 0])
            counts[0] += 1
            counts[1] += shared
    known = {name for name, (lines, shared) in longer.items() if shared > _MOST_SHARED * lines}
    return [
        example
        for example, shared in zip(examples, shares, strict=True)
        if example.document not in known and not shared
    ]


def refuse_blind(path: Path, examples: Iterable[Example]) -> None:
    """Raise if the words of some gaps are not there: lines would not be found again."""
    hidden = (
        number for number, one in enumerate(examples, start=1) if None in [g.word for g in one.gaps]
    )
    first = next(hidden, None)
    if first is not None:
        expected = "a file with its gold words, so that its lines are found in other files"
        found = f"{1 + sum(1 for _ in hidden):,} lines without them: a blind file"
        raise InputError([Problem(str(path), first, "gaps", expected, found)])


def _digests(example: Example) -> Iterator[bytes]:
    """One for each side that is long enough; sides of two languages never agree by chance."""
    for words in ([word.lower() for word in example.source], target_words(example)):
        if len(words) > _LONGER:
            yield hashlib.blake2b(" ".join(words).encode("utf-8"), digest_size=10).digest()
