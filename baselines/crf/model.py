"""A linear-chain CRF over sparse features: its weights and file, its training, its explanations.

Features come as the rows of a sparse matrix, one a token. They are asked for in small groups
(`Rows`), so that what makes them need not hold those of a whole text.

Training maximises the log-likelihood of labelled sequences with an L2 penalty, by AdaGrad.
Mini-batches of sequences of similar length are made once and visited in a new order in each epoch;
a step touches only the features of its batch. The penalty of a feature is spread over the batches
that have it, so that the steps of an epoch follow exactly the gradient of the objective

    Σ weight of a sequence · -log p(its labels)  +  l2/2 · |weights|²

where the bias goes free; a sequence weighs what its gaps do on average. The same data, settings and
seed give the same weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import sparse

from crosspro.baselines.crf.chain import (
    Floats,
    Ints,
    Packed,
    batches,
    best_paths,
    expectation,
    pack,
    pair_counts,
    path_score,
)
from crosspro.baselines.estimators.model import diverged
from crosspro.baselines.feature_evidence import token_sums
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.settings import Seed, settings
from crosspro.data_prep.core.stored import read_npz
from crosspro.prediction.adjustment import class_weights
from crosspro.prediction.evidence import (
    Evidence,
    EvidenceTable,
    GapQuestion,
    contribution_table,
)

Penalty = Annotated[float, Field(ge=0, le=1e9)]

Matrix = Any
"""A scipy CSR array: a row for each token, a column for each feature."""

Rows = Callable[[Ints], Matrix]
"""The features of the tokens with these numbers."""

_AT_ONCE = 50_000  # tokens, so that scores and sums of a batch stay small


@dataclass(frozen=True)
class ChainModel:
    """Weights: `features` (feature × label), `bias` (label), `transitions` (label × next label)."""

    features: NDArray[np.float32]
    bias: Floats
    transitions: Floats

    def scores(self, matrix: Matrix) -> Floats:
        """The score of each label at each token, transitions left out."""
        return np.asarray(matrix @ self.features, dtype=np.float64) + self.bias

    def marginals(self, rows: Rows, lengths: Ints) -> Floats:
        """The probability of each label at each token of sequences that follow one another."""
        result = np.zeros((int(lengths.sum()), len(self.bias)))
        for packed in _groups(lengths):
            scores = self.scores(rows(packed.rows))
            result[packed.rows] = expectation(scores, self.transitions, packed).labels
        return result

    def paths(
        self, rows: Rows, lengths: Ints, allowed: NDArray[np.bool_] | None = None
    ) -> tuple[Ints, Floats]:
        """The labels of the best path of each sequence, and its score.

        `allowed` may say which labels each token can have.
        """
        labels = np.zeros(int(lengths.sum()), dtype=np.int64)
        totals = np.zeros(len(lengths))
        for packed in _groups(lengths):
            scores = self.scores(rows(packed.rows))
            if allowed is not None:
                scores[~allowed[packed.rows]] = -np.inf
            labels[packed.rows], totals[packed.sequences] = best_paths(
                scores, self.transitions, packed
            )
        return labels, totals

    def save(self, path: Path) -> None:
        """Write the arrays."""
        with atomic_output(path) as handle:
            np.savez(handle, features=self.features, bias=self.bias, transitions=self.transitions)


def load_chain(path: Path, features: int, labels: int) -> ChainModel:
    """Read the arrays of a model with so many features and labels."""
    shapes = {"features": (features, labels), "bias": (labels,), "transitions": (labels, labels)}
    try:
        arrays = read_npz(path)
    except (OSError, ValueError, BadZipFile, EOFError, SyntaxError) as error:
        raise input_error(path, "file", "the arrays of a chain", str(error)) from error
    for name, shape in shapes.items():
        array = arrays.get(name)
        if array is None or array.shape != shape or array.dtype.kind != "f":
            found = "none" if array is None else f"{array.dtype} of shape {array.shape}"
            raise input_error(path, name, f"numbers of shape {shape}", found)
    return ChainModel(
        arrays["features"].astype(np.float32, copy=False),
        arrays["bias"].astype(np.float64, copy=False),
        arrays["transitions"].astype(np.float64, copy=False),
    )


def _groups(lengths: Ints) -> list[Any]:
    firsts = np.cumsum(lengths) - lengths
    return [pack(firsts, lengths, group) for group in batches(lengths, _AT_ONCE)]


_SMALL = 1e-8


@settings
class ChainTraining:
    """Settings of a training; `batch_tokens` is the size of a mini-batch in tokens."""

    epochs: Annotated[int, Field(ge=1)] = 10
    learning_rate: Annotated[float, Field(gt=0, le=1000)] = 0.2
    l2: Penalty = 1.0
    batch_tokens: Annotated[int, Field(ge=1)] = 4096
    seed: Seed = 1


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


def best_path(
    chain: ChainModel, rows: Rows, lengths: Ints, allowed: NDArray[np.bool_] | None = None
) -> BestPath:
    """The best path of a single sequence; `allowed` are the labels that each token can have."""
    labels, _ = chain.paths(rows, lengths, allowed)
    scores = chain.scores(rows(np.arange(int(lengths.sum()))))
    return BestPath(chain, labels, scores, chain.marginals(rows, lengths))


@dataclass(frozen=True)
class BestPath:
    """The labels of one sequence, with the scores and the probability of every label."""

    chain: ChainModel
    labels: Ints
    scores: Floats
    marginals: Floats

    def evidence(
        self,
        question: GapQuestion,
        place: int,
        features: Mapping[int, str],
        names: Sequence[str],
        tokens: Sequence[str],
        shown: Sequence[int],
    ) -> Evidence:
        """Why the gap at a place of the sequence got its label.

        `features` are those of the gap by number, `names` those of the labels; of the path `shown`
        `tokens` are listed.
        """
        pair = (question.chosen, question.against)
        weights = self.chain.features[list(features)][:, pair].astype(np.float64)
        how = (
            "the path with the best sum of scores and transitions; features: what they add to the "
            f"score of {names[pair[0]]} and of {names[pair[1]]} at this gap"
        )
        told = list(features.values())
        return Evidence(
            how,
            (self._table(tokens, names, shown), self._features(told, weights, place, pair, names)),
            *token_sums(question, told, (weights[:, 0] - weights[:, 1]).tolist()),
        )

    def _table(
        self, tokens: Sequence[str], names: Sequence[str], shown: Sequence[int]
    ) -> EvidenceTable:
        """The chosen tokens on the path: label, its score, the transition to it, probability."""
        rows = []
        for place in shown:
            label = int(self.labels[place])
            moved = self.chain.transitions[self.labels[place - 1], label] if place else 0.0
            scores = float(self.scores[place, label]), float(moved)
            chance = float(self.marginals[place, label])
            rows.append((tokens[place], names[label], *scores, chance))
        columns = ("token", "label", "score", "transition", "probability")
        return EvidenceTable("Best path", columns, tuple(rows))

    def _features(
        self,
        features: Sequence[str],
        weights: NDArray[np.float64],
        place: int,
        pair: tuple[int, int],
        names: Sequence[str],
    ) -> EvidenceTable:
        """What the features of a token, the labels themselves and the neighbours add to two."""
        rows = [*features, "(label)"]
        added = [*weights.tolist(), self.chain.bias[list(pair)].tolist()]
        moves = self.chain.transitions
        if place:
            before = self.labels[place - 1]
            rows.append(f"(after {names[before]})")
            added.append(moves[before, list(pair)].tolist())
        if place + 1 < len(self.labels):
            after = self.labels[place + 1]
            rows.append(f"(before {names[after]})")
            added.append(moves[list(pair), after].tolist())
        first, second = zip(*added, strict=True)
        shown = (names[pair[0]], names[pair[1]])
        return contribution_table("Features", shown, rows, first, second)
