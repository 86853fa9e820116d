"""Large arrays, in memory or in mapped files, and the index that finds n-grams in them.

All pairs of a context and a word are in one table of hash buckets, about one pair in each, with the
node of the two together. Thousands of pairs are looked up at once, in as many steps as the fullest
bucket has entries.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import temporary_folder

ARRAYS = 64
"""An array larger than the memory limit divided by this is a file. Some 30 are alive at once, so
that they take half of the memory at most; sorting takes the other half."""
BYTES_PER_SORTED = 48
"""What sorting one number takes, with its index and the arrays around it."""
BLOCK = 1 << 20
"""Arithmetic goes over arrays in blocks of this length."""


class Workspace:
    """A temporary folder and a memory limit in bytes."""

    def __init__(self, folder: Path, memory: int) -> None:
        self.folder = folder
        self.memory = memory
        self.names = map("array{}".format, count())

    def new_file(self) -> Path:
        """A name for a file that goes when the workspace goes."""
        return self.folder / next(self.names)

    def empty(self, length: int, dtype: DTypeLike) -> NDArray[Any]:
        """A new array with any content."""
        if self.fits(length, dtype):
            return np.empty(length, dtype)
        path = self.new_file()
        _reserve(path, length * np.dtype(dtype).itemsize)
        mapped = np.memmap(path, dtype, "r+", shape=(length,))
        with suppress(OSError):  # without a name, the file goes when the array goes
            path.unlink()
        return mapped

    def zeros(self, length: int, dtype: DTypeLike) -> NDArray[Any]:
        """A new array of zeros (a new file reads as zeros, too)."""
        return np.zeros(length, dtype) if self.fits(length, dtype) else self.empty(length, dtype)

    def load(self, path: Path, dtype: DTypeLike) -> NDArray[Any]:
        """The array that a file holds."""
        length = path.stat().st_size // np.dtype(dtype).itemsize
        if self.fits(length, dtype):
            return np.fromfile(path, dtype)
        return np.memmap(path, dtype, "r+")

    def fits(self, length: int, dtype: DTypeLike) -> bool:
        """Whether an array may be in memory; an empty one must be, as files cannot be mapped."""
        return not length or length * np.dtype(dtype).itemsize <= self.memory // ARRAYS

    @property
    def chunk(self) -> int:
        """How many numbers may be sorted at once."""
        return max(16, self.memory // 2 // BYTES_PER_SORTED)

    def blocks(self, length: int) -> Iterator[slice]:
        """Slices that cover an array, each small enough for arithmetic in memory."""
        step = min(BLOCK, self.chunk)
        for start in range(0, length, step):
            yield slice(start, min(start + step, length))


def _reserve(path: Path, size: int) -> None:
    """Make a file of zeros that has its place on the disk.

    Writing into a mapped file that finds no place kills the process, so it must be had before.
    """
    try:
        with path.open("wb") as handle:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(handle.fileno(), 0, size)
            else:
                for start in range(0, size, BLOCK):
                    handle.write(bytes(min(BLOCK, size - start)))
    except OSError as error:
        path.unlink(missing_ok=True)
        free = shutil.disk_usage(path.parent).free
        found = f"{error.strerror} ({free:,} bytes are free)"
        raise input_error(
            path.parent, "temporary folder", f"room for {size:,} bytes", found
        ) from error


@contextmanager
def workspace(memory: int, folder: Path | None = None) -> Iterator[Workspace]:
    """A workspace in a temporary folder, inside `folder` if given, that is removed at the end."""
    where = folder or Path(tempfile.gettempdir())
    with ExitStack() as stack:
        try:
            place = stack.enter_context(temporary_folder(where, "lm"))
        except OSError as error:
            raise input_error(where, "temporary folder", "a writable folder", str(error)) from error
        yield Workspace(place, memory)


IntArray = NDArray[np.int64]

_MULTIPLIERS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_BUCKETS = 1 << 22
"""Buckets that are sorted together, at most."""


@dataclass(frozen=True, slots=True)
class Index:
    """Pairs as keys (context times vocabulary size plus word), and the node of each.

    The pairs of bucket b are the entries from `starts[b]` to `starts[b + 1]`.
    """

    starts: NDArray[np.uint32]
    keys: IntArray
    nodes: NDArray[np.uint32]

    @classmethod
    def of(cls, keys: IntArray) -> Index:
        """The index of keys whose nodes are 0, 1, 2, …"""
        places = bucket_of(keys, len(keys))
        order = _order(places)
        starts = np.append(0, np.cumsum(np.bincount(places, minlength=len(keys))))
        return cls(starts.astype(np.uint32), keys[order], order.astype(np.uint32))

    def find(self, keys: IntArray) -> IntArray:
        """The node of each key, 0 where there is none."""
        nodes = np.zeros(len(keys), np.int64)
        if not len(self.keys):
            return nodes
        buckets = bucket_of(keys, len(self.starts) - 1)
        entries = self.starts.take(buckets).astype(np.int64)
        # The first entry is compared even if the bucket is empty: another bucket's key differs.
        same = self.keys.take(entries, mode="clip") == keys
        hits = np.flatnonzero(same)
        nodes[hits] = self.nodes.take(entries.take(hits))
        places = np.flatnonzero(~same)
        entries = entries.take(places) + 1
        ends = self.starts.take(buckets.take(places) + 1)
        left = np.flatnonzero(entries < ends)
        while len(left):
            places, entries, ends = places.take(left), entries.take(left), ends.take(left)
            same = self.keys.take(entries) == keys.take(places)
            hits = np.flatnonzero(same)
            nodes[places.take(hits)] = self.nodes.take(entries.take(hits))
            entries += 1
            left = np.flatnonzero(~same & (entries < ends))
        return nodes


def bucket_of(keys: IntArray, buckets: int) -> IntArray:
    """The bucket of each key: a well-mixed 32-bit hash, scaled to the number of buckets."""
    places = mixed(keys.view(np.uint64))
    places >>= _HALF
    places *= np.uint64(buckets)
    places >>= _HALF
    return places.view(np.int64)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Other numbers, different ones for different ones, whose upper halves look random."""
    found = numbers * _MULTIPLIERS[0]
    found ^= found >> _HALF
    found *= _MULTIPLIERS[1]
    return found


