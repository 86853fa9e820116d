"""How well an order by doubt finds what raters marked, with intervals by document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.evaluation.resampling import Resampling

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

FIRST = (50, 100)
MEASURES = ("AUC, all marks", "AUC, major", "average precision", *(f"of first {n}" for n in FIRST))
Measured = list[tuple[float, float, float]]
"""Each measure with its 95% interval."""


@dataclass(frozen=True)
class Ranking:
    """Items by doubt, what raters say of each (0, 1 or 2), and their documents."""

    doubts: Floats
    levels: NDArray[np.int64]
    documents: Sequence[str]

    def measured(self, other: Ranking | None = None) -> Measured:
        """All measures with intervals by document, or how far they are above another ranking's."""
        values = self._resampled() - (0 if other is None else other._resampled())
        low, high = np.nanquantile(values[1:], (0.025, 0.975), axis=0)
        return list(zip(values[0].tolist(), low.tolist(), high.tolist(), strict=True))

    @property
    def auc(self) -> float:
        """The AUC of all marks."""
        return area(self.doubts, self.levels > 0, np.ones(len(self.levels)))

    def _resampled(self) -> Floats:
        """The measures, and then those of resampled documents."""
        units = np.unique(self.documents, return_inverse=True)[1]
        drawn = Resampling(500).draws(int(units.max()) + 1)
        weights = [counts[units].astype(float) for block in drawn for counts in block]
        return np.array([self._measures(one) for one in (np.ones(len(units)), *weights)])

    def _measures(self, weights: Floats) -> list[float]:
        marked, severe = self.levels > 0, self.levels > 1
        values = [area(self.doubts, marked, weights), area(self.doubts, severe, weights)]
        values.append(average_precision(self.doubts, marked, weights))
        order = np.argsort(-self.doubts, kind="stable")
        for first in FIRST:
            kept = order[np.cumsum(weights[order]) <= first]
            total = weights[kept].sum()
            values.append(float((weights[kept] * marked[kept]).sum() / total) if total else np.nan)
        return values


def area(doubts: Floats, marked: Booleans, weights: Floats) -> float:
    """The area under the ROC curve: how often a marked item is doubted more than another."""
    values, places = np.unique(doubts, return_inverse=True)
    positive = np.bincount(places, weights * marked, len(values))
    negative = np.bincount(places, weights * ~marked, len(values))
    below = np.cumsum(negative) - negative / 2
    total = positive.sum() * negative.sum()
    return float((positive * below).sum() / total) if total else float("nan")


def average_precision(doubts: Floats, marked: Booleans, weights: Floats) -> float:
    """The mean, over marked items, of the precision down to each of them."""
    order = np.argsort(-doubts, kind="stable")
    weight, hit = weights[order], (weights * marked)[order]
    precision = np.cumsum(hit) / np.maximum(np.cumsum(weight), 1e-12)
    return float((precision * hit).sum() / hit.sum()) if hit.sum() else float("nan")
