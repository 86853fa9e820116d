"""Training of a chain: the log-likelihood of labelled sequences with an L2 penalty, by AdaGrad.

Mini-batches of sequences of similar length are made once and visited in a new order in each epoch;
a step touches only the features of its batch. The penalty of a feature is spread over the batches
that have it, so that the steps of an epoch follow exactly the gradient of the objective

    Σ weight of a sequence · -log p(its labels)  +  l2/2 · |weights|²

where the bias goes free; a sequence weighs what its gaps do on average. The same data, settings and
seed give the same weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from crosspro.baselines.crf.chain import expectation, pair_counts, path_score
from crosspro.baselines.crf.model import ChainModel, Matrix, Rows
from crosspro.baselines.crf.packed import Floats, Ints, Packed, batches, pack
from crosspro.baselines.estimators.divergence import diverged
from crosspro.prediction.adjustment import class_weights

_SMALL = 1e-8


@dataclass(frozen=True)
class ChainTraining:
    """Settings of a training; `batch_tokens` is the size of a mini-batch in tokens."""

    epochs: int = 10
    learning_rate: float = 0.2
    l2: float = 1.0
    batch_tokens: int = 4096
    seed: int = 1


@dataclass(frozen=True)
class Gradient:
    """The loss of some sequences (negative log-likelihood, weighted) and its gradient."""

    loss: float
    features: Floats
    bias: Floats
    transitions: Floats


def gradient(model: ChainModel, matrix: Matrix, labels: Ints, packed: Packed) -> Gradient:
    """Loss and gradient of sequences, whose tokens and labels stand in packed order."""
    scores = model.scores(matrix)
    expected = expectation(scores, model.transitions, packed)
    difference = expected.labels.copy()
    difference[np.arange(len(labels)), labels] -= 1
    difference *= packed.weights[:, None]
    narrow = difference.astype(matrix.dtype, copy=False)
    return Gradient(
        expected.log_total - path_score(scores, model.transitions, labels, packed),
        np.asarray(matrix.T @ narrow),
        difference.sum(axis=0),
        expected.pairs - pair_counts(labels, packed, len(model.bias)),
    )


@np.errstate(over="ignore", invalid="ignore")  # what comes of it is refused
def train_chain(
    rows: Rows,
    width: int,
    lengths: Ints,
    labels: Ints,
    size: int,
    settings: ChainTraining,
    sequence_weights: Floats | None = None,
) -> ChainModel:
    """A chain over `size` labels, learnt from sequences that follow one another.

    `rows` gives the features of tokens, `width` of them in all; `labels` has one for each token.
    All sequences count alike unless `sequence_weights` says how much each does.
    """
    generator = np.random.default_rng(settings.seed)
    firsts = np.cumsum(lengths) - lengths
    groups = batches(lengths, settings.batch_tokens, generator)
    narrowed = _Narrowing(width)
    presence = np.zeros(width)
    for group in groups:
        presence[narrowed(rows(pack(firsts, lengths, group).rows))[1]] += 1

    weights = np.zeros((width, size), dtype=np.float32)
    squares = np.zeros((width, size), dtype=np.float32)
    bias, bias_squares = np.zeros(size), np.zeros(size)
    moves, move_squares = np.zeros((size, size)), np.zeros((size, size))
    for _ in range(settings.epochs):
        for number in generator.permutation(len(groups)):
            packed = pack(firsts, lengths, groups[number], sequence_weights)
            matrix, used = narrowed(rows(packed.rows))
            local = weights[used]
            found = gradient(ChainModel(local, bias, moves), matrix, labels[packed.rows], packed)
            shares = (settings.l2 / presence[used]).astype(np.float32)
            by_features = found.features + shares[:, None] * local
            gained = squares[used] + by_features**2
            squares[used] = gained
            weights[used] = local - settings.learning_rate * by_features / np.sqrt(gained + _SMALL)
            _step(bias, bias_squares, found.bias, settings.learning_rate)
            by_moves = found.transitions + settings.l2 / len(groups) * moves
            _step(moves, move_squares, by_moves, settings.learning_rate)
        if not all(np.isfinite(array).all() for array in (weights, bias, moves)):
            raise diverged("system.learning_rate, system.l2", "weights that are not finite")
    return ChainModel(weights, bias, moves)


def averaged_class_weights(labels: Ints, lengths: Ints, classes: int, power: float) -> Floats:
    """What each sequence counts: the class weights of its gaps, averaged.

    A label below 0 is that of no gap; every sequence has a gap. With power 0 all weigh 1.
    """
    gaps = labels >= 0
    by_token = np.where(gaps, class_weights(labels, classes, power)[labels], 0.0)
    firsts = np.cumsum(lengths) - lengths
    sums = np.add.reduceat(by_token, firsts)
    return np.asarray(sums / np.add.reduceat(gaps.astype(np.int64), firsts))


def _step(weights: Floats, squares: Floats, by_weights: Floats, rate: float) -> None:
    """A step of AdaGrad, in place."""
    squares += by_weights**2
    weights -= rate * by_weights / np.sqrt(squares + _SMALL)


class _Narrowing:
    """Cuts the columns of a matrix down to those that occur in it, without sorting."""

    def __init__(self, width: int) -> None:
        self.seen = np.zeros(width, dtype=bool)
        self.place = np.zeros(width, dtype=np.int32)

    def __call__(self, matrix: Matrix) -> tuple[Matrix, NDArray[np.int64]]:
        self.seen[matrix.indices] = True
        used = np.flatnonzero(self.seen)
        self.seen[used] = False
        self.place[used] = np.arange(len(used), dtype=np.int32)
        parts = (matrix.data, self.place[matrix.indices], matrix.indptr)
        return sparse.csr_array(parts, shape=(matrix.shape[0], len(used))), used
