"""The gaps of a gold file as the examples of a page: right and wrong ones, with their context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.evaluation.metrics.submissions.metric import Submitted
from crosspro.evaluation.metrics.submissions.submission import ClassIndices, Submission
from crosspro.evaluation.report.examples import Examples, Mark, Rendering, Terms

CONTEXT = 3
"""Sentences of the document that are shown before that of a gap."""
_VERDICTS = (("right", "right"), ("wrong", "wrong"))
_TERMS = Terms(
    candidate="any submission",
    verdict="right or wrong",
    reference="any gold class",
    word="any prediction",
    target="target",
    shown="gaps",
    differ="submissions differ",
)
_NOTE = (
    "Each gap of the target is filled with its gold class, or with the gold word where that is of "
    "no class."
)


def gap_examples(task: Task, data: Submitted, numbers: Iterable[int]) -> Examples | None:
    """The gaps of these numbers with what became of them; none where there is only their class."""
    gold, submissions = data.gold, data.submissions
    lines = list(data.examples)
    if not lines:
        return None
    if len(lines) != len(gold.gaps):  # a pipe cannot be read twice
        expected = f"{len(gold.gaps)} lines, as when the labels were read"
        raise input_error(gold.name, "file", expected, f"{len(lines)}; use a file, not a pipe")
    page = Examples(
        [submission.name for submission in submissions],
        _VERDICTS,
        len(gold.classes),
        classes=task.classes,
        tagged=task.tagged,
        terms=_TERMS,
        note=_NOTE,
    )
    starts = np.cumsum(gold.gaps) - gold.gaps
    line_of_gap = np.repeat(np.arange(len(lines)), gold.gaps)
    rows: dict[int, int] = {}
    for index in sorted(numbers):
        line = int(line_of_gap[index])
        earlier = range(line - CONTEXT, line)
        passage = [*(first for first in earlier if _same_document(lines, first, line)), line]
        for number in passage:
            if number not in rows:
                labels = gold.classes[starts[number] : starts[number] + gold.gaps[number]]
                target = _filled(task, lines[number], labels)
                source, document = " ".join(lines[number].source), lines[number].document or ""
                rows[number] = page.add_line(number, source, [target], [], document)
        example, label = lines[line], task.classes[gold.classes[index]]
        renderings = [_rendering(task, label, submission, index) for submission in submissions]
        pronoun, name, marks = "", "", []
        if len(example.gaps) == gold.gaps[line]:  # which the scorer does not require
            gap = example.gaps[index - starts[line]]
            linked = 0 <= gap.source_index < len(example.source)
            pronoun = example.source[gap.source_index] if linked else ""
            if task.source_language != "de":  # where Sie and sie are two pronouns
                pronoun = pronoun.lower()
            name = f"gold word {gap.word}" if gap.word and gap.word != label else ""
            source_places = [gap.source_index] if linked else []
            marks = [Mark(len(passage) - 1, source_places, [gap.position])]
        page.add(pronoun, [rows[number] for number in passage], [marks], renderings, name)
    return page


def _same_document(lines: Sequence[Example], first: int, last: int) -> bool:
    document = lines[last].document
    return (
        first >= 0
        and document is not None
        and all(example.document == document for example in lines[first:last])
    )


def _filled(task: Task, example: Example, labels: ClassIndices) -> str:
    """The target with the gold class, or the word that is of none, in each gap."""
    target = list(example.target)
    if len(example.gaps) == len(labels):
        for gap, index in zip(example.gaps, labels, strict=True):
            label = task.classes[index]
            target[gap.position] = gap.word or label if label == OTHER else label
    return " ".join(target)


def _rendering(task: Task, label: str, submission: Submission, index: int) -> Rendering:
    predicted = task.classes[submission.classes[index]]
    shares = () if submission.probabilities is None else submission.probabilities[index].tolist()
    shown = [round(share, 3) for share in shares]
    return Rendering(int(label != predicted), label, predicted, probabilities=shown)
