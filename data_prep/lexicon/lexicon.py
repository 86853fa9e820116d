"""Gender and number of words, from a table with a row for each reading of a word.

A file has tab-separated columns under a header line: word, category, gender, number, count. Gender
and number are written as in Universal Dependencies (Masc, Fem, Neut; Sing, Plur), `_` where the
reading has none or either; VERB is a participle and X any class without gender, so that a noun that
is also something else can be told. The count, how often the reading was seen, may be `_`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import eq, le, ne
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.files import atomic_output, bad_byte, read_blocks, read_lines

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
    lines = b"".join(read_blocks(path, _BLOCK))
    try:
        header, _, text = lines.decode("utf-8").replace("\r\n", "\n").partition("\n")
    except UnicodeDecodeError:
        raise InputError(_problems(path)) from None
    cells = text.removesuffix("\n").replace("\n", "\t").split("\t") if text else []
    words = cells[:: len(COLUMNS)]
    if header != HEADER or not _good_cells(cells, words, text.count("\n")):
        raise InputError(_problems(path))
    first = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
    stored = _StoredReadings(cells, words, first)
    if sum(map(ne, words, words[1:])) + bool(words) == len(first):
        return Lexicon(stored)
    return Lexicon.of(map(stored.entry, range(len(words))))


_BLOCK = 1 << 20
_ALLOWED = ({*CATEGORIES}, {*GENDERS, UNKNOWN}, {*NUMBERS, UNKNOWN})


def _good_cells(cells: list[str], words: list[str], ends: int) -> bool:
    """Whether nothing is wrong with the cells of a table; each kind of value is looked at once."""
    step = len(COLUMNS)
    if len(cells) != step * len(words) or len(words) - ends not in (0, 1):
        return False
    values = [set(cells[place::step]) for place in range(1, step)]
    counts = values.pop() - {UNKNOWN}
    return (
        all(map(le, values, _ALLOWED))
        and all(count.isascii() and count.isdigit() for count in counts)
        and max(map(len, counts), default=0) < _MOST_DIGITS
        and all(words)
        and all(map(eq, words, map(str.strip, words)))
    )


@dataclass(frozen=True, eq=False)  # equal to any mapping of the same readings
class _StoredReadings(Mapping[str, tuple[Entry, ...]]):
    """The lines of a file, read when a word is looked up: a lexicon is loaded with every model.

    The lines of a word stand together; `first` is where they begin.
    """

    cells: Sequence[str]
    words: Sequence[str]
    first: Mapping[str, int]

    def __getitem__(self, word: str) -> tuple[Entry, ...]:
        place = self.first[word]
        found: tuple[Entry, ...] = ()
        while place < len(self.words) and self.words[place] == word:
            found = _with(found, self.entry(place))
            place += 1
        return found

    def entry(self, place: int) -> Entry:
        """The reading of a line."""
        start = place * len(COLUMNS)
        word, category, *features, count = self.cells[start : start + len(COLUMNS)]
        gender, number = (None if feature == UNKNOWN else feature for feature in features)
        return Entry(word, category, gender, number, None if count == UNKNOWN else int(count))

    def __iter__(self) -> Iterator[str]:
        return iter(self.first)

    def __len__(self) -> int:
        return len(self.first)


def _problems(path: Path) -> list[Problem]:
    """All faults of a file."""
    problems: list[Problem] = []
    number = 0
    for number, raw in enumerate(read_lines(path), start=1):
        try:
            line = raw.decode("utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            problems.append(Problem(str(path), number, "encoding", "UTF-8", bad_byte(error)))
            continue
        if number == 1:
            if line != HEADER:
                problems.append(Problem(str(path), 1, "header", quoted(HEADER), quoted(line)))
            continue
        problems += _entry_problems(path, number, line)
    if not number:
        problems.append(Problem(str(path), 1, "header", quoted(HEADER), "an empty file"))
    return problems


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
    allowed = (CATEGORIES, (*GENDERS, UNKNOWN), (*NUMBERS, UNKNOWN))
    for field, value, values in zip(COLUMNS[1:4], columns[1:4], allowed, strict=True):
        if value not in values:
            problems.append(problem(field, choices(values), quoted(value)))
    if count != UNKNOWN and not (count.isascii() and count.isdigit() and len(count) < _MOST_DIGITS):
        problems.append(problem("count", "a number or _", quoted(count)))
    return problems
