"""The gaps of a gold file as the examples of a page: right and wrong ones, with their context."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.formats.pointed_nouns import PointedNoun, no_noun
from crosspro.evaluation.metrics.submissions.metric import Submitted
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission
from crosspro.evaluation.output.examples import (
    Examples,
    ExampleVerdict,
    Mark,
    Rendering,
    Terms,
)

CONTEXT = 3
"""Sentences of the document that are shown before that of a gap."""
RIGHT, WRONG = 0, 1
"""The verdicts of a page."""
_VERDICTS = (ExampleVerdict("right", "right"), ExampleVerdict("wrong", "wrong"))
_TERMS = Terms(
    candidate="any submission",
    verdict="right or wrong",
    reference="any gold class",
    word="any prediction",
    target="target",
    shown="gaps",
    differ="submissions differ",
)


def gap_examples(task: Task, data: Submitted, numbers: Iterable[int]) -> Examples:
    """The gaps of these numbers, each once, with what became of it in all submissions."""
    gold, submissions, wanted = data.gold, data.submissions, set(numbers)
    collected = Examples(
        [submission.name for submission in submissions],
        _VERDICTS,
        len(gold.classes),
        classes=task.classes,
        tagged=task.tagged,
        terms=_TERMS,
    )
    known: dict[int, int] = {}
    before: deque[_Line] = deque(maxlen=max(CONTEXT, _farthest(submissions, wanted)))
    for line in _lines(gold, data.examples):
        if before and not _one_document(before[-1].example, line.example):
            before.clear()
        for offset, index in enumerate(line.gaps):
            if index not in wanted:
                continue
            pointed = [_choice(one, index) for one in submissions]
            passage = _passage(before, line, pointed)
            for one in passage:
                if one.number not in known:
                    known[one.number] = _add_line(collected, task, gold, one)
            rows = {line.number - one.number: row for row, one in enumerate(passage)}
            renderings = [
                _rendering(task, gold, one, index, *_pointed(noun, passage, rows))
                for one, noun in zip(submissions, pointed, strict=True)
            ]
            lines = [known[one.number] for one in passage]
            marks, pronoun, name = _place(task, gold, line, offset, rows[0])
            collected.add(pronoun, lines, [marks], renderings, name)
        before.append(line)
    return collected


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of gold: its number from 0, its example, and the numbers of its gaps in the file."""

    number: int
    example: Example
    gaps: range

    @property
    def complete(self) -> bool:
        """Whether each label has its placeholder; the scorer does not ask for it."""
        return len(self.example.gaps) == len(self.gaps)


def _lines(gold: Gold, examples: Iterable[Example]) -> Iterator[_Line]:
    ends = np.cumsum(gold.gaps).tolist()
    starts = [0, *ends]
    count = 0
    for number, example in enumerate(examples):
        if number >= len(ends):
            break
        count += 1
        yield _Line(number, example, range(starts[number], ends[number]))
    if count != len(ends):  # a pipe cannot be read twice
        expected = f"{len(ends)} lines, as when the labels were read"
        raise input_error(gold.name, "file", expected, f"{count}; use a file, not a pipe")


def _one_document(one: Example, other: Example) -> bool:
    return one.document is not None and one.document == other.document


def _choice(submission: Submission, index: int) -> PointedNoun | None:
    """The noun that a gap stands for, if it is more probable than none."""
    nouns = () if submission.pointed is None else submission.pointed[index]
    return nouns[0] if nouns and nouns[0].given > no_noun(nouns)[1] else None


def _farthest(submissions: Sequence[Submission], gaps: Iterable[int]) -> int:
    """How many sentences before its gap the farthest noun stands that a page is to show."""
    chosen = [
        _choice(submission, index)
        for submission in submissions
        if submission.pointed
        for index in gaps
    ]
    return max((noun.sentences for noun in chosen if noun is not None), default=0)


def _passage(
    before: Sequence[_Line], line: _Line, pointed: Iterable[PointedNoun | None]
) -> list[_Line]:
    """The line of a gap, a few before it, and those of the nouns that it stands for."""
    wanted = {*range(1, CONTEXT + 1), *(noun.sentences for noun in pointed if noun is not None)}
    back = sorted(wanted & {*range(1, len(before) + 1)}, reverse=True)
    return [*(before[len(before) - one] for one in back), line]


def _pointed(
    noun: PointedNoun | None, passage: Sequence[_Line], rows: Mapping[int, int]
) -> tuple[list[Mark], str]:
    """The mark of a noun, and a note that names it."""
    if noun is None or noun.sentences not in rows:
        return [], ""
    row = rows[noun.sentences]
    example = passage[row].example
    source = noun.side == "source"
    words = example.source if source else example.lemmas
    places = [noun.index]
    mark = Mark(row, places if source else [], [] if source else places, "head")
    return [mark], f"antecedent {words[noun.index]} ({noun.given:.2f})"


def _add_line(collected: Examples, task: Task, gold: Gold, line: _Line) -> int:
    """Keep a line, with the gold class, or the word that is of none, in each gap."""
    example = line.example
    target = list(example.target)
    if line.complete:
        for gap, index in zip(example.gaps, line.gaps, strict=True):
            label = task.classes[gold.classes[index]]
            target[gap.position] = gap.word or label if label == OTHER else label
    source, document = " ".join(example.source), example.document or ""
    return collected.add_line(line.number, source, [" ".join(target)], [], document)


def _place(
    task: Task, gold: Gold, line: _Line, offset: int, row: int
) -> tuple[list[Mark], str, str]:
    """Where a gap is, its source pronoun, and the gold word if that is not the class."""
    if not line.complete:
        return [], "", ""
    gap, source = line.example.gaps[offset], line.example.source
    found = 0 <= gap.source_index < len(source)
    pronoun = source[gap.source_index] if found else ""
    if task.source_language != "de":  # where Sie and sie are two pronouns
        pronoun = pronoun.lower()
    mark = Mark(row, [gap.source_index] if found else [], [gap.position])
    label = task.classes[gold.classes[line.gaps[offset]]]
    name = f"gold word {gap.word}" if gap.word and gap.word != label else ""
    return [mark], pronoun, name


def _rendering(
    task: Task, gold: Gold, submission: Submission, index: int, marks: Sequence[Mark], note: str
) -> Rendering:
    label, found = int(gold.classes[index]), int(submission.classes[index])
    shares = () if submission.probabilities is None else submission.probabilities[index].tolist()
    return Rendering(
        RIGHT if label == found else WRONG,
        task.classes[label],
        task.classes[found],
        marks,
        note,
        [round(share, 3) for share in shares],
    )
