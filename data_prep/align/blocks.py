"""Segments in batches of similar length, with the number of every pair of words, in files.

Batches are gathered in blocks: inside a block pairs have small numbers of their own, so that
training reads and counts in tables that fit the processor's cache. A batch is read when its turn
comes, so that memory holds the numbering of one block, however long the text is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np

from crosspro.data_prep.align.text import (
    Ints,
    NumberedBitext,
    Numbers,
    PairKeys,
    TextSide,
    read_array,
    write_array,
)
from crosspro.data_prep.core.team import Team, shared_array, work_together

_BUCKET = 4
_BATCH_CELLS = 2**18
_BLOCK_CELLS = 2**20
_KEYS_AT_ONCE = 2**20

WHAT_IS_EXPECTED = ("aligner: expected the counts of another process", "--jobs 1 needs less")
"""What is said if a process is ended, and what helps."""

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
    cells: Numbers


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
                cells.reshape(shape.target, size, shape.source),
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
    text: NumberedBitext, folder: Path, report: Callable[[int, int], None], jobs: int = 1
) -> PairedText:
    """Number the pairs of a text and write its blocks; `report` is told how far it is."""
    shapes, groups = list(_shapes(text)), list(_outside(text))
    blocks = Blocks(folder, shapes, np.zeros(0, np.int64))
    for name in (*FILES, "draft"):
        (folder / name).write_bytes(b"")
    drafts = shared_array(1 + len(shapes) + len(groups), np.int64)
    counts = shared_array(max(len(text.source.words), 1), np.int64)
    told, most = count(), max(len(shapes), 1)

    def write(team: Team) -> None:
        tell = lambda: report(min(next(told), most - 1), most)  # noqa: E731
        for number in team.share(len(drafts) - 1, 1, tell):
            if number < len(shapes):
                distinct = _write_block(text, blocks, number)
            else:
                distinct = _outside_pairs(text, groups[number - len(shapes)])
            sources = np.maximum(distinct, 0) // text.width
            found = np.bincount(sources, minlength=len(counts))
            with team.turn():
                drafts[number + 1] = drafts[number] + len(distinct)
                counts[:] += found
            write_array(folder / "draft", distinct, int(drafts[number]))

    work_together(write, min(jobs, len(shapes)), *WHAT_IS_EXPECTED)
    _number_pairs(folder, drafts, _ranges(counts, text.width), jobs)
    (folder / "draft").unlink()
    return read_paired_text(text, folder, drafts)


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


def _write_block(text: NumberedBitext, blocks: Blocks, number: int) -> Ints:
    """Write the cells and the words of a block; its different pairs in order."""
    padded = [
        (text.source.padded(one.segments), text.target.padded(one.segments))
        for one in blocks.shapes[number]
    ]
    distinct, numbers = _block_pairs(padded, text.width)
    words = np.concatenate([side.ravel() for batch in padded for side in batch])
    for name, part in (("cells", numbers), ("words", words)):
        write_array(blocks.folder / name, part, int(blocks.starts[name][number]))
    return distinct


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


def _outside(text: NumberedBitext) -> Iterator[list[int]]:
    """Segments that stand in no block, some at a time; there may be none to begin with."""
    some: list[int] = []
    cells = 0
    for one in text.outside.tolist():
        some.append(one)
        cells += int(text.source.lengths[one]) * int(text.target.lengths[one])
        if cells > _BLOCK_CELLS:
            yield some
            some, cells = [], 0
    yield some


def _outside_pairs(text: NumberedBitext, segments: list[int]) -> Ints:
    """The different pairs of some segments, and that of no words."""
    gathered: list[Ints] = [np.array([-1])]
    for one in segments:
        rows = distinct_values(text.source.segment(one).astype(np.int64)) * text.width
        columns = distinct_values(text.target.segment(one).astype(np.int64))
        gathered.append((rows[:, None] + columns).ravel())
    return distinct_values(np.concatenate(gathered))


def _number_pairs(folder: Path, drafts: Ints, edges: Ints, jobs: int) -> None:
    """Merge the pairs of all drafts, a range of source words at a time, and number them.

    Each draft is in order, so its part of a range is one piece of the file.
    """
    cuts = shared_array((len(drafts) - 1) * len(edges), np.int64).reshape(-1, len(edges))
    before = shared_array(len(edges), np.int64)

    def merge(team: Team) -> None:
        for number in team.share(len(cuts)):
            start, stop = drafts[number : number + 2].tolist()
            cuts[number] = start + np.searchsorted(_draft(folder, start, stop), edges)
        for number in team.share(len(edges) - 1, 1):
            places = cuts[:, number : number + 2].tolist()
            pieces = [_draft(folder, *place) for place in places]
            distinct = distinct_values(np.concatenate(pieces))
            with team.turn():
                first = int(before[number])
                before[number + 1] = first + len(distinct)
            write_array(folder / "keys", distinct, first)
            with (folder / "pairs").open("r+b") as pairs:
                for piece, (start, _) in zip(pieces, places, strict=True):
                    pairs.seek(start * np.dtype(np.int32).itemsize)
                    pairs.write((first + np.searchsorted(distinct, piece)).astype(np.int32).data)

    work_together(merge, min(jobs, len(edges) - 1), *WHAT_IS_EXPECTED)


def _ranges(counts: Ints, width: int) -> Ints:
    """Keys between which all drafts together have about as many pairs as are merged at once.

    `counts` are those of the pairs of each source word.
    """
    share = np.cumsum(counts) // _KEYS_AT_ONCE
    inner = 1 + np.flatnonzero(share[1:] != share[:-1])
    return np.concatenate([[-1], inner * width, [len(counts) * width]]).astype(np.int64)


def _draft(folder: Path, start: int, stop: int) -> Ints:
    return read_array(folder / "draft", np.int64, stop - start, start)


def distinct_values(values: Ints) -> Ints:
    """The different values in order; for many numbers faster than `np.unique`, which hashes, and
    for few without the masked arrays that it imports."""
    values.sort()
    new = np.append(True, values[1:] != values[:-1])[: len(values)]
    return np.asarray(values[new])
