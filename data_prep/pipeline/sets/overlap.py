"""Text that two data sets share, and lines left out of a set because they must stay unseen.

The same talks are in the data of several language pairs, with other ids, sources and gaps. The
words that stood in gaps are known, so the target says the same in all of them; words count without
their tags. Documents that share much with an unseen set are left out whole, of others the lines
that they share.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import NONE

_LONGER = 5
"""Lines of no more words (Thank you very much .) recur in any two texts."""
_RICH = 0.5
"""Documents that share more of their longer lines are the same text, whatever their ids."""
_MOST_SHARED = 0.2
"""Documents that share more of their longer lines are left out whole."""


@dataclass
class TextIndex:
    """Digests of the segments of a data set, by their source side, and its document ids.

    Target sides differ by annotation and by placeholders.
    """

    segments: set[bytes] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)

    def add(self, examples: Iterable[Example]) -> None:
        for example in examples:
            self.segments.add(digest(example.source))
            if example.document:
                self.documents.add(example.document)


@dataclass(frozen=True)
class Overlap:
    """How much of a data set stands in another one: documents with the same id, with the same text.

    `same_text` may have the name "" for lines without a document.
    """

    segments: int
    shared_segments: int
    same_id: tuple[str, ...]
    same_text: tuple[str, ...]


def digest(words: Iterable[str]) -> bytes:
    """A short name of a line, whatever the case of its words."""
    text = " ".join(words).lower()
    return hashlib.blake2b(text.encode("utf-8"), digest_size=10).digest()


def overlap(examples: Iterable[Example], other: TextIndex, longer_than: int = _LONGER) -> Overlap:
    """Compare a data set with an index.

    Segments of at most `longer_than` words do not count for documents.
    """
    segments = shared = 0
    longer: Counter[str] = Counter()
    longer_shared: Counter[str] = Counter()
    for example in examples:
        is_shared = digest(example.source) in other.segments
        segments += 1
        shared += is_shared
        is_long = len(example.source) > longer_than
        longer[example.document or ""] += is_long
        longer_shared[example.document or ""] += is_long and is_shared
    same_text = (name for name in longer if longer_shared[name] > _RICH * longer[name])
    same_id = (name for name in longer if name in other.documents)
    return Overlap(segments, shared, tuple(same_id), tuple(same_text))


def target_words(example: Example) -> list[str]:
    """The words of the target in lower case, with those that stood in gaps."""
    words: list[str | None] = [lemma.lower() for lemma in example.lemmas]
    for gap in example.gaps:
        word = None if gap.word == NONE else example.gold_lemma(gap)
        words[gap.position] = word.lower() if word else None
    return [word for word in words if word]


def line_digests(examples: Iterable[Example]) -> set[bytes]:
    """The longer lines of a set, of its source and of its target."""
    return {side for example in examples for side in _digests(example)}


def _digests(example: Example) -> Iterator[bytes]:
    """One for each side that is long enough; sides of two languages never agree by chance."""
    for words in (example.source, target_words(example)):
        if len(words) > _LONGER:
            yield digest(words)


def without_unseen(examples: Sequence[Example], unseen: set[bytes]) -> list[Example]:
    """The examples that share no line with those that must stay unseen, on neither side."""
    if not unseen:
        return list(examples)
    shares: list[bool] = []
    longer: Counter[str] = Counter()
    longer_shared: Counter[str] = Counter()
    for example in examples:
        digests = list(_digests(example))
        shares.append(not unseen.isdisjoint(digests))
        if digests and example.document:
            longer[example.document] += 1
            longer_shared[example.document] += shares[-1]
    left_out = {name for name in longer if longer_shared[name] > _MOST_SHARED * longer[name]}
    return [
        example
        for example, shared in zip(examples, shares, strict=True)
        if example.document not in left_out and not shared
    ]


def refuse_blind(path: Path, examples: Iterable[Example]) -> None:
    """Raise if the words of some gaps are not there: lines would not be found again."""
    for number, example in enumerate(examples, start=1):
        if any(gap.word is None for gap in example.gaps):
            expected = "a file with its gold words, so that its lines are found in other files"
            raise input_error(path, "gaps", expected, "a blind file", number)
