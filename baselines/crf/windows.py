"""Features of every token of a text: what stands in a window around it, by place.

A column has a number for each word of a text (its lemma, its tag, …) and a window of places; each
token takes the numbers at those places around its centre. The sparse rows of a batch are made when
they are asked for, so that a text of millions of tokens needs the memory of its columns alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from crosspro.baselines.crf.model import Matrix
from crosspro.baselines.crf.packed import Ints

NOTHING = ""
"""A value that gives no feature, as values that are too rare do."""

OUTSIDE = "\n"
"""The value before the beginning and after the end of a sentence; no word is a line end."""


@dataclass(frozen=True)
class Template:
    """Which places of a column a token sees, and the values that are features, in order."""

    name: str
    places: tuple[int, ...]
    values: tuple[str, ...]

    @property
    def width(self) -> int:
        """The number of features."""
        return len(self.places) * len(self.values)

    @property
    def says_nothing(self) -> bool:
        """Whether no word of the training data had a value."""
        return self.values == (OUTSIDE,)

    def feature(self, number: int) -> str:
        """A feature in words: `target lemma -1=être`."""
        place, value = divmod(number, len(self.values))
        shown = self.values[value]
        where = f" {self.places[place]:+d}" if len(self.places) > 1 else ""
        return f"{self.name}{where}={'(outside)' if shown == OUTSIDE else shown}"


def learn_template(
    name: str, places: Iterable[int], sentences: Iterable[Sequence[str]], min_count: int
) -> Template:
    """The values of a column that occur often enough, the most frequent first."""
    counts = Counter(chain.from_iterable(sentences))
    counts.pop(NOTHING, None)
    frequent = [value for value, count in counts.items() if count >= min_count]
    frequent.sort(key=lambda value: (-counts[value], value))
    return Template(name, tuple(places), (OUTSIDE, *frequent))


@dataclass(frozen=True)
class _Column:
    """Numbers of values, from 1 (0 gives no feature), and where the centre of each token is."""

    numbers: NDArray[np.int32]
    centres: Ints
    places: NDArray[np.int64]
    first: int
    values: int
    template: Template


class Windows:
    """The features of the tokens of some sentences."""

    def __init__(self) -> None:
        self.columns: list[_Column] = []
        self.width = 0

    def add(
        self,
        template: Template,
        sentences: Sequence[Sequence[str]],
        centres: Sequence[Sequence[int | None]] | None = None,
    ) -> None:
        """A column: the values of each sentence, and for each token the word that it looks at.

        Tokens look at the word in their own place if nothing is said, and at nothing for None.
        """
        number_of = {value: number for number, value in enumerate(template.values, start=1)}
        margin = max(map(abs, template.places), default=0)
        between = [OUTSIDE] * margin
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        firsts = np.cumsum(lengths + margin) - lengths
        flat = chain(between, *(chain(sentence, between) for sentence in sentences))
        size = int(lengths.sum()) + margin * (len(sentences) + 1)
        numbers = np.fromiter((number_of.get(value, 0) for value in flat), np.int32, size)
        if centres is None:
            starts = np.cumsum(lengths) - lengths
            where = np.repeat(firsts - starts, lengths) + np.arange(int(lengths.sum()))
        else:
            centred = chain.from_iterable(
                (-1 if place is None else first + place for place in row)
                for first, row in zip(firsts.tolist(), centres, strict=True)
            )
            where = np.fromiter(centred, np.int64)
        places = np.array(template.places, dtype=np.int64)
        self.columns.append(
            _Column(numbers, where, places, self.width, len(template.values), template)
        )
        self.width += template.width

    def feature(self, number: int) -> str:
        """A feature in words."""
        column = next(one for one in reversed(self.columns) if one.first <= number)
        return column.template.feature(number - column.first)

    def rows(self, tokens: Ints) -> Matrix:
        """The features of the tokens with these numbers, as a sparse array of ones."""
        parts = []
        for column in self.columns:
            centres = column.centres[tokens]
            numbers = column.numbers[centres[:, None] + column.places]
            shift = column.first - 1 + np.arange(len(column.places)) * column.values
            there = (numbers > 0) & (centres >= 0)[:, None]
            parts.append(np.where(there, numbers + shift, -1))
        features = np.concatenate([np.zeros((len(tokens), 0), np.int64), *parts], axis=1)
        there = features >= 0
        indices = features[there].astype(np.int32)
        starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
        ones = np.ones(len(indices), dtype=np.float32)
        return sparse.csr_array((ones, indices, starts), shape=(len(tokens), self.width))
