"""Submissions from files and from runs, whose systems predict the gaps of a gold file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from crosspro.data_prep.annotate.layers import Layers, layers_in, read_layered
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import is_run
from crosspro.data_prep.core.task import Task
from crosspro.evaluation.metrics.submissions.submission import (
    Gold,
    Submission,
    read_submissions,
    submission_of,
)
from crosspro.prediction.output import layer_notes, pointed_at, with_predictions
from crosspro.prediction.system import load_systems, probabilities_of


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
