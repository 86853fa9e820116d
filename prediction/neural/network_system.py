"""The part of neural systems that needs no torch: settings, encoder, adjustment.

`NeuralSystem` trains and calculates with torch; `NumpySystem` predicts with numpy alone. Both are
saved alike.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.example import Example
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
