"""The arithmetic of a linear chain: sums over all paths through its labels, and the best path.

Sequences of different lengths stand side by side without padding: all first tokens, then all second
ones, and so on, the longest sequence first. A step of the forward or the backward pass is then a
slice. The score of a path is the sum of its tokens' label scores and of its transitions. Forward
and backward sums are kept as shares of one at each token (scaling), so that a step for many
sequences is one product of matrices; sums that would vanish are held at a tiny share.
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


_TINY = 1e-100


@dataclass(frozen=True)
class Expectation:
    """What the distribution over paths expects.

    `log_total` is the log of the sum over all paths of all sequences, `labels` has the probability
    of each label at each token (in packed order), and `pairs` how often each label is expected
    before each other. Sums over sequences are weighted.
    """

    log_total: float
    labels: Floats
    pairs: Floats


def expectation(scores: Floats, transitions: Floats, packed: Packed) -> Expectation:
    """Sums over all paths; `scores` has a row for each token, in packed order."""
    if not len(scores):
        return Expectation(0.0, np.zeros(scores.shape), np.zeros(transitions.shape))
    top = scores.max(axis=1, keepdims=True)
    emitted = np.maximum(np.exp(scores - top), _TINY)
    highest = float(transitions.max())
    moves = np.maximum(np.exp(transitions - highest), _TINY)

    forward = np.empty_like(emitted)
    totals = np.empty((len(emitted), 1))
    first = slice(0, packed.sizes[0])
    totals[first] = emitted[first].sum(axis=1, keepdims=True)
    forward[first] = emitted[first] / totals[first]
    for before, here in packed.steps():
        reached = (forward[before] @ moves) * emitted[here]
        totals[here] = reached.sum(axis=1, keepdims=True)
        forward[here] = np.maximum(reached / totals[here], _TINY)

    backward = np.ones_like(emitted)
    following = np.zeros(0, dtype=np.int64)
    steps = list(packed.steps())
    for before, here in reversed(steps):
        ahead = (emitted[here] * backward[here]) @ moves.T
        backward[before] = np.maximum(ahead / ahead.sum(axis=1, keepdims=True), _TINY)

    labels = forward * backward
    labels /= labels.sum(axis=1, keepdims=True)
    pairs = np.zeros_like(moves)
    if steps:
        preceding = np.concatenate([np.arange(before.start, before.stop) for before, _ in steps])
        following = np.concatenate([np.arange(here.start, here.stop) for _, here in steps])
        ahead = emitted[following] * backward[following]
        both = ((forward[preceding] @ moves) * ahead).sum(axis=1, keepdims=True)
        counted = ahead / both * packed.weights[following, None]
        pairs = (forward[preceding].T @ counted) * moves
    log_totals = (np.log(totals) + top)[:, 0]
    log_totals[following] += highest
    return Expectation(float(packed.weights @ log_totals), labels, pairs)


def best_paths(scores: Floats, transitions: Floats, packed: Packed) -> tuple[Ints, Floats]:
    """The label of each token on the best path (Viterbi), in packed order, and the paths' scores.

    A label whose score is -inf is never taken where there is another; of equal paths the one with
    the first labels is taken. The scores are in the order of `packed.sequences`.
    """
    reached = scores.copy()
    origin = np.zeros(scores.shape, dtype=np.int64)
    steps = list(packed.steps())
    for before, here in steps:
        ways = reached[before][:, :, None] + transitions[None]
        origin[here] = ways.argmax(axis=1)
        reached[here] += ways.max(axis=1)
    labels = reached.argmax(axis=1)
    for before, here in reversed(steps):
        chosen = labels[here]
        labels[before] = origin[here][np.arange(len(chosen)), chosen]
    return labels, reached[packed.last()].max(axis=1, initial=-np.inf)


def path_score(scores: Floats, transitions: Floats, labels: Ints, packed: Packed) -> float:
    """The weighted sum of the scores of the given path of each sequence."""
    gained = scores[np.arange(len(labels)), labels]
    for before, here in packed.steps():
        gained[here] += transitions[labels[before], labels[here]]
    return float(packed.weights @ gained)


def pair_counts(labels: Ints, packed: Packed, size: int) -> Floats:
    """How often each label comes before each other on given paths, weighted."""
    counts = np.zeros(size * size)
    for before, here in packed.steps():
        places = labels[before] * size + labels[here]
        counts += np.bincount(places, packed.weights[here], minlength=size * size)
    return counts.reshape(size, size)
