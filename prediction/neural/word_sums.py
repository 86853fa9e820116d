"""Numbers of tokens summed to numbers of words, where words were cut into units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.example import Example
from crosspro.prediction.neural.flat_text import FlatText, Reading


def side_words(example: Example, side: str) -> tuple[str, ...]:
    """The words of one side."""
    return example.source if side == "source" else example.target


def word_sums(
    values: NDArray[np.float64], text: FlatText, examples: Sequence[Example], side: str, line: int
) -> NDArray[np.float64]:
    """The numbers of a line's words, each the sum of those of its units."""
    starts = text.source_starts if side == "source" else text.target_starts
    own = values[starts[line] : starts[line + 1]]
    words = side_words(examples[line], side)
    if text.reading.units is None or not len(own):
        return own if len(own) else np.zeros(len(words))
    (sizes,) = word_sizes(text.reading, [examples[line]], side)
    ends = np.cumsum(sizes)
    running = np.concatenate([[0.0], np.cumsum(own)])
    return np.asarray(running[ends] - running[ends - sizes])


def word_sizes(reading: Reading, examples: Sequence[Example], side: str) -> list[NDArray[np.int64]]:
    """How many tokens each word of each line is read as."""
    words = [side_words(example, side) for example in examples]
    if reading.units is None:
        return [np.ones(len(own), np.int64) for own in words]
    types = dict.fromkeys(
        (word, example.tagged) for example, own in zip(examples, words, strict=True) for word in own
    )
    alone = [
        Example((word,), (), (), (), tagged=tagged)
        if side == "source"
        else Example((), (word,), (), (), tagged=tagged)
        for word, tagged in types
    ]
    cut = reading.units.split(alone, reading.lowercase)
    size = {key: len(side_words(one, side)) for key, one in zip(types, cut, strict=True)}
    return [
        np.array([size[word, example.tagged] for word in own], np.int64)
        for example, own in zip(examples, words, strict=True)
    ]
