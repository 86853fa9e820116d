"""From decisions to submissions: labels for every gap of a stream of examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import OTHER
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.prediction.system import Probabilities, System, probabilities_of

AT_ONCE = 10_000
"""Lines predicted together, more where a document goes on."""


def predict_stream(
    system: System, examples: Iterable[Example]
) -> Iterator[tuple[list[Example], Probabilities]]:
    """Examples with predicted labels, and their probabilities, in groups of whole documents."""
    for group in whole_documents(examples, AT_ONCE):
        probabilities = probabilities_of(system, group)
        yield with_predictions(system, group, probabilities), probabilities


def with_predictions(
    system: System, examples: Sequence[Example], probabilities: Probabilities | None = None
) -> list[Example]:
    """The examples with what the system decides for each gap as its label.

    Probabilities, where they are known already, save it from predicting twice.
    """
    if probabilities is None:
        probabilities = probabilities_of(system, examples)
    best = iter(system.decide(examples, probabilities).tolist())
    classes = system.task.classes
    return [
        example.with_labels([classes[next(best)] for _ in example.gaps]) for example in examples
    ]


def pointed_at(system: System, predicted: Sequence[Example]) -> list[PointedNouns]:
    """The nouns that gaps with predicted labels stand for, of a system that points at them."""
    index = system.task.class_index
    classes = [index[gap.label or OTHER] for example in predicted for gap in example.gaps]
    return system.antecedents(predicted, np.array(classes, dtype=np.int64))


def layer_notes(system: System, data: str, present: frozenset[str]) -> list[str]:
    """What a user should know of data with these layers, before the system predicts it."""
    lacks_context = system.context > 0 and "documents" not in present
    notes = [without_context(data, system)] if lacks_context else []
    for difference in system.unlike_training(present):
        if difference.layer != "documents" or not lacks_context:
            notes.append(difference.told(data))
    return list(dict.fromkeys(notes))


def without_context(data: str, system: System) -> str:
    """What to say of data without documents, if the system has learnt to look beyond a sentence."""
    return (
        f"{data}: no document ids, so {system.shown_name}, which was trained with {system.context} "
        "sentences of context, predicts each gap from its own sentence"
    )


def whole_documents(examples: Iterable[Example], size: int) -> Iterator[list[Example]]:
    """Groups of at least `size` examples that never cut a document in two."""
    group: list[Example] = []
    for example in examples:
        enough = len(group) >= size
        if enough and (example.document is None or example.document != group[-1].document):
            yield group
            group = []
        group.append(example)
    if group:
        yield group
