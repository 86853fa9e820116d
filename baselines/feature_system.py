"""Systems that learn from features of gaps: most of the classical systems of the shared tasks.

A list of features, an estimator and one or two steps make a system; `conf/system/` has those that
took part (Stymne, Helsinki, Edinburgh, CUNI, LIMSI). Training and prediction read gaps with the
same extractors. Everything that was learnt is saved as arrays and JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, cast

import numpy as np
from pydantic import AfterValidator, Field, model_validator
from scipy.sparse import csr_matrix

from crosspro.baselines.estimators.linear import LinearSVM
from crosspro.baselines.estimators.model import Contributions, Labels
from crosspro.baselines.estimators.steps import AnyEstimator, FittedSteps, Fitting, fit_steps
from crosspro.baselines.feature_evidence import PRONOUN, ExplainedStep, feature_evidence
from crosspro.baselines.feature_files import (
    IT_CLASSIFIER,
    load_learnt,
    load_model,
    save_learnt,
    save_model,
)
from crosspro.baselines.features.gaps import Resources
from crosspro.baselines.features.learnt import (
    LanguageModelSettings,
    TellingSettings,
    TrainingPart,
    learn,
    training_parts,
)
from crosspro.baselines.features.matrix import (
    Columns,
    FeatureVocabulary,
    extracted,
    learnt_matrix,
    matrix,
)
from crosspro.baselines.features.names import chosen_features, refuse, unmet
from crosspro.baselines.it_classifier.classifier import load_classifier
from crosspro.baselines.it_classifier.context import ItScorer
from crosspro.baselines.it_classifier.patterns import PatternScorer, ShortPatterns
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import choices, input_error
from crosspro.data_prep.core.example import Gap, split_tag
from crosspro.data_prep.core.settings import Seed, Words, settings
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.lexicon.load import LexiconSetting, both_lexicons
from crosspro.prediction.adjustment import (
    Adjustment,
    WeightPower,
    class_counts,
    load_adjustment,
    save_adjustment,
    tune_tau,
)
from crosspro.prediction.dev_score import Monitor, dev_score
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.fit_report import FitReport, lexicon_report
from crosspro.prediction.system import Classes, Examples, Probabilities, System

_PREDICTED_AT_ONCE = 1 << 14
"""Lines whose gaps are read together: the more, the faster."""
NULL = "NULL"
"""The class of pronouns that are not translated, where a system learns them apart from OTHER."""


ONE, TWO = "one", "two"
SCORERS: dict[str, type[ItScorer]] = {"patterns": ShortPatterns, "long_patterns": PatternScorer}
"""What can say whether *it* refers to nothing, beside the file of a trained model."""
ERROR = "error"


def _pleonastic(value: str) -> str:
    if value in SCORERS or value.endswith(".json"):
        return value
    raise ValueError(f"should be {choices(SCORERS)}, or the it_classifier.json of a uppsala_it")


@settings
class FeatureSettings:
    """What is read of each gap; see `conf/system/stymne_svm.yaml`."""

    features: Words
    steps: Literal["one", "two"] = "one"
    null_class: bool = False
    min_count: Annotated[int, Field(ge=1)] = 2
    class_weight_power: WeightPower = 0.0
    tune_adjustment: bool = False
    monitor: Monitor = "macro_recall"
    context: Annotated[int, Field(ge=0)] = 0
    lexicon: LexiconSetting = None
    source_lexicon: LexiconSetting = None
    pleonastic: Annotated[str, AfterValidator(_pleonastic)] = "patterns"
    """The file of a trained model of `it` is opened when the training begins."""
    lm: LanguageModelSettings = LanguageModelSettings()
    telling: TellingSettings = TellingSettings()
    missing_layers: Literal["error", "leave_out"] = "error"
    seed: Seed = 1

    @model_validator(mode="after")
    def _features_and_steps(self) -> Self:
        chosen_features(self.features)
        if self.null_class and self.steps == TWO:
            raise ValueError("null_class should be false with two steps")
        return self


@settings
class ClassifierSettings(FeatureSettings):
    """What is read of each gap, and what classifies it."""

    estimator: AnyEstimator = LinearSVM()


@dataclass(frozen=True)
class ReadGaps:
    """The gaps of some examples: a row of features and a class (-1: not known) for each."""

    examples: Examples
    matrix: csr_matrix
    labels: Labels


class FeatureSystem(System):
    """Learns classes from the features of a list; see `conf/system/stymne_svm.yaml`.

    `steps` are one, or two: first OTHER or a pronoun, then which. With `null_class` pronouns that
    are not translated are learnt as a class of their own, whose probability OTHER gets.
    """

    name = "features"
    settings_class: ClassVar[type] = ClassifierSettings
    settings: FeatureSettings

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.features = chosen_features(self.settings.features)
        self.adjustment = Adjustment(0.0, np.zeros(0))
        self.resources: Resources
        self.vocabulary: FeatureVocabulary
        self.fitted: FittedSteps

    @property
    def context(self) -> int:
        """How many sentences before a gap's own are searched for nouns."""
        return self.settings.context

    @property
    def layers_read(self) -> frozenset[str]:
        """Those of the features, and documents where sentences before count."""
        return super().layers_read.union(*(chosen.feature.layers for chosen in self.features))

    @property
    def reads_source_parse(self) -> bool:
        """Whether a feature cannot do without one, or was learnt with one."""
        needs = {need for chosen in self.features for need in chosen.feature.needs}
        return super().reads_source_parse or not needs.isdisjoint({"source_parse", "source_heads"})

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        """Learn the features and their weights; scores become probabilities on dev."""
        self.task = task
        self.trained_layers = layers_in(train)
        counts = class_counts(task, train)
        score = dev_score(task, dev, self.settings.monitor)
        resources = self._new_resources(train)
        left_out = self._without_missing(resources, [*train, *dev])
        parts = training_parts(self.features, train, self.settings.lm)
        self.resources = self._learnt(train, resources)
        self.vocabulary, read = learnt_matrix(
            self._columns(parts, resources), self.settings.min_count
        )
        if not len(self.vocabulary):
            found = f"{self.settings.min_count}, and no feature of the training data is so frequent"
            raise input_error("settings", "min_count", "a number that leaves features", found)
        gaps = [example for part in parts for example in part.examples]
        labels, dev_matrix = self._labels(gaps), self._matrix(dev)
        self.learn(ReadGaps(gaps, read, labels), ReadGaps(dev, dev_matrix, self._labels(dev)))
        self.adjustment = Adjustment(0.0, counts / counts.sum())
        raw = self._probabilities(dev, dev_matrix)
        if self.settings.tune_adjustment:
            tau = tune_tau(raw, self.adjustment.frequencies, lambda p: score(self._decided(p)))
            self.adjustment = Adjustment(tau, self.adjustment.frequencies)
        dev_result = score(self._decided(self.adjustment.of(raw)))
        self.report = self._report(dev_result, int((labels >= 0).sum()), left_out)

    def _report(self, dev_result: float, gaps: int, left_out: Mapping[str, str]) -> FitReport:
        """Sizes, the dev score, and features that are missing or mean something else here."""
        monitor, features = self.settings.monitor, len(self.vocabulary)
        parts = [f"{features:,} features of {gaps:,} gaps", f"dev {monitor} {dev_result:.2f}"]
        if self._lexicon_report.figures["lexicons"]:
            parts.append(self._lexicon_report.summary)
        instead = {} if "chains" in (self.trained_layers or ()) else self.without_chains()
        warnings = [f"left out {name}: expected {need}" for name, need in left_out.items()]
        warnings += self._lexicon_report.warnings
        if instead:
            changed = "; ".join(f"{name} is {meaning}" for name, meaning in instead.items())
            warnings.append(
                "warning: no coreference chains (X.chains.tsv) beside the training data, so that "
                f"{changed}"
            )
        figures = {
            "monitor": monitor,
            "score": dev_result,
            "gaps": gaps,
            "features": features,
            "left_out": dict(left_out),
            "without_chains": instead,
            **self._lexicon_report.figures,
        }
        return FitReport("; ".join(parts), figures, tuple(warnings))

    def without_chains(self) -> dict[str, str]:
        """What does not mean what it should without coreference chains, and what it is instead."""
        says = {feature.feature.name: feature.feature.without_chains for feature in self.features}
        return {name: instead for name, instead in says.items() if instead}

    def learn(self, train: ReadGaps, dev: ReadGaps) -> None:
        """Fit the steps; scores become probabilities on dev."""
        other = self.task.class_index[OTHER] if self.settings.steps == TWO else None
        pairs = (train.matrix, train.labels), (dev.matrix, dev.labels)
        settings = cast(ClassifierSettings, self.settings)
        fitting = Fitting(settings.estimator, settings.class_weight_power, settings.seed)
        self.fitted = fit_steps(fitting, *pairs, other)

    def chances(self, examples: Examples, read: csr_matrix) -> Probabilities:
        """The probability of each class, and last of what is not translated, for each gap."""
        return self.fitted.probabilities(read, len(self.task.classes) + 1)

    def _new_resources(self, train: Examples) -> Resources:
        names = self.settings.lexicon, self.settings.source_lexicon
        target, source = both_lexicons(*names, self.task, train)
        self.settings = replace(self.settings, lexicon=target.name, source_lexicon=source.name)
        self._lexicon_report = lexicon_report((target, source))
        scorer = self._it_scorer(Path(self.settings.pleonastic))
        return Resources(self.task, self.settings.context, target.lexicon, source.lexicon, scorer)

    def _it_scorer(self, model: Path) -> ItScorer:
        """What says of an *it* whether it refers to nothing; a trained one is in a file."""
        known = SCORERS.get(self.settings.pleonastic)
        return load_classifier(model) if known is None else known()

    def _without_missing(self, resources: Resources, examples: Examples) -> dict[str, str]:
        """Leave features out that the data does not allow, or refuse it; those, and why."""
        lacking = unmet(self.features, resources, examples)
        kept = [chosen for chosen in self.features if chosen.written not in lacking]
        if self.settings.missing_layers == ERROR or not kept:
            refuse(lacking, "training or development data without")
        self.features = kept
        self.settings = replace(self.settings, features=tuple(one.written for one in kept))
        return lacking

    def _labels(self, examples: Examples) -> Labels:
        """The class of each gap, -1 where it is not known."""
        found = [self._label(gap) for example in examples for gap in example.gaps]
        return np.array(found, dtype=np.int64)

    def _label(self, gap: Gap) -> int:
        if gap.label is None:
            return -1
        label = self.task.class_index[gap.label]
        null = self.settings.null_class and label == self.task.class_index[OTHER]
        if null and gap.word is not None and split_tag(gap.word)[0] == NONE:
            return len(self.task.classes)
        return label

    def _learnt(self, examples: Examples, resources: Resources) -> Resources:
        return learn(self.features, examples, resources, self.settings.lm, self.settings.telling)

    def _columns(self, parts: Sequence[TrainingPart], resources: Resources) -> Iterator[Columns]:
        """What the gaps of training parts have."""
        for part in parts:
            every = len(parts) == 1  # and so it is learnt already what its gaps are read with
            learnt = self.resources if every else self._learnt(part.learnt_from, resources)
            yield from extracted(self.features, part.examples, learnt)

    def _matrix(self, examples: Examples) -> csr_matrix:
        """The features of all gaps."""
        read = extracted(self.features, examples, self.resources, _PREDICTED_AT_ONCE)
        return matrix(read, self.vocabulary)

    def _probabilities(self, examples: Examples, read: csr_matrix) -> Probabilities:
        """Before any adjustment; what is not translated belongs to OTHER."""
        size = len(self.task.classes)
        chances = self.chances(examples, read)
        chances[:, self.task.class_index[OTHER]] += chances[:, size]
        return chances[:, :size]

    def predict(self, examples: Examples) -> Probabilities:
        """Probabilities of the steps, adjusted for class frequency if that was tuned."""
        return self.adjustment.of(self.unadjusted(examples))

    def unadjusted(self, examples: Examples) -> Probabilities:
        """Probabilities of the steps."""
        refuse(unmet(self.features, self.resources, examples), "data without")
        return self._probabilities(examples, self._matrix(examples))

    def decide(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
        """The most probable class; with two steps OTHER only if it is the more probable answer.

        A second step is asked for the best pronoun wherever the first finds one more probable than
        OTHER, even if no single pronoun is.
        """
        chances = self.predict(examples) if probabilities is None else probabilities
        return np.asarray(self._decided(chances).argmax(axis=1), dtype=np.int64)

    def _decided(self, chances: Probabilities) -> Probabilities:
        """Probabilities of which the largest is that of the class to choose."""
        if self.settings.steps == ONE:
            return chances
        other = self.task.class_index[OTHER]
        shown = chances.copy()
        shown[:, other] = np.where(chances[:, other] > 0.5, 1.0, -1.0)
        return shown

    def contributions(self, examples: Examples, line: int, gap: int = 0) -> list[ExplainedStep]:
        """Why a gap of `examples[line]` gets its probabilities, step by step, before adjustment."""
        first = max(0, line - self.settings.context)
        read = self._matrix(examples[first : line + 1])
        before = sum(len(example.gaps) for example in examples[first:line])
        row = read[before + gap]
        present = set(row.indices.tolist())
        names = self.vocabulary.names()
        explained = []
        for step in self.fitted.steps:
            found = step.model.contributions(row) if step.model else _NOTHING
            numbers = found.features.tolist()
            explained.append(
                ExplainedStep(
                    step.name,
                    tuple(map(self._group_name, step.groups)),
                    step.probabilities(row)[0],
                    tuple(names[number] for number in numbers),
                    tuple(number in present for number in numbers),
                    found.values,
                    found.base,
                )
            )
        return explained

    def evidence(self, question: GapQuestion) -> Evidence:
        """What the features of the gap add to its class, step by step."""
        steps = self.contributions(question.examples, question.line, question.number)
        return feature_evidence(question, steps, self.task.classes)

    def _group_name(self, group: tuple[int, ...]) -> str:
        return PRONOUN if len(group) > 1 else (*self.task.classes, NULL)[group[0]]

    def save_state(self, folder: Path) -> None:
        """Write features, models and what the features look things up in."""
        self.save_learnt_model(folder)
        save_learnt(folder, self.resources)
        save_adjustment(self.adjustment, folder)

    def load_state(self, folder: Path) -> None:
        """Read all of it; a damaged or foreign file is refused."""
        classes = len(self.task.classes)
        self.load_learnt_model(folder)
        scorer = self._it_scorer(folder / IT_CLASSIFIER)
        base = Resources(self.task, self.settings.context, pleonastic=scorer)
        learnt = {chosen.feature.learnt for chosen in self.features}
        names = self.settings.lexicon, self.settings.source_lexicon
        self.resources = load_learnt(folder, base, names, learnt)
        self.adjustment = load_adjustment(folder, classes)

    def save_learnt_model(self, folder: Path) -> None:
        """Write the features and the steps."""
        save_model(folder, self.vocabulary, self.fitted)

    def load_learnt_model(self, folder: Path) -> None:
        """Read them."""
        self.vocabulary, self.fitted = load_model(folder, len(self.task.classes) + 1)


_NOTHING = Contributions(np.zeros(0, np.int64), np.zeros((0, 1)), np.zeros(1))
