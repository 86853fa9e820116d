"""The primary system of UPPSALA 2016 for English to French (003 §5.8).

It is the source-aware language model whose annotated tokens also say what an English `it` is:
anaphoric, pleonastic or an event (`it_classifier`). Without annotated text to learn that from,
patterns tell it, and a training says so. All talks of ParCorFull belong to the DiscoMT 2015 test
set or to TEDdev; they are left out unless `leave_out` says otherwise, so that nothing is learnt
from a talk that is scored or that settings are chosen on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from crosspro.baselines.it_classifier.classifier import (
    ItClassifier,
    load_classifier,
    train_classifier,
)
from crosspro.baselines.it_classifier.context import PRONOUN, ItContext
from crosspro.baselines.it_classifier.patterns import pattern_labels
from crosspro.baselines.it_classifier.training_data import (
    cross_validated_f1,
    read_training_data,
    without_documents,
)
from crosspro.baselines.source_aware import SourceAwareLM, SourceAwareSettings
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import Words, settings
from crosspro.data_prep.core.task import Task
from crosspro.prediction.fit_report import FitReport
from crosspro.prediction.system import Examples

ENGLISH = "en"
_CLASSIFIER = "it_classifier.json"
_PATTERNS = "hand-written patterns (no trained model was given)"
_FOLDS = 10


@settings
class UppsalaItSettings(SourceAwareSettings):
    """Those of the model, and the annotated text."""

    it_data: Words = ()
    leave_out: Words = ("discomt2015", "teddev")


class UppsalaIt(SourceAwareLM):
    """A source-aware model that knows what each `it` is.

    `it_data` are files and projects in which people have said it, and `leave_out` names
    documents of them that are not learnt from; `discomt2015` and `teddev` stand for the talks of
    that test and that development set.
    """

    name = "uppsala_it"
    settings_class = UppsalaItSettings
    settings: UppsalaItSettings

    classifier: ItClassifier | None = None

    @property
    def context(self) -> int:
        """The sentence before helps to tell what an `it` is."""
        return 1

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        f1: dict[str, float] | None = None
        if self.settings.it_data:
            examples = read_training_data([Path(path) for path in self.settings.it_data])
            left = without_documents(examples, self.settings.leave_out)
            if not left:
                expected = "documents to learn from, or fewer to leave out (system.leave_out)"
                actual = f"{len(examples):,} examples of documents that are all left out"
                raise input_error("settings", "system.it_data", expected, actual)
            self.classifier = train_classifier(left)
            if len({example.document for example in left}) >= _FOLDS:
                f1 = cross_validated_f1(left, _FOLDS)
        self.task = task
        self.trained_layers = layers_in(train)
        super().fit(task, train, dev, folder)
        if task.source_language == ENGLISH:
            self.report = self._report(f1)

    def _report(self, f1: Mapping[str, float] | None) -> FitReport:
        labelled_by = _PATTERNS
        if self.classifier:
            examples, documents = self.classifier.examples, len(self.classifier.documents)
            labelled_by = f"a model trained on {examples:,} examples of {documents} documents"
        summary = f"every it is labelled by {labelled_by}"
        if f1 is not None:
            scores = ", ".join(f"{label} {value:.1f}" for label, value in f1.items())
            summary += f"; F1 by cross-validation over documents: {scores}"
        warning = (
            "warning: the published system learnt the labels of it; here system.it_data names no "
            "annotated text to learn them from"
        )
        figures = {"labelled_by": labelled_by, "f1": f1}
        return FitReport(summary, figures, () if self.settings.it_data else (warning,))

    def labelled(self, examples: Examples) -> list[Example]:
        """The examples; where the source pronoun of a gap is `it`, its label stands with it."""
        if self.task.source_language != ENGLISH:
            return list(examples)
        pronouns = [
            (number, place)
            for number, example in enumerate(examples)
            for place in sorted({gap.source_index for gap in example.gaps})
            if example.source[place].lower() == PRONOUN
        ]
        contexts = [
            ItContext(examples[number].source, place, _before(examples, number))
            for number, place in pronouns
        ]
        labels = self.classifier.labels(contexts) if self.classifier else pattern_labels(contexts)
        sources = {number: list(examples[number].source) for number, _ in pronouns}
        for (number, place), label in zip(pronouns, labels, strict=True):
            sources[number][place] += f":{label}"
        return [
            replace(example, source=tuple(sources.get(number, example.source)))
            for number, example in enumerate(examples)
        ]

    def save_state(self, folder: Path) -> None:
        super().save_state(folder)
        if self.classifier is not None:
            self.classifier.save(folder / _CLASSIFIER)

    def load_state(self, folder: Path) -> None:
        super().load_state(folder)
        if self.settings.it_data:
            self.classifier = load_classifier(folder / _CLASSIFIER)


def _before(examples: Examples, number: int) -> tuple[str, ...]:
    document = examples[number].document
    if not number or document is None or examples[number - 1].document != document:
        return ()
    return examples[number - 1].source
