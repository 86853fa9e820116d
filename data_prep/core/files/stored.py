"""Sequences that lie on the disk: for texts that are read several times and need not be in memory.

The items of a `Stored` sequence are bytes in a file without a name, which the system removes with
the process whatever ends it; a second such file has the place where each item ends. Slices are
views. Neighbouring items are read together, others one by one.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")

_BLOCK = 1024
"""Items that are read together."""


class Stored(Sequence[Item]):
    """Items on the disk, in the order in which a `StoreWriter` was given them."""

    def __init__(
        self,
        content: IO[bytes],
        ends: NDArray[np.int64],
        decode: Callable[[bytes], Item],
        chosen: range,
    ) -> None:
        self._content = content
        self._ends = ends
        self._decode = decode
        self._chosen = chosen

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, index: int) -> Item: ...

    @overload
    def __getitem__(self, index: slice) -> Stored[Item]: ...

    def __getitem__(self, index: int | slice) -> Item | Stored[Item]:
        if isinstance(index, slice):
            return Stored(self._content, self._ends, self._decode, self._chosen[index])
        number = self._chosen[index]
        return next(self._items(number, number + 1))

    def __iter__(self) -> Iterator[Item]:
        if self._chosen.step != 1:
            for number in self._chosen:
                yield from self._items(number, number + 1)
            return
        for start in range(self._chosen.start, self._chosen.stop, _BLOCK):
            yield from self._items(start, min(start + _BLOCK, self._chosen.stop))

    def _items(self, start: int, stop: int) -> Iterator[Item]:
        first = int(self._ends[start - 1]) if start else 0
        ends = self._ends[start:stop].tolist()
        block = _read_at(self._content, first, ends[-1] - first)
        begin = 0
        for end in ends:
            yield self._decode(block[begin : end - first])
            begin = end - first


class StoreWriter(Generic[Item]):
    """Takes the items of a sequence one by one; `finish` gives the sequence."""

    def __init__(
        self, folder: Path, encode: Callable[[Item], bytes], decode: Callable[[bytes], Item]
    ) -> None:
        self._content = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - lives with the sequence
        self._ends = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._encode = encode
        self._decode = decode
        self._number = self._end = 0

    def add(self, item: Item) -> None:
        """The next item."""
        raw = self._encode(item)
        self._content.write(raw)
        self._end += len(raw)
        self._ends.write(self._end.to_bytes(8, sys.byteorder))
        self._number += 1

    def finish(self) -> Stored[Item]:
        """All items; no more can be added."""
        self._content.flush()
        self._ends.flush()
        ends: NDArray[np.int64] = np.zeros(0, np.int64)
        if self._number:
            ends = np.memmap(self._ends, np.int64, "r", shape=(self._number,))
        return Stored(self._content, ends, self._decode, range(self._number))


def store_sentences(folder: Path) -> StoreWriter[Sequence[str]]:
    """A store of tokenised sentences; no token may have a space in it."""
    return StoreWriter(folder, _joined, _split)


def store_names(folder: Path) -> StoreWriter[str | None]:
    """A store of names, such as those of documents; None is not the empty name."""
    return StoreWriter(folder, _marked, _unmarked)


def _joined(words: Sequence[str]) -> bytes:
    return " ".join(words).encode("utf-8")


def _split(raw: bytes) -> tuple[str, ...]:
    return tuple(raw.decode("utf-8").split(" ")) if raw else ()


def _marked(name: str | None) -> bytes:
    return b"" if name is None else b"=" + name.encode("utf-8")


def _unmarked(raw: bytes) -> str | None:
    return raw[1:].decode("utf-8") if raw else None


def _read_at(handle: IO[bytes], start: int, size: int) -> bytes:
    """Some bytes of a file; without moving its position where the system can, for a fork has the
    same one. Not by a memory map: what was read would count as memory of the process."""
    if sys.platform != "win32":
        return os.pread(handle.fileno(), size, start)
    handle.seek(start)
    return handle.read(size)
