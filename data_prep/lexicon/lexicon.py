"""Gender and number of words, from a table with a row for each reading of a word.

A file has tab-separated columns under a header line: word, category, gender, number, count. Gender
and number are written as in Universal Dependencies (Masc, Fem, Neut; Sing, Plur), `_` where the
reading has none or either; VERB is a participle and X any class without gender, so that a noun that
is also something else can be told. The count, how often the reading was seen, may be `_`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.files import atomic_output, bad_byte, read_bytes

GENDERS = ("Masc", "Fem", "Neut")
NUMBERS = ("Sing", "Plur")
NOUNS = ("NOUN", "PROPN")
CATEGORIES = (*NOUNS, "PRON", "ADJ", "DET", "VERB", "X")
COLUMNS = ("word", "category", "gender", "number", "count")
HEADER = "\t".join(COLUMNS)
UNKNOWN = "_"
_MOST_DIGITS = 16


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
        made: dict[str, tuple[Entry, ...]] = {}
        for entry in entries:
            known = made.get(entry.word)
            made[entry.word] = (entry,) if known is None else _with(known, entry)
        return cls(MappingProxyType(made))

    def __len__(self) -> int:
        return len(self.entries)

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

    def lists(self, word: str, categories: Iterable[str] = NOUNS) -> bool:
        """Whether the word can be a noun."""
        wanted = tuple(categories)
        return any(entry.category in wanted for entry in self.readings(word))

    def is_noun(self, word: str) -> bool:
        """Whether a word without a tag is to be taken for a noun."""
        return self.mostly(word, NOUNS)

    def mostly(self, word: str, categories: Iterable[str]) -> bool:
        """Whether a word without a tag is to be taken for one of these categories.

        It is if it can be nothing else, or if it was counted as one of them more often than not.
        """
        wanted = tuple(categories)
        readings = self.readings(word)
        chosen = [entry for entry in readings if entry.category in wanted]
        if len(chosen) == len(readings):
            return bool(chosen)
        counts = [entry.count for entry in readings if entry.count is not None]
        as_chosen = [entry.count for entry in chosen if entry.count is not None]
        return len(counts) == len(readings) and 2 * sum(as_chosen) > sum(counts)

    def _common(self, word: str, categories: Iterable[str], feature: str) -> str | None:
        readings = self.readings(word)
        for category in categories:
            found: set[str | None] = {
                getattr(entry, feature) for entry in readings if entry.category == category
            }
            if found:
                return found.pop() if len(found) == 1 else None
        return None


def _with(readings: tuple[Entry, ...], entry: Entry) -> tuple[Entry, ...]:
    """The readings of a word and one more, which may be one of them."""
    for place, known in enumerate(readings):
        if known[:4] == entry[:4]:
            both = known.count is not None and entry.count is not None
            count = (known.count or 0) + (entry.count or 0) if both else known.count or entry.count
            return (*readings[:place], known._replace(count=count), *readings[place + 1 :])
    return (*readings, entry)


def read_lexicon(path: str | Path) -> Lexicon:
    """The lexicon of a file; raises `InputError` with all its faults."""
    path = Path(path)
    table = read_bytes(path)
    stored = _SortedReadings.of(table)
    return _read_lines(path, table) if stored is None else Lexicon(stored)


_ALLOWED = (CATEGORIES, (*GENDERS, UNKNOWN), (*NUMBERS, UNKNOWN))
_TAB, _NEW_LINE, _UNDERSCORE, _ZERO, _NINE = b"\t\n_09"
_CONTROLS = 32
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
_SPACE_LEADS = np.array([0x20, 0xC2, 0xE1, 0xE2, 0xE3], np.uint8)
"""The first bytes in UTF-8 of every character that is white space, and of some others."""
_REMEMBERED = 1 << 17

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)  # equal to any mapping of the same readings
class _SortedReadings(Mapping[str, tuple[Entry, ...]]):
    """A table in the order of its words, as we write it, in which words are looked up by halves.

    A lexicon is loaded with every model, and a sentence asks for few of its words: the table stays
    as it is, in bytes, and is checked column by column. Lines are from `starts` to `ends`, a word
    to its `tabs`; `words` is the number of different ones.
    """

    table: bytes
    starts: Places
    tabs: Places
    ends: Places
    words: int
    known: dict[str, tuple[Entry, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: bytes) -> _SortedReadings | None:
        """The readings of a table; None if it is not in order, or a line needs a closer look."""
        heading = HEADER.encode() + b"\n"
        padded = table + (b"" if table.endswith(b"\n") else b"\n") + bytes(_MASKS.itemsize)
        if not table.startswith(heading) or not _is_utf8(table):
            return None
        letters: Bytes = np.frombuffer(padded, np.uint8)[: -_MASKS.itemsize]
        controls = np.flatnonzero(letters < _CONTROLS)
        if len(controls) % len(COLUMNS):
            return None
        cuts = controls.reshape(-1, len(COLUMNS))
        separators = np.array([*[_TAB] * (len(COLUMNS) - 1), _NEW_LINE], np.uint8)
        if (letters[cuts] != separators).any():
            return None
        starts, cuts = cuts[:-1, -1] + 1, cuts[1:]
        eight = np.ndarray(len(letters), "<u8", padded, strides=(1,))
        tabs, ends = cuts[:, 0].copy(), cuts[:, -1].copy()
        if not (_good_columns(eight, letters, cuts) and _good_words(padded, letters, starts, tabs)):
            return None
        words = _sorted_words(eight, starts, tabs)
        return None if words is None else cls(padded, starts, tabs, ends, words)

    def __getitem__(self, word: str) -> tuple[Entry, ...]:
        found = self.known.get(word)
        if found is None:
            found = self._found(word.encode("utf-8", "surrogatepass"))
            if len(self.known) >= _REMEMBERED:
                self.known.clear()
            self.known[word] = found
        if not found:
            raise KeyError(word)
        return found

    def _found(self, word: bytes) -> tuple[Entry, ...]:
        place = bisect_left(range(len(self.starts)), word, key=self._word)
        found: tuple[Entry, ...] = ()
        while place < len(self.starts) and self._word(place) == word:
            line = self.table[self.starts[place] : self.ends[place]]
            found = _with(found, _entry(line.decode("utf-8")))
            place += 1
        return found

    def _word(self, place: int) -> bytes:
        return self.table[self.starts[place] : self.tabs[place]]

    def __iter__(self) -> Iterator[str]:
        for word, _ in groupby(map(self._word, range(len(self.starts)))):
            yield word.decode("utf-8")

    def __len__(self) -> int:
        return self.words


def _is_utf8(table: bytes) -> bool:
    try:
        table.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _good_columns(eight: NDArray[np.uint64], letters: Bytes, cuts: Places) -> bool:
    """Whether all columns behind that of the words have what they may have.

    `eight` has the eight bytes from each place on as one number.
    """
    for column, allowed in enumerate(_ALLOWED):
        sizes = cuts[:, column + 1] - cuts[:, column] - 1
        if len(sizes) and sizes.max() > _MASKS.itemsize:
            return False
        values = eight[cuts[:, column] + 1] & _MASKS[sizes]
        good = np.zeros(len(values), np.bool_)
        for name in allowed:
            good |= values == int.from_bytes(name.encode(), "little")
        if not good.all():
            return False
    places, ends = cuts[:, -2] + 1, cuts[:, -1]
    if (places == ends).any() or (ends - places >= _MOST_DIGITS).any():
        return False
    counted = (letters[places] != _UNDERSCORE) | (ends - places > 1)
    places, ends = places[counted], ends[counted]
    while len(places):
        digits = letters[places]
        if ((digits < _ZERO) | (digits > _NINE)).any():
            return False
        going_on = places + 1 < ends
        places, ends = places[going_on] + 1, ends[going_on]
    return True


def _good_words(table: bytes, letters: Bytes, starts: Places, tabs: Places) -> bool:
    """Whether there are words in all lines, without white space around them."""
    last, before, third = (letters[tabs - back] for back in (1, 2, 3))
    odd = np.isin(letters[starts], _SPACE_LEADS) | (last == _SPACE_LEADS[0])
    odd |= np.isin(before, _SPACE_LEADS) | np.isin(third, _SPACE_LEADS)
    words = (
        table[start:tab].decode("utf-8")
        for start, tab in zip(starts[odd].tolist(), tabs[odd].tolist(), strict=True)
    )
    return bool((starts < tabs).all()) and all(word == word.strip() for word in words)


def _sorted_words(eight: NDArray[np.uint64], starts: Places, tabs: Places) -> int | None:
    """The number of different words, if they are in order: eight bytes of neighbours at a time."""
    step, pairs = _MASKS.itemsize, np.arange(len(starts) - 1)
    offset = repeated = 0
    while len(pairs):
        left, right = (
            (eight[np.minimum(starts[rows] + offset, tabs[rows])] & _MASKS[size]).byteswap()
            for rows in (pairs, pairs + 1)
            for size in [np.clip(tabs[rows] - starts[rows] - offset, 0, step)]
        )
        if (left > right).any():
            return None
        offset += step
        pairs = pairs[left == right]
        going_on = np.maximum(*(tabs[rows] - starts[rows] for rows in (pairs, pairs + 1))) > offset
        repeated += int(np.count_nonzero(~going_on))
        pairs = pairs[going_on]
    return len(starts) - repeated


def _entry(line: str) -> Entry:
    """The reading of a line without faults."""
    word, category, *features, count = line.split("\t")
    gender, number = (None if feature == UNKNOWN else feature for feature in features)
    return Entry(word, category, gender, number, None if count == UNKNOWN else int(count))


def _read_lines(path: Path, table: bytes) -> Lexicon:
    """The lexicon of a table line by line, in any order; all faults are raised."""
    problems: list[Problem] = []
    entries: list[Entry] = []
    for number, raw in enumerate(table.removesuffix(b"\n").split(b"\n"), start=1):
        try:
            line = raw.decode("utf-8").removesuffix("\r")
        except UnicodeDecodeError as error:
            problems.append(Problem(str(path), number, "encoding", "UTF-8", bad_byte(error)))
            continue
        if number == 1:
            if line != HEADER:
                found = quoted(line) if table else "an empty file"
                problems.append(Problem(str(path), 1, "header", quoted(HEADER), found))
            continue
        faults = _entry_problems(path, number, line)
        problems += faults
        if not faults:
            entries.append(_entry(line))
    if problems:
        raise InputError(problems)
    return Lexicon.of(entries)


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


def _entry_problems(path: Path, number: int, line: str) -> list[Problem]:
    """What is wrong with a line that is no reading."""
    columns = line.split("\t")
    problem = partial(Problem, str(path), number)
    if len(columns) != len(COLUMNS):
        expected = f"{len(COLUMNS)} ({', '.join(COLUMNS)}) separated by tabs"
        return [problem("columns", expected, f"{len(columns)}: {quoted(line)}")]
    word, *_, count = columns
    problems = []
    if not word or word != word.strip():
        problems.append(problem("word", "a word without spaces around it", quoted(word)))
    for column, value, values in zip(COLUMNS[1:4], columns[1:4], _ALLOWED, strict=True):
        if value not in values:
            problems.append(problem(column, choices(values), quoted(value)))
    if count != UNKNOWN and not (count.isascii() and count.isdigit() and len(count) < _MOST_DIGITS):
        problems.append(problem("count", "a number or _", quoted(count)))
    return problems
