"""What some features learn from training text before any gap is read: a model, telling contexts.

A language model that has read a sentence knows what stood in its gap, and so do telling contexts.
Training gaps are therefore read with what was learnt from the other half of the documents, and
later ones with what was learnt from all. The model of a file is taken as it is: nobody can say here
whether it has read the training text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crosspro.baselines.features.feature import ChosenFeature
from crosspro.baselines.features.gaps import Resources, batches
from crosspro.baselines.features.learnt_features import contexts
from crosspro.baselines.features.telling import (
    USUAL,
    TellingContexts,
    TellingSettings,
    learn_contexts,
)
from crosspro.baselines.fill import GapFiller, task_fillers
from crosspro.baselines.ngram.load import load_own
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram_system import train_model
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task


@dataclass(frozen=True)
class LanguageModelSettings:
    """The order of a model that is trained, or the file of one that exists."""

    order: int = 5
    file: str | None = None


def learn(
    features: Sequence[ChosenFeature],
    train: Sequence[Example],
    resources: Resources,
    lm: LanguageModelSettings,
    telling: TellingSettings = USUAL,
) -> Resources:
    """The resources with all that these features must learn from training text."""
    asked = {chosen.feature.learnt for chosen in features}
    if "lm" in asked:
        model = load_own(lm.file) if lm.file else train_model(train, (), lm.order)
        resources = replace(resources, filler=filler_of(resources.task, model))
    if "telling" in asked:
        resources = replace(resources, telling=_telling(train, resources, telling))
    return resources


def filler_of(task: Task, model: NGramModel) -> GapFiller:
    """Tries the official fillers of a task in its gaps."""
    return GapFiller(model, task_fillers(task))


@dataclass(frozen=True)
class TrainingPart:
    """Training examples, and those from which is learnt what their gaps are read with."""

    examples: Sequence[Example]
    learnt_from: Sequence[Example]


def training_parts(
    features: Sequence[ChosenFeature], train: Sequence[Example], lm: LanguageModelSettings
) -> list[TrainingPart]:
    """The training examples in two parts, or in one where nothing is learnt from their text."""
    asked = {chosen.feature.learnt for chosen in features}
    if not ("telling" in asked or ("lm" in asked and not lm.file)):
        return [TrainingPart(train, train)]
    halves = _halves(train)
    return [
        TrainingPart(half, other or half)
        for half, other in zip(halves, reversed(halves), strict=True)
        if half
    ]


def _halves(train: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """Every other document (or line, where there are none), so that both are alike."""
    halves: tuple[list[Example], list[Example]] = [], []
    number, last = -1, None
    for example in train:
        if example.document is None or example.document != last:
            number += 1
        last = example.document
        halves[number % 2].append(example)
    if number == 0:  # a single document
        middle = len(train) // 2
        return list(train[:middle]), list(train[middle:])
    return halves


def _telling(
    train: Sequence[Example], resources: Resources, settings: TellingSettings
) -> TellingContexts:
    task = resources.task
    labelled = (
        (context, task.classes[task.class_index[gap.label]])
        for batch in batches(train, resources)
        for context, gap in zip(contexts(batch), batch.gaps, strict=True)
        if gap.label is not None
    )
    return learn_contexts(labelled, settings)
