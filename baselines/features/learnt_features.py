"""Features that look things up in what was learnt before: a language model, telling contexts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.features.feature import Column, Feature, bins
from crosspro.baselines.features.gaps import PAD, Batch
from crosspro.baselines.features.telling import REACH, Context
from crosspro.baselines.fill import Floats

_CHANCES = (0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
_RANKS = (1, 2, 3, 5, 10, 20)
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
        yield f"LM probability of {word}", _binned(chances[:, number], _CHANCES)
        yield f"LM rank of {word}", _binned(ranks[:, number], _RANKS)


def _binned(values: NDArray[Any], edges: tuple[float, ...]) -> list[str]:
    names = [*(bins(edge, edges) for edge in edges), f">{edges[-1]:g}"]
    return [names[place] for place in np.searchsorted(edges, values, side="left").tolist()]


def lm_best(batch: Batch, _: int) -> Iterator[Column]:
    """The filler that the language model prefers."""
    words, chances = _chances(batch)
    yield "LM prefers", [words[place] for place in chances.argmax(axis=1).tolist()]


def contexts(batch: Batch) -> list[Context]:
    """What templates of telling contexts look at."""
    return [
        (
            line.example.source[gap.source_index].lower(),
            line.lemmas[gap.position + PAD - REACH : gap.position + PAD + REACH + 1],
        )
        for line, gap in zip(batch.lines, batch.gaps, strict=True)
    ]


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
