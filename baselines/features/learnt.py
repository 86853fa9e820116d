"""Features that learn from training text first: a language model and telling contexts.

Telling contexts are lemmas around a gap that nearly always go with one class (LIMSI 2016). A
template takes some of the neighbours of a gap; what it takes is telling if it was seen often enough
and one class has nearly all of it (the findings paper names no numbers). The first template that
tells something decides: those of more words come first.

A language model that has read a sentence knows what stood in its gap, and so do telling contexts.
Training gaps are therefore read with what was learnt from the other half of the documents, and
later ones with what was learnt from all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Annotated

from pydantic import Field

from crosspro.baselines.features.view import (
    Bins,
    ChosenFeature,
    Feature,
    GapView,
    Resources,
    gap_views,
)
from crosspro.baselines.ngram_system import train_model
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import Share, settings

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
    pronoun, window = context
    return [
        f"{number} {pronoun} " + " ".join(window[place + REACH] for place in places)
        for number, places in enumerate(TEMPLATES)
    ]


def telling_label(table: Mapping[str, str], context: Context) -> str | None:
    return next((table[key] for key in keys(context) if key in table), None)


def learn_contexts(
    labelled: Iterable[tuple[Context, str]], settings: TellingSettings = USUAL
) -> dict[str, str]:
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
    return table


_CHANCES = Bins((0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0))
_RANKS = Bins((1, 2, 3, 5, 10, 20))
"""The bins of CUNI 2016."""


def lm_scores(view: GapView, _: int) -> Iterator[str]:
    columns = (view.text.fillers[view.row].tolist(), view.text.filler_ranks[view.row].tolist())
    for word, chance, rank in zip(_fillers(view), *columns, strict=True):
        yield f"LM probability of {word}={_CHANCES.name(chance)}"
        yield f"LM rank of {word}={_RANKS.name(rank)}"


def lm_best(view: GapView, _: int) -> Iterator[str]:
    yield f"LM prefers={_fillers(view)[int(view.text.fillers[view.row].argmax())]}"


def _fillers(view: GapView) -> tuple[str, ...]:
    filler = view.resources.filler
    return filler.fillers.words if filler else ()


def context_of(view: GapView) -> Context:
    return view.pronoun, view.near("target lemma", REACH)


def telling_contexts(view: GapView, _: int) -> Iterator[str]:
    label = telling_label(view.resources.telling or {}, context_of(view))
    yield f"telling context={label or 'none'}"


FEATURES = (
    Feature("lm_scores", lm_scores, learnt="lm"),
    Feature("lm_best", lm_best, learnt="lm"),
    Feature("telling_contexts", telling_contexts, learnt="telling"),
)


def learn(
    features: Sequence[ChosenFeature],
    train: Sequence[Example],
    resources: Resources,
    lm_order: int,
    telling: TellingSettings = USUAL,
) -> Resources:
    """The resources with all that these features must learn from training text."""
    learnt = {chosen.feature.learnt for chosen in features}
    if "lm" in learnt:
        resources = replace(resources, lm=train_model(train, (), lm_order))
    if "telling" in learnt:
        task = resources.task
        labelled = (
            (context_of(view), task.classes[task.class_index[view.gap.label]])
            for view in gap_views(train, resources)
            if view.gap.label is not None
        )
        resources = replace(resources, telling=learn_contexts(labelled, telling))
    return resources


def training_parts(
    features: Sequence[ChosenFeature], train: Sequence[Example]
) -> list[tuple[Sequence[Example], Sequence[Example]]]:
    """Training examples, each part with those from which is learnt what its gaps are read with.

    There are two parts, or one where nothing is learnt from their text.
    """
    if all(chosen.feature.learnt is None for chosen in features):
        return [(train, train)]
    first, second = _halves(train)
    return [(half, other or half) for half, other in ((first, second), (second, first)) if half]


def _halves(train: Sequence[Example]) -> tuple[Sequence[Example], Sequence[Example]]:
    """Every other document (or line, where there are none), so that both are alike."""
    runs = groupby(enumerate(train), key=lambda pair: pair[1].document or pair[0])
    documents = [[example for _, example in run] for _, run in runs]
    if len(documents) == 1:
        middle = len(train) // 2
        return train[:middle], train[middle:]
    return [*chain.from_iterable(documents[::2])], [*chain.from_iterable(documents[1::2])]
