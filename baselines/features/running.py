"""Running text: the lines that gaps look at, one after the other, so that places can be counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from crosspro.baselines.features.values import Codes
from crosspro.data_prep.core.example import Example

START, END = "<s>", "</s>"
"""What stands before and after a line; in running text they are the last two tokens."""


@dataclass(frozen=True)
class Lines:
    """The numbers of some lines, in order; of each gap, the place of its own line among them.

    `first` are the places of the earliest lines that gaps look back to: all between are there.
    """

    numbers: list[int]
    own: Codes
    first: Codes


def lines_back(examples: Sequence[Example], indices: Sequence[int], back: int) -> Lines:
    """The lines of gaps, and up to so many before each in its document, if that is known."""
    numbers: list[int] = []
    own: list[int] = []
    first: list[int] = []
    last, earliest = -1, 0
    for index in indices:
        if index != last:
            document = examples[index].document
            earliest, stop = index, max(0, index - back)
            if document is not None:
                while earliest > stop and examples[earliest - 1].document == document:
                    earliest -= 1
            numbers += range(max(earliest, last + 1), index + 1)
            last = index
        own.append(len(numbers) - 1)
        first.append(len(numbers) - 1 - index + earliest)
    return Lines(numbers, np.array(own, np.int64), np.array(first, np.int64))


class RunningText:
    """One side of some lines, and where the gaps (or their pronouns) stand in it."""

    def __init__(
        self,
        lines: Lines,
        sides: Sequence[Sequence[str]],
        places: Codes,
        number: Callable[[str], int],
    ) -> None:
        self.lines = lines
        self._sides = sides
        self._number = number
        sizes = np.fromiter(map(len, sides), np.int64, len(sides))
        self.starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        """Where each line begins, and where the last ends."""
        self.gaps = self.starts[lines.own] + places

    @cached_property
    def codes(self) -> Codes:
        """All tokens by number."""
        tokens = chain(chain.from_iterable(self._sides), (START, END))
        return np.fromiter(map(self._number, tokens), np.int64, int(self.starts[-1]) + 2)

    def near(self, offset: int) -> Codes:
        """The places so far from each gap: those of `START` and `END` beyond its line."""
        places = self.gaps + offset
        own, size = self.lines.own, self.starts[-1]
        return np.where(
            places < self.starts[own],
            size,
            np.where(places < self.starts[own + 1], places, size + 1),
        )

    def before(self, places: Codes) -> tuple[Codes, Codes]:
        """Which of some places (in order) stand before each gap: those from one up to another."""
        first = np.searchsorted(places, self.starts[self.lines.first])
        return first, np.searchsorted(places, self.gaps)

    def rows(self, places: Codes) -> Codes:
        """Which of the lines each place is in; -1 for a place before all."""
        return np.searchsorted(self.starts, places, side="right") - 1

    def line_and_place(self, places: Codes) -> tuple[list[int], list[int]]:
        """The number of the line of each place, and the place in that line."""
        rows = self.rows(places)
        numbers = self.lines.numbers
        return [numbers[row] for row in rows.tolist()], (places - self.starts[rows]).tolist()


def linked_places(
    lines: Sequence[Example], source_starts: Codes, target_starts: Codes
) -> tuple[Codes, Codes]:
    """The places of all links of some lines, given where each line begins in running text."""
    links = [line.links for line in lines]
    counts = np.fromiter(map(len, links), np.int64, len(links))
    numbers = chain.from_iterable(chain.from_iterable(links))
    pairs = np.fromiter(numbers, np.int64, 2 * int(counts.sum())).reshape(-1, 2)
    return (
        np.repeat(source_starts, counts) + pairs[:, 0],
        np.repeat(target_starts, counts) + pairs[:, 1],
    )
