"""Prior correction around any system: its probabilities, with rare classes favoured.

The strength is chosen on dev (`crosspro.prediction.adjustment`). Gaps then get their most probable
class, whatever way of its own to decide the system has.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.adjustment import (
    Adjustment,
    class_counts,
    load_adjustment,
    save_adjustment,
    tune_tau,
)
from crosspro.prediction.dev_score import Monitor, dev_score
from crosspro.prediction.system import Classes, Examples, Probabilities, System, load_saved

_SYSTEM = "system"


@settings
class PriorCorrectionSettings:
    """The dev score that chooses the strength."""

    monitor: Monitor = "macro_recall"


class PriorCorrected(System):
    """Another system whose probabilities are corrected."""

    name = "prior_corrected"
    settings_class = PriorCorrectionSettings
    settings: PriorCorrectionSettings
    system: System
    adjustment: Adjustment

    def __init__(self, system: System | None = None, **values: Any) -> None:
        super().__init__(**values)
        if system is not None:  # else it is loaded
            self.system = system

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        counts = class_counts(task, train)
        dev_score(task, dev, self.settings.monitor)  # refuses an unfit dev set before training
        self.system.fit(task, train, dev, folder)
        self.tune(dev, counts / counts.sum())

    def tune(self, dev: Examples, frequencies: NDArray[np.float64]) -> None:
        """Choose the strength on dev, for a system that is fitted."""
        self.task = self.system.task
        self.report = self.system.report
        self.trained_layers = self.system.trained_layers
        score = dev_score(self.task, dev, self.settings.monitor)
        tau = tune_tau(self.system.unadjusted(dev), frequencies, score)
        self.adjustment = Adjustment(tau, frequencies)

    def predict(self, examples: Examples) -> Probabilities:
        return self.adjustment.of(self.unadjusted(examples))

    def unadjusted(self, examples: Examples) -> Probabilities:
        return self.system.unadjusted(examples)

    @property
    def context(self) -> int:
        return self.system.context

    @property
    def reach(self) -> int | None:
        return self.system.reach

    @property
    def shown_name(self) -> str:
        return self.system.shown_name

    @property
    def noun_lexicons(self) -> Mapping[str, Lexicon]:
        return self.system.noun_lexicons

    @property
    def reads_source_parse(self) -> bool:
        return self.system.reads_source_parse

    def layer_warnings(self, data: str, present: frozenset[str]) -> list[str]:
        return self.system.layer_warnings(data, present)

    @property
    def points(self) -> bool:
        return self.system.points

    def antecedents(self, examples: Examples, classes: Classes) -> list[PointedNouns]:
        return self.system.antecedents(examples, classes)

    def reseeded(self, by: int) -> System | None:
        system = self.system.reseeded(by)
        return None if system is None else type(self)(system, **vars(self.settings))

    def save_state(self, folder: Path) -> None:
        self.system.save(folder / _SYSTEM)
        save_adjustment(self.adjustment, folder)

    def load_state(self, folder: Path) -> None:
        self.system = load_saved(folder / _SYSTEM)
        self.adjustment = load_adjustment(folder, len(self.task.classes))
