"""Gender and number of words, from a table with a row for each reading of a word.

A file has tab-separated columns under a header line: word, category, gender, number, count. Gender
and number are written as in Universal Dependencies (Masc, Fem, Neut; Sing, Plur), `_` where the
reading has none or either; VERB is a participle and X any class without gender, so that a noun that
is also something else can be told. The count, how often the reading was seen, may be `_`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import atomic_output, bad_byte, read_bytes

GENDERS = ("Masc", "Fem", "Neut")
NUMBERS = ("Sing", "Plur")
NOUNS = ("NOUN", "PROPN")
CATEGORIES = (*NOUNS, "PRON", "ADJ", "DET", "VERB", "X")
COLUMNS = ("word", "category", "gender", "number", "count")
HEADER = "\t".join(COLUMNS)
UNKNOWN = "_"


class Entry(NamedTuple):
    """A reading of a word; None stands for what is unknown, or may be either."""

    word: str
    category: str
    gender: str | None = None
    number: str | None = None
    count: int | None = None  # type: ignore[assignment] # not the method of tuples


@dataclass(frozen=True)
class Lexicon:
    """The readings of words. Words are looked up as they are written, and then in lower case."""

    entries: Mapping[str, tuple[Entry, ...]]

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Lexicon:
        """A lexicon; equal readings become one, with the sum of their counts."""
        by_word: dict[str, tuple[Entry, ...]] = {}
        for entry in entries:
            readings = by_word.get(entry.word)
            by_word[entry.word] = (entry,) if readings is None else _with(readings, entry)
        return cls(MappingProxyType(by_word))

    def __len__(self) -> int:
        return len(self.entries)

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        """All readings, by word."""
        for word in sorted(self.entries):
            yield from self.entries[word]

    def readings(self, word: str) -> tuple[Entry, ...]:
        """All readings of a word."""
        return self.entries.get(word) or self.entries.get(word.lower(), ())

    def gender(self, word: str, categories: Iterable[str] = NOUNS) -> str | None:
        """The gender of a word, if all its readings of the first category that it has agree."""
        return self._common(word, categories, "gender")

    def number(self, word: str, categories: Iterable[str] = NOUNS) -> str | None:
        """The number of a word, if all its readings of the first category that it has agree."""
        return self._common(word, categories, "number")

    def is_noun(self, word: str) -> bool:
        """Whether a word without a tag is to be taken for a noun."""
        return self.mostly(word, NOUNS)

    def mostly(self, word: str, categories: Iterable[str]) -> bool:
        """Whether a word without a tag is to be taken for one of these categories.

        It is if it can be nothing else, or if it was counted as one of them more often than not.
        """
        wanted = tuple(categories)
        readings = self.readings(word)
        matching = [entry for entry in readings if entry.category in wanted]
        if len(matching) == len(readings):
            return bool(matching)
        if any(entry.count is None for entry in readings):
            return False
        total = sum(entry.count or 0 for entry in readings)
        return 2 * sum(entry.count or 0 for entry in matching) > total

    def _common(self, word: str, categories: Iterable[str], feature: str) -> str | None:
        readings = self.readings(word)
        for category in categories:
            values: set[str | None] = {
                getattr(entry, feature) for entry in readings if entry.category == category
            }
            if values:
                return values.pop() if len(values) == 1 else None
        return None


def _with(readings: tuple[Entry, ...], entry: Entry) -> tuple[Entry, ...]:
    """The readings of a word and one more, which is merged with an equal one."""
    for place, reading in enumerate(readings):
        if reading[:4] == entry[:4]:
            both = reading.count is not None and entry.count is not None
            total = (reading.count or 0) + (entry.count or 0)
            count = total if both else reading.count or entry.count
            return (*readings[:place], reading._replace(count=count), *readings[place + 1 :])
    return (*readings, entry)


_CELLS = (r"\S(?:[^\t\n]*\S)?", "|".join(CATEGORIES), "|".join((*GENDERS, UNKNOWN)),
          "|".join((*NUMBERS, UNKNOWN)), f"{UNKNOWN}|[0-9]{{1,15}}")  # fmt: skip
_ROW = re.compile("\t".join(f"(?:{cell})" for cell in _CELLS))
_TABLE = re.compile(rf"{HEADER}(?:\n{_ROW.pattern})*+\n?")
_WORDS = re.compile(r"^[^\t\n]+", re.MULTILINE)
_REMEMBERED = 1 << 17


def read_lexicon(path: str | Path) -> Lexicon:
    """The lexicon of a file.

    A lexicon is loaded with every model, and a sentence asks for few of its words. So a table in
    the order of its words, as `write_lexicon` writes it, is checked as a whole, kept as text, and
    searched by bisection.
    """
    path = Path(path)
    content = read_bytes(path)
    try:
        table = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise input_error(path, "encoding", "UTF-8", bad_byte(error)) from error
    if not _TABLE.fullmatch(table):
        table = table.replace("\r\n", "\n")
        _check_rows(path, table)
    words = _WORDS.findall(table, len(HEADER))
    if words == sorted(words):
        return Lexicon(_SortedTable.of(table))
    return Lexicon.of(map(_entry, table.removesuffix("\n").split("\n")[1:]))


def _check_rows(path: Path, table: str) -> None:
    """Raise for the first row that is none."""
    for number, line in enumerate(table.removesuffix("\n").split("\n"), start=1):
        if number == 1 and line != HEADER:
            raise input_error(path, "header", quoted(HEADER), quoted(line) or "an empty file", 1)
        if number > 1 and not _ROW.fullmatch(line):
            expected = f"{', '.join(COLUMNS)} (a number or {UNKNOWN}) separated by tabs"
            raise input_error(path, "reading", expected, quoted(line), number)


@dataclass(frozen=True, eq=False)  # equal to any mapping of the same readings
class _SortedTable(Mapping[str, tuple[Entry, ...]]):
    """The readings of a table whose rows are in the order of their words.

    Row `n` is from `starts[n]` to the line end before `starts[n + 1]`.
    """

    table: bytes
    starts: NDArray[np.int64]
    cache: dict[str, tuple[Entry, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: str) -> _SortedTable:
        rows = table.removesuffix("\n").encode("utf-8") + b"\n"
        return cls(rows, np.flatnonzero(np.frombuffer(rows, np.uint8) == ord("\n")) + 1)

    def __getitem__(self, word: str) -> tuple[Entry, ...]:
        readings = self.cache.get(word)
        if readings is None:
            if len(self.cache) >= _REMEMBERED:
                self.cache.clear()
            readings = self.cache[word] = self._search(word.encode("utf-8", "surrogatepass"))
        if not readings:
            raise KeyError(word)
        return readings

    def _search(self, word: bytes) -> tuple[Entry, ...]:
        rows = range(len(self.starts) - 1)
        row = bisect_left(rows, word, key=self._word)
        readings: tuple[Entry, ...] = ()
        while row < len(rows) and self._word(row) == word:
            line = self.table[self.starts[row] : self.starts[row + 1] - 1]
            readings = _with(readings, _entry(line.decode("utf-8")))
            row += 1
        return readings

    def _word(self, row: int) -> bytes:
        start = self.starts[row]
        return self.table[start : self.table.index(b"\t", start)]

    def __iter__(self) -> Iterator[str]:
        for word, _ in groupby(map(self._word, range(len(self.starts) - 1))):
            yield word.decode("utf-8")

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return len(self.starts) > 1  # without counting the words


def _entry(line: str) -> Entry:
    """The reading of a row without faults."""
    word, category, *features, count = line.split("\t")
    gender, number = (None if feature == UNKNOWN else feature for feature in features)
    return Entry(word, category, gender, number, None if count == UNKNOWN else int(count))


def write_lexicon(path: str | Path, lexicon: Lexicon) -> None:
    """Write a file atomically, compressed if its name ends in .gz or .xz."""
    with atomic_output(Path(path)) as handle:
        handle.write(f"{HEADER}\n".encode())
        for entry in lexicon:
            handle.write(f"{entry_line(entry)}\n".encode())


def entry_line(entry: Entry) -> str:
    """The line of a reading, without its line end."""
    count = UNKNOWN if entry.count is None else str(entry.count)
    features = (entry.gender or UNKNOWN, entry.number or UNKNOWN)
    return "\t".join((entry.word, entry.category, *features, count))
