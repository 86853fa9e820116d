"""Scores of predicted pronouns against gold, as the shared tasks scored submissions.

Gold and predictions may be files, examples, or labels alone. What is in memory is put into the form
of a file, and read and compared as a file is.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from crosspro.arguments import (
    AnyPath,
    Inputs,
    Text,
    are_files,
    by_name,
    check_choice,
    given_task,
    is_listed,
    is_open_file,
    languages_or_none,
    resampling,
)
from crosspro.trained_models import held_system

if TYPE_CHECKING:
    from crosspro.data_prep.annotate.layers import Layers
    from crosspro.data_prep.core.example import Example
    from crosspro.data_prep.core.task import Task
    from crosspro.evaluation.metrics.submissions.submission import Gold, Submission
    from crosspro.evaluation.output.result import Result


def evaluate(
    gold: Text | Sequence[Example],
    predictions: Any,
    task: Task | AnyPath | None = None,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    documents: Text | None = None,
    absent: Literal["skip", "zero"] = "skip",
    lenient: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Result:
    """Scores of predicted pronouns, with intervals and paired tests (none with 0 resamples).

    Gold is a five-column file, a list of examples, or a list of labels, one for each gap.
    `predictions` are the same of one system, or of several by their names; they may also be trained
    systems, or the folders of runs, which predict the gaps of gold. `task` is a name or a file; the
    languages name it, too. Labels and examples without one are scored by the classes they have.
    Documents are resampled where ids are given or lie beside gold (X.doc-ids beside X.data), else
    gaps. Classes absent from gold are skipped, as in the papers, or count as zero. Predictions of
    other text than gold are refused, or warned of if `lenient`.

    >>> import crosspro
    >>> gold = ["il", "elle", "OTHER", "il"]
    >>> result = crosspro.evaluate(
    ...     gold, {"A": gold, "B": ["il", "il", "OTHER", "il"]}, "en-fr", resamples=0
    ... )
    >>> print(result.scores["B"]["macro_recall"], result.scores["B"]["accuracy"])
    66.67 75.00
    """
    from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
    from crosspro.evaluation.output.result import Result

    check_choice("absent", absent, ("skip", "zero"))
    plan, inputs = resampling(resamples, seed), Inputs()
    languages = languages_or_none(source_language, target_language)
    task = "-".join(languages) if task is None and languages is not None else task
    right = _given(inputs, "gold", gold, None)
    given = _predictions(inputs, predictions)
    with inputs:  # what is no text, label or system is told before anything is read
        rules = _task_of_labels([right, *given]) if task is None else given_task(task)
    data = _gold_data(inputs, right, rules, documents)
    with inputs:
        labels = data.labels()
    for one in given:
        one.write(inputs, labels)
    with inputs:
        read, warnings = _submissions(given, data, labels, lenient)
        if right.kind == _FILE and is_open_file(gold):  # nobody can read it again for a page
            data = replace(data, examples=list(data))
    evaluation = evaluate_submissions(rules, labels, read, absent, plan, data)
    return Result.of(replace(evaluation, warnings=(*warnings, *evaluation.warnings)))


_LABELS, _EXAMPLES, _FILE, _SYSTEM = "labels", "examples", "file", "system"


class _Given(NamedTuple):
    """What is scored, or gold: its name if it has one, what it is, and the path that it has."""

    name: str | None
    kind: str
    value: Any
    path: Path

    def labels(self) -> list[str]:
        """The labels of what is in memory."""
        if self.kind == _LABELS:
            return list(self.value)
        return [gap.label for one in self.value for gap in one.gaps if gap.label is not None]

    def write(self, inputs: Inputs, gold: Gold) -> None:
        """Have labels or examples read as a file."""
        if self.kind == _EXAMPLES:
            inputs.text(str(self.path), _as_lines(self.value))
        if self.kind != _LABELS:
            return
        gaps = gold.gaps.tolist()
        if sum(gaps) != len(self.value):
            expected = f"{sum(gaps):,} labels, one for each gap of gold"
            inputs.problem(str(self.path), None, expected, len(self.value), "labels")
        labels = iter(self.value)
        inputs.text(str(self.path), [" ".join(islice(labels, number)) for number in gaps])


@dataclass(frozen=True)
class _GoldData:
    """A gold file, with its documents, and its examples, which a page reads when it is made."""

    task: Task
    path: Path
    layers: Layers
    examples: Sequence[Example] | None

    def labels(self) -> Gold:
        """Its labels."""
        from crosspro.evaluation.metrics.submissions.submission import read_gold

        return read_gold(self.path, self.task, self.layers.documents)

    def __iter__(self) -> Iterator[Example]:
        if self.examples is not None:
            return iter(self.examples)
        from crosspro.data_prep.annotate.layers import read_layered

        return read_layered(self.path, self.task, self.layers, lenient=True)


def _predictions(inputs: Inputs, value: Any) -> list[_Given]:
    """What is scored: one system, or several, by their names or in a list."""
    value = by_name(value)
    if isinstance(value, Mapping):
        wrong = [name for name in value if not isinstance(name, str) or not name.strip()]
        if wrong or not value:
            inputs.problem("predictions", None, "those of systems by their names", dict(value))
        return [
            _given(inputs, f'predictions["{name}"]', own, str(name)) for name, own in value.items()
        ]
    value = _listed(value)
    if not isinstance(value, list) or not value:
        return [_given(inputs, "predictions", value, "system")]
    apart = (
        isinstance(one, Path) or is_open_file(one) or is_listed(one) or held_system(one) is not None
        for one in value
    )
    if not (are_files(value) or any(apart)):
        return [_given(inputs, "predictions", value, "system")]
    return [
        _given(inputs, f"predictions[{number}]", one, f"system {number + 1}")
        for number, one in enumerate(value)
    ]


def _given(inputs: Inputs, argument: str, value: Any, name: str | None) -> _Given:
    """What a value is; a file has its own name unless it is called otherwise."""
    from crosspro.data_prep.core.example import Example

    value, path = _listed(value), Path(argument)
    if isinstance(value, AnyPath) or is_open_file(value):
        named = name if argument.endswith('"]') or is_open_file(value) else None
        return _Given(named, _FILE, value, inputs.text(argument, value))
    system = held_system(value)
    if system is not None and argument != "gold":
        return _Given(name, _SYSTEM, system, path)
    if not isinstance(value, list):
        expected = "labels, examples, a path, an open file or a trained system"
        inputs.problem(argument, None, expected, value)
        return _Given(name, _LABELS, [], path)
    if any(isinstance(one, Example) for one in value):
        for number, one in enumerate(value, start=1):
            if not isinstance(one, Example):
                inputs.problem(argument, number, "an example", one, "example")
        return _Given(name, _EXAMPLES, value, path)
    labels = [str(one) if isinstance(one, str) else one for one in value]
    for number, one in enumerate(labels, start=1):
        if not isinstance(one, str) or not one or any(map(str.isspace, one)):
            inputs.problem(argument, number, "a label without spaces", one, "label")
    if not labels:
        inputs.problem(argument, None, "at least one label", "none", "labels")
    return _Given(name, _LABELS, labels, path)


def _listed(value: Any) -> Any:
    """Whatever gives labels or examples one by one, as a list."""
    return list(value) if is_listed(value) else value


def _task_of_labels(given: Sequence[_Given]) -> Task:
    """A task whose classes are the labels that there are."""
    from crosspro.data_prep.core.errors import choices, input_error
    from crosspro.data_prep.core.task import MAX_CLASSES, task_names, task_of_labels

    if any(one.kind in (_FILE, _SYSTEM) for one in given):
        expected = f"{choices(task_names())}, the path of a .yaml file, or both languages"
        raise input_error("arguments", "task", expected, "none")
    classes = sorted({label for one in given for label in one.labels()})
    if len(classes) > MAX_CLASSES:
        found = f"{len(classes):,} different ones"
        raise input_error("arguments", "labels", f"those of at most {MAX_CLASSES} classes", found)
    return task_of_labels(classes)


def _gold_data(inputs: Inputs, gold: _Given, task: Task, documents: Any) -> _GoldData:
    """Gold as a file that the readers of files know."""
    from crosspro.data_prep.annotate.layers import Layers, layers_beside
    from crosspro.data_prep.core.example import Example, Gap

    ids = inputs.documents(documents)
    if gold.kind == _FILE:
        path = Path(gold.value) if isinstance(gold.value, AnyPath) else gold.path
        beside = layers_beside(path) if isinstance(gold.value, AnyPath) else Layers()
        return _GoldData(task, path, replace(beside, documents=ids or beside.documents), None)
    examples = list(gold.value)
    if gold.kind == _LABELS:
        examples = [
            Example(("–",), ("REPLACE_0",), None, (), (Gap(0, 0, label),)) for label in examples
        ]
    elif ids is None and all(one.document is not None for one in examples):
        ids = inputs.documents([one.document for one in examples])
    inputs.text(str(gold.path), _as_lines(examples))
    return _GoldData(task, gold.path, Layers(ids), examples)


def _as_lines(examples: Sequence[Example]) -> list[str]:
    from crosspro.data_prep.formats.shared_task import format_example

    return [format_example(one) for one in examples]


def _submissions(
    given: Sequence[_Given], data: _GoldData, gold: Gold, lenient: bool
) -> tuple[list[Submission], list[str]]:
    """What was given, read or predicted, in its order; and what to be warned of."""
    from crosspro.data_prep.core.files import is_run
    from crosspro.evaluation.metrics.submissions.file_checks import order_warning
    from crosspro.prediction.models import chosen_run
    from crosspro.prediction.output import gold_examples, predicted, read_or_predict
    from crosspro.prediction.runs import names_of

    tell = logging.getLogger("crosspro").warning
    read = [one for one in given if one.kind != _SYSTEM]
    paths = [chosen_run(one.path, tell) if one.kind == _FILE else one.path for one in read]
    examples: Sequence[Example] = data.examples or []
    if data.examples is None and (any(map(is_run, paths)) or len(read) < len(given)):
        examples = gold_examples(data.path, data.task, data.layers, gold)
    found = read_or_predict(paths, data.task, gold, examples, lenient=lenient)
    usual = names_of(paths)
    order = order_warning(data.path, [path for path in paths if not is_run(path)], data.task)
    submissions = {
        id(one): replace(own, name=one.name or name)
        for one, own, name in zip(read, found, usual, strict=True)
    }
    for one in given:
        if one.kind == _SYSTEM:
            _check_classes(one, data.task)
            own = predicted(one.value, examples)
            submissions[id(one)] = own.submission(one.name or one.value.shown_name, pointed=True)
    return [submissions[id(one)] for one in given], [order] if order else []


def _check_classes(given: _Given, task: Task) -> None:
    if given.value.task.classes != task.classes:
        from crosspro.data_prep.core.errors import input_error

        expected = f"a system with the classes of {task.name}"
        raise input_error(given.path, "system", expected, f"one for {given.value.task.name}")
