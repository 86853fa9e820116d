"""An `it` in its context, the three things that it can be, and what every scorer of it can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.example import AnnotatedSentence

ANAPHORIC, PLEONASTIC, EVENT = LABELS = ("anaphoric", "pleonastic", "event")
"""It stands for a noun phrase; it stands for nothing; it stands for what a clause tells."""

PRONOUN = "it"

ItProbabilities = NDArray[np.float64]
"""A row for each context, a column for each of `LABELS`."""


@dataclass(frozen=True, slots=True)
class ItContext:
    """The `it` at `position` of a sentence; `before` is the sentence before it, if there is one.

    Sentences are tokenised. Their annotations, where they are known, have lemmas and tags of the
    12 universal ones, and heads where they come from a parser.
    """

    words: tuple[str, ...]
    position: int
    before: tuple[str, ...] = ()
    annotated: AnnotatedSentence | None = None
    annotated_before: AnnotatedSentence | None = None


@dataclass(frozen=True, slots=True)
class ItExample:
    """An `it` with its label and the document that it comes from."""

    context: ItContext
    label: str
    document: str


class ItScorer(ABC):
    """Tells what an `it` is."""

    annotator: str
    """What its contexts must be annotated with (`crosspro annotate`); LIGHT needs nothing."""

    @abstractmethod
    def probabilities(self, contexts: Sequence[ItContext]) -> ItProbabilities:
        """The probability of each label for each context."""

    @abstractmethod
    def described(self) -> str:
        """A few words on what it is, for the people who read its labels."""

    def score(
        self,
        words: Sequence[str],
        position: int,
        before: Sequence[str] = (),
        annotated: AnnotatedSentence | None = None,
        annotated_before: AnnotatedSentence | None = None,
    ) -> dict[str, float]:
        """The probability of each label for one `it`."""
        context = ItContext(tuple(words), position, tuple(before), annotated, annotated_before)
        (row,) = self.probabilities([context]).tolist()
        return dict(zip(LABELS, row, strict=True))


LIGHT = "light"
"""The annotation that a scorer makes for itself (`light_tagger`)."""

ANNOTATORS = (LIGHT, "hanta")
"""What contexts may be annotated with."""


def positions(words: Sequence[str]) -> Iterator[int]:
    """Where `it` is in a sentence."""
    return (place for place, word in enumerate(words) if word.lower() == PRONOUN)


def by_sentence(contexts: Sequence[ItContext]) -> Iterator[tuple[ItContext, list[ItContext]]]:
    """Contexts in their order, those of one sentence together, with the first of them.

    Sentences are the same if they are the same objects: to compare long ones takes long.
    """

    def sentence(one: ItContext) -> tuple[int, ...]:
        return id(one.words), id(one.before), id(one.annotated), id(one.annotated_before)

    for _, group in groupby(contexts, sentence):
        own = list(group)
        yield own[0], own
