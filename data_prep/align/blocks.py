"""Segments in batches of similar length, with the number of every pair of words.

Batches are gathered in blocks: inside a block pairs have small numbers of their own, so that
training reads and counts in tables that fit the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from crosspro.data_prep.align.text import Ints, NumberedBitext, Numbers, PairKeys, TextSide

_BUCKET = 4
_BATCH_CELLS = 2**18
_BLOCK_CELLS = 2**20
_KEYS_AT_ONCE = 2**20


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
class Block:
    """Batches with a common numbering: `pairs` translates it into that of the whole text."""

    pairs: Numbers
    batches: list[SegmentBatch]


@dataclass(frozen=True, slots=True)
class PairedText:
    """A text ready for training: its words, the pairs that meet, and its blocks."""

    text: NumberedBitext
    keys: PairKeys
    blocks: list[Block]

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


def paired_text(text: NumberedBitext, report: Callable[[int, int], None]) -> PairedText:
    """Number the pairs of a text; `report` is called with how much of it is done."""
    drafts: list[tuple[Ints, list[SegmentBatch]]] = []
    keys, waiting = np.array([-1]), [np.empty(0, np.int64)]
    batches = list(_batched_segments(text))
    for done, block in enumerate(batches):
        report(done, len(batches))
        drafts.append(_numbered_block(text, block))
        waiting.append(drafts[-1][0])
        if sum(map(len, waiting)) > max(len(keys), _KEYS_AT_ONCE):
            keys, waiting = distinct_values(np.concatenate([keys, *waiting])), []
    for segments in _outside(text):
        waiting.append(_outside_pairs(text, segments))
    keys = distinct_values(np.concatenate([keys, *waiting]))
    blocks = [
        Block(np.searchsorted(keys, distinct).astype(np.int32), block) for distinct, block in drafts
    ]
    return PairedText(text, PairKeys(keys, text.width), blocks)


def _batched_segments(text: NumberedBitext) -> Iterator[list[Ints]]:
    """The segments of each batch, gathered into blocks."""
    left, right = text.source.lengths, text.target.lengths
    segments = text.inside
    segments = segments[np.lexsort((right[segments], left[segments] // _BUCKET))]
    block: list[Ints] = []
    cells = start = 0
    while start < len(segments):
        first = segments[start]
        width, height = left[first] // _BUCKET, right[first]
        most = int(_BATCH_CELLS // ((width + 1) * _BUCKET * (height + _BUCKET))) or 1
        near = segments[start : start + most]
        alike = (left[near] // _BUCKET == width) & (
            right[near] <= max(height + _BUCKET, int(height * 1.15))
        )
        batch = near if alike.all() else near[: int(np.argmin(alike))]
        block.append(batch)
        cells += len(batch) * int(left[batch].max()) * int(right[batch].max())
        start += len(batch)
        if cells >= _BLOCK_CELLS:
            yield block
            block, cells = [], 0
    if block:
        yield block


def _numbered_block(text: NumberedBitext, block: list[Ints]) -> tuple[Ints, list[SegmentBatch]]:
    """The different pairs of a block in order, and its batches with their numbers as cells."""
    padded = [(text.source.padded(batch), text.target.padded(batch)) for batch in block]
    keys = np.empty(1 + sum(s.size * t.shape[1] for s, t in padded), np.int64)
    keys[0] = -1  # so that number 0 is no pair in every block
    start = 1
    for source, target in padded:
        stop = start + source.size * target.shape[1]
        part = keys[start:stop].reshape(target.shape[1], *source.shape)
        np.add(source[None, :, :].astype(np.int64) * text.width, target.T[:, :, None], out=part)
        part[(source[None, :, :] < 0) | (target.T[:, :, None] < 0)] = -1
        start = stop
    distinct, numbers = _numbered(keys)
    batches, start = [], 1
    for segments, (source, target) in zip(block, padded, strict=True):
        stop = start + source.size * target.shape[1]
        cells = numbers[start:stop].reshape(target.shape[1], *source.shape)
        batches.append(SegmentBatch(segments, source, target, cells))
        start = stop
    return distinct, batches


def _numbered(keys: Ints) -> tuple[Ints, Numbers]:
    """The different keys in order, and the number of each key among them; the keys are used up.

    Where a key and its place fit into one number, that is sorted, in a fifth of the time and half
    the memory of sorting places by keys.
    """
    bits = len(keys).bit_length()
    if (int(keys.max()) + 2).bit_length() + bits > 63:
        distinct, inverse = np.unique(keys, return_inverse=True)
        return distinct, inverse.astype(np.int32)
    keys += 1
    keys <<= bits
    keys |= np.arange(len(keys))
    keys.sort()
    places = keys & ((1 << bits) - 1)
    keys >>= bits
    keys -= 1
    new = np.append(True, keys[1:] != keys[:-1])
    numbers = np.empty(len(keys), np.int32)
    numbers[places] = np.cumsum(new) - 1
    return keys[new], numbers


def _outside(text: NumberedBitext) -> Iterator[list[int]]:
    """Segments that stand in no block, some at a time."""
    segments: list[int] = []
    cells = 0
    for segment in text.outside.tolist():
        segments.append(segment)
        cells += int(text.source.lengths[segment]) * int(text.target.lengths[segment])
        if cells > _BLOCK_CELLS:
            yield segments
            segments, cells = [], 0
    yield segments


def _outside_pairs(text: NumberedBitext, segments: list[int]) -> Ints:
    """The different pairs of some segments."""
    gathered: list[Ints] = [np.empty(0, np.int64)]
    for segment in segments:
        rows = distinct_values(text.source.segment(segment).astype(np.int64)) * text.width
        columns = distinct_values(text.target.segment(segment).astype(np.int64))
        gathered.append((rows[:, None] + columns).ravel())
    return distinct_values(np.concatenate(gathered))


def distinct_values(values: Ints) -> Ints:
    """The different values in order; for many numbers faster than `np.unique`, which hashes, and
    for few without the masked arrays that it imports."""
    values.sort()
    new = np.append(True, values[1:] != values[:-1])[: len(values)]
    return np.asarray(values[new])
