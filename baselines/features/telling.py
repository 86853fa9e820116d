"""Telling contexts: lemmas around a gap that nearly always go with one class (LIMSI 2016).

Bawden's system had one feature of this kind, mainly for OTHER. A template takes some of the
neighbours of a gap; what it takes is telling if it was seen often enough and one class has nearly
all of it (`TellingSettings`; the findings paper names no numbers). The first template that tells
something decides: those of more words come first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from crosspro.data_prep.core.settings import Count, Must

Share = Annotated[float, Must("a number above 0 and up to 1", lambda value: 0 < value <= 1)]

TEMPLATES: tuple[tuple[int, ...], ...] = (
    (-2, -1, 1, 2),
    (-1, 1, 2),
    (-2, -1, 1),
    (1, 2, 3),
    (-1, 1),
    (1, 2),
    (-2, -1),
    (1,),
)
"""Places before (-) and after the gap; the source pronoun belongs to every template."""
REACH = 3


@dataclass(frozen=True)
class TellingSettings:
    """How often a context must be seen to be telling, and the share that one class must have."""

    least_count: Count = 10
    least_share: Share = 0.85


USUAL = TellingSettings()

Context = tuple[str, Sequence[str]]
"""The source pronoun and the lemmas from `REACH` before the gap to `REACH` after it."""


def keys(context: Context) -> list[str]:
    """What each template takes of a context."""
    pronoun, window = context
    return [
        f"{number} {pronoun} " + " ".join(window[place + REACH] for place in places)
        for number, places in enumerate(TEMPLATES)
    ]


@dataclass(frozen=True)
class TellingContexts:
    """The class that each telling context goes with."""

    table: Mapping[str, str]

    def told(self, context: Context) -> str | None:
        """The class that the first telling template of a context names."""
        for key in keys(context):
            found = self.table.get(key)
            if found is not None:
                return found
        return None


def learn_contexts(
    labelled: Iterable[tuple[Context, str]], settings: TellingSettings = USUAL
) -> TellingContexts:
    """The telling contexts of training gaps."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for context, label in labelled:
        for key in keys(context):
            counts[key][label] += 1
    table = {}
    for key, labels in counts.items():
        label, most = max(labels.items(), key=lambda item: (item[1], item[0]))
        total = labels.total()
        if total >= settings.least_count and most >= settings.least_share * total:
            table[key] = label
    return TellingContexts(table)
