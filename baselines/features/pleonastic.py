"""The probability that *it* refers to nothing (it is raining), behind which any scorer may stand.

Published systems took it from NADA (Bergsma & Yarowsky 2011). `PleonasticPatterns` knows only the
classical patterns: *it* before a verb of weather or seeming, and *it* with a complement that it
stands in for (it is clear that …, it takes time to …).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

_BE = frozenset(
    [
        "is",
        "was",
        "'s",
        "be",
        "been",
        "being",
        "are",
        "were",
        "seems",
        "seemed",
        "became",
        "becomes",
    ]
)
_SEEMING = frozenset(
    ["seems", "seemed", "appears", "appeared", "happens", "happened", "follows", "turns", "turned"]
)
_WEATHER = frozenset(
    ["rains", "rained", "raining", "snows", "snowed", "snowing", "thunders", "drizzles"]
)
_TAKING = frozenset({"takes", "took", "costs", "cost"})
_OPENERS = frozenset({"that", "to", "if", "whether", "when", "for"})
PLEONASTIC = "pleonastic"
_REACH = 5
"""How far from the verb the complement may begin."""
_YES, _NO = 0.9, 0.1


class PleonasticScorer(Protocol):
    """Says what an *it* is: a probability for each of some labels."""

    def score(self, words: Sequence[str], position: int) -> Mapping[str, float]:
        """The probabilities for `words[position]`, which is *it*; one is that of `PLEONASTIC`."""


class PleonasticPatterns:
    """Patterns of English: 0.9 where one fits, 0.1 where none does."""

    def score(self, words: Sequence[str], position: int) -> Mapping[str, float]:
        """The probability that *it* refers to nothing."""
        after = [word.lower() for word in words[position + 1 : position + 3 + _REACH]]
        return {PLEONASTIC: _YES if _fits(after) else _NO}


def _fits(after: Sequence[str]) -> bool:
    """Whether the words after *it* are those of a pattern."""
    if any(word in _WEATHER for word in after[:3]):
        return True
    for place, word in enumerate(after[:3]):
        rest = after[place + 1 :]
        if word in _SEEMING:
            return bool({"that", "as", "out", "to"} & set(rest[:3]))
        if word in _BE or word in _TAKING:
            return any(opener in _OPENERS for opener in rest[1:])
    return False
