"""The words of a language model and their numbers.

Words are bytes inside, as in KenLM: a token is what stands between spaces, whatever Unicode says
about it. `<unk>`, `<s>` and `</s>` always have the numbers 0, 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
UNKNOWN, BEGIN, END = b"<unk>", b"<s>", b"</s>"
SPECIAL_WORDS = (UNKNOWN, BEGIN, END)
UNKNOWN_ID, BEGIN_ID, END_ID = range(3)


class Numbering(dict[bytes, int]):
    """Gives each new word the next number; asking for a word adds it.

    Words get their numbers in the order in which they appear, as in KenLM: the discounts depend on
    it (see `estimate.closing_rows`).
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

    def ids(self, words: Iterable[str | bytes]) -> IntArray:
        """The numbers of words; 0 for those that are not known."""
        return np.fromiter(map(self.numbers.__getitem__, words), np.int64)

    def word(self, number: int) -> str:
        """A word as text."""
        return self.words[number].decode("utf-8")


def as_bytes(word: str | bytes) -> bytes:
    """A word as it is stored; half characters, which no file can hold, match no word."""
    return word if isinstance(word, bytes) else word.encode("utf-8", "backslashreplace")
