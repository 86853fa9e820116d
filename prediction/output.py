"""From decisions to submissions: the class of every gap of examples, by systems and by runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from crosspro.data_prep.annotate.layers import Layers, layers_in, read_layered
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files.run_path import is_run
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.pipeline.pointed_nouns import PointedNouns
from crosspro.evaluation.metrics.submissions.submission import (
    Gold,
    Submission,
    read_submissions,
    submission_of,
)
from crosspro.prediction.system import Probabilities, System, load_systems, probabilities_of

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


def read_or_predict(
    paths: Sequence[Path],
    task: Task,
    gold: Gold,
    gold_path: Path,
    layers: Layers,
    tell: Callable[[str], None] = lambda note: None,
    *,
    pointed: bool = False,
    lenient: bool = False,
) -> list[Submission]:
    """The submissions of files, and what the systems of runs predict, in their order.

    `tell` gets what a user should know of a prediction. Systems that point at antecedents are asked
    for them if they are wanted (`pointed`). Files of other text than gold are warned of if
    `lenient`, else refused.
    """
    runs = [path for path in paths if is_run(path)]
    files = [path for path in paths if path not in runs]
    found = dict(zip(files, read_submissions(files, task, gold, lenient=lenient), strict=True))
    systems = load_systems(runs)
    examples = list(read_layered(gold_path, task, layers, lenient=True)) if runs else []
    gaps = sum(len(example.gaps) for example in examples)
    if runs and gaps != len(gold.classes):
        labels = f"{len(gold.classes)} labels for {gaps}"
        raise input_error(gold_path, "classes", "a label for each gap", labels)
    for path, system in zip(runs, systems, strict=True):
        if system.task.classes != task.classes:
            expected = f"a system with the classes of {task.name}"
            raise input_error(path, "run", expected, f"one for {system.task.name}")
        for note in layer_notes(system, str(gold_path), layers_in(examples)):
            tell(note)
        probabilities = probabilities_of(system, examples)
        predicted = with_predictions(system, examples, probabilities)
        nouns = pointed_at(system, predicted) if pointed and system.points else None
        found[path] = submission_of(predicted, task, path.name, probabilities, nouns)
    return [found[path] for path in paths]
