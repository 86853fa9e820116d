"""What every system with a network has, whatever calculates it: settings, reading, adjustment.

`NeuralSystem` calculates with torch and trains; `DocumentReader` predicts in numpy alone. Both are
saved alike.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import fault_error
from crosspro.data_prep.lexicon.agreement import class_agreements
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.adjustment import Adjustment
from crosspro.prediction.arguments import faults
from crosspro.prediction.neural.reading.encoding import Encoder, Reading, load_encoder
from crosspro.prediction.neural.reading.fields import Reads
from crosspro.prediction.neural.reading.lexicon_fields import load_lexicons
from crosspro.prediction.neural.reading.network_kind import NetworkKind
from crosspro.prediction.neural.reading.subwords import load_units
from crosspro.prediction.neural.reading.vocabulary import Inventory
from crosspro.prediction.neural.training.settings import (
    Distillation,
    FineTuning,
    Optimisation,
    RunSetting,
    TrainerSettings,
    Training,
    network_faults,
    pretraining_section,
    section,
)
from crosspro.prediction.stored_tensors import FULL
from crosspro.prediction.system import Probabilities, System


class NetworkSystem(System):
    """A network by its name, with its settings; `encoder` is what it reads with."""

    name = "neural"
    network_type: type[NetworkKind]
    encoder: Encoder

    def __init__(
        self,
        network: str,
        network_settings: Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
        optimisation: Mapping[str, Any] | None = None,
        pretraining: Mapping[str, Any] | None = None,
        trainer: Mapping[str, Any] | None = None,
        init_from: str | None = None,
        seed: int = 1,
        distillation: Mapping[str, Any] | None = None,
        fine_tuning: Mapping[str, Any] | None = None,
    ) -> None:
        kind = self.kind_of(network)
        found = network_faults(network, kind, network_settings)
        self.training = section(Training, "system.training", training, found)
        self.optimisation = section(Optimisation, "system.optimisation", optimisation, found)
        if isinstance(trainer, Mapping):  # trial models were saved with it
            trainer = {key: trainer[key] for key in trainer if key != "checkpoint_epochs"}
        self.trainer = section(TrainerSettings, "trainer", trainer, found)
        self.pretraining = pretraining_section(network, kind, pretraining, found)
        self.distillation = section(Distillation, "system.distillation", distillation, found)
        self.fine_tuning = section(FineTuning, "system.fine_tuning", fine_tuning, found)
        found += faults(("system.init_from",), init_from, RunSetting)
        if found:
            raise fault_error(found, "settings")
        self.name = network
        self.network_type = kind
        self.network_settings = dict(network_settings or {})
        self.reads = self._new_reads()
        self.init_from = init_from
        self.seed = seed
        self.weights = FULL
        self.adjustment = Adjustment(0.0, np.zeros(0))

    @classmethod
    @abstractmethod
    def kind_of(cls, network: str) -> type[NetworkKind]:
        """What a network of a name says of itself."""

    def resolved_settings(self) -> dict[str, Any]:
        """The sections with their defaults, and the runs, as fine-tuning may have changed them."""
        return {
            "init_from": self.init_from,
            "network_settings": self.network_settings,
            "training": asdict(self.training),
            "optimisation": asdict(self.optimisation),
            "pretraining": asdict(self.pretraining) if self.pretraining else {},
            "trainer": asdict(self.trainer),
            "distillation": asdict(self.distillation),
            "fine_tuning": asdict(self.fine_tuning),
        }

    @property
    def context(self) -> int:
        """How many sentences before a gap's own the windows may reach into."""
        return self.training.context

    @property
    def together(self) -> int:
        """Within how many tokens gaps are read together, where a network can."""
        return int(self._settings_in_full().get("together", 0))

    @property
    def noun_lexicons(self) -> Mapping[str, Lexicon]:
        """Those that its network reads."""
        return self.encoder.reading.lexicons

    @property
    def points(self) -> bool:
        """Whether its network does, with these settings."""
        wanted = self.network_type.pointing
        settings = self._settings_in_full()
        return wanted is not None and all(settings[key] == value for key, value in wanted.items())

    def predict(self, examples: Sequence[Example]) -> Probabilities:
        """Softmax of the network's scores, adjusted for class frequency if that was tuned."""
        return self.adjustment.of(self.unadjusted(examples))

    def _new_reads(self) -> Reads:
        """What the network reads with its settings."""
        return self.network_type.reads(self._settings_in_full())

    def _settings_in_full(self) -> dict[str, Any]:
        """Those of the network, with its defaults."""
        return {**self.network_type.settings(), **self.network_settings}

    def _inventory(self) -> Inventory:
        agreements = class_agreements(self.task)
        return Inventory(self.encoder.vocabularies, self.task.classes, agreements)

    def _load_reading(self, folder: Path) -> None:
        """Read vocabularies, units and lexicons; a damaged or foreign file is refused."""
        units = load_units(folder) if self.training.units != "words" else None
        lexicons = load_lexicons(folder) if self.reads.lexicons else {}
        reading = Reading(self.reads.fields, self.training.lowercase, units, lexicons)
        self.encoder = load_encoder(reading, folder)
