"""Systems that learn from features of gaps: most of the classical systems of the shared tasks.

A list of features, an estimator and one or two steps make a system; `conf/system/` has those that
took part (Stymne, Helsinki, Edinburgh, CUNI, LIMSI). What was learnt is saved as arrays and JSON.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator
from scipy.sparse import csr_matrix

from crosspro.baselines.estimators.linear import LinearSVM
from crosspro.baselines.estimators.steps import EstimatorSetting, Step, Steps
from crosspro.baselines.feature_reader import FeatureReader, ReaderSettings, ReadGaps
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.settings import Seed, settings
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.prediction.adjustment import WeightPower, class_counts
from crosspro.prediction.evidence import Evidence, GapQuestion, contribution_table
from crosspro.prediction.system import Classes, Examples, Probabilities, System

NULL = "NULL"
"""The class of pronouns that are not translated, where a system learns them apart from OTHER."""


class FeatureReading(System):
    """A system that reads gaps with a `FeatureReader`; what learns from its rows differs."""

    settings: ReaderSettings
    without_chains: ClassVar[Mapping[str, str]] = {}
    """What else of the system means something else where there are no coreference chains."""

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.reader = FeatureReader(self.settings)

    @property
    def context(self) -> int:
        return self.settings.context

    @property
    def layers_read(self) -> frozenset[str]:
        return super().layers_read | self.reader.layers

    @property
    def reads_source_parse(self) -> bool:
        """Whether a feature cannot do without one, or was learnt with one."""
        return super().reads_source_parse or self.reader.needs_source_parse

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        self.task = task
        self.trained_layers = layers_in(train)
        class_counts(task, train)  # there must be labels
        gaps, dev_gaps = self.reader.fit(task, train, dev, self.without_chains)
        self.settings = replace(self.settings, **self.reader.resolved)
        self.report = self.reader.report
        self.fit_rows(gaps, dev_gaps)

    @abstractmethod
    def fit_rows(self, gaps: ReadGaps, dev: ReadGaps) -> None:
        """Learn from the features and labels of gaps."""

    @property
    def labels(self) -> tuple[str, ...]:
        return (*self.task.classes, NULL)

    def with_null(self, chances: Probabilities) -> Probabilities:
        """Probabilities of `labels` as those of the classes: NULL belongs to OTHER."""
        size = len(self.task.classes)
        chances[:, self.task.class_index[OTHER]] += chances[:, size]
        return chances[:, :size]


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

    def fit_rows(self, gaps: ReadGaps, dev: ReadGaps) -> None:
        self.steps = Steps.fit(
            self.settings.estimator,
            gaps.rows,
            dev.rows,
            self.task.class_index[OTHER] if self.settings.steps == "two" else None,
            self.settings.class_weight_power,
            self.settings.seed,
        )

    def predict(self, examples: Examples) -> Probabilities:
        matrix = self.reader.matrix(examples)
        return self.with_null(self.steps.probabilities(matrix, len(self.labels)))

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

    def evidence(self, question: GapQuestion) -> Evidence:
        row = self.reader.matrix(question.examples)[question.row]
        names, present = self.reader.names(), set(row.indices.tolist())
        tables = []
        for step in self.steps.steps:
            if step.model is None:  # there was nothing to learn
                continue
            added = step.model.contributions(row)
            features = [
                names[column] if column in present else f"{names[column]} (not there)"
                for column in added.features.tolist()
            ]
            pair = _compared_groups(step, row, question)
            better, worse = ([*added.values[:, n].tolist(), float(added.base[n])] for n in pair)
            title = f"Features, {self.steps.name_of(step)}" if self.steps.several else "Features"
            choices = self._group_name(step.groups[pair[0]]), self._group_name(step.groups[pair[1]])
            tables.append(contribution_table(title, choices, [*features, "(base)"], better, worse))
        how = "what each feature adds to the score of each class (in a forest: to the probability)"
        return Evidence(how, tuple(tables))

    def _group_name(self, group: tuple[int, ...]) -> str:
        return "pronoun" if len(group) > 1 else self.labels[group[0]]

    def save_state(self, folder: Path) -> None:
        self.reader.save(folder)
        self.steps.save(folder)

    def load_state(self, folder: Path) -> None:
        self.reader.load(folder, self.task)
        self.steps = Steps.load(folder, len(self.labels), len(self.reader.vocabulary))


def _compared_groups(step: Step, row: csr_matrix, question: GapQuestion) -> tuple[int, int]:
    """The two choices of a step that a gap's answer lies between.

    A first step has all pronouns in one group; a second one has no OTHER, and then its best
    choices are compared.
    """
    group_of = {label: number for number, group in enumerate(step.groups) for label in group}
    order = np.argsort(-step.probabilities(row)[0], kind="stable").tolist()
    better = group_of.get(question.chosen, order[0])
    worse = group_of.get(question.against)
    if worse is None or worse == better or question.chosen not in group_of:
        worse = next(number for number in order if number != better)
    return better, worse
