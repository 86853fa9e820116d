"""The random baseline: a class drawn from the training distribution for each gap."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from crosspro.baselines.counts import number_of_gaps
from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.example import Example
from crosspro.prediction.system import Probabilities


class ClassPrior(Majority):
    """Guesses by the training distribution, and is certain of its guess.

    A guess depends on the seed and on the gap's sentence and position alone, so it does not change
    with the order, the grouping or the document ids with which examples are predicted.
    """

    name = "class_prior"

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed

    def predict(self, examples: Sequence[Example]) -> Probabilities:
        """Probability 1 for the class that was drawn."""
        draws = np.fromiter(
            (self._draw(example, gap.position) for example in examples for gap in example.gaps),
            np.float64,
            number_of_gaps(examples),
        )
        bounds = np.cumsum(self.counts) / self.counts.sum()
        drawn = np.searchsorted(bounds, draws, side="right")
        return np.eye(len(self.counts))[drawn]

    def _draw(self, example: Example, position: int) -> float:
        """A number in [0, 1), the same for the same gap."""
        key = (str(self.seed), str(position))
        text = "\t".join((*key, *example.source, *example.target))
        digest = hashlib.blake2b(text.encode("utf-8"), digest_size=6).digest()
        return int.from_bytes(digest, "big") / 2.0**48
