"""Systems that learn from features of gaps: most of the classical systems of the shared tasks.

A list of features, an estimator and one or two steps make a system; `conf/system/` has those that
took part (Stymne, Helsinki, Edinburgh, CUNI, LIMSI). What was learnt is saved as arrays and JSON.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from crosspro.baselines.estimators.linear import Contributions, LinearSVM
from crosspro.baselines.estimators.steps import EstimatorSetting, Steps
from crosspro.baselines.feature_evidence import PRONOUN, ExplainedStep, feature_evidence
from crosspro.baselines.feature_reader import FeatureReader, ReaderSettings
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.settings import Seed, settings
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.prediction.adjustment import WeightPower, class_counts
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.system import Classes, Examples, Probabilities, System

NULL = "NULL"
"""The class of pronouns that are not translated, where a system learns them apart from OTHER."""


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


class FeatureSystem(System):
    """Learns classes from the features of a list; see `conf/system/stymne_svm.yaml`.

    `steps` are one, or two: first OTHER or a pronoun, then which. With `null_class` pronouns that
    are not translated are learnt as a class of their own, whose probability OTHER gets.
    """

    name = "features"
    settings_class: ClassVar[type] = ClassifierSettings
    settings: ClassifierSettings
    steps: Steps

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.reader = FeatureReader(self.settings)

    @property
    def context(self) -> int:
        """How many sentences before a gap's own are searched for nouns."""
        return self.settings.context

    @property
    def layers_read(self) -> frozenset[str]:
        """Those of the features, and documents where sentences before count."""
        return super().layers_read | self.reader.layers

    @property
    def reads_source_parse(self) -> bool:
        """Whether a feature cannot do without one, or was learnt with one."""
        return super().reads_source_parse or self.reader.needs_source_parse

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        """Learn the features and their weights; scores become probabilities on dev."""
        self.task = task
        self.trained_layers = layers_in(train)
        class_counts(task, train)  # there must be labels
        gaps, dev_gaps = self.reader.fit(task, train, dev)
        self.settings = replace(self.settings, **self.reader.resolved)
        self.report = self.reader.report
        self.steps = Steps.fit(
            self.settings.estimator,
            gaps.rows,
            dev_gaps.rows,
            task.class_index[OTHER] if self.settings.steps == "two" else None,
            self.settings.class_weight_power,
            self.settings.seed,
        )

    def predict(self, examples: Examples) -> Probabilities:
        """Probabilities of the steps; what is not translated belongs to OTHER."""
        matrix = self.reader.matrix(examples)
        return with_null(self.task, self.steps.probabilities(matrix, len(self.task.classes) + 1))

    def decide(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
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

    def contributions(self, examples: Examples, line: int, gap: int = 0) -> list[ExplainedStep]:
        """Why a gap of `examples[line]` gets its probabilities, step by step."""
        first = max(0, line - self.settings.context)
        before = sum(len(example.gaps) for example in examples[first:line])
        row = self.reader.matrix(examples[first : line + 1])[before + gap]
        present = set(row.indices.tolist())
        names = self.reader.names()
        explained = []
        for name, step in zip(self.steps.names, self.steps.steps, strict=True):
            added = step.model.contributions(row) if step.model else _NOTHING
            columns = added.features.tolist()
            explained.append(
                ExplainedStep(
                    name,
                    tuple(map(self._group_name, step.groups)),
                    step.probabilities(row)[0],
                    tuple(names[column] for column in columns),
                    tuple(column in present for column in columns),
                    added.values,
                    added.base,
                )
            )
        return explained

    def _group_name(self, group: tuple[int, ...]) -> str:
        return PRONOUN if len(group) > 1 else (*self.task.classes, NULL)[group[0]]

    def evidence(self, question: GapQuestion) -> Evidence:
        """What the features of the gap add to its class, step by step."""
        steps = self.contributions(question.examples, question.line, question.number)
        return feature_evidence(question, steps, self.task.classes)

    def save_state(self, folder: Path) -> None:
        """Write features, classifiers and what the features look things up in."""
        self.reader.save(folder)
        self.steps.save(folder)

    def load_state(self, folder: Path) -> None:
        """Read all of it; a damaged or foreign file is refused."""
        self.reader.load(folder, self.task)
        self.steps = Steps.load(folder, len(self.task.classes) + 1, len(self.reader.vocabulary))


_NOTHING = Contributions(np.zeros(0, np.int64), np.zeros((0, 1)), np.zeros(1))


def with_null(task: Task, chances: Probabilities) -> Probabilities:
    """Probabilities of the classes, OTHER with that of the last column: what is not translated."""
    size = len(task.classes)
    chances[:, task.class_index[OTHER]] += chances[:, size]
    return chances[:, :size]
