"""Scores of predicted pronouns against gold, as the shared tasks scored submissions."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from crosspro.task_examples import AnyPath, task_of
from crosspro.trained_models import held_system

if TYPE_CHECKING:
    from crosspro.data_prep.core.example import Example
    from crosspro.data_prep.core.task import Task
    from crosspro.evaluation.evaluation import Evaluation
    from crosspro.evaluation.metrics.submissions.submission import Gold, Submission


def evaluate(
    gold: AnyPath | Sequence[str] | Sequence[Example],
    predictions: Any,
    task: Task | AnyPath,
    *,
    documents: Sequence[str] | AnyPath | None = None,
    absent: Literal["skip", "zero"] = "skip",
    lenient: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """Scores of predicted pronouns, with intervals and paired tests (none with 0 resamples).

    Gold is a list of labels (one for each gap), a list of examples, or a five-column file.
    `predictions` are the same of one system, or of several by their names; they may also be trained
    systems, bundled models, or the folders of runs, which predict the gaps of gold. Documents are
    resampled where they are known: ids of gaps, of examples, or of the lines of a file. Other text
    than that of gold is refused, or warned of if `lenient`.

    >>> import crosspro
    >>> gold = ["il", "elle", "OTHER", "il"]
    >>> result = crosspro.evaluate(
    ...     gold, {"A": gold, "B": ["il", "il", "OTHER", "il"]}, "en-fr", resamples=0
    ... )
    >>> print(result.scores["B"]["macro_recall"], result.scores["B"]["accuracy"])
    66.67 75.00
    """
    from crosspro.data_prep.core.errors import input_error
    from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
    from crosspro.evaluation.metrics.submissions.submission import display_names
    from crosspro.evaluation.resampling import resampling_or_none

    if absent not in ("skip", "zero"):
        raise input_error("arguments", "absent", "skip or zero", repr(absent))
    resampling = resampling_or_none(resamples, seed)
    if not isinstance(predictions, Mapping):
        is_path = isinstance(predictions, AnyPath)
        predictions = {display_names([predictions])[0] if is_path else "system": predictions}
    if not predictions or not all(isinstance(name, str) and name.strip() for name in predictions):
        names = ", ".join(map(repr, predictions)) or "none"
        raise input_error("arguments", "predictions", "systems by their names", names)
    rules = task_of(task)
    labels, examples = _gold(gold, rules, documents)
    submissions = [
        _submission(name, value, rules, labels, examples, lenient)
        for name, value in predictions.items()
    ]
    return evaluate_submissions(rules, labels, submissions, absent, resampling, examples)


def _listed(value: Any, argument: str) -> list[Any]:
    """Labels or examples as a list; `InputError` for anything else."""
    from crosspro.data_prep.core.errors import input_error

    if isinstance(value, AnyPath | bytes | Mapping) or not isinstance(value, Iterable):
        expected = "labels, examples, a path or a trained system"
        raise input_error("arguments", argument, expected, repr(value))
    return list(value)


def _gold(gold: Any, task: Task, documents: Any) -> tuple[Gold, Sequence[Example]]:
    """Gold labels with their documents, and the examples, if they are known."""
    from crosspro.data_prep.annotate.layers import layers_beside, read_layered
    from crosspro.data_prep.core.errors import input_error
    from crosspro.evaluation.metrics.submissions import submission as labels
    from crosspro.evaluation.metrics.submissions.reading import read_gold

    if isinstance(gold, AnyPath):
        path, layers = Path(gold), layers_beside(Path(gold))
        if isinstance(documents, AnyPath):
            layers = replace(layers, documents=Path(documents))
        gold_labels = read_gold(path, task, layers.documents)
        return gold_labels, list(read_layered(path, task, layers, lenient=True))
    listed = _listed(gold, "gold")
    if not listed:
        raise input_error("arguments", "gold", "at least one label", "none")
    names = None if documents is None else [str(name) for name in _listed(documents, "documents")]
    if names is not None and len(names) != len(listed):
        expected = f"{len(listed):,}, as many as in gold"
        raise input_error("arguments", "documents", expected, f"{len(names):,}")
    if isinstance(listed[0], str):
        return labels.gold_of_labels(listed, task, names), []
    if names is not None:
        pairs = zip(listed, names, strict=True)
        listed = [replace(example, document=name) for example, name in pairs]
    if line := labels.unlabelled_line(listed):
        raise input_error("gold", "classes", "a label for each gap", "a gap without one", line)
    return labels.gold_of(listed, task, "gold"), listed


def _submission(
    name: str, value: Any, task: Task, gold: Gold, examples: Sequence[Example], lenient: bool
) -> Submission:
    """Labels, examples, a file, or what a system predicts."""
    from crosspro.data_prep.core.errors import input_error
    from crosspro.data_prep.core.example import Example
    from crosspro.evaluation.metrics.submissions import submission as labels

    if isinstance(value, AnyPath):
        from crosspro.prediction.models import chosen_run
        from crosspro.prediction.output import read_or_predict

        path = Path(value)
        if not path.is_file() and not path.suffix:
            path = chosen_run(path, logging.getLogger("crosspro").warning)
        (submission,) = read_or_predict([path], task, gold, examples, lenient=lenient)
        return replace(submission, name=name)
    if (system := held_system(value)) is not None:
        from crosspro.prediction.output import predicted

        submission = predicted(system, examples).submission(name)
        return labels.mapped(submission, name, system.task, task)
    listed = [getattr(item, "example", item) for item in _listed(value, f'predictions["{name}"]')]
    if any(isinstance(example, Example) for example in listed):
        classes = labels.gold_of(listed, task, name).classes
    else:
        classes = labels.class_indices(listed, task, name)
    if len(classes) != len(gold.classes):
        expected = f"{len(gold.classes):,}, one for each gap of gold"
        raise input_error(name, "labels", expected, f"{len(classes):,}")
    return labels.Submission(name, classes)
