"""A trained chain: weights of features, labels and transitions; and its npz file.

Features come as the rows of a sparse matrix, one a token. They are asked for in small groups
(`Rows`), so that what makes them need not hold those of a whole text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.crf.chain import best_paths, expectation
from crosspro.baselines.crf.packed import Floats, Ints, batches, pack
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.stored import read_npz

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
