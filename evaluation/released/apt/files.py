"""The released APT tool's cases, matrix and output files, from the words linked to each pronoun.

Labels are numbers; an appended word that is no label has none. Sets of labels are gone through in
Python 2's order, because the matrix counts the first one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.task import OTHER
from crosspro.evaluation.released.apt.config import ReleasedConfig
from crosspro.evaluation.released.apt.python2_order import Member, Python2Set, quicksort_order


@dataclass(frozen=True)
class ReleasedPronoun:
    """A source pronoun: line and position from 0, and its form in the list."""

    sentence: int
    position: int
    word: str


@dataclass
class Linked:
    """Positions and words linked to a pronoun; the heuristics append to both."""

    positions: list[int]
    words: list[str]


class Scorer:
    """Counts cases and the matrix over the labels."""

    def __init__(self, config: ReleasedConfig, labels: list[str]) -> None:
        self.config = config
        self.labels = labels
        self.number = {label: index for index, label in reversed(list(enumerate(labels)))}
        self.first_of_group: dict[str, int] = {}
        for group in config.equal:
            members = [word for word in group if word in self.number]
            if len(members) > 1:
                for word in members:
                    self.first_of_group.setdefault(word, self.number[members[0]])
        self.similar = []
        for group in config.similar:
            numbers = [self.label(word) for word in group if word in self.number]
            if len(numbers) > 1:
                self.similar.append(Python2Set(numbers))
        self.other = Python2Set()
        if not config.other_is_equal and OTHER in self.number:
            self.other.add(self.number[OTHER])
        self.counts = np.zeros(len(config.cases))
        self.matrix: NDArray[np.int64] = np.zeros((len(labels), len(labels)), dtype=np.int64)

    def label(self, word: str) -> int | None:
        """The number of a word's label; an appended word may have none."""
        return self.first_of_group.get(word, self.number.get(word))

    def count(self, reference: Linked | None, candidate: Linked | None) -> int:
        """The case of a pronoun, counted if it is one of those used."""
        ours, theirs = (
            Python2Set([len(self.labels) - 1] if side is None else map(self.label, side.words))
            for side in (reference, candidate)
        )
        if reference is None:
            case = 6 if candidate is None else 5
        elif candidate is None:
            case = 4
        else:
            case, ours, theirs = self.compare(ours, theirs)
        if case in self.config.cases:
            self.counts[self.config.cases.index(case)] += 1
            self.add(list(ours), list(theirs))
        return case

    def compare(self, ours: Python2Set, theirs: Python2Set) -> tuple[int, Python2Set, Python2Set]:
        """The case of two sets of labels, and the labels that count in the matrix."""
        same = ours.intersection(theirs.difference(self.other) if len(self.other) else theirs)
        if len(same):
            return 1, same, same
        for group in self.similar:
            near = ours.intersection(group), theirs.intersection(group)
            if len(near[0]) and len(near[1]):
                return 2, *near
        return 3, ours, theirs

    def add(self, rows: Sequence[Member], columns: Sequence[Member]) -> None:
        """Count in the matrix: the first labels, or all pairs."""
        if not self.config.count_all_words:
            rows, columns = rows[:1], columns[:1]
        for row in rows:
            for column in columns:
                # Without a label the tool indexes with None, which stands for the whole axis, and
                # the one number that is left is then taken for a row.
                places = tuple(n for n in (row, column) if isinstance(n, int))
                self.matrix[places] += 1

    def value(self) -> float:
        """The score; not a number if nothing was counted."""
        total = float(self.counts.sum())
        return (
            float((self.counts * np.array(self.config.weights)).sum()) / total
            if total
            else (float("nan"))
        )


def score_file(config: ReleasedConfig, scorer: Scorer, value: float, *more: str) -> str:
    """The content of the `.score` file, with more lines after the findings per case."""
    lines = [
        f"Score: {value:.4f}",
        "Cases: " + ",".join(map(str, config.cases)),
        "Weights: " + ",".join(map(_python2_float, config.weights)),
        "Findings per case: " + ",".join(f"{count:.0f}" for count in scorer.counts),
        *more,
        f"Total findings: {scorer.counts.sum():.0f}",
    ]
    order = quicksort_order(scorer.matrix.diagonal().tolist())[::-1]
    labels = [scorer.labels[index] for index in order]
    matrix = scorer.matrix[np.ix_(order, order)]
    if len(labels) > config.matrix_length:
        matrix = _folded(matrix, config.matrix_length)
        labels = [*labels[: config.matrix_length], "..."]
    matrix = np.vstack((matrix, matrix.sum(axis=0)))
    matrix = np.hstack((matrix, matrix.sum(axis=1, keepdims=True)))
    labels.append("-sum-")
    lines.append("\t" + "\t".join(labels))
    lines += ["\t".join([label, *map(str, row)]) for label, row in zip(labels, matrix, strict=True)]
    return "\n".join(lines) + "\n"


def _folded(matrix: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The rows and columns from `size` on, added up into one."""
    rows = np.vstack((matrix[:size], matrix[size:].sum(axis=0)))
    return np.hstack((rows[:, :size], rows[:, size:].sum(axis=1, keepdims=True)))


def _python2_float(number: float) -> str:
    """A float as Python 2's `str` writes it: twelve digits."""
    written = f"{number:.12g}"
    return written if any(c in written for c in ".en") else f"{written}.0"


def detail_file(
    pronouns: Sequence[ReleasedPronoun],
    references: Sequence[Linked | None],
    candidates: Sequence[Linked | None],
    cases: Sequence[int],
) -> str:
    """The content of the `.detail` file."""
    heading = "SENT.\tPOS. SOURCE\tSOURCE\tPOS. REF.\tREF.\tPOS. TARGET\tTARGET\tCASE"
    lines = [heading]
    for pronoun, *sides, case in zip(pronouns, references, candidates, cases, strict=True):
        cells = [str(pronoun.sentence), str(pronoun.position), pronoun.word]
        for side in sides:
            if side is None:
                cells += ["-", "-"]
            else:
                cells += [" ".join(map(str, side.positions)), " ".join(side.words)]
        lines.append("\t".join([*cells, str(case)]))
    return "\n".join(lines) + "\n"
