"""Features that look things up in what was learnt before: a language model, telling contexts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosspro.baselines.features.feature import Bins, Column, Feature
from crosspro.baselines.features.gaps import Batch
from crosspro.baselines.features.telling import REACH, Context
from crosspro.baselines.features.values import Values
from crosspro.baselines.fill import Floats

_CHANCES = Bins((0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0))
_RANKS = Bins((1, 2, 3, 5, 10, 20))
"""The bins of CUNI 2016."""


def _chances(batch: Batch) -> tuple[tuple[str, ...], Floats]:
    """The fillers, and their probability in each gap given the rest of the line."""
    filler = batch.resources.filler
    if filler is None:
        raise ValueError("a language model that was not learnt")
    return filler.fillers.words, batch.chances


def lm_scores(batch: Batch, _: int) -> Iterator[Column]:
    """Probability and rank of each filler in bins."""
    words, chances = _chances(batch)
    with np.errstate(divide="ignore"):
        # Fillers that the model does not know are equal, but for the last digits.
        order = np.argsort(-np.round(np.log(chances), 6), axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, len(words) + 1)[None, :], axis=1)
    for number, word in enumerate(words):
        yield f"LM probability of {word}", _CHANCES.column(chances[:, number])
        yield f"LM rank of {word}", _RANKS.column(ranks[:, number])


def lm_best(batch: Batch, _: int) -> Iterator[Column]:
    """The filler that the language model prefers."""
    words, chances = _chances(batch)
    yield "LM prefers", Values(chances.argmax(axis=1), words)


def contexts(batch: Batch) -> list[Context]:
    """What templates of telling contexts look at."""
    lemmas = [batch.words("target lemma", offset) for offset in range(-REACH, REACH + 1)]
    pronouns = batch.words("source word", 0)
    return list(zip(pronouns, zip(*lemmas, strict=True), strict=True))


def telling_contexts(batch: Batch, _: int) -> Iterator[Column]:
    """The class that a telling context names."""
    telling = batch.resources.telling
    if telling is None:
        raise ValueError("telling contexts that were not learnt")
    yield "telling context", [telling.told(context) or "none" for context in contexts(batch)]


FEATURES = (
    Feature("lm_scores", "probability and rank of each filler", lm_scores, learnt="lm"),
    Feature("lm_best", "the filler that a language model prefers", lm_best, learnt="lm"),
    Feature(
        "telling_contexts",
        "the class that nearly always goes with the neighbours of the gap",
        telling_contexts,
        learnt="telling",
    ),
)
