"""The text around gaps as arrays of numbers, so that features are found for many gaps at once.

`Values` is a column of values by number; `RunningText` puts the lines that gaps look at one after
the other, so that places can be counted; `TokenReader` reads the tokens of both sides, each
different token once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import overload

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.annotate.tags import TagConverter
from crosspro.data_prep.core.example import Example, split_tag
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.core.words import names_of, word_lists
from crosspro.data_prep.formats.shared_task import is_placeholder

Codes = NDArray[np.int64]

NOTHING = -1
"""The number of a value that there is none of."""
_NOT_ASKED = -2


class Values(Sequence[str | None]):
    """A column of values: `names[codes[n]]`, or None where a code is `NOTHING`.

    `names` may be a list that still grows, and two of them may be equal.
    """

    def __init__(self, codes: Codes, names: Sequence[str | None]) -> None:
        self.codes = codes
        self.names = names

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, place: int) -> str | None: ...
    @overload
    def __getitem__(self, place: slice) -> Values: ...
    def __getitem__(self, place: int | slice) -> str | Values | None:
        if isinstance(place, slice):
            return Values(self.codes[place], self.names)
        code = int(self.codes[place])
        return None if code == NOTHING else self.names[code]

    def only(self, there: NDArray[np.bool_]) -> Values:
        """The values at some places, and None elsewhere."""
        return Values(np.where(there, self.codes, NOTHING), self.names)


class NumberedNames(dict[str, int]):
    """Numbers names as they come."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self.names)
        self.names.append(name)
        return number


class Lookup:
    """What is made of codes, for many at once; of each it is found out when it first comes.

    New ones are asked about in the order in which they come.
    """

    def __init__(self, of: Callable[[int], int]) -> None:
        self._of = of
        self._known = np.zeros(0, np.int64)

    def __call__(self, codes: Codes) -> Codes:
        """The number of each code."""
        missing = int(codes.max(initial=-1)) + 1 - len(self._known)
        if missing > 0:
            room = np.full(max(missing, len(self._known)), _NOT_ASKED)
            self._known = np.concatenate([self._known, room])
        found = self._known.take(codes)
        new = codes[found == _NOT_ASKED]
        if len(new):
            for code in dict.fromkeys(new.tolist()):
                self._known[code] = self._of(code)
            found = self._known.take(codes)
        return found


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


GAP = "REPLACE"
_FINE_TAGS = "fine_tags"


class TokenReading:
    """What is made of tokens, such as their lemmas."""

    def __init__(self, tokens: NumberedNames, make: Callable[[str], str]) -> None:
        self._tokens = tokens
        self._make = make
        self._made = NumberedNames()
        self.names = self._made.names
        self.of = Lookup(self._code)

    def code(self, value: str) -> int:
        """The number of a value; `NOTHING` if no token has it so far."""
        return self._made.get(value, NOTHING)

    def _code(self, token_code: int) -> int:
        token = self._tokens.names[token_code]
        return self._made[token if token in (START, END) else self._make(token)]


class TokenReader:
    """Reads the tokens of a task's source and target."""

    def __init__(self, task: Task) -> None:
        self.tagged = task.tagged
        self._universal = None
        if task.tagged and task.tagset not in ("universal", "none"):
            self._universal = TagConverter(task.tagset, "universal", task.target_language)
        self._fine = finer_tags(task.target_language) if has_finer_tags(task) else {}
        self.source, self.target = NumberedNames(), NumberedNames()
        self.readings = {
            "source word": TokenReading(self.source, str.lower),
            "target lemma": TokenReading(self.target, self._lemma),
            "target tag": TokenReading(self.target, self._tag),
            "target universal tag": TokenReading(self.target, self._universal_tag),
            "target fine tag": TokenReading(self.target, self._fine_tag),
        }

    def tagged_as(self, tags: frozenset[str], tokens: Codes) -> Codes:
        """The places of those target tokens that have one of some tags."""
        reading = self.readings["target tag"]
        codes = reading.of(tokens)
        wanted = [code for tag in tags if (code := reading.code(tag)) != NOTHING]
        return np.flatnonzero(np.isin(codes, wanted))

    def _lemma(self, token: str) -> str:
        if is_placeholder(token):
            return GAP
        return split_tag(token)[0] if self.tagged else token

    def _tag(self, token: str) -> str:
        if is_placeholder(token):
            return GAP
        return (split_tag(token)[1] or "") if self.tagged else ""

    def _universal_tag(self, token: str) -> str:
        tag = self._tag(token)
        if self._universal is None or tag == GAP:
            return tag
        return self._universal(tag, self._lemma(token))

    def _fine_tag(self, token: str) -> str:
        tag = self._tag(token)
        return self._fine.get((tag, self._lemma(token).lower()), tag)


def has_finer_tags(task: Task) -> bool:
    """Whether the target has universal tags in a language with lists of finer ones."""
    universal = task.tagged and task.tagset == "universal"
    return universal and task.target_language in names_of(_FINE_TAGS)


@cache
def finer_tags(language: str) -> dict[tuple[str, str], str]:
    """The finer tag of a universal one and a lemma: `conf/words/fine_tags/`."""
    found: dict[tuple[str, str], str] = {}
    for name, lemmas in word_lists(_FINE_TAGS, language).items():
        tag, _, fine = name.partition("-")
        found |= {(tag, lemma): fine for lemma in lemmas}
    return found
