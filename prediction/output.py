"""Predictions for examples: probabilities, classes, labelled examples and submissions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path

import numpy as np

from crosspro.data_prep.annotate.layers import Layers, layers_in, read_layered
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import is_run
from crosspro.data_prep.core.processes import parallel_map
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.evaluation.metrics.submissions.reading import read_submissions
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission, mapped
from crosspro.prediction.system import (
    Classes,
    Probabilities,
    System,
    load_system,
    probabilities_of,
)

AT_ONCE = 10_000
"""Lines predicted together, more where a document goes on."""
SHARED_AT_ONCE = 1_000
"""The same where processes share the lines."""


@dataclass(frozen=True, repr=False)
class Predicted:
    """The probabilities and classes of the gaps of examples."""

    system: System
    examples: Sequence[Example]
    probabilities: Probabilities
    classes: Classes

    def __repr__(self) -> str:
        return f"<Predicted {len(self.classes):,} gaps by {self.system.shown_name}>"

    def labelled(self) -> list[Example]:
        labels = map(self.system.task.classes.__getitem__, self.classes.tolist())
        return [example.with_labels(islice(labels, len(example.gaps))) for example in self.examples]

    def antecedents(self) -> list[PointedNouns]:
        """The nouns that each gap may stand for; none if the system does not point at any."""
        if not self.system.points or not len(self.classes):
            return [()] * len(self.classes)
        return self.system.antecedents(self.examples, self.classes)

    def submission(self, name: str) -> Submission:
        """As evaluation takes it."""
        return Submission(name, self.classes.astype(np.int8), probabilities=self.probabilities)


def predicted(system: System, examples: Sequence[Example]) -> Predicted:
    probabilities = probabilities_of(system, examples)
    return Predicted(system, examples, probabilities, system.decide(examples, probabilities))


def predict_stream(
    system: System, examples: Iterable[Example], jobs: int = 1
) -> Iterator[Predicted]:
    """The same for a stream of examples, in groups of whole documents.

    With several `jobs` the groups of a long stream are shared out to processes.
    """
    groups = whole_documents(examples, AT_ONCE if jobs == 1 else SHARED_AT_ONCE)
    first = list(islice(groups, 2))
    answers = parallel_map(
        partial(_answer, system), chain(first, groups), jobs if len(first) > 1 else 1
    )
    return (Predicted(system, *answer) for answer in answers)


def _answer(
    system: System, examples: Sequence[Example]
) -> tuple[Sequence[Example], Probabilities, Classes]:
    """A prediction without its system, which the calling process has."""
    answer = predicted(system, examples)
    return answer.examples, answer.probabilities, answer.classes


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


def gold_examples(path: Path, task: Task, layers: Layers, gold: Gold) -> list[Example]:
    """The examples of a gold file whose labels were read, one label for each gap."""
    examples = list(read_layered(path, task, layers, lenient=True))
    gaps = sum(len(example.gaps) for example in examples)
    if gaps != len(gold.classes):
        labels = f"{len(gold.classes)} labels for {gaps}"
        raise input_error(path, "classes", "a label for each gap", labels)
    return examples


def read_or_predict(
    paths: Sequence[Path],
    task: Task,
    gold: Gold,
    examples: Sequence[Example],
    tell: Callable[[str], None] = lambda note: None,
    *,
    lenient: bool = False,
) -> list[Submission]:
    """The submissions of files, and the predictions of runs, in the order of the paths.

    `examples` are those of gold, which runs predict (`gold_examples`); files do not need them.
    `tell` gets notes on predictions. Files of other text than gold are warned of if `lenient`, else
    refused.
    """
    files = [path for path in paths if not is_run(path)]
    read = dict(zip(files, read_submissions(files, task, gold, lenient=lenient), strict=True))
    systems = {path: load_system(path) for path in paths if path not in read}
    for path, system in systems.items():
        for note in system.layer_warnings(gold.name, layers_in(examples)):
            tell(note)
        submission = predicted(system, examples).submission(path.name)
        read[path] = mapped(submission, path, system.task, task)
    return [read[path] for path in paths]
