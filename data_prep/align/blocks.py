"""Segments in batches of similar length, with the number of every pair of words, in files.

Batches are gathered in blocks: inside a block pairs have small numbers of their own, so that
training reads and counts in tables that fit the processor's cache. A batch is read when its turn
comes, so that memory holds the numbering of one block, however long the text is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from crosspro.data_prep.align.text import (
    Ints,
    NumberedBitext,
    Numbers,
    PairKeys,
    TextSide,
    read_array,
)

_BUCKET = 4
_BATCH_CELLS = 2**18
_BLOCK_CELLS = 2**20
_KEYS_AT_ONCE = 2**20

FILES = ("cells", "words", "pairs", "keys")
"""Cells of all blocks, words of their batches, pairs of each block, and those of the text."""


@dataclass(frozen=True, slots=True)
class SegmentBatch:
    """Segments of similar lengths: their numbers, words and pairs.

    `cells[j, b, i]` is the number inside the block of source word i with target word j of segment
    b, and 0 where there is no word.
    """

    segments: Ints
    source: Numbers
    target: Numbers
    cells: Ints


@dataclass(frozen=True, slots=True)
class _Shape:
    """The segments of a batch, and the lengths of the longest."""

    segments: Ints
    source: int
    target: int

    @property
    def words(self) -> int:
        return len(self.segments) * (self.source + self.target)

    @property
    def cells(self) -> int:
        return len(self.segments) * self.source * self.target


@dataclass(frozen=True, slots=True)
class Block:
    """Batches with a common numbering: `pairs` translates it into that of the whole text.

    Batches are read from the disk one after the other, whenever they are gone over.
    """

    pairs: Numbers
    words: Numbers
    shapes: Sequence[_Shape]
    path: Path
    start: int
    """Where the cells of the block begin in their file."""

    @property
    def batches(self) -> Iterator[SegmentBatch]:
        """The batches, each with its cells."""
        cell, word = self.start, 0
        for shape in self.shapes:
            size = len(shape.segments)
            middle = word + size * shape.source
            cells = read_array(self.path, np.int32, shape.cells, cell)
            yield SegmentBatch(
                shape.segments,
                self.words[word:middle].reshape(size, shape.source),
                self.words[middle : word + shape.words].reshape(size, shape.target),
                cells.astype(np.intp).reshape(shape.target, size, shape.source),
            )
            cell, word = cell + shape.cells, word + shape.words


class Blocks:
    """The blocks of a text, each read from the files of a folder when its turn comes."""

    def __init__(self, folder: Path, shapes: list[list[_Shape]], pairs: Ints) -> None:
        self.folder, self.shapes = folder, shapes
        sizes = [
            [sum(one.cells for one in block), sum(one.words for one in block)] for block in shapes
        ]
        ends = np.cumsum(np.array([[0, 0], *sizes]), axis=0)
        self.starts = {"cells": ends[:, 0], "words": ends[:, 1], "pairs": pairs}

    @property
    def cells(self) -> int:
        """The pairs of tokens in all blocks, with what fills up."""
        return int(self.starts["cells"][-1])

    def __len__(self) -> int:
        return len(self.shapes)

    def __getitem__(self, number: int) -> Block:
        words, pairs = (self._read(name, number) for name in ("words", "pairs"))
        start = int(self.starts["cells"][number])
        return Block(pairs, words, self.shapes[number], self.folder / "cells", start)

    def __iter__(self) -> Iterator[Block]:
        return map(self.__getitem__, range(len(self)))

    def _read(self, name: str, number: int) -> Numbers:
        start, stop = self.starts[name][number : number + 2].tolist()
        return read_array(self.folder / name, np.int32, stop - start, start)


@dataclass(frozen=True, slots=True)
class PairedText:
    """A text ready for training: its words, the pairs that meet, and its blocks."""

    text: NumberedBitext
    keys: PairKeys
    blocks: Blocks

    @property
    def source(self) -> TextSide:
        """The source side."""
        return self.text.source

    @property
    def target(self) -> TextSide:
        """The target side."""
        return self.text.target

    @property
    def outside(self) -> Ints:
        """Segments beyond the limits, which stand in no block."""
        return self.text.outside


def paired_text(
    text: NumberedBitext, folder: Path, report: Callable[[int, int], None]
) -> PairedText:
    """Number the pairs of a text and write its blocks; `report` is told before each of them."""
    shapes = list(_shapes(text))
    drafts = [0]
    with (
        (folder / "cells").open("wb") as cells,
        (folder / "words").open("wb") as words,
        (folder / "draft").open("wb") as draft,
    ):
        for number, block in enumerate(shapes):
            report(number, len(shapes))
            padded = [
                (text.source.padded(b.segments), text.target.padded(b.segments)) for b in block
            ]
            distinct, numbers = _block_pairs(padded, text.width)
            cells.write(numbers.data)
            for side in (side for batch in padded for side in batch):
                words.write(np.ascontiguousarray(side).data)
            draft.write(distinct.data)
            drafts.append(drafts[-1] + len(distinct))
        for distinct in _outside_pairs(text):
            draft.write(distinct.data)
            drafts.append(drafts[-1] + len(distinct))
    _number_pairs(folder, drafts, text)
    (folder / "draft").unlink()
    return read_paired_text(text, folder, np.array(drafts))


def read_paired_text(text: NumberedBitext, folder: Path, drafts: Ints) -> PairedText:
    """What `paired_text` has written; `drafts` is where the pairs of each block begin."""
    size = (folder / "keys").stat().st_size // np.dtype(np.int64).itemsize
    keys = PairKeys(folder / "keys", text.width, size)
    return PairedText(text, keys, Blocks(folder, list(_shapes(text)), drafts))


def _shapes(text: NumberedBitext) -> Iterator[list[_Shape]]:
    """The batches, gathered into blocks."""
    left, right = text.source.lengths, text.target.lengths
    segments = text.inside
    segments = segments[np.lexsort((right[segments], left[segments] // _BUCKET))]
    block: list[_Shape] = []
    filled = start = 0
    while start < len(segments):
        first = segments[start]
        width, height = left[first] // _BUCKET, right[first]
        most = int(_BATCH_CELLS // ((width + 1) * _BUCKET * (height + _BUCKET))) or 1
        near = segments[start : start + most]
        alike = (left[near] // _BUCKET == width) & (
            right[near] <= max(height + _BUCKET, int(height * 1.15))
        )
        batch = near if alike.all() else near[: int(np.argmin(alike))]
        block.append(_Shape(batch, int(left[batch].max()), int(right[batch].max())))
        filled += block[-1].cells
        start += len(batch)
        if filled >= _BLOCK_CELLS:
            yield block
            block, filled = [], 0
    if block:
        yield block


def _block_pairs(words: list[tuple[Numbers, Numbers]], width: int) -> tuple[Ints, Numbers]:
    """The different pairs of a block in order, and the number of each cell's among them."""
    found = np.empty(1 + sum(s.size * t.shape[1] for s, t in words), np.int64)
    found[0] = -1  # so that number 0 is no pair in every block
    start = 1
    for source, target in words:
        stop = start + source.size * target.shape[1]
        keys = found[start:stop].reshape(target.shape[1], *source.shape)
        np.add(source[None, :, :].astype(np.int64) * width, target.T[:, :, None], out=keys)
        keys[(source[None, :, :] < 0) | (target.T[:, :, None] < 0)] = -1
        start = stop
    distinct, numbers = _numbered(found)
    return distinct, numbers[1:]


