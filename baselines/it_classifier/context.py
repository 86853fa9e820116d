"""An `it` in its context, and the three things that it can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.annotate.light_tagger import light_annotation
from crosspro.data_prep.core.example import Token

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


ItScorer = Callable[[Sequence[ItContext]], ItProbabilities]
"""Tells what an `it` is: hand-written patterns, or a trained model."""


@lru_cache(maxsize=64)
def annotated(words: tuple[str, ...]) -> tuple[Token, ...]:
    """Lemmas and tags of a sentence; those around it are likely to be asked for again."""
    return light_annotation(words).tokens
