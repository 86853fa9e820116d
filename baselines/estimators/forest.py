"""Random forests: scikit-learn grows the trees, which are then arrays of nodes.

All features are 0 or 1, so that a node asks only whether a feature is there: `present` is the node
to go on with if it is, `absent` if not. A leaf has feature -1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import csr_matrix

from crosspro.baselines.estimators.model import (
    Arrays,
    Contributions,
    Estimator,
    FeatureModel,
    Labels,
)
from crosspro.data_prep.core.settings import Share, settings

_ROUNDING = 1e-3
_CELLS = 2**26
"""Rows are worked on in groups whose full matrix has at most so many cells."""


@dataclass(frozen=True)
class Forest(FeatureModel):
    """The nodes of all trees: `roots` says where each tree begins; its nodes follow its root.

    `shares` has for each node the shares of the classes among the training gaps that reached it.
    """

    kind = "forest"
    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    absent: NDArray[np.int32]
    present: NDArray[np.int32]
    shares: NDArray[np.float32]

    def probabilities(self, matrix: csr_matrix) -> NDArray[np.float64]:
        """The mean over all trees of the shares in the leaf that a row reaches."""
        parts = [self._means(rows) for rows in _dense(matrix)]
        return np.concatenate([np.zeros((0, self.shares.shape[1])), *parts])

    def _means(self, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        total = np.zeros((len(rows), self.shares.shape[1]))
        for root in self.roots:
            total += self.shares[self._leaves(rows, root)]
        return total / len(self.roots)

    def _leaves(self, rows: NDArray[np.bool_], root: int) -> NDArray[np.int32]:
        """The leaf of a tree that each row reaches."""
        node = np.full(len(rows), root, np.int32)
        walking = np.arange(len(rows))
        while True:
            asked = self.feature[node[walking]]
            walking, asked = walking[asked >= 0], asked[asked >= 0]
            if not len(walking):
                return node
            here = node[walking]
            there = rows[walking, asked]
            node[walking] = np.where(there, self.present[here], self.absent[here])

    def contributions(self, row: csr_matrix) -> Contributions:
        """What each question on the paths of a row changed in the shares, averaged over the trees.

        A feature contributes by being there or by being absent; which of both, the row says.
        """
        rows = next(_dense(row))
        found: dict[int, NDArray[np.float64]] = {}
        base = np.zeros(self.shares.shape[1])
        for root in self.roots:
            node = int(root)
            base += self.shares[node]
            while (asked := int(self.feature[node])) >= 0:
                following = int((self.present if rows[0, asked] else self.absent)[node])
                change = self.shares[following].astype(np.float64) - self.shares[node]
                found[asked] = found.get(asked, 0.0) + change
                node = following
        trees = len(self.roots)
        features = np.array(sorted(found), np.int64)
        values = np.array([found[one] for one in features.tolist()]).reshape(-1, len(base))
        return Contributions(features, values / trees, base / trees)

    def arrays(self) -> Arrays:
        """All nodes."""
        names = ("roots", "feature", "absent", "present", "shares")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], classes: int, size: int) -> Forest:
        """The forest of saved arrays, in which every way leads forward to a leaf of its tree."""
        forest = cls(*(arrays[n] for n in ("roots", "feature", "absent", "present", "shares")))
        nodes = len(forest.feature)
        places = (forest.roots, forest.feature, forest.absent, forest.present)
        if any(place.ndim != 1 or place.dtype != np.int32 for place in places):
            raise ValueError("nodes that are not whole numbers")
        inner = forest.feature >= 0
        steps = [one[inner] for one in (forest.absent, forest.present)]
        if (
            len({nodes, len(forest.absent), len(forest.present), len(forest.shares)}) > 1
            or forest.shares.shape != (nodes, classes)
            or not len(forest.roots)
            or not ((forest.roots >= 0) & (forest.roots < nodes)).all()
            or not (forest.feature < size).all()
            or not all(((step > np.flatnonzero(inner)) & (step < nodes)).all() for step in steps)
        ):
            raise ValueError(f"nodes of no forest of {classes} classes and {size} features")
        if not (np.isfinite(forest.shares) & (forest.shares >= 0)).all():
            raise ValueError("shares below 0")
        sums = forest.shares.sum(axis=1, dtype=np.float64)
        if not (np.abs(sums - 1) < _ROUNDING).all():
            raise ValueError("shares that do not add up to 1")
        return forest


def _dense(matrix: csr_matrix) -> Iterator[NDArray[np.bool_]]:
    """The rows of a matrix, some at a time, as true and false."""
    step = max(1, _CELLS // max(1, matrix.shape[1]))
    for start in range(0, max(1, matrix.shape[0]), step):
        yield matrix[start : start + step].toarray() > 0


@settings
class RandomForest(Estimator):
    """Trees over random samples of the gaps, with random features at each node."""

    name: Literal["random_forest"] = "random_forest"
    trees: Annotated[int, Field(ge=1)] = 100
    least_leaf: Annotated[int, Field(ge=1)] = 3
    share_of_features: Share | None = None
    threads: Annotated[int, Field(ge=1)] = 2

    def fit(
        self, matrix: csr_matrix, labels: Labels, weights: NDArray[np.float64], seed: int
    ) -> Forest:
        """Grow the trees; the threads change no result."""
        from sklearn.ensemble import RandomForestClassifier  # slow to import, for training only

        grown = RandomForestClassifier(
            n_estimators=self.trees,
            min_samples_leaf=self.least_leaf,
            max_features=self.share_of_features or "sqrt",
            n_jobs=self.threads,
            random_state=seed,
        ).fit(matrix, labels, sample_weight=weights)
        return forest_of([tree.tree_ for tree in grown.estimators_])


def forest_of(trees: list[Any]) -> Forest:
    """The nodes of scikit-learn's trees over 0/1 features in one row, tree after tree."""
    sizes = np.array([tree.node_count for tree in trees])
    roots = np.cumsum(sizes) - sizes
    feature, absent, present, shares = [], [], [], []
    for root, tree in zip(roots.tolist(), trees, strict=True):
        leaf = tree.children_left < 0
        feature.append(np.where(leaf, -1, tree.feature))
        absent.append(np.where(leaf, -1, tree.children_left + root))
        present.append(np.where(leaf, -1, tree.children_right + root))
        values = tree.value[:, 0, :]
        shares.append(values / values.sum(axis=1, keepdims=True))
    return Forest(
        roots.astype(np.int32),
        np.concatenate(feature).astype(np.int32),
        np.concatenate(absent).astype(np.int32),
        np.concatenate(present).astype(np.int32),
        np.concatenate(shares).astype(np.float32),
    )