def build_index(
    parts: Callable[[], Iterable[tuple[int, IntArray]]], total: int, space: Workspace
) -> Index:
    """The index of `total` keys, which come in parts with the node of their first key.

    Only some buckets are sorted at a time, so that sorting needs less memory than the index; the
    parts are asked for once for each range of buckets.
    """
    buckets = max(1, total)
    starts = space.empty(buckets + 1, np.uint32)
    index = Index(starts, space.empty(total, np.int64), space.empty(total, np.uint32))
    starts[0] = 0
    done = 0
    step = min(_BUCKETS, space.chunk)
    for low in range(0, buckets, step):
        high = min(low + step, buckets)
        chosen = [_in_range(first, keys, buckets, low, high) for first, keys in parts()]
        keys, nodes, places = (np.concatenate(column) for column in zip(*chosen, strict=True))
        order = _order(places)
        filled = slice(done, done + len(order))
        index.keys[filled] = keys[order]
        index.nodes[filled] = nodes[order]
        sizes = np.bincount(places - low, minlength=high - low)
        starts[low + 1 : high + 1] = done + np.cumsum(sizes)
        done += len(order)
    return index


def _order(buckets: IntArray) -> IntArray:
    """The places of keys, sorted by their buckets.

    One sort of bucket and place in a single number is much faster than sorting places.
    """
    return np.sort((buckets << 32) | np.arange(len(buckets))) & 0xFFFFFFFF


def _in_range(
    first: int, keys: IntArray, buckets: int, low: int, high: int
) -> tuple[IntArray, NDArray[np.uint32], IntArray]:
    places = bucket_of(keys, buckets)
    chosen = np.flatnonzero((places >= low) & (places < high))
    return keys[chosen], (chosen + first).astype(np.uint32), places[chosen]
