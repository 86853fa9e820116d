"""Features that learn from training text first: a language model and telling contexts.

Telling contexts are lemmas around a gap that nearly always go with one class (LIMSI 2016). Bawden's
system had one feature of this kind, mainly for OTHER. A template takes some of the neighbours of a
gap; what it takes is telling if it was seen often enough and one class has nearly all of it
(`TellingSettings`; the findings paper names no numbers). The first template that tells something
decides: those of more words come first.

A language model that has read a sentence knows what stood in its gap, and so do telling contexts.
Training gaps are therefore read with what was learnt from the other half of the documents, and
later ones with what was learnt from all. The model of a file is taken as it is: nobody can say here
whether it has read the training text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from pydantic import Field

from crosspro.baselines.features.gaps import (
    Batch,
    Bins,
    ChosenFeature,
    Column,
    Feature,
    Resources,
    batches,
)
from crosspro.baselines.features.text import Values
from crosspro.baselines.fill import Floats, GapFiller, task_fillers
from crosspro.baselines.ngram.files import load_ngram_model
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram_system import train_model
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import Share, settings
from crosspro.data_prep.core.task import Task

TEMPLATES: tuple[tuple[int, ...], ...] = (
    (-2, -1, 1, 2),
    (-1, 1, 2),
    (-2, -1, 1),
    (1, 2, 3),
    (-1, 1),
    (1, 2),
    (-2, -1),
    (1,),
)
"""Places before (-) and after the gap; the source pronoun belongs to every template."""
REACH = 3


@settings
class TellingSettings:
    """How often a context must be seen to be telling, and the share that one class must have."""

    least_count: Annotated[int, Field(ge=1)] = 10
    least_share: Share = 0.85


USUAL = TellingSettings()

Context = tuple[str, Sequence[str]]
"""The source pronoun and the lemmas from `REACH` before the gap to `REACH` after it."""


def keys(context: Context) -> list[str]:
    """What each template takes of a context."""
    pronoun, window = context
    return [
        f"{number} {pronoun} " + " ".join(window[place + REACH] for place in places)
        for number, places in enumerate(TEMPLATES)
    ]


@dataclass(frozen=True)
class TellingContexts:
    """The class that each telling context goes with."""

    table: Mapping[str, str]

    def told(self, context: Context) -> str | None:
        """The class that the first telling template of a context names."""
        for key in keys(context):
            found = self.table.get(key)
            if found is not None:
                return found
        return None


def learn_contexts(
    labelled: Iterable[tuple[Context, str]], settings: TellingSettings = USUAL
) -> TellingContexts:
    """The telling contexts of training gaps."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for context, label in labelled:
        for key in keys(context):
            counts[key][label] += 1
    table = {}
    for key, labels in counts.items():
        label, most = max(labels.items(), key=lambda item: (item[1], item[0]))
        total = labels.total()
        if total >= settings.least_count and most >= settings.least_share * total:
            table[key] = label
    return TellingContexts(table)


_CHANCES = Bins((0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0))
_RANKS = Bins((1, 2, 3, 5, 10, 20))
"""The bins of CUNI 2016."""


def _chances(batch: Batch) -> tuple[tuple[str, ...], Floats]:
    """The fillers, and their probability in each gap given the rest of the line."""
    filler = batch.resources.filler
    if filler is None:
        raise ValueError("a language model that was not learnt")
    return filler.fillers.words, batch.chances


def lm_scores(batch: Batch, _: int) -> Iterator[Column]:
    """Probability and rank of each filler in bins."""
    words, chances = _chances(batch)
    with np.errstate(divide="ignore"):
        # Fillers that the model does not know are equal, but for the last digits.
        order = np.argsort(-np.round(np.log(chances), 6), axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, len(words) + 1)[None, :], axis=1)
    for number, word in enumerate(words):
        yield f"LM probability of {word}", _CHANCES.column(chances[:, number])
        yield f"LM rank of {word}", _RANKS.column(ranks[:, number])


def lm_best(batch: Batch, _: int) -> Iterator[Column]:
    """The filler that the language model prefers."""
    words, chances = _chances(batch)
    yield "LM prefers", Values(chances.argmax(axis=1), words)


def contexts(batch: Batch) -> list[Context]:
    """What templates of telling contexts look at."""
    lemmas = [batch.words("target lemma", offset) for offset in range(-REACH, REACH + 1)]
    pronouns = batch.words("source word", 0)
    return list(zip(pronouns, zip(*lemmas, strict=True), strict=True))


def telling_contexts(batch: Batch, _: int) -> Iterator[Column]:
    """The class that a telling context names."""
    telling = batch.resources.telling
    if telling is None:
        raise ValueError("telling contexts that were not learnt")
    yield "telling context", [telling.told(context) or "none" for context in contexts(batch)]


FEATURES = (
    Feature("lm_scores", "probability and rank of each filler", lm_scores, learnt="lm"),
    Feature("lm_best", "the filler that a language model prefers", lm_best, learnt="lm"),
    Feature(
        "telling_contexts",
        "the class that nearly always goes with the neighbours of the gap",
        telling_contexts,
        learnt="telling",
    ),
)


@settings
class LanguageModelSettings:
    """The order of a model that is trained, or the file of one that exists."""

    order: Annotated[int, Field(ge=1)] = 5
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
        model = load_ngram_model(lm.file) if lm.file else train_model(train, (), lm.order)
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
