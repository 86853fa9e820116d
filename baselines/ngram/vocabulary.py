"""The words of a language model and their numbers.

Words are bytes inside, as in KenLM: a token is what stands between spaces, whatever Unicode says
about it. `<unk>`, `<s>` and `</s>` always have the numbers 0, 1 and 2.

The words of a whole text are found all at once, without cutting it: the bytes of a word are read
where they are, eight at a time, as numbers. Short words are their own key in a table of hash
buckets; the key of longer ones is mixed from their parts, and what is found is compared part by
part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.index import index_of

IntArray = NDArray[np.int64]
Parts = NDArray[np.uint64]

PART = 8
LONGEST = 64
"""Words of more bytes, which are rare, are looked up one by one."""
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(PART + 1)], np.uint64)
"""What is left of eight bytes if so many of them belong to a word."""


class WordPlaces:
    """Where words lie in some bytes."""

    def __init__(self, text: bytes, starts: IntArray, ends: IntArray) -> None:
        self.text = text
        self.starts = starts
        self.lengths = ends - starts
        padded = text + bytes(PART)
        self._eights = np.ndarray(len(text) + 1, "<u8", padded, strides=(1,))

    def __len__(self) -> int:
        return len(self.starts)

    def word(self, place: int) -> bytes:
        """One word."""
        start = int(self.starts[place])
        return self.text[start : start + int(self.lengths[place])]

    def parts(self, places: IntArray | slice, at: int) -> Parts:
        """Eight bytes of some words, from byte `at` of each; after the end of a word there is 0."""
        inside = np.minimum(self.lengths[places] - at, PART)
        found: Parts = self._eights[self.starts[places] + at] & _MASKS.take(inside)
        return found

    def longer(self, places: IntArray, than: int) -> IntArray:
        """Those of some words that have more bytes."""
        return places[self.lengths[places] > than]

    def keys(self) -> IntArray:
        """A key for each word: its bytes if they are up to eight, else a mixture of them."""
        keys = self.parts(slice(None), 0)
        places = np.flatnonzero(self.lengths > PART)
        for at in range(PART, LONGEST, PART):
            places = self.longer(places, at)
            keys[places] = keys[places] * _MULTIPLIER ^ self.parts(places, at)
        return keys.view(np.int64)


class TextWords(WordPlaces):
    """The words of a text, white space between them, that are cut out only when they are asked for.

    The text has no vertical tabs, form feeds and NULs, of which `bytes.split` has another opinion.
    """

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.text.split())


class WordTable:
    """The words of a vocabulary, to be looked for in a text."""

    def __init__(self, words: WordPlaces) -> None:
        self._words = words
        short = np.flatnonzero(words.lengths <= LONGEST)
        keys = words.keys()[short]
        self._numbers = short
        self._index = index_of(keys)
        self._long = {words.word(n): n for n in np.flatnonzero(words.lengths > LONGEST).tolist()}
        self.exact = bool((np.diff(np.sort(keys)) != 0).all())
        """Whether all keys are different; if they are not, this table must not be used."""

    def find(self, text: WordPlaces) -> IntArray:
        """The numbers of words; 0 for those that are not known."""
        known = self._words
        numbers: IntArray = self._numbers.take(self._index.find(text.keys()))
        numbers *= text.lengths == known.lengths.take(numbers)
        # Words of one length and one part have different keys. Others have been mixed.
        places = np.flatnonzero(text.lengths > PART)
        places = places[numbers[places] > 0]
        for at in range(0, LONGEST, PART):
            places = text.longer(places, at)
            other = text.parts(places, at) != known.parts(numbers[places], at)
            numbers[places[other]] = 0
            places = places[~other]
        for place in np.flatnonzero(text.lengths > LONGEST).tolist():
            numbers[place] = self._long.get(text.word(place), 0)
        return numbers


UNKNOWN, BEGIN, END = b"<unk>", b"<s>", b"</s>"
SPECIAL_WORDS = (UNKNOWN, BEGIN, END)
UNKNOWN_ID, BEGIN_ID, END_ID = range(3)


class Numbering(dict[bytes, int]):
    """Gives each new word the next number; asking for a word adds it.

    Words get their numbers in the order in which they appear, as in KenLM: the discounts depend on
    it (see `discounts.closing_rows`).
    """

    def __init__(self) -> None:
        super().__init__((word, number) for number, word in enumerate(SPECIAL_WORDS))

    def __missing__(self, word: bytes) -> int:
        number = self[word] = len(self)
        return number


class KnownWords(dict[str | bytes, int]):
    """The numbers of words; any word may be asked for, and one that is not there has 0."""

    def __missing__(self, word: str | bytes) -> int:
        return UNKNOWN_ID if isinstance(word, bytes) else self[as_bytes(word)]


class ModelVocabulary:
    """All words of a model, the special ones first; any other word is `<unk>`."""

    def __init__(self, text: NDArray[np.uint8], ends: IntArray) -> None:
        self.text = text
        """All words without anything between them."""
        self.ends = ends
        """Where each word ends in `text`."""

    @classmethod
    def of(cls, words: Sequence[bytes]) -> ModelVocabulary:
        """The vocabulary of a list of words, whose first three are the special ones."""
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        return cls(np.frombuffer(b"".join(words), np.uint8), np.cumsum(lengths))

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def words(self) -> list[bytes]:
        """The words by number."""
        text = self.text.tobytes()
        ends = self.ends.tolist()
        return [text[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]

    @cached_property
    def numbers(self) -> KnownWords:
        """The numbers by word; asked for only when text comes, so that opening a model is quick."""
        return KnownWords(zip(self.words, range(len(self)), strict=True))

    @cached_property
    def table(self) -> WordTable:
        """The numbers by word for whole texts."""
        starts = np.concatenate([np.zeros(1, np.int64), self.ends[:-1]])
        return WordTable(WordPlaces(self.text.tobytes(), starts, self.ends))

    def ids(self, words: Iterable[str | bytes]) -> IntArray:
        """The numbers of words; 0 for those that are not known."""
        if isinstance(words, TextWords) and self.table.exact:
            return self.table.find(words)
        return np.fromiter(map(self.numbers.__getitem__, words), np.int64)

    def word(self, number: int) -> str:
        """A word as text."""
        return self.words[number].decode("utf-8")


def as_bytes(word: str | bytes) -> bytes:
    """A word as it is stored; half characters, which no file can hold, match no word."""
    return word if isinstance(word, bytes) else word.encode("utf-8", "backslashreplace")
