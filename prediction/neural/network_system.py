"""The part of neural systems that needs no torch: settings, encoder, adjustment.

`NeuralSystem` trains and calculates with torch; `NumpySystem` predicts with numpy alone. Both are
saved alike.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.formats.pointed_nouns import PointedNoun, PointedNouns, in_order
from crosspro.data_prep.lexicon.agreement import class_agreements
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.adjustment import Adjustment, load_adjustment, save_adjustment
from crosspro.prediction.neural.reading.encoding import Encoder
from crosspro.prediction.neural.reading.fields import Reads
from crosspro.prediction.neural.reading.lexicon_fields import load_lexicons
from crosspro.prediction.neural.reading.subwords import load_units
from crosspro.prediction.neural.reading.vocabulary import Inventory
from crosspro.prediction.neural.training.settings import NeuralSettings
from crosspro.prediction.stored_tensors import Arrays, load_weights, save_weights
from crosspro.prediction.system import Probabilities, System

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class NetworkSystem(System):
    """A network with its settings; `encoder` turns examples into its input."""

    name = "neural"
    settings_class = NeuralSettings
    settings: NeuralSettings
    encoder: Encoder

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.name = self.settings.network.name
        self.adjustment = Adjustment(0.0, np.zeros(0))

    @property
    def reads(self) -> Reads:
        return self.settings.network.reads

    @property
    def context(self) -> int:
        return self.settings.training.context

    @property
    def noun_lexicons(self) -> Mapping[str, Lexicon]:
        return self.encoder.lexicons

    @property
    def points(self) -> bool:
        return self.settings.network.points

    @property
    def inventory(self) -> Inventory:
        agreements = class_agreements(self.task)
        return Inventory(self.encoder.vocabularies, self.task.classes, agreements)

    def predict(self, examples: Sequence[Example]) -> Probabilities:
        return self.adjustment.of(self.unadjusted(examples))

    def save_state(self, folder: Path) -> None:
        save_weights(self.weights(), folder)
        self.encoder.save(folder)
        save_adjustment(self.adjustment, folder)

    def load_state(self, folder: Path) -> None:
        self.encoder = load_encoder(self.reads, self.settings, folder)
        load_weights(folder, self.name, self.take_weights)
        self.adjustment = load_adjustment(folder, len(self.task.classes))

    @abstractmethod
    def weights(self) -> Arrays:
        """The weights of the network by name."""

    @abstractmethod
    def take_weights(self, arrays: Arrays) -> None:
        """Build the network with these weights; raises `ValueError` if they are of another one."""


def load_encoder(reads: Reads, settings: NeuralSettings, folder: Path) -> Encoder:
    """The encoder of a saved system, with units and lexicons if its settings ask for them."""
    units = load_units(folder) if settings.training.units != "words" else None
    lexicons = load_lexicons(folder) if reads.lexicons else {}
    encoder = Encoder(reads.fields, settings.training.lowercase, units, lexicons)
    return encoder.load_vocabularies(folder)


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
        probabilities: Floats,
        given_class: Floats,
    ) -> None:
        """Add tokens of one side for gaps, with probabilities before and after the class."""
        lines, words = (numbers[tokens].tolist() for numbers in self._words_of(side))
        columns = gaps.tolist(), lines, words, probabilities.tolist(), given_class.tolist()
        for gap, line, word, probability, of_class in zip(*columns, strict=True):
            sums = self._sums[gap][side, line, word]
            sums[0] += probability
            sums[1] += of_class

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
                PointedNoun(side, line_of_gap - line, word, *probabilities)
                for (side, line, word), probabilities in sums.items()
            )
            for line_of_gap, sums in zip(self._line_of_gap, self._sums, strict=True)
        ]
