"""A parallel text for the aligner: numbered words, and segments in batches of similar length.

Every pair of words that meet in a segment pair has a number, so that a translation table is one
array over the pairs that occur. Batches are gathered in blocks: inside a block pairs have small
numbers of their own, so that training reads and counts in tables that fit the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]
Forms = Callable[[str], str]
Sentences = Sequence[Sequence[str]]

NO_WORD = -1
_BUCKET = 4
_BATCH_CELLS = 2**18
_BLOCK_CELLS = 2**23


@dataclass(frozen=True, slots=True)
class TextSide:
    """One side of the text: the numbers of all words one after the other, and their vocabulary."""

    words: dict[str, int]
    tokens: Numbers
    starts: Ints
    lengths: Ints

    def segment(self, number: int) -> Numbers:
        """The words of one segment."""
        start = self.starts[number]
        return self.tokens[start : start + self.lengths[number]]

    def padded(self, segments: Ints) -> Numbers:
        """The words of some segments, one a row, filled up with -1."""
        lengths = self.lengths[segments]
        places = np.arange(lengths.max())
        index = np.minimum(self.starts[segments][:, None] + places, len(self.tokens) - 1)
        return np.where(places < lengths[:, None], self.tokens[index], np.int32(NO_WORD))


@dataclass(frozen=True, slots=True)
class SegmentBatch:
    """Segments of similar lengths: their numbers, words, lengths and pairs.

    `cells[j, b, i]` is the number inside the block of source word i with target word j of segment
    b, and 0 where there is no word.
    """

    segments: Ints
    source: Numbers
    target: Numbers
    source_lengths: Ints
    target_lengths: Ints
    cells: Numbers


@dataclass(frozen=True, slots=True)
class Block:
    """Batches with a common numbering: `pairs` translates it into that of the whole text."""

    batches: tuple[SegmentBatch, ...]
    cells: Numbers
    pairs: Numbers


@dataclass(frozen=True, slots=True)
class PairedText:
    """A text ready for training.

    `keys` are the pairs in order, `source * len(target words) + target`; the first is -1, for no
    pair. `outside` are segments beyond the limits of length and ratio, which stand in no block.
    """

    source: TextSide
    target: TextSide
    keys: Ints
    blocks: tuple[Block, ...]
    outside: Ints

    @property
    def segments(self) -> int:
        """The number of segment pairs."""
        return len(self.source.lengths)

    def pair_words(self) -> tuple[Numbers, Numbers]:
        """The source word and the target word of each pair; 0 for no pair."""
        source, target = np.divmod(np.maximum(self.keys, 0), self._width)
        return source.astype(np.int32), target.astype(np.int32)

    def pair_numbers(self, source: Numbers, target: Numbers) -> Ints:
        """The number of each pair of words (arrays of one shape), 0 if they do not meet."""
        keys = source.astype(np.int64) * self._width + target
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, places, 0)

    @property
    def _width(self) -> int:
        return max(len(self.target.words), 1)


def make_form(form: str, prefix: int) -> Forms:
    """How a word stands in the vocabulary: lower-cased, whole or only its first characters."""
    if form == "prefix":
        return lambda word: word.lower()[:prefix]
    return str.lower


def count_cells(source: Sentences, target: Sentences) -> int:
    """How many pairs of tokens a text has: what memory and time are proportional to."""
    return sum(len(a) * len(b) for a, b in zip(source, target, strict=True))


def paired_text(
    source: Sentences,
    target: Sentences,
    form: Forms,
    longest: int,
    ratio: float | None = None,
    known: tuple[dict[str, int], dict[str, int]] = ({}, {}),
) -> PairedText:
    """Number the words and the pairs of a text; `known` vocabularies are continued.

    Segments over the limits `longest` and `ratio` are kept apart.
    """
    left, right = _side(source, form, known[0]), _side(target, form, known[1])
    usable = (left.lengths > 0) & (right.lengths > 0)
    outside = too_unlike(left.lengths, right.lengths, longest, ratio)
    width = max(len(right.words), 1)
    drafts = [
        _draft(left, right, group, width) for group in _groups(left, right, usable & ~outside)
    ]
    apart = [
        _all_pairs(left.segment(one), right.segment(one), width)
        for one in np.flatnonzero(outside).tolist()
    ]
    keys = _distinct(np.concatenate([[-1], *(draft.keys for draft in drafts), *apart]))
    blocks = tuple(draft.block(keys) for draft in drafts)
    return PairedText(left, right, keys, blocks, np.flatnonzero(outside))


def too_unlike(left: Ints, right: Ints, longest: int, ratio: float | None) -> NDArray[np.bool_]:
    """Which segments, by the lengths of both sides, are beyond the limits; empty ones are not."""
    short, long = np.minimum(left, right), np.maximum(left, right)
    beyond = long > longest
    if ratio is not None:
        beyond |= long > ratio * short
    return np.asarray(beyond & (short > 0))


def _distinct(values: Ints) -> Ints:
    """The different values in order; for many numbers faster than `np.unique`, which hashes."""
    values.sort()
    new = np.append(True, values[1:] != values[:-1])
    return np.asarray(values[new])


def _all_pairs(source: Numbers, target: Numbers, width: int) -> Ints:
    rows: Ints = np.unique(source).astype(np.int64) * width
    return np.asarray(rows[:, None] + np.unique(target)).ravel()


class _Vocabulary(dict[str, int]):
    """Gives each written word the number of its form, new forms a new number."""

    def __init__(self, words: dict[str, int], form: Forms) -> None:
        super().__init__()
        self.words = words
        self.form = form

    def __missing__(self, word: str) -> int:
        number = self.words.setdefault(self.form(word), len(self.words))
        self[word] = number
        return number


def _side(sentences: Sentences, form: Forms, known: dict[str, int]) -> TextSide:
    words = dict(known)
    lengths = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))
    numbers = map(_Vocabulary(words, form).__getitem__, chain.from_iterable(sentences))
    tokens = np.fromiter(numbers, dtype=np.int32, count=int(lengths.sum()))
    return TextSide(words, tokens, np.cumsum(lengths) - lengths, lengths)


def _groups(left: TextSide, right: TextSide, chosen: NDArray[np.bool_]) -> Iterator[list[Ints]]:
    """The segments of each batch, gathered into blocks."""
    segments = np.flatnonzero(chosen)
    rough = left.lengths[segments] // _BUCKET
    segments = segments[np.lexsort((right.lengths[segments], rough))]
    block: list[Ints] = []
    filled = 0
    start = 0
    while start < len(segments):
        rest = segments[start:]
        width, first = left.lengths[rest[0]] // _BUCKET, right.lengths[rest[0]]
        alike = (left.lengths[rest] // _BUCKET == width) & (
            right.lengths[rest] <= max(first + _BUCKET, int(first * 1.15))
        )
        most = int(_BATCH_CELLS // ((width + 1) * _BUCKET * (first + _BUCKET))) or 1
        stop = int(np.argmin(alike)) if not alike.all() else len(rest)
        batch = rest[: min(stop, most)]
        block.append(batch)
        filled += int(left.lengths[batch].max() * right.lengths[batch].max()) * len(batch)
        start += len(batch)
        if filled >= _BLOCK_CELLS:
            yield block
            block, filled = [], 0
    if block:
        yield block


@dataclass(frozen=True, slots=True)
class _Draft:
    """A block before the pairs of the whole text are known."""

    batches: tuple[SegmentBatch, ...]
    cells: Numbers
    keys: Ints

    def block(self, keys: Ints) -> Block:
        return Block(self.batches, self.cells, np.searchsorted(keys, self.keys).astype(np.int32))


def _draft(left: TextSide, right: TextSide, groups: list[Ints], width: int) -> _Draft:
    words = [(group, left.padded(group), right.padded(group)) for group in groups]
    found = [np.array([-1])]  # so that number 0 is no pair in every block
    for _, source, target in words:
        keys = source[None, :, :].astype(np.int64) * width + target.T[:, :, None]
        keys[(source[None, :, :] < 0) | (target.T[:, :, None] < 0)] = -1
        found.append(keys.ravel())
    distinct, numbers = np.unique(np.concatenate(found), return_inverse=True)
    cells = numbers[1:].astype(np.int32)
    batches = []
    start = 0
    for group, source, target in words:
        shape = (target.shape[1], len(group), source.shape[1])
        stop = start + int(np.prod(shape))
        lengths = left.lengths[group], right.lengths[group]
        batches.append(
            SegmentBatch(group, source, target, *lengths, cells[start:stop].reshape(shape))
        )
        start = stop
    return _Draft(tuple(batches), cells, distinct)
