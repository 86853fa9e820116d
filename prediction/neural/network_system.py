"""What every system with a network has, whatever calculates it: settings, reading, adjustment.

`NeuralSystem` calculates with torch and trains; `DocumentReader` predicts in numpy alone. Both are
saved alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.lexicon.agreement import class_agreements
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.adjustment import Adjustment
from crosspro.prediction.neural.reading.encoding import Encoder, Reading, load_encoder
from crosspro.prediction.neural.reading.fields import Reads
from crosspro.prediction.neural.reading.lexicon_fields import load_lexicons
from crosspro.prediction.neural.reading.subwords import load_units
from crosspro.prediction.neural.reading.vocabulary import Inventory
from crosspro.prediction.neural.training.settings import NeuralSettings
from crosspro.prediction.stored_tensors import FULL
from crosspro.prediction.system import Probabilities, System


class NetworkSystem(System):
    """A network by its name, with its settings; `encoder` is what it reads with."""

    name = "neural"
    settings_class = NeuralSettings
    settings: NeuralSettings
    encoder: Encoder

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.name = self.settings.network.name
        self.weights = FULL
        self.adjustment = Adjustment(0.0, np.zeros(0))

    @property
    def reads(self) -> Reads:
        """The fields that its network reads, and what they need."""
        return self.settings.network.reads

    @property
    def context(self) -> int:
        """How many sentences before a gap's own the windows may reach into."""
        return self.settings.training.context

    @property
    def together(self) -> int:
        """Within how many tokens gaps are read together, where a network can."""
        return self.settings.network.together

    @property
    def noun_lexicons(self) -> Mapping[str, Lexicon]:
        """Those that its network reads."""
        return self.encoder.reading.lexicons

    @property
    def points(self) -> bool:
        """Whether its network does, with these settings."""
        return self.settings.network.points

    def predict(self, examples: Sequence[Example]) -> Probabilities:
        """Softmax of the network's scores, adjusted for class frequency if that was tuned."""
        return self.adjustment.of(self.unadjusted(examples))

    def _inventory(self) -> Inventory:
        agreements = class_agreements(self.task)
        return Inventory(self.encoder.vocabularies, self.task.classes, agreements)

    def _load_reading(self, folder: Path) -> None:
        """Read vocabularies, units and lexicons; a damaged or foreign file is refused."""
        units = load_units(folder) if self.settings.training.units != "words" else None
        lexicons = load_lexicons(folder) if self.reads.lexicons else {}
        reading = Reading(self.reads.fields, self.settings.training.lowercase, units, lexicons)
        self.encoder = load_encoder(reading, folder)
