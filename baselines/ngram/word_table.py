"""The numbers of the words of a text, found for all of them at once.

Text need not be cut into words for that: the bytes of a word are read where they are, eight at a
time, as numbers. Short words are their own key in a table of hash buckets; the key of longer ones
is mixed from their parts, and what is found is compared part by part.
"""

from __future__ import annotations

from collections.abc import Iterator

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
