"""An `it` in its context, the three things that it can be, and what every scorer of it can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

ANAPHORIC, PLEONASTIC, EVENT = LABELS = ("anaphoric", "pleonastic", "event")
"""It stands for a noun phrase; it stands for nothing; it stands for what a clause tells."""

PRONOUN = "it"

ItProbabilities = NDArray[np.float64]
"""A row for each context, a column for each of `LABELS`."""


@dataclass(frozen=True, slots=True)
class ItContext:
    """The `it` at `position` of a tokenised sentence, and the sentence before it, if any."""

    words: tuple[str, ...]
    position: int
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItExample:
    """An `it` with its label and the document that it comes from."""

    context: ItContext
    label: str
    document: str


class ItScorer(ABC):
    """Tells what an `it` is."""

    @abstractmethod
    def probabilities(self, contexts: Sequence[ItContext]) -> ItProbabilities:
        """The probability of each label for each context."""

    @abstractmethod
    def described(self) -> str:
        """A few words on what it is, for the people who read its labels."""


def positions(words: Sequence[str]) -> Iterator[int]:
    """Where `it` is in a sentence."""
    return (place for place, word in enumerate(words) if word.lower() == PRONOUN)


def by_sentence(contexts: Sequence[ItContext]) -> Iterator[tuple[ItContext, list[ItContext]]]:
    """Contexts in their order, those of one sentence together, with the first of them.

    Sentences are the same if they are the same objects: to compare long ones takes long.
    """

    def sentence(context: ItContext) -> tuple[int, int]:
        return id(context.words), id(context.before)

    for _, group in groupby(contexts, sentence):
        together = list(group)
        yield together[0], together
