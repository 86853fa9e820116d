"""Reads the features of gaps for a system: what is learnt from training text, a vocabulary, files.

A system has one reader for training and prediction. Loading runs no code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator
from scipy.sparse import csr_matrix

from crosspro.baselines.estimators.linear import LabelledRows, Labels
from crosspro.baselines.features.learnt import (
    LanguageModelSettings,
    TellingSettings,
    learn,
    training_parts,
)
from crosspro.baselines.features.matrix import Vocabulary, learn_matrix, matrix_of, strings_of
from crosspro.baselines.features.names import chosen_features, refuse, unmet
from crosspro.baselines.features.view import Resources
from crosspro.baselines.fill import GapFiller, task_fillers
from crosspro.baselines.it_classifier.classifier import ItClassifier, load_classifier
from crosspro.baselines.it_classifier.context import ItScorer
from crosspro.baselines.it_classifier.patterns import PatternScorer, ShortPatterns
from crosspro.baselines.ngram.files import load_ngram_model, save_model
from crosspro.baselines.ngram.model import NGramModel
from crosspro.data_prep.core.errors import CrossproError, choices, input_error
from crosspro.data_prep.core.example import Gap, split_tag
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import Words, check_settings, settings
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.lexicon.lexicon import read_lexicon, write_lexicon
from crosspro.data_prep.lexicon.load import LexiconSetting, both_lexicons
from crosspro.prediction.fit_report import FitReport, lexicon_report
from crosspro.prediction.system import Examples

_LM = "model.npz"
_IT_CLASSIFIER = "it_classifier.json"
_LEARNT = "features.json"
_LEXICONS = {"lexicon": "lexicon.tsv.gz", "source_lexicon": "source_lexicon.tsv.gz"}
SCORERS: dict[str, type[ItScorer]] = {"patterns": ShortPatterns, "long_patterns": PatternScorer}
"""What can say whether *it* refers to nothing, beside the file of a trained model."""


def _pleonastic(value: str) -> str:
    if value in SCORERS or value.endswith(".json"):
        return value
    raise ValueError(f"should be {choices(SCORERS)}, or the it_classifier.json of a uppsala_it")


@settings
class ReaderSettings:
    """What is read of each gap; see `conf/system/stymne_svm.yaml`."""

    features: Words
    null_class: bool = False
    min_count: Annotated[int, Field(ge=1)] = 2
    context: Annotated[int, Field(ge=0)] = 0
    lexicon: LexiconSetting = None
    source_lexicon: LexiconSetting = None
    pleonastic: Annotated[str, AfterValidator(_pleonastic)] = "patterns"
    lm: LanguageModelSettings = LanguageModelSettings()
    telling: TellingSettings = TellingSettings()

    @model_validator(mode="after")
    def _known_features(self) -> Self:
        chosen_features(self.features)
        return self


@dataclass(frozen=True)
class ReadGaps:
    """The gaps of some examples."""

    examples: Examples
    rows: LabelledRows


@dataclass(frozen=True)
class _Learnt:
    """What a reader saves beside models and lexicons: its strings in order, telling contexts."""

    vocabulary: tuple[str, ...]
    telling: dict[str, str] | None


class FeatureReader:
    """Reads gaps with the features of its settings; `fit` or `load` come first."""

    resources: Resources
    vocabulary: Vocabulary
    resolved: dict[str, Any]
    report: FitReport

    def __init__(self, settings: ReaderSettings) -> None:
        self.settings = settings
        self.features = chosen_features(settings.features)

    @property
    def layers(self) -> frozenset[str]:
        return frozenset().union(*(chosen.feature.layers for chosen in self.features))

    @property
    def needs_source_parse(self) -> bool:
        needs = {need for chosen in self.features for need in chosen.feature.needs}
        return not needs.isdisjoint({"source_parse", "source_heads"})

    def fit(
        self, task: Task, train: Examples, dev: Examples, without_chains: Mapping[str, str]
    ) -> tuple[ReadGaps, ReadGaps]:
        """Learn from training text what features need and the vocabulary; read both sets.

        Training gaps are read with what was learnt from the other half of the documents. Then
        `resolved` has the settings of the features that were kept and of the lexicons found.
        `without_chains` says what else of a system means something else without chains.
        """
        chosen = self.settings
        target, source = lexicons = both_lexicons(
            chosen.lexicon, chosen.source_lexicon, task, train
        )
        scorer = self._scorer(Path(chosen.pleonastic))
        resources = Resources(task, chosen.context, target.lexicon, source.lexicon, scorer)
        left_out = self._leave_out(resources, [*train, *dev])
        self.resolved = {
            "features": tuple(feature.written for feature in self.features),
            "lexicon": target.name,
            "source_lexicon": source.name,
        }
        self.resources = self._learn(train, resources)
        parts = training_parts(self.features, train, chosen.lm)
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
        rows = LabelledRows(matrix, self._labels(task, examples))
        instead = {}
        if all(example.chains is None for example in train):
            changed = {c.feature.name: c.feature.without_chains for c in self.features}
            instead = {k: text for k, text in {**changed, **without_chains}.items() if text}
        labelled = int((rows.labels >= 0).sum())
        self.report = self._report(labelled, left_out, instead, lexicon_report(lexicons))
        dev_rows = LabelledRows(self.matrix(dev), self._labels(task, dev))
        return ReadGaps(examples, rows), ReadGaps(dev, dev_rows)

    def _report(
        self, gaps: int, left_out: dict[str, str], instead: dict[str, str], lexicons: FitReport
    ) -> FitReport:
        parts = [f"{len(self.vocabulary):,} features of {gaps:,} gaps"]
        if lexicons.figures["lexicons"]:
            parts.append(lexicons.summary)
        warnings = [f"left out {name}: expected {need}" for name, need in left_out.items()]
        warnings += lexicons.warnings
        if instead:
            changed = "; ".join(f"{name} is {meaning}" for name, meaning in instead.items())
            warnings.append(
                f"warning: no coreference chains (X.chains.tsv) beside the training data: {changed}"
            )
        sizes = {"gaps": gaps, "features": len(self.vocabulary)}
        figures = {**sizes, "left_out": left_out, "without_chains": instead, **lexicons.figures}
        return FitReport("; ".join(parts), figures, tuple(warnings))

    def _leave_out(self, resources: Resources, examples: Examples) -> dict[str, str]:
        """Leave features out that the data does not allow, unless none is left; those, and why."""
        lacking = unmet(self.features, resources, examples)
        self.features = [chosen for chosen in self.features if chosen.written not in lacking]
        if not self.features:
            refuse(lacking, "training or development data without")
        return lacking

    def _scorer(self, model: Path) -> ItScorer:
        """What says of an *it* whether it refers to nothing; a trained one is in a file."""
        patterns = SCORERS.get(self.settings.pleonastic)
        return patterns() if patterns else load_classifier(model)

    def _learn(self, examples: Examples, resources: Resources) -> Resources:
        return learn(self.features, examples, resources, self.settings.lm, self.settings.telling)

    def _labels(self, task: Task, examples: Examples) -> Labels:
        """The class of each gap, -1 where it is not known; after all classes what is NULL."""

        def label(gap: Gap) -> int:
            if gap.label is None:
                return -1
            number = task.class_index[gap.label]
            null = self.settings.null_class and number == task.class_index[OTHER]
            if null and gap.word is not None and split_tag(gap.word)[0] == NONE:
                return len(task.classes)
            return number

        return np.array([label(gap) for example in examples for gap in example.gaps], np.int64)

    def matrix(self, examples: Examples) -> csr_matrix:
        """The features of all gaps; data without a layer that a feature needs is refused."""
        refuse(unmet(self.features, self.resources, examples), "data without")
        return matrix_of(strings_of(self.features, examples, self.resources), self.vocabulary)

    def names(self) -> list[str]:
        return list(self.vocabulary)

    def save(self, folder: Path) -> None:
        resources = self.resources
        if isinstance(resources.pleonastic, ItClassifier):
            resources.pleonastic.save(folder / _IT_CLASSIFIER)
        if resources.filler is not None:
            if not isinstance(resources.filler.model, NGramModel):
                raise CrossproError("a language model of another engine cannot be saved")
            save_model(folder / _LM, resources.filler.model)
        for name, file in _LEXICONS.items():
            if (lexicon := getattr(resources, name)) is not None:
                write_lexicon(folder / file, lexicon)
        content = {"vocabulary": self.names(), "telling": resources.telling}
        write_text(folder / _LEARNT, json.dumps(content, ensure_ascii=False))

    def load(self, folder: Path, task: Task) -> None:
        path = folder / _LEARNT
        learnt = check_settings(_Learnt, read_json_object(path), path)
        self.vocabulary = {name: number for number, name in enumerate(learnt.vocabulary)}
        if not set((learnt.telling or {}).values()) <= set(task.classes):
            raise input_error(path, "telling", "classes of the task", "others")
        lexicons = {
            name: read_lexicon(folder / file)
            for name, file in _LEXICONS.items()
            if getattr(self.settings, name) is not None
        }
        filler = None
        if any(chosen.feature.learnt == "lm" for chosen in self.features):
            filler = GapFiller(load_ngram_model(folder / _LM), task_fillers(task))
        self.resources = Resources(
            task,
            self.settings.context,
            pleonastic=self._scorer(folder / _IT_CLASSIFIER),
            filler=filler,
            telling=learnt.telling,
            **lexicons,
        )
