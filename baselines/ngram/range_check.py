"""Whether the arrays of a model point inside one another, so that every query ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from crosspro.baselines.ngram.arpa_lines import ROUNDING
from crosspro.baselines.ngram.model import NGramModel

_BLOCK = 1 << 16
"""Numbers checked at once: so many stay in the processor's cache."""


def range_fault(model: NGramModel) -> str | None:
    """The first thing that is wrong with the numbers of a model, if any.

    A back-off link goes to a context with a smaller number, so that going along links ends; the
    entries of a bucket do not end before they start; a pair in the index consists of a context and
    a word, and its node is one word longer than the context.
    """
    words, contexts, fails = len(model.vocabulary), len(model.extends), model.fails
    circle = "a back-off that goes to no shorter context"
    for part in _blocks(1, contexts):  # node 0, the empty context, stays where it is
        if (fails[part] >= np.arange(part.start, part.stop, dtype=np.uint32)).any():
            return circle
    if fails[0] >= contexts or any(
        fails[part].max() >= contexts for part in _blocks(contexts, len(fails))
    ):
        return circle
    starts = model.index.starts
    for part in _blocks(0, len(starts) - 1):
        if (starts[part] > starts[part.start + 1 : part.stop + 1]).any():
            return "a bucket of the index that ends before it starts"
    bounds = model.first_nodes[1:].tolist()
    for part in _blocks(0, len(model.index.keys)):
        keys, nodes = model.index.keys[part], model.index.nodes[part]
        if keys.min() < words or keys.max() >= contexts * words or nodes.max() >= len(fails):
            return "an index of n-grams that the model does not have"
        # A context of at least n words goes with a node of at least n + 1 words, and the reverse.
        if nodes.min() < bounds[0] or any(
            ((keys >= shorter * words) != (nodes >= longer)).any()
            for shorter, longer in pairwise(bounds)
        ):
            return "an n-gram of another length than its node"
    for name, values in (("probability", model.log_probs), ("back-off", model.back_offs)):
        if any(np.isnan(values[part].min()) for part in _blocks(0, len(values))):
            return f"a {name} that is no number"
        if any(values[part].max() == np.inf for part in _blocks(0, len(values))):
            return f"a {name} that is infinite"
    if any(model.log_probs[part].max() > ROUNDING for part in _blocks(0, len(model.log_probs))):
        return "a probability above 1"
    return None


def _blocks(first: int, end: int) -> Iterator[slice]:
    for start in range(first, end, _BLOCK):
        yield slice(start, min(start + _BLOCK, end))
