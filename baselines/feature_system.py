"""Systems that learn from features of gaps: most of the classical systems of the shared tasks.

A list of features, an estimator and one or two steps make a system; `conf/system/` has those that
took part (Stymne, Helsinki, Edinburgh, CUNI, LIMSI). What was learnt is saved as arrays and JSON.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from crosspro.baselines.estimators.linear import LabelledRows, LinearSVM
from crosspro.baselines.estimators.steps import EstimatorSetting, Steps
from crosspro.baselines.feature_reader import FeatureReading, ReaderSettings
from crosspro.data_prep.core.settings import Seed, settings
from crosspro.data_prep.core.task import OTHER
from crosspro.prediction.adjustment import WeightPower
from crosspro.prediction.system import Classes, Examples, Probabilities


@settings
class ClassifierSettings(ReaderSettings):
    """What is read of each gap, and what classifies it."""

    estimator: EstimatorSetting = LinearSVM()
    steps: Literal["one", "two"] = "one"
    class_weight_power: WeightPower = 0.0
    seed: Seed = 1

    @model_validator(mode="after")
    def _null_class_with_one_step(self) -> Self:
        if self.null_class and self.steps == "two":
            raise ValueError("null_class should be false with two steps")
        return self


class FeatureSystem(FeatureReading):
    """Learns classes from the features of a list; see `conf/system/stymne_svm.yaml`.

    `steps` are one, or two: first OTHER or a pronoun, then which. With `null_class` pronouns that
    are not translated are learnt as a class of their own, whose probability OTHER gets.
    """

    name = "features"
    settings_class: ClassVar[type] = ClassifierSettings
    settings: ClassifierSettings
    steps: Steps

    def fit_rows(self, examples: Examples, rows: LabelledRows, dev: LabelledRows) -> None:
        self.steps = Steps.fit(
            self.settings.estimator,
            rows,
            dev,
            self.task.class_index[OTHER] if self.settings.steps == "two" else None,
            self.settings.class_weight_power,
            self.settings.seed,
        )

    def unadjusted(self, examples: Examples) -> Probabilities:
        chances = self.steps.probabilities(self.matrix(examples), len(self.labels))
        return self.with_null(chances)

    def choose(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
        """The most probable class; with two steps OTHER only if it is the more probable answer.

        A second step chooses the best pronoun wherever the first finds one more probable than
        OTHER, even if no single pronoun is.
        """
        chances = self.predict(examples) if probabilities is None else probabilities
        if self.settings.steps == "two":
            other = self.task.class_index[OTHER]
            chances = chances.copy()
            chances[:, other] = np.where(chances[:, other] > 0.5, 1.0, -1.0)
        return np.asarray(chances.argmax(axis=1), dtype=np.int64)

    def save_state(self, folder: Path) -> None:
        super().save_state(folder)
        self.steps.save(folder)

    def load_state(self, folder: Path) -> None:
        super().load_state(folder)
        self.steps = Steps.load(folder, len(self.labels), len(self.vocabulary))
