"""From tokens back to words: which word of which line a token is part of.

Words may have been cut into units; what was found for tokens is summed to that of words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.formats.pointed_nouns import PointedNoun, PointedNouns, in_order
from crosspro.prediction.neural.reading.encoding import Reading


def word_sizes(reading: Reading, examples: Sequence[Example], side: str) -> list[NDArray[np.int64]]:
    """How many tokens each word of each line is read as."""
    source = side == "source"
    words = [example.source if source else example.lemmas for example in examples]
    if reading.units is None:
        return [np.ones(len(own), np.int64) for own in words]
    types = dict.fromkeys(word for own in words for word in own)
    alone = [
        Example((word,), (), None, (), ()) if source else Example((), (word,), None, (), ())
        for word in types
    ]
    cut = reading.units.split(alone, reading.lowercase)
    units = (len(one.source if source else one.lemmas) for one in cut)
    size = dict(zip(types, units, strict=True))
    return [np.array([size[word] for word in own], np.int64) for own in words]


Places = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The line of each token of a side, and which word of the line it is part of."""


def token_places(reading: Reading, examples: Sequence[Example], side: Side) -> Places:
    """Where the tokens of one side come from, where words were cut into units."""
    sizes = word_sizes(reading, examples, side)
    if not sizes:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    lines = np.repeat(np.arange(len(sizes)), [int(own.sum()) for own in sizes])
    return lines, np.concatenate([np.repeat(np.arange(len(own)), own) for own in sizes])


class NounSums:
    """The nouns that gaps of examples point at, with the sums of their tokens' probabilities."""

    def __init__(self, reading: Reading, examples: Sequence[Example]) -> None:
        self._reading = reading
        self._examples = examples
        self._places: dict[Side, Places] = {}
        self._lines = [line for line, example in enumerate(examples) for _ in example.gaps]
        self._found: list[dict[tuple[Side, int, int], list[float]]] = [
            defaultdict(lambda: [0.0, 0.0]) for _ in self._lines
        ]

    def add(
        self,
        side: Side,
        gaps: NDArray[np.int64],
        tokens: NDArray[np.int64],
        shares: NDArray[np.float64],
        given: NDArray[np.float64],
    ) -> None:
        """Tokens of one side for gaps, with their probabilities before and after the class."""
        if side not in self._places:
            self._places[side] = token_places(self._reading, self._examples, side)
        lines, words = (place[tokens].tolist() for place in self._places[side])
        numbers = (gaps.tolist(), lines, words, shares.tolist(), given.tolist())
        for gap, line, word, share, known in zip(*numbers, strict=True):
            sums = self._found[gap][side, line, word]
            sums[0] += share
            sums[1] += known

    def nouns(self) -> list[PointedNouns]:
        """The nouns of each gap, the best first."""
        return [
            in_order(
                PointedNoun(side, own - line, word, probability, known)
                for (side, line, word), (probability, known) in nouns.items()
            )
            for own, nouns in zip(self._lines, self._found, strict=True)
        ]
