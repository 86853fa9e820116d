"""The arithmetic of a linear chain: all paths through its labels, and the best one.

The score of a path is the sum of its tokens' label scores and of its transitions. Forward and
backward sums are kept as shares of one at each token (scaling), so that a step for many sequences
is one product of matrices; sums that would vanish are held at a tiny share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crosspro.baselines.crf.packed import Floats, Ints, Packed

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
