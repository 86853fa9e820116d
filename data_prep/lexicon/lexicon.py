"""Gender and number of words, from a table with a row for each reading of a word.

A file has tab-separated columns under a header line: word, category, gender, number, count. Gender
and number are written as in Universal Dependencies (Masc, Fem, Neut; Sing, Plur), `_` where the
reading has none or either; VERB is a participle and X any class without gender, so that a noun that
is also something else can be told. The count, how often the reading was seen, may be `_`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import atomic_output, read_text_lines

GENDERS = ("Masc", "Fem", "Neut")
NUMBERS = ("Sing", "Plur")
NOUNS = ("NOUN", "PROPN")
CATEGORIES = (*NOUNS, "PRON", "ADJ", "DET", "VERB", "X")
COLUMNS = ("word", "category", "gender", "number", "count")
HEADER = "\t".join(COLUMNS)
UNKNOWN = "_"
_ROW = re.compile(
    rf"(?!\s)[^\t\n]+(?<!\s)\t(?:{'|'.join(CATEGORIES)})\t(?:{'|'.join(GENDERS)}|_)"
    rf"\t(?:{'|'.join(NUMBERS)}|_)\t(?:_|[0-9]{{1,15}})"
)


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
        by_word: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            by_word[entry.word].append(entry)
        return cls({word: _merged(readings) for word, readings in by_word.items()})

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


def _merged(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The readings of a word, equal ones with the sum of their counts."""
    counts: dict[Entry, int | None] = {}
    for entry in entries:
        reading, count = entry._replace(count=None), entry.count
        if (earlier := counts.get(reading)) is not None:
            count = earlier + (count or 0)
        counts[reading] = count
    return tuple(reading._replace(count=count) for reading, count in counts.items())


class _Rows(Mapping[str, tuple[Entry, ...]]):
    """The rows of a table by their words.

    A lexicon is loaded with every model, and a sentence asks for few of its words: rows are parsed
    when they are asked for.
    """

    def __init__(self, rows: Iterable[str]) -> None:
        self.rows: dict[str, list[str]] = {}
        for row in rows:
            self.rows.setdefault(row.partition("\t")[0], []).append(row)

    def __getitem__(self, word: str) -> tuple[Entry, ...]:
        return _merged(map(_entry, self.rows[word]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def read_lexicon(path: str | Path) -> Lexicon:
    """The lexicon of a file."""
    header, *rows = [line.removesuffix("\r") for line in read_text_lines(Path(path))] or [""]
    if header != HEADER:
        raise input_error(path, "header", quoted(HEADER), quoted(header) or "an empty file", 1)
    for number, row in enumerate(rows, start=2):
        if not _ROW.fullmatch(row):
            expected = f"{', '.join(COLUMNS)} (a number or {UNKNOWN}) separated by tabs"
            raise input_error(path, "reading", expected, quoted(row), number)
    return Lexicon(_Rows(rows))


def _entry(row: str) -> Entry:
    word, category, *features, count = row.split("\t")
    gender, number = (None if feature == UNKNOWN else feature for feature in features)
    return Entry(word, category, gender, number, None if count == UNKNOWN else int(count))


def write_lexicon(path: str | Path, lexicon: Lexicon) -> None:
    """Write a file atomically, compressed if its name ends in .gz or .xz."""
    with atomic_output(Path(path)) as handle:
        handle.write(f"{HEADER}\n".encode())
        for entry in lexicon:
            cells = (UNKNOWN if value is None else str(value) for value in entry)
            handle.write(("\t".join(cells) + "\n").encode())