def _numbered(keys: Ints) -> tuple[Ints, Numbers]:
    """The different keys in order, and the number of each key among them; the keys are used up.

    Where a key and its place fit into one number, that is sorted, in a fifth of the time and half
    the memory of sorting places by keys.
    """
    bits = len(keys).bit_length()
    if (int(keys.max()) + 2).bit_length() + bits > 63:
        distinct, inverse = np.unique(keys, return_inverse=True)
        return distinct, inverse.astype(np.int32)
    numbers = np.empty(len(keys), np.int32)
    pieces = []
    keys += 1
    keys <<= bits
    keys |= np.arange(len(keys))
    keys.sort()
    last, before = -2, -1
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        part = keys[start : start + _KEYS_AT_ONCE]
        places = part & ((1 << bits) - 1)
        part = (part >> bits) - 1
        new = np.empty(len(part), bool)
        new[0] = part[0] != last
        np.not_equal(part[1:], part[:-1], out=new[1:])
        numbers[places] = np.cumsum(new) + before
        pieces.append(part[new])
        before += len(pieces[-1])
        last = int(part[-1])
    return np.concatenate(pieces), numbers


def _outside_pairs(text: NumberedBitext) -> Iterator[Ints]:
    """The different pairs of segments that stand in no block, of some segments at a time."""
    gathered: list[Ints] = [np.array([-1])]
    for one in text.outside.tolist():
        rows = distinct_values(text.source.segment(one).astype(np.int64)) * text.width
        columns = distinct_values(text.target.segment(one).astype(np.int64))
        gathered.append((rows[:, None] + columns).ravel())
        if sum(map(len, gathered)) > _BLOCK_CELLS:
            yield distinct_values(np.concatenate(gathered))
            gathered = []
    if gathered:
        yield distinct_values(np.concatenate(gathered))


def _number_pairs(folder: Path, drafts: list[int], text: NumberedBitext) -> None:
    """Merge the pairs of all drafts, a range of source words at a time, and number them.

    Each draft is in order, so its part of a range is one piece of the file.
    """
    edges = _ranges(folder, drafts, text)
    cuts = [
        start + np.searchsorted(_draft(folder, start, stop), edges)
        for start, stop in pairwise(drafts)
    ]
    before = 0
    with (folder / "keys").open("wb") as keys, (folder / "pairs").open("wb") as pairs:
        for number in range(len(edges) - 1):
            places = [(int(cut[number]), int(cut[number + 1])) for cut in cuts]
            pieces = [_draft(folder, *place) for place in places]
            distinct = distinct_values(np.concatenate(pieces))
            keys.write(distinct.data)
            for piece, (start, _) in zip(pieces, places, strict=True):
                pairs.seek(start * np.dtype(np.int32).itemsize)
                pairs.write((before + np.searchsorted(distinct, piece)).astype(np.int32).data)
            before += len(distinct)


def _ranges(folder: Path, drafts: list[int], text: NumberedBitext) -> Ints:
    """Keys between which all drafts together have about as many pairs as are merged at once."""
    words = max(len(text.source.words), 1)
    counts = np.zeros(words, np.int64)
    for start, stop in pairwise(drafts):
        counts += np.bincount(
            np.maximum(_draft(folder, start, stop), 0) // text.width, minlength=words
        )
    share = np.cumsum(counts) // _KEYS_AT_ONCE
    inner = 1 + np.flatnonzero(share[1:] != share[:-1])
    return np.concatenate([[-1], inner * text.width, [words * text.width]]).astype(np.int64)


def _draft(folder: Path, start: int, stop: int) -> Ints:
    return read_array(folder / "draft", np.int64, stop - start, start)


def distinct_values(values: Ints) -> Ints:
    """The different values in order; for many numbers faster than `np.unique`, which hashes, and
    for few without the masked arrays that it imports."""
    values.sort()
    new = np.append(True, values[1:] != values[:-1])[: len(values)]
    return np.asarray(values[new])
