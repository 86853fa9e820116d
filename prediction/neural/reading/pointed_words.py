"""From pointed tokens back to words: probabilities of sub-words are summed to those of nouns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.formats.pointed_nouns import PointedNoun, PointedNouns, in_order
from crosspro.prediction.neural.reading.encoding import Encoder

Numbers = NDArray[np.int64]
Probabilities = NDArray[np.float64]


def word_sizes(encoder: Encoder, examples: Sequence[Example], side: Side) -> list[list[int]]:
    """How many tokens each word of each line is read as."""
    lines = [example.source if side == "source" else example.lemmas for example in examples]
    if encoder.units is None:
        return [[1] * len(words) for words in lines]
    return [encoder.units.sizes(words, side, encoder.lowercase) for words in lines]


class PointedWords:
    """The nouns that gaps of examples point at, with the summed probabilities of their tokens."""

    def __init__(self, encoder: Encoder, examples: Sequence[Example]) -> None:
        self._encoder, self._examples = encoder, examples
        self._words: dict[Side, tuple[Numbers, Numbers]] = {}
        self._line_of_gap = [line for line, example in enumerate(examples) for _ in example.gaps]
        self._sums: list[dict[tuple[Side, int, int], list[float]]] = [
            defaultdict(lambda: [0.0, 0.0]) for _ in self._line_of_gap
        ]

    def add(
        self,
        side: Side,
        gaps: Numbers,
        tokens: Numbers,
        probabilities: Probabilities,
        given_class: Probabilities,
    ) -> None:
        """Add tokens of one side for gaps, with probabilities before and after the class."""
        lines, words = (numbers[tokens].tolist() for numbers in self._words_of(side))
        columns = gaps.tolist(), lines, words, probabilities.tolist(), given_class.tolist()
        for gap, line, word, probability, given in zip(*columns, strict=True):
            sums = self._sums[gap][side, line, word]
            sums[0] += probability
            sums[1] += given

    def _words_of(self, side: Side) -> tuple[Numbers, Numbers]:
        if side not in self._words:
            sizes = word_sizes(self._encoder, self._examples, side)
            lines = np.repeat(np.arange(len(sizes)), [sum(line) for line in sizes])
            words = [np.repeat(np.arange(len(line)), line) for line in sizes]
            self._words[side] = lines, np.concatenate(words) if words else lines
        return self._words[side]

    def nouns(self) -> list[PointedNouns]:
        return [
            in_order(
                PointedNoun(side, line_of_gap - line, word, probability, given)
                for (side, line, word), (probability, given) in sums.items()
            )
            for line_of_gap, sums in zip(self._line_of_gap, self._sums, strict=True)
        ]
