"""Which gaps an epoch uses, and in which batches; decided by seed and epoch alone.

Uppsala 2017 (004 §5.2) trains each epoch on a fresh share of the data: the same number of gaps
from every class as far as there are any (`equal`), or in the class proportions of the development
set (`proportional`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
Policy = Literal["all", "equal", "proportional"]
POLICIES = ("all", "equal", "proportional")

_BUCKETS = 50
"""Batches that are sorted by length together; more would make similar gaps meet too often."""


@dataclass(frozen=True)
class Sampler:
    """A rule for choosing the gaps of an epoch; `proportions` are the classes' shares of dev."""

    policy: Policy = "all"
    share: float = 1.0
    proportions: tuple[float, ...] = ()

    def draw(
        self, labels: NDArray[np.int32], classes: int, generator: np.random.Generator
    ) -> Indices:
        """The gaps of one epoch, in random order; gaps without a label are never used."""
        known = np.flatnonzero(labels >= 0)
        if self.policy != "all":
            counts = np.bincount(labels[known], minlength=classes)
            wanted = np.full(classes, 1 / classes)
            if self.policy == "proportional":
                wanted = np.asarray(self.proportions)
            chances = np.minimum(1.0, len(known) * self.share * wanted / np.maximum(counts, 1))
            known = known[generator.random(len(known)) < chances[labels[known]]]
        elif self.share < 1:
            known = known[generator.random(len(known)) < self.share]
        return generator.permutation(known)


def batch_size(most: int, gaps: int, min_steps: int) -> int:
    """The batch size for an epoch of so many gaps: small data still gets `min_steps` steps."""
    return max(1, min(most, gaps // min_steps)) if min_steps else most


def bucketed_batches(
    gaps: Indices, extents: Indices, size: int, generator: np.random.Generator
) -> Iterator[tuple[Indices, int]]:
    """Batches of gaps of similar extent in random order, each with its widest extent."""
    batches = []
    for start in range(0, len(gaps), size * _BUCKETS):
        group = gaps[start : start + size * _BUCKETS]
        group = group[np.argsort(extents[group], kind="stable")]
        batches += [group[i : i + size] for i in range(0, len(group), size)]
    for number in generator.permutation(len(batches)):
        yield batches[number], int(extents[batches[number]].max())
