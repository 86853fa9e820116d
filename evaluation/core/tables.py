"""Tables, matrices and bars as plain data: what a metric shows beside its scores.

A metric says what is in them; how they look in a terminal, in Markdown and on a page is decided
once, in `output`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.score import Score

Place = Literal["scores", "middle", "last"]
"""Where a table stands: instead of the usual scores, or before or after the paired differences."""


class Count(NamedTuple):
    """How many examples there are, which a page shows when the number is pressed.

    `filters` are those of the page; `share` is of the whole column, where that is of interest.
    """

    number: int
    filters: Mapping[str, object]
    share: float | None = None


class RankedScore(NamedTuple):
    """A score with its rank in the column, which may be none."""

    score: Score
    rank: int | str


Cell = str | Score | RankedScore | Count


class Table(NamedTuple):
    """A heading and rows, of whose columns the first `left` are flush left; notes stand under it.

    One with an `option` is shown where that is asked for; `only` says that a table is not for text,
    or not for pages.
    """

    heading: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    left: int = 1
    notes: tuple[str, ...] = ()
    place: Place = "middle"
    option: str = ""
    only: Literal["", "text", "page"] = ""


class Matrix(NamedTuple):
    """How often reference words (rows) became a system's words (columns)."""

    labels: tuple[str, ...]
    counts: NDArray[np.int64]


Pairs = Sequence[tuple[str, str]]
"""Reference and candidate words of the pronouns of one candidate."""

RARE = "(others)"
"""The label of words that are too rare for a row of the matrix."""
NO_WORDS = (RARE, OTHER, NONE)
"""Labels that say nothing of a word, so that equal ones are no hit."""
_LARGEST_MATRIX = 16


def make_matrices(pairs: Sequence[Pairs]) -> list[Matrix]:
    """A matrix for each candidate from its pairs of words, frequent words first."""
    words = Counter(word for candidate in pairs for pair in candidate for word in pair)
    labels = tuple(sorted(words, key=lambda word: (word in NO_WORDS, -words[word], word)))
    index = {label: number for number, label in enumerate(labels)}
    matrices = []
    for candidate in pairs:
        counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
        for row, column in candidate:
            counts[index[row], index[column]] += 1
        matrices.append(Matrix(labels, counts))
    return matrices


def without_rare(pairs: Sequence[Pairs]) -> list[list[tuple[str, str]]]:
    """The pairs of all candidates with one label for words that a matrix has no room for."""
    words = Counter(word for candidate in pairs for pair in candidate for word in pair)
    order = sorted(words.keys() - set(NO_WORDS), key=lambda word: (-words[word], word))
    rare = set(order[_LARGEST_MATRIX - 1 :]) if len(order) > _LARGEST_MATRIX else set()
    return [
        [(_kept(row, rare), _kept(column, rare)) for row, column in candidate]
        for candidate in pairs
    ]


def _kept(word: str, rare: set[str]) -> str:
    return RARE if word in rare else word


class BarChart(NamedTuple):
    """Counts of the rows under each heading, at most two: what is compared, side by side."""

    title: str
    rows: Sequence[str]
    counts: Mapping[str, Sequence[int]]

    def shares(self, name: str) -> list[float]:
        """The counts of a heading in per cent of their sum."""
        total = sum(self.counts[name]) or 1
        return [100 * count / total for count in self.counts[name]]


class Figure(NamedTuple):
    """Charts side by side, under a title and above a note."""

    title: str
    charts: Sequence[BarChart]
    note: str = ""
