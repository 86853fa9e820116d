"""Counting n-grams: those of each order are a table that is sorted by their words."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import CrossproError

SPECIAL_WORDS = (b"<unk>", b"<s>", b"</s>")
UNKNOWN_ID, BEGIN_ID, END_ID = range(3)
_NO_ROW = np.uint32(0xFFFFFFFF)

Ints = NDArray[np.int64]
Rows = NDArray[np.uint32]


@dataclass(frozen=True)
class Text:
    """A text by the numbers of its words, each sentence between `<s>` and `</s>`."""

    tokens: NDArray[np.int32]
    words: list[str]
    """The vocabulary, special words first, then in order of appearance as in lmplz."""
    sentences: int
    left_out: int
    """How often the text had a special word as a word of its own; these are skipped."""


def number_words(sentences: Iterable[Sequence[bytes]]) -> Text:
    numbers: defaultdict[bytes, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    for word in SPECIAL_WORDS:
        numbers[word]
    special = frozenset(SPECIAL_WORDS)
    tokens = array("i")
    count = left_out = 0
    for sentence in sentences:
        if not special.isdisjoint(sentence):
            words = [word for word in sentence if word not in special]
            left_out += len(sentence) - len(words)
            sentence = words
        tokens.append(BEGIN_ID)
        tokens.extend(map(numbers.__getitem__, sentence))
        tokens.append(END_ID)
        count += 1
    if len(numbers) == len(SPECIAL_WORDS):
        raise CrossproError("text: expected sentences with words, found none")
    vocabulary = [word.decode("utf-8", "backslashreplace") for word in numbers]
    return Text(np.frombuffer(tokens, np.int32), vocabulary, count, left_out)


@dataclass
class NGramTable:
    """The n-grams of one order, sorted by key, and how often each occurs.

    The key of an n-gram is the row of its first n-1 words in the order below, times the size of the
    vocabulary, plus its last word. `suffixes` are the rows of its last n-1 words there.
    The n-grams that start with `<s>` are those of the slice `initial`.
    """

    keys: Ints
    counts: Rows
    suffixes: Rows
    initial: slice

    def __len__(self) -> int:
        return len(self.keys)


def count_ngrams(text: Text, order: int) -> list[NGramTable]:
    """The tables of the orders 1 to `order`; `<s>` starts n-grams but is no predicted word."""
    size, tokens = len(text.words), text.tokens
    counts = np.bincount(tokens, minlength=size).astype(np.uint32)
    counts[BEGIN_ID] = 0
    tables = [NGramTable(np.arange(size), counts, np.zeros(size, np.uint32), slice(1, 2))]
    rows = tokens.astype(np.uint32)  # of the n-gram that ends at each token
    for _ in range(1, order):
        # Else the n-gram would begin before its sentence.
        ends = np.flatnonzero((rows[:-1] != _NO_ROW) & (tokens[1:] != BEGIN_ID)) + 1
        keys = rows[ends - 1] * np.int64(size) + tokens[ends]
        keys, ends = _sort(keys, ends, len(tokens).bit_length())
        first = np.ones(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        keys = keys[starts]
        counts = np.diff(starts, append=len(ends)).astype(np.uint32)
        suffixes = rows[ends[starts]]
        rows = np.full(len(tokens), _NO_ROW)
        rows[ends] = np.cumsum(first, dtype=np.uint32) - np.uint32(1)
        shorter = tables[-1].initial
        begin, end = np.searchsorted(keys, np.array([shorter.start, shorter.stop]) * size)
        tables.append(NGramTable(keys, counts, suffixes, slice(int(begin), int(end))))
    return tables


def _sort(keys: Ints, places: Ints, bits: int) -> tuple[Ints, Ints]:
    """Keys in order with their places; sorting both in one number takes a third of the time."""
    if int(keys.max(initial=0)).bit_length() + bits > 63:
        order = np.argsort(keys)
        return keys[order], places[order]
    keys <<= bits
    keys |= places
    keys.sort()
    np.bitwise_and(keys, (1 << bits) - 1, out=places)
    keys >>= bits
    return keys, places
