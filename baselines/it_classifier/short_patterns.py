"""The few classical patterns of an `it` that refers to nothing, by word forms alone.

Published systems of the shared tasks took this from NADA (Bergsma & Yarowsky 2011); these patterns
stand in its place as a feature of gaps. They know *it* before a verb of weather or seeming, and
*it* with a complement that it stands in for (it is clear that …, it takes time to …). Unlike
`patterns` they need no tags and know no event pronouns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosspro.baselines.it_classifier.context import (
    ANAPHORIC,
    LABELS,
    LIGHT,
    PLEONASTIC,
    ItContext,
    ItProbabilities,
    ItScorer,
)
from crosspro.data_prep.annotate.light_tagger import word_list

_REACH = 5
"""How far from the verb the complement may begin."""
_YES, _NO = 0.9, 0.1
_AFTER_SEEMING = frozenset(("that", "as", "out", "to"))


class ShortPatterns(ItScorer):
    """Pleonastic with 0.9 where a pattern fits and with 0.1 where none does, else anaphoric."""

    annotator = LIGHT

    def probabilities(self, contexts: Sequence[ItContext]) -> ItProbabilities:
        """A row for each context."""
        rows = np.zeros((len(contexts), len(LABELS)))
        chances = [_YES if _fits(context) else _NO for context in contexts]
        rows[:, LABELS.index(PLEONASTIC)] = chances
        rows[:, LABELS.index(ANAPHORIC)] = 1 - rows[:, LABELS.index(PLEONASTIC)]
        return rows

    def described(self) -> str:
        """What it is."""
        return "short hand-written patterns"


def _fits(context: ItContext) -> bool:
    """Whether the words after `it` are those of a pattern."""
    first = context.position + 1
    after = [word.lower() for word in context.words[first : first + 2 + _REACH]]
    if any(word in word_list("weather-forms") for word in after[:3]):
        return True
    for place, word in enumerate(after[:3]):
        rest = after[place + 1 :]
        if word in word_list("seeming-forms"):
            return not _AFTER_SEEMING.isdisjoint(rest[:3])
        if word in word_list("copula-forms") or word in word_list("taking-forms"):
            return any(opener in word_list("complement-openers") for opener in rest[1:])
    return False
