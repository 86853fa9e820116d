"""The n-grams of a model as tables, one for each order: what estimation and ARPA files give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.uint32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NGrams:
    """The n-grams of one order with their log10 values, sorted by context, then by word.

    A context, the first n-1 words, is a row of the order below; unigrams have 0 there, and the row
    of a unigram is its word.
    """

    contexts: Rows
    words: Rows
    log_probs: Floats
    back_offs: Floats

    def __len__(self) -> int:
        return len(self.words)
