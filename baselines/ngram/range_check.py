"""Whether the arrays of a model point inside one another, so that every query ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.model import NGramModel

_BLOCK = 1 << 16
"""Numbers checked at once: so many stay in the processor's cache."""


def range_fault(model: NGramModel) -> str | None:
    """The first thing that is wrong with the numbers of a model, if any.

    A back-off link goes to a context with a smaller number, so that going along links ends; the
    entries of a bucket do not end before they start; a pair in the index consists of a context and
    a word, and its node is one word longer than the context.
    """
    words, contexts = len(model.vocabulary), len(model.extends)
    circle = "a back-off that goes to no shorter context"
    for part in _blocks(len(model.fails)):
        if model.fails[part].max() >= contexts:
            return circle
    for part in _blocks(contexts):  # node 0, the empty context, stays where it is
        if (model.fails[part][part.start == 0 :] >= _numbers(part)[part.start == 0 :]).any():
            return circle
    starts = model.index.starts
    for part in _blocks(len(starts) - 1):
        if (starts[part] > starts[part.start + 1 : part.stop + 1]).any():
            return "a bucket of the index that ends before it starts"
    # A context of at least n words goes with a node of at least n + 1 words, and the reverse.
    bounds = [*model.first_nodes.tolist(), len(model.fails)]
    for part in _blocks(len(model.index.keys)):
        keys, nodes = model.index.keys[part], model.index.nodes[part]
        if keys.min() < words or keys.max() >= contexts * words or nodes.max() >= len(model.fails):
            return "an index of n-grams that the model does not have"
        for shorter, longer in pairwise(bounds):
            if ((keys >= shorter * words) != (nodes >= longer)).any():
                return "an n-gram of another length than its node"
    for name, values in (("probability", model.log_probs), ("back-off", model.back_offs)):
        if any(np.isnan(values[part].min()) for part in _blocks(len(values))):
            return f"a {name} that is no number"
    return None


def _numbers(part: slice) -> NDArray[np.uint32]:
    return np.arange(part.start, part.stop, dtype=np.uint32)


def _blocks(length: int) -> Iterator[slice]:
    for start in range(0, length, _BLOCK):
        yield slice(start, min(start + _BLOCK, length))
