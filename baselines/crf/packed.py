"""Sequences of different lengths side by side, without padding.

The tokens of some sequences stand in one array: all first tokens, then all second ones, and so on,
the longest sequence first. A step of the forward or the backward pass is then a slice, whatever the
lengths are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Packed:
    """The order of the tokens: `rows[i]` is the row of the i-th one in the text it comes from.

    `sizes[t]` sequences have a token t, `starts[t]` is where the first of those stands, and
    `sequences` are the numbers of the sequences, the longest first. `weights` says of each token
    how much its sequence counts.
    """

    rows: Ints
    sizes: Ints
    starts: Ints
    sequences: Ints
    weights: Floats

    def steps(self) -> Iterator[tuple[slice, slice]]:
        """For each token after the first: where the tokens before stand, and the tokens."""
        for size, before, here in zip(self.sizes[1:], self.starts, self.starts[1:], strict=False):
            yield slice(before, before + size), slice(here, here + size)

    def last(self) -> Ints:
        """Where the last token of each sequence stands, in the order of `sequences`."""
        lengths = (self.sizes[None, :] > np.arange(len(self.sequences))[:, None]).sum(axis=1)
        return np.asarray(self.starts[lengths - 1] + np.arange(len(self.sequences)))


def pack(
    firsts: Ints, lengths: Ints, sequences: Ints, sequence_weights: Floats | None = None
) -> Packed:
    """The chosen sequences; each is a run of `lengths` rows from its first one, and has one.

    All count alike unless `sequence_weights` says how much each sequence of the text does.
    """
    chosen = sequences[np.argsort(-lengths[sequences], kind="stable")]
    steps = np.arange(int(lengths[chosen].max(initial=0)))
    sizes = len(chosen) - np.searchsorted(lengths[chosen][::-1], steps, side="right")
    rows = [firsts[chosen[:size]] + step for step, size in enumerate(sizes)]
    packed = np.concatenate([np.zeros(0, np.int64), *rows])
    weights = np.ones(len(packed))
    if sequence_weights is not None:
        counted = sequence_weights[chosen]
        weights = np.concatenate([np.zeros(0), *(counted[:size] for size in sizes)])
    return Packed(packed, sizes, np.cumsum(sizes) - sizes, chosen, weights)


def batches(lengths: Ints, tokens: int, generator: np.random.Generator | None = None) -> list[Ints]:
    """Sequences of similar length in groups of about so many tokens.

    With a generator, sequences of equal length are shuffled, so that a group mixes documents.
    """
    order = np.arange(len(lengths)) if generator is None else generator.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    group = (np.cumsum(lengths[order]) - 1) // tokens
    return np.split(order, np.flatnonzero(np.diff(group)) + 1) if len(order) else []
