"""Random forests: scikit-learn grows the trees, which are then arrays of nodes.

All features are 0 or 1, so that a node only tests whether a feature is present: `present` is the
next node if it is, `absent` if not. A leaf has feature -1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import csr_matrix

from crosspro.baselines.estimators.linear import Floats, Labels
from crosspro.data_prep.core.settings import Share, settings

_DENSE_CELLS = 2**26
"""Rows are made dense in groups of at most so many cells."""


@dataclass(frozen=True)
class Forest:
    """The nodes of all trees: `roots` says where each tree begins; its nodes follow its root.

    `shares` has for each node the shares of the classes among the training gaps that reached it.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    absent: NDArray[np.int32]
    present: NDArray[np.int32]
    shares: NDArray[np.float32]

    def probabilities(self, matrix: csr_matrix) -> Floats:
        parts = [
            sum(self.shares[self._leaves(rows, root)].astype(np.float64) for root in self.roots)
            for rows in _dense(matrix)
        ]
        return np.concatenate(parts) / len(self.roots)

    def _leaves(self, rows: NDArray[np.bool_], root: int) -> NDArray[np.int32]:
        node = np.full(len(rows), root, np.int32)
        walking = np.arange(len(rows))
        while True:
            tested = self.feature[node[walking]]
            walking, tested = walking[tested >= 0], tested[tested >= 0]
            if not len(walking):
                return node
            here = node[walking]
            node[walking] = np.where(rows[walking, tested], self.present[here], self.absent[here])

    def check(self, classes: int, features: int) -> None:
        """Raise a ValueError if the arrays are those of another forest."""
        nodes = len(self.feature)
        if self.shares.shape != (nodes, classes) or self.feature.max() >= features:
            raise ValueError(f"a forest of other than {classes} classes and {features} features")
        if not len(self.absent) == len(self.present) == nodes > self.roots.max():
            raise ValueError(f"other than {nodes} nodes")


def _dense(matrix: csr_matrix) -> Iterator[NDArray[np.bool_]]:
    step = max(1, _DENSE_CELLS // max(1, matrix.shape[1]))
    for start in range(0, max(1, matrix.shape[0]), step):
        yield matrix[start : start + step].toarray() > 0


@settings
class RandomForest:
    """Trees over random samples of the gaps, with random features at each node."""

    name: Literal["random_forest"] = "random_forest"
    trees: Annotated[int, Field(ge=1)] = 100
    least_leaf: Annotated[int, Field(ge=1)] = 3
    share_of_features: Share | None = None
    threads: Annotated[int, Field(ge=1)] = 2

    def fit(self, matrix: csr_matrix, labels: Labels, weights: Floats, seed: int) -> Forest:
        from sklearn.ensemble import RandomForestClassifier  # slow to import, for training only

        grown = RandomForestClassifier(
            n_estimators=self.trees,
            min_samples_leaf=self.least_leaf,
            max_features=self.share_of_features or "sqrt",
            n_jobs=self.threads,
            random_state=seed,
        ).fit(matrix, labels, sample_weight=weights)
        trees = [tree.tree_ for tree in grown.estimators_]
        roots = np.cumsum([0, *(tree.node_count for tree in trees[:-1])])
        moved = np.repeat(roots, [tree.node_count for tree in trees])
        left = np.concatenate([tree.children_left for tree in trees])
        right = np.concatenate([tree.children_right for tree in trees])
        feature = np.concatenate([tree.feature for tree in trees])
        shares = np.concatenate([tree.value[:, 0, :] for tree in trees])
        return Forest(
            roots.astype(np.int32),
            np.where(left < 0, -1, feature).astype(np.int32),
            np.where(left < 0, -1, left + moved).astype(np.int32),
            np.where(left < 0, -1, right + moved).astype(np.int32),
            (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32),
        )
