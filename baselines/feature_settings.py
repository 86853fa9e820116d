"""The settings of a feature system: every fault named at once, before anything is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crosspro.baselines.estimators.model import Estimator
from crosspro.baselines.estimators.steps import ESTIMATORS
from crosspro.baselines.features.gaps import ChosenFeature
from crosspro.baselines.features.learnt import LanguageModelSettings, TellingSettings
from crosspro.baselines.features.names import MISSING_LAYERS, chosen_features
from crosspro.baselines.it_classifier.context import ItScorer
from crosspro.baselines.it_classifier.patterns import PatternScorer, ShortPatterns
from crosspro.data_prep.core.errors import Problem, choices
from crosspro.prediction.dev_score import MONITORS
from crosspro.prediction.typed_values import faults, shown

ONE, TWO = STEPS = ("one", "two")
SCORERS: dict[str, type[ItScorer]] = {"patterns": ShortPatterns, "label_it": PatternScorer}
"""What can say whether *it* refers to nothing, beside the file of a trained model."""


class FeatureSettings:
    """Reads settings that have parts of their own, and collects what is wrong with any."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def choice(self, key: str, value: object, known: Sequence[str]) -> None:
        """The value must be one of these."""
        if value not in known:
            self._problem(key, choices(known), shown(value))

    def scorer(self, name: object) -> None:
        """What says whether *it* refers to nothing; a file is opened when the training begins."""
        file = isinstance(name, str) and name.endswith(".json")
        if name not in SCORERS and not file:
            expected = f"{choices(SCORERS)}, or the JSON file of crosspro label-it train"
            self._problem("pleonastic", expected, shown(name))

    def number(self, key: str, value: float, low: float, high: float = float("inf")) -> None:
        """The value must be a number in a range."""
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or not low <= value <= high:
            end = f" to {high:g}" if high < float("inf") else ""
            self._problem(key, f"a number from {low:g}{end}", shown(value))

    def features(self, written: Sequence[str]) -> list[ChosenFeature]:
        """The features of a list."""
        if isinstance(written, str):
            self._problem("features", "a list of names", shown(written))
            return []
        chosen, problems = chosen_features(written)
        self.problems += problems
        return chosen

    def estimator(self, name: str, settings: Mapping[str, Any]) -> Estimator | None:
        """The estimator of a name with its settings."""
        kind = ESTIMATORS.get(name)
        if kind is None:
            self._problem("estimator", choices(ESTIMATORS), shown(name))
            return None
        if self._section("estimator_settings", settings, kind):
            return kind(**settings)
        return None

    def language_model(self, settings: Mapping[str, Any]) -> LanguageModelSettings:
        """The section of the language model."""
        good = self._section("lm", settings, LanguageModelSettings)
        return LanguageModelSettings(**settings) if good else LanguageModelSettings()

    def telling(self, settings: Mapping[str, Any]) -> TellingSettings:
        """The section of telling contexts."""
        good = self._section("telling", settings, TellingSettings)
        return TellingSettings(**settings) if good else TellingSettings()

    def consistent(
        self, steps: str, *, null_class: bool, missing_layers: str, monitor: str
    ) -> None:
        """Choices, and that null translations are learnt in one step."""
        self.choice("steps", steps, STEPS)
        self.choice("missing_layers", missing_layers, MISSING_LAYERS)
        self.choice("monitor", monitor, MONITORS)
        if null_class and steps == TWO:
            self._problem("null_class", "false with two steps", "true")

    def _section(self, key: str, values: Mapping[str, Any], kind: type) -> bool:
        found = list(faults(f"system.{key}", values, kind))
        self.problems += [Problem("settings", None, *fault) for fault in found]
        return not found

    def _problem(self, key: str, expected: str, found: str) -> None:
        self.problems.append(Problem("settings", None, f"system.{key}", expected, found))
