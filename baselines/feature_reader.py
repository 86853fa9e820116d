"""The base of systems that learn from features of gaps, as most of 2016 and 2017 did.

It chooses the features that the data allows, learns from training text what they need, makes the
sparse matrix, and saves all that; what learns from the matrix differs. Loading runs no code.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator
from scipy.sparse import csr_matrix

from crosspro.baselines.estimators.linear import LabelledRows, Labels
from crosspro.baselines.features.learnt import (
    TellingSettings,
    learn,
    training_parts,
)
from crosspro.baselines.features.matrix import Vocabulary, learn_matrix, matrix_of, strings_of
from crosspro.baselines.features.names import chosen_features, refuse, unmet
from crosspro.baselines.features.view import Resources
from crosspro.baselines.it_classifier.classifier import ItClassifier, load_classifier
from crosspro.baselines.it_classifier.patterns import short_patterns
from crosspro.baselines.ngram.files import load_ngram_model, save_model
from crosspro.baselines.ngram_system import NGramOrder
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Gap, split_tag
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import Words, check_settings, settings
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.lexicon.lexicon import read_lexicon, write_lexicon
from crosspro.data_prep.lexicon.load import LexiconSetting, both_lexicons
from crosspro.prediction.adjustment import class_counts
from crosspro.prediction.fit_report import FitReport, lexicon_report
from crosspro.prediction.system import Examples, Probabilities, System

NULL = "NULL"
"""The class of pronouns that are not translated, where a system learns them apart from OTHER."""
_PATTERNS = "patterns"
_LM, _IT_CLASSIFIER, _LEARNT = "model.npz", "it_classifier.json", "features.json"
_LEXICONS = {"lexicon": "lexicon.tsv.gz", "source_lexicon": "source_lexicon.tsv.gz"}


def _pleonastic(value: str) -> str:
    if value == _PATTERNS or value.endswith(".json"):
        return value
    raise ValueError(f"should be {_PATTERNS}, or the {_IT_CLASSIFIER} of a uppsala_it")


@settings
class ReaderSettings:
    """What is read of each gap; see `conf/system/stymne_svm.yaml`."""

    features: Words
    null_class: bool = False
    min_count: Annotated[int, Field(ge=1)] = 2
    context: Annotated[int, Field(ge=0)] = 0
    lexicon: LexiconSetting = None
    source_lexicon: LexiconSetting = None
    pleonastic: Annotated[str, AfterValidator(_pleonastic)] = _PATTERNS
    lm_order: NGramOrder = 5
    telling: TellingSettings = TellingSettings()

    @model_validator(mode="after")
    def _known_features(self) -> Self:
        chosen_features(self.features)
        return self


@dataclass(frozen=True)
class _Learnt:
    """What is saved beside models and lexicons: the strings in order, telling contexts."""

    vocabulary: tuple[str, ...]
    telling: dict[str, str] | None


class FeatureReading(System):
    """A system that reads gaps with a list of features; what learns from its rows differs."""

    settings: ReaderSettings
    resources: Resources
    vocabulary: Vocabulary
    it_classifier: ItClassifier | None = None

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.features = chosen_features(self.settings.features)

    @property
    def context(self) -> int:
        return self.settings.context

    @property
    def layers_read(self) -> frozenset[str]:
        return super().layers_read.union(*(chosen.feature.reads for chosen in self.features))

    @property
    def reads_source_parse(self) -> bool:
        """Whether a feature cannot do without one, or was learnt with one."""
        needs = {need for chosen in self.features for need in chosen.feature.needs}
        return super().reads_source_parse or bool(needs & {"source_parse", "source_heads"})

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        """Learn from training text what features need and the vocabulary; then from the rows.

        Training gaps are read with what was learnt from the other half of the documents. Then the
        settings have the features that were kept and the lexicons that there are.
        """
        self.task = task
        self.trained_layers = layers_in(train)
        class_counts(task, train)  # there must be labels
        chosen = self.settings
        target, source = lexicons = both_lexicons(
            chosen.lexicon, chosen.source_lexicon, task, train
        )
        if chosen.pleonastic != _PATTERNS:
            self.it_classifier = load_classifier(Path(chosen.pleonastic))
        resources = self._resources(lexicon=target.lexicon, source_lexicon=source.lexicon)
        left_out = self._leave_out(resources, [*train, *dev])
        self.settings = replace(
            chosen,
            features=tuple(feature.written for feature in self.features),
            lexicon=target.name,
            source_lexicon=source.name,
        )
        self.resources = self._learn(train, resources)
        parts = training_parts(self.features, train)
        strings = chain.from_iterable(
            strings_of(
                self.features,
                part,
                self.resources if len(parts) == 1 else self._learn(learnt_from, resources),
            )
            for part, learnt_from in parts
        )
        self.vocabulary, matrix = learn_matrix(strings, chosen.min_count)
        if not self.vocabulary:
            count = f"{chosen.min_count}, above the count of every feature"
            raise input_error("settings", "min_count", "a number that leaves features", count)
        examples = [example for part, _ in parts for example in part]
        rows = LabelledRows(matrix, self._labels(examples))
        self.report = self._report(rows, left_out, lexicon_report(lexicons))
        self.fit_rows(examples, rows, LabelledRows(self.matrix(dev), self._labels(dev)))

    @abstractmethod
    def fit_rows(self, examples: Examples, rows: LabelledRows, dev: LabelledRows) -> None:
        """Learn from the features and labels of the gaps of some examples."""

    def _report(
        self, rows: LabelledRows, left_out: dict[str, str], lexicons: FitReport
    ) -> FitReport:
        gaps = int((rows.labels >= 0).sum())
        summary = f"{len(self.vocabulary):,} features of {gaps:,} gaps"
        if lexicons.figures["lexicons"]:
            summary += f"; {lexicons.summary}"
        warnings = [f"left out {name}: expected {need}" for name, need in left_out.items()]
        warnings += lexicons.warnings
        if "chains" in self.layers_read - (self.trained_layers or frozenset()):
            warnings.append(
                "warning: no coreference chains (X.chains.tsv) beside the training data: "
                "antecedents are the nearest nouns that agree, which they seldom are"
            )
        figures = {
            "gaps": gaps,
            "features": len(self.vocabulary),
            "left_out": left_out,
            **lexicons.figures,
        }
        return FitReport(summary, figures, tuple(warnings))

    def _leave_out(self, resources: Resources, examples: Examples) -> dict[str, str]:
        """Leave features out that the data does not allow, unless none is left; those, and why."""
        lacking = unmet(self.features, resources, examples)
        self.features = [chosen for chosen in self.features if chosen.written not in lacking]
        if not self.features:
            refuse(lacking, "training or development data without")
        return lacking

    def _resources(self, **learnt: Any) -> Resources:
        classifier = self.it_classifier
        scorer = classifier.pleonastic if classifier else short_patterns
        return Resources(self.task, self.settings.context, pleonastic=scorer, **learnt)

    def _learn(self, examples: Examples, resources: Resources) -> Resources:
        return learn(
            self.features, examples, resources, self.settings.lm_order, self.settings.telling
        )

    @property
    def labels(self) -> tuple[str, ...]:
        return (*self.task.classes, NULL)

    def _labels(self, examples: Examples) -> Labels:
        """The number of the label of each gap, -1 where it is not known."""

        def label(gap: Gap) -> int:
            if gap.label is None:
                return -1
            number = self.task.class_index[gap.label]
            null = self.settings.null_class and number == self.task.class_index[OTHER]
            if null and gap.word is not None and split_tag(gap.word)[0] == NONE:
                return len(self.task.classes)
            return number

        return np.array([label(gap) for example in examples for gap in example.gaps], np.int64)

    def with_null(self, chances: Probabilities) -> Probabilities:
        """Probabilities of `labels` as those of the classes: NULL belongs to OTHER."""
        size = len(self.task.classes)
        chances[:, self.task.class_index[OTHER]] += chances[:, size]
        return chances[:, :size]

    def matrix(self, examples: Examples) -> csr_matrix:
        """The features of all gaps; data without a layer that a feature needs is refused."""
        refuse(unmet(self.features, self.resources, examples), "data without")
        return matrix_of(strings_of(self.features, examples, self.resources), self.vocabulary)

    def save_state(self, folder: Path) -> None:
        if self.it_classifier is not None:
            self.it_classifier.save(folder / _IT_CLASSIFIER)
        if self.resources.lm is not None:
            save_model(folder / _LM, self.resources.lm)
        for name, file in _LEXICONS.items():
            if (lexicon := getattr(self.resources, name)) is not None:
                write_lexicon(folder / file, lexicon)
        content = {"vocabulary": list(self.vocabulary), "telling": self.resources.telling}
        write_text(folder / _LEARNT, json.dumps(content, ensure_ascii=False))

    def load_state(self, folder: Path) -> None:
        path = folder / _LEARNT
        learnt = check_settings(_Learnt, read_json_object(path), path)
        self.vocabulary = {name: number for number, name in enumerate(learnt.vocabulary)}
        if not set((learnt.telling or {}).values()) <= set(self.task.classes):
            raise input_error(path, "telling", "classes of the task", "others")
        lexicons = {
            name: read_lexicon(folder / file)
            for name, file in _LEXICONS.items()
            if getattr(self.settings, name) is not None
        }
        if self.settings.pleonastic != _PATTERNS:
            self.it_classifier = load_classifier(folder / _IT_CLASSIFIER)
        asks_lm = any(chosen.feature.learnt == "lm" for chosen in self.features)
        lm = load_ngram_model(folder / _LM) if asks_lm else None
        self.resources = self._resources(lm=lm, telling=learnt.telling, **lexicons)
