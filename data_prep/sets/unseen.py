"""Leaving out of a text what a development or test set says, by the words of its target.

The same talks are in the data of several language pairs, with other ids, sources and gaps. What
stood in gaps is known, so that the target says the same in all of them. Documents that share much
with an unseen set are left out whole, of others the lines that they share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from crosspro.data_prep.example import Example

_LONGER = 5
"""Lines of no more words (Thank you very much .) recur in any two texts."""
_MOST_SHARED = 0.2
"""Documents that share more of their longer lines are left out whole."""


def target_words(example: Example) -> list[str]:
    """The words of the target in lower case, with those that stood in gaps."""
    words: list[str | None] = [lemma.lower() for lemma in example.lemmas]
    for gap in example.gaps:
        words[gap.position] = gap.word.lower() if gap.word else None
    return [word for word in words if word]


def target_digests(examples: Iterable[Example]) -> set[bytes]:
    """The longer lines of a set."""
    digests = map(_digest, map(target_words, examples))
    return {digest for digest in digests if digest is not None}


def without_unseen(examples: Sequence[Example], unseen: set[bytes]) -> list[Example]:
    """The examples that share nothing with the lines that must stay unseen."""
    digests = [_digest(target_words(example)) for example in examples] if unseen else []
    if not digests:
        return list(examples)
    longer: dict[str, list[int]] = {}
    for example, digest in zip(examples, digests, strict=True):
        if digest is not None and example.document:
            counts = longer.setdefault(example.document, [0, 0])
            counts[0] += 1
            counts[1] += digest in unseen
    known = {name for name, (lines, shared) in longer.items() if shared > _MOST_SHARED * lines}
    return [
        example
        for example, digest in zip(examples, digests, strict=True)
        if example.document not in known and digest not in unseen
    ]


def _digest(words: Sequence[str]) -> bytes | None:
    if len(words) <= _LONGER:
        return None
    return hashlib.blake2b(" ".join(words).encode("utf-8"), digest_size=10).digest()
