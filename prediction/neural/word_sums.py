"""Numbers of tokens summed to numbers of words, where words were cut into units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.example import Example
from crosspro.prediction.neural.flat_text import FlatText


def side_words(example: Example, side: str) -> tuple[str, ...]:
    """The words of one side."""
    return example.source if side == "source" else example.target


def word_sums(
    values: NDArray[np.float64], text: FlatText, examples: Sequence[Example], side: str, line: int
) -> NDArray[np.float64]:
    """The numbers of a line's words, each the sum of those of its units."""
    starts = text.source_starts if side == "source" else text.target_starts
    own = values[starts[line] : starts[line + 1]]
    example, units = examples[line], text.reading.units
    words = side_words(example, side)
    if units is None or not len(own):
        return own if len(own) else np.zeros(len(words))
    alone = [
        Example((word,), (), (), (), tagged=example.tagged)
        if side == "source"
        else Example((), (word,), (), (), tagged=example.tagged)
        for word in words
    ]
    sizes = [len(side_words(one, side)) for one in units.split(alone, text.reading.lowercase)]
    ends = np.cumsum(sizes)
    running = np.concatenate([[0.0], np.cumsum(own)])
    return np.asarray(running[ends] - running[ends - sizes])
