"""The gaps of a gold file as the examples of a page: right and wrong ones, with their context."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.formats.pointed_nouns import PointedNoun, no_noun
from crosspro.evaluation.metrics.submissions.metric import Submitted
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission
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
    "no class. The noun that a system points at as the antecedent is marked."
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of gold: its number from 0, its example, and the numbers of its gaps in the file."""

    number: int
    example: Example
    gaps: range

    @property
    def complete(self) -> bool:
        """Whether each label has its placeholder, which the scorer does not require."""
        return len(self.example.gaps) == len(self.gaps)


def gap_examples(task: Task, data: Submitted, numbers: Iterable[int]) -> Examples | None:
    """The gaps of these numbers with what became of them; none where there is only their class."""
    gold, submissions, wanted = data.gold, data.submissions, set(numbers)
    if not data.examples:
        return None
    examples = Examples(
        [submission.name for submission in submissions],
        _VERDICTS,
        len(gold.classes),
        classes=task.classes,
        tagged=task.tagged,
        terms=_TERMS,
        note=_NOTE,
    )
    rows: dict[int, int] = {}
    nouns = {
        (place, index): noun
        for place, submission in enumerate(submissions)
        for index in (wanted if submission.pointed is not None else ())
        if (noun := _antecedent(submission, index)) is not None
    }
    farthest = max((noun.sentences for noun in nouns.values()), default=0)
    before: deque[_Line] = deque(maxlen=max(CONTEXT, farthest))
    for line in _lines(gold, data.examples):
        document = line.example.document
        if before and (document is None or before[-1].example.document != document):
            before.clear()
        for offset, index in enumerate(line.gaps):
            if index not in wanted:
                continue
            pointed = [nouns.get((place, index)) for place in range(len(submissions))]
            passage = _passage(before, line, pointed)
            for shown in passage:
                if shown.number not in rows:
                    rows[shown.number] = _add_line(examples, task, gold, shown)
            renderings = [
                _rendering(task, gold, submission, index, noun, passage)
                for submission, noun in zip(submissions, pointed, strict=True)
            ]
            pronoun, marks, name = _place(task, gold, line, offset, len(passage) - 1)
            lines = [rows[shown.number] for shown in passage]
            examples.add(pronoun, lines, [marks], renderings, name)
        before.append(line)
    return examples


def _lines(gold: Gold, examples: Iterable[Example]) -> Iterator[_Line]:
    ends = np.cumsum(gold.gaps).tolist()
    starts = [0, *ends]
    count = 0
    for count, (example, start, end) in enumerate(
        zip(examples, starts, ends, strict=False), start=1
    ):
        yield _Line(count - 1, example, range(start, end))
    if count != len(ends):  # a pipe cannot be read twice
        expected = f"{len(ends)} lines, as when the labels were read"
        raise input_error(gold.name, "file", expected, f"{count}; use a file, not a pipe")


def _antecedent(submission: Submission, index: int) -> PointedNoun | None:
    """The noun that a gap stands for, if it is more probable than none."""
    nouns = () if submission.pointed is None else submission.pointed[index]
    return nouns[0] if nouns and nouns[0].given > no_noun(nouns)[1] else None


def _passage(
    before: Sequence[_Line], line: _Line, pointed: Iterable[PointedNoun | None]
) -> list[_Line]:
    """The line of a gap, a few before it, and those of the nouns that it stands for."""
    wanted = {*range(1, CONTEXT + 1), *(noun.sentences for noun in pointed if noun is not None)}
    distances = sorted(wanted & {*range(1, len(before) + 1)}, reverse=True)
    return [*(before[-distance] for distance in distances), line]


def _add_line(examples: Examples, task: Task, gold: Gold, line: _Line) -> int:
    """Keep a line, with the gold class, or the word that is of none, in each gap."""
    example = line.example
    target = list(example.target)
    if line.complete:
        for gap, index in zip(example.gaps, line.gaps, strict=True):
            label = task.classes[gold.classes[index]]
            target[gap.position] = gap.word or label if label == OTHER else label
    source, document = " ".join(example.source), example.document or ""
    return examples.add_line(line.number, source, [" ".join(target)], [], document)


def _place(
    task: Task, gold: Gold, line: _Line, offset: int, row: int
) -> tuple[str, list[Mark], str]:
    """The source pronoun of a gap, where it is, and the gold word if that is not the class."""
    if not line.complete:
        return "", [], ""
    gap, source = line.example.gaps[offset], line.example.source
    linked = 0 <= gap.source_index < len(source)
    pronoun = source[gap.source_index] if linked else ""
    if task.source_language != "de":  # where Sie and sie are two pronouns
        pronoun = pronoun.lower()
    mark = Mark(row, [gap.source_index] if linked else [], [gap.position])
    label = task.classes[gold.classes[line.gaps[offset]]]
    return pronoun, [mark], f"gold word {gap.word}" if gap.word and gap.word != label else ""


def _rendering(
    task: Task,
    gold: Gold,
    submission: Submission,
    index: int,
    noun: PointedNoun | None,
    passage: Sequence[_Line],
) -> Rendering:
    label, predicted = int(gold.classes[index]), int(submission.classes[index])
    shares = () if submission.probabilities is None else submission.probabilities[index].tolist()
    marks, note = [], ""
    numbers = [line.number for line in passage]
    if noun is not None and numbers[-1] - noun.sentences in numbers:
        row = numbers.index(numbers[-1] - noun.sentences)
        example, places = passage[row].example, [noun.index]
        on_source = noun.side == "source"
        words = example.source if on_source else example.lemmas
        marks = [Mark(row, places if on_source else [], [] if on_source else places, "head")]
        note = f"antecedent {words[noun.index]} ({noun.given:.2f})"
    return Rendering(
        int(label != predicted),
        task.classes[label],
        task.classes[predicted],
        marks,
        note,
        [round(share, 3) for share in shares],
    )
