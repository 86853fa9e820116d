"""A parallel text as arrays: words become numbers, and so does every pair of words that meet.

A translation table is then one array over the pairs that occur. Segments of similar lengths form a
batch, some batches form a block. A block numbers its own pairs from 0, so that training reads and
counts in tables that fit the processor's cache.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]
WordPairs = Iterable[tuple[Sequence[str], Sequence[str]]]

PADDING = -1
PREFIX = 5
"""Characters by which words are compared, which brings the forms of a word together."""
MAX_LENGTH, MAX_RATIO = 100, 9
"""Segments with more words on a side, or more times the words of the other, are not learnt from:
those were GIZA++'s limits (003 §3.3.1, 004 §3.3)."""
_LENGTH_STEP = 4
_BATCH_CELLS = 2**18
_BLOCK_CELLS = 2**20


def word_form(word: str) -> str:
    """How words are compared: lower-cased, by their first characters."""
    return word.lower()[:PREFIX]


@dataclass(frozen=True, slots=True)
class TextSide:
    """One side of the text: its vocabulary, and the word numbers of all segments in a row."""

    words: dict[str, int]
    tokens: Numbers
    starts: Ints
    lengths: Ints

    def range(self, segment: int) -> slice:
        """Where the words of a segment stand."""
        return slice(self.starts[segment], self.starts[segment] + self.lengths[segment])

    def segment(self, number: int) -> Numbers:
        return self.tokens[self.range(number)]

    def padded(self, segments: Ints) -> Numbers:
        """The words of some segments, one segment a row."""
        lengths = self.lengths[segments]
        places = np.arange(lengths.max())
        index = np.minimum(self.starts[segments][:, None] + places, len(self.tokens) - 1)
        return np.where(places < lengths[:, None], self.tokens[index], np.int32(PADDING))


@dataclass(frozen=True, slots=True)
class Batch:
    """Segments of similar lengths; `cells[j, b, i]` is the number of the pair of source word i with
    target word j of segment b inside the block, 0 for padding."""

    segments: Ints
    source: Numbers
    target: Numbers
    cells: Numbers


@dataclass(frozen=True, slots=True)
class Block:
    """Batches with their own numbering: `pairs` has the number of each pair in the whole text."""

    pairs: Numbers
    batches: list[Batch]


@dataclass(frozen=True, slots=True)
class NumberedText:
    """Both sides of a text, its blocks, and the keys of all pairs; pair 0 is padding.

    The key of a pair is source * (number of target words) + target. `outside` are segments beyond
    the limits of length and ratio, which are in no block.
    """

    source: TextSide
    target: TextSide
    blocks: list[Block]
    outside: list[int]
    keys: Ints

    @property
    def pair_words(self) -> tuple[Numbers, Numbers]:
        """The source and the target word of each pair."""
        source, target = np.divmod(np.maximum(self.keys, 0), _width(self.target))
        return source.astype(np.int32), target.astype(np.int32)

    def pair_numbers(self, source: Numbers, target: Numbers) -> Ints:
        """The number of each pair of words, 0 if they do not meet."""
        keys = source.astype(np.int64) * _width(self.target) + target
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, places, 0)


def _width(target: TextSide) -> int:
    return max(len(target.words), 1)


class _Vocabulary(dict[str, int]):
    """Gives each word as written the number of its form; new forms get a new number."""

    def __init__(self, words: dict[str, int]) -> None:
        super().__init__()
        self.words = dict(words)

    def __missing__(self, word: str) -> int:
        number = self.words.setdefault(word_form(word), len(self.words))
        self[word] = number
        return number


def number_sides(
    pairs: WordPairs, words: tuple[dict[str, int], dict[str, int]] = ({}, {})
) -> tuple[TextSide, TextSide]:
    """Number the words of a text, which is read once; the vocabularies `words` are continued."""
    sides = [(_Vocabulary(numbers), array("i"), array("q")) for numbers in words]
    for pair in pairs:
        for (vocabulary, tokens, lengths), sentence in zip(sides, pair, strict=True):
            tokens.extend(map(vocabulary.__getitem__, sentence))
            lengths.append(len(sentence))
    source, target = (
        TextSide(
            vocabulary.words,
            np.array(tokens, np.int32),
            np.cumsum(lengths, dtype=np.int64) - np.array(lengths, np.int64),
            np.array(lengths, np.int64),
        )
        for vocabulary, tokens, lengths in sides
    )
    return source, target


