"""The part of neural systems that needs no torch: settings, encoder, adjustment, antecedents.

`NeuralSystem` trains and calculates with torch; `NumpySystem` predicts with numpy alone. Both are
saved alike.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.example import SIDES, Example, Side
from crosspro.data_prep.formats.pointed_nouns import PointedNoun, PointedNouns, in_order
from crosspro.data_prep.lexicon.agreement import class_agreements
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.neural.reading.encoding import Encoder, load_encoder
from crosspro.prediction.neural.reading.fields import Reads
from crosspro.prediction.neural.reading.vocabulary import Inventory
from crosspro.prediction.neural.training.settings import NeuralSettings
from crosspro.prediction.stored_tensors import Arrays, load_weights, save_weights
from crosspro.prediction.system import Classes, System

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class PointedTokens(NamedTuple):
    """Tokens of one side that gaps may stand for: an entry for each gap and token.

    `tokens` are positions in the text; `given_class` is the probability once the class is known.
    """

    side: Side
    gaps: Numbers
    tokens: Numbers
    probabilities: Floats
    given_class: Floats


class NetworkSystem(System):
    """A network with its settings; `encoder` turns examples into its input."""

    name = "neural"
    settings_class = NeuralSettings
    settings: NeuralSettings
    encoder: Encoder

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.name = self.settings.network.name

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

    def antecedents(self, examples: Sequence[Example], classes: Classes) -> list[PointedNouns]:
        if not self.points:
            return super().antecedents(examples, classes)
        return pointed_nouns(self.encoder, examples, self.pointed_tokens(examples, classes))

    @abstractmethod
    def pointed_tokens(
        self, examples: Sequence[Example], classes: Classes
    ) -> Iterable[PointedTokens]:
        """The tokens that gaps point at, of a network that `points`."""

    def save_state(self, folder: Path) -> None:
        save_weights(self.weights(), folder)
        self.encoder.save(folder)

    def load_state(self, folder: Path) -> None:
        self.encoder = load_encoder(folder, self.reads, self.settings.training)
        load_weights(folder, self.name, self.take_weights)

    @abstractmethod
    def weights(self) -> Arrays:
        """The weights of the network by name."""

    @abstractmethod
    def take_weights(self, arrays: Arrays) -> None:
        """Build the network with these weights; raises `ValueError` if they are of another one."""


def pointed_nouns(
    encoder: Encoder, examples: Sequence[Example], pointed: Iterable[PointedTokens]
) -> list[PointedNouns]:
    """The nouns of each gap, with the summed probabilities of their tokens."""
    words = {side: _word_of_token(encoder, examples, side) for side in SIDES}
    line_of_gap = [line for line, example in enumerate(examples) for _ in example.gaps]
    sums: list[dict[tuple[Side, int, int], list[float]]] = [
        defaultdict(lambda: [0.0, 0.0]) for _ in line_of_gap
    ]
    for side, gaps, tokens, probabilities, given_class in pointed:
        lines, indices = (numbers[tokens] for numbers in words[side])
        columns = gaps, lines, indices, probabilities, given_class
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for gap, line, index, probability, of_class in rows:
            noun = sums[gap][side, line, index]
            noun[0] += probability
            noun[1] += of_class
    return [
        in_order(
            PointedNoun(side, line_of_this - line, index, *probabilities)
            for (side, line, index), probabilities in nouns.items()
        )
        for line_of_this, nouns in zip(line_of_gap, sums, strict=True)
    ]


def _word_of_token(
    encoder: Encoder, examples: Sequence[Example], side: Side
) -> tuple[Numbers, Numbers]:
    """The line of each token of the text, and the number of its word there."""
    sizes = encoder.word_sizes(examples, side)
    lines = np.repeat(np.arange(len(sizes)), [sum(line) for line in sizes])
    words = [np.repeat(np.arange(len(line)), line) for line in sizes]
    return lines, np.concatenate([np.zeros(0, np.int64), *words])
