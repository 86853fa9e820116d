"""Leaving out of a text what a development or test set says, by the words of either side.

The same talks are in the data of several language pairs, with other ids, sources and gaps. What
stood in gaps is known, so that the target says the same in all of them; words count without their
tags. Documents that share much with an unseen set are left out whole, of others the lines that they
share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.example import Example, split_tag
from crosspro.data_prep.core.task import NONE

_LONGER = 5
"""Lines of no more words (Thank you very much .) recur in any two texts."""
_MOST_SHARED = 0.2
"""Documents that share more of their longer lines are left out whole."""


def target_words(example: Example) -> list[str]:
    """The words of the target in lower case, with those that stood in gaps."""
    words: list[str | None] = [lemma.lower() for lemma in example.lemmas]
    for gap in example.gaps:
        stood = None if gap.word in (None, NONE) else gap.word
        word = split_tag(stood)[0] if stood and example.tagged else stood
        words[gap.position] = word.lower() if word else None
    return [word for word in words if word]


def line_digests(examples: Iterable[Example]) -> set[bytes]:
    """The longer lines of a set, of its source and of its target."""
    return {digest for example in examples for digest in _digests(example)}


def without_unseen(examples: Sequence[Example], unseen: set[bytes]) -> list[Example]:
    """The examples that share no line with those that must stay unseen, on neither side."""
    if not unseen:
        return list(examples)
    shares: list[bool] = []
    longer: dict[str, list[int]] = {}
    for example in examples:
        digests = list(_digests(example))
        shares.append(not unseen.isdisjoint(digests))
        if digests and example.document:
            counts = longer.setdefault(example.document, [0, 0])
            counts[0] += 1
            counts[1] += shares[-1]
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