def number_pairs(source: TextSide, target: TextSide) -> NumberedText:
    """Blocks of the segments within the limits, and numbers for all pairs that meet."""
    beyond = beyond_limits(source.lengths, target.lengths)
    filled = (source.lengths > 0) & (target.lengths > 0)
    width = _width(target)
    blocks: list[tuple[Ints, list[Batch]]] = []
    meeting = [np.array([-1])]
    for block in _similar_segments(source, target, np.flatnonzero(filled & ~beyond)):
        padded = [(source.padded(segments), target.padded(segments)) for segments in block]
        distinct, cells = _numbered([_pair_keys(left, right, width) for left, right in padded])
        batches = [
            Batch(segments, left, right, cell)
            for segments, (left, right), cell in zip(block, padded, cells, strict=True)
        ]
        blocks.append((distinct, batches))
        meeting.append(distinct)
    outside = np.flatnonzero(beyond).tolist()
    for segment in outside:
        rows = distinct_values(source.segment(segment).astype(np.int64)) * width
        columns = distinct_values(target.segment(segment).astype(np.int64))
        meeting.append((rows[:, None] + columns).ravel())
    keys = distinct_values(np.concatenate(meeting))
    numbered = [
        Block(np.searchsorted(keys, distinct).astype(np.int32), batches)
        for distinct, batches in blocks
    ]
    return NumberedText(source, target, numbered, outside, keys)


def beyond_limits(source: Ints, target: Ints) -> NDArray[np.bool_]:
    """Which segments, by the lengths of both sides, are too long or too unequal; no empty ones."""
    short, long = np.minimum(source, target), np.maximum(source, target)
    return np.asarray(((long > MAX_LENGTH) | (long > MAX_RATIO * short)) & (short > 0))


def distinct_values(values: Ints) -> Ints:
    """The distinct values in order; for many numbers sorting is faster than `np.unique`."""
    values = np.sort(values)
    return np.asarray(values[_begins_run(values)])


def _begins_run(values: Ints) -> NDArray[np.bool_]:
    """Where sorted values differ from the value before."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]


def _similar_segments(source: TextSide, target: TextSide, segments: Ints) -> Iterator[list[Ints]]:
    """The segments of the batches of each block: in a batch as many of similar lengths as fit."""
    left, right = source.lengths, target.lengths
    segments = segments[np.lexsort((right[segments], left[segments] // _LENGTH_STEP))]
    block: list[Ints] = []
    cells = start = 0
    while start < len(segments):
        first = segments[start]
        width, height = left[first] // _LENGTH_STEP, right[first]
        most = _BATCH_CELLS // ((width + 1) * _LENGTH_STEP * (height + _LENGTH_STEP))
        near = segments[start : start + (int(most) or 1)]
        similar = (left[near] // _LENGTH_STEP == width) & (
            right[near] <= max(height + _LENGTH_STEP, int(height * 1.15))
        )
        batch = near if similar.all() else near[: int(np.argmin(similar))]
        block.append(batch)
        cells += len(batch) * int(left[batch].max()) * int(right[batch].max())
        start += len(batch)
        if cells >= _BLOCK_CELLS or start == len(segments):
            yield block
            block, cells = [], 0


def _pair_keys(source: Numbers, target: Numbers, width: int) -> Ints:
    """The key of each pair of words [target, segment, source], -1 for padding."""
    down = target.T[:, :, None]
    keys = source[None, :, :].astype(np.int64) * width + down
    keys[(source[None, :, :] < 0) | (down < 0)] = -1
    return keys


def _numbered(keys: list[Ints]) -> tuple[Ints, list[Numbers]]:
    """The distinct keys of a block in order, -1 first, and the number of each key among them.

    A key and its place are sorted as one number, in a fifth of the time of `np.unique`: the place
    takes 21 bits of 63, so that a key may be up to 2**42, two million words on each side.
    """
    flat = np.concatenate([[-1], *(part.ravel() for part in keys)]) + 1
    bits = len(flat).bit_length()
    if int(flat.max()).bit_length() + bits > 63:
        raise OverflowError("too many different words for one text")
    flat <<= bits
    flat |= np.arange(len(flat))
    flat.sort()
    places, flat = flat & ((1 << bits) - 1), (flat >> bits) - 1
    new = _begins_run(flat)
    numbers = np.empty(len(flat), np.int32)
    numbers[places] = np.cumsum(new) - 1
    ends = np.cumsum([1, *(part.size for part in keys)])
    return flat[new], [
        numbers[start : start + part.size].reshape(part.shape)
        for start, part in zip(ends, keys, strict=False)
    ]
