"""What lies on the disk between steps: arrays, sequences that need not be in memory, results.

`read_npz` gives the arrays of a file if they are no larger than it can honestly hold. A few bytes
of a compressed file can stand for gigabytes, and the head of an array can ask for more memory than
follows it; both are looked at before any array is read, and nothing in a file is ever run.

A `Stored` sequence is for texts that are read several times. Its items are bytes in a file without
a name, which the system removes with the process whatever ends it; a second such file has the place
where each item ends. Slices are views. Neighbouring items are read together, others one by one.

A `Cache` has results of steps, found again by the content of what they were made from. A step's
name and the key of its inputs and options make the file name. A result is complete when it exists
(it is moved into place) with a checksum that fits, so an interrupted run goes on with the first
missing one, and a damaged one is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import lzma
import math
import os
import shutil
import struct
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, Generic, Self, TypeVar, overload
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crosspro.data_prep.core.files import (
    atomic_output,
    make_folder,
    parse_json,
    read_lines,
    sha256_of,
    temporary_folder,
    write_text,
)
from crosspro.data_prep.core.limits import ARRAY_BYTES, PACKED_TIMES, how_to_allow_more

_OF_DAMAGE = (struct.error, lzma.LZMAError, TokenError, SyntaxError, TypeError, OverflowError)
"""What zipfile and numpy raise for damage beside what they say they raise."""


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays by name; raises `ValueError` (or what zipfile and numpy raise) for a bad file.

    A fraction that is no finite number is one more fault: nobody writes such weights or counts.
    """
    try:
        return _arrays(path)
    except _OF_DAMAGE as error:
        raise ValueError(f"a damaged array: {error}") from error


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    limit = max(ARRAY_BYTES.most(), PACKED_TIMES.most() * path.stat().st_size)
    with ZipFile(path) as members:
        size = sum(member.file_size for member in members.infolist())
        if size > limit:
            found = f"arrays of {size:,} bytes in a file of {path.stat().st_size:,}"
            raise ValueError(f"{found}, not at most {limit:,} ({how_to_allow_more()})")
        return {
            member.filename.removesuffix(".npy"): _read(members, member.filename, member.file_size)
            for member in members.infolist()
        }


def _read(members: ZipFile, name: str, size: int) -> NDArray[Any]:
    with members.open(name) as handle:
        version = npy.read_magic(handle)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"{name}: an array of version {version}")
        read_head = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, kind = read_head(handle)
        asked = math.prod(shape) * kind.itemsize + handle.tell()
        if asked != size:
            raise ValueError(f"{name}: an array of {asked:,} bytes where there are {size:,}")
    with members.open(name) as handle:
        array: NDArray[Any] = npy.read_array(handle, allow_pickle=False)
    check_finite(name.removesuffix(".npy"), array)
    return array


def check_finite(name: str, array: NDArray[Any]) -> None:
    """Raise a `ValueError` if an array of fractions has one that is no finite number."""
    if array.dtype.kind in "fc" and not np.isfinite(array).all():
        wrong = int(np.count_nonzero(~np.isfinite(array)))
        raise ValueError(f"{name} has {wrong:,} of {array.size:,} numbers that are not finite")


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


Arrays = dict[str, NDArray[Any]]

_DIGESTS = "sha256.json"
"""The checksums of the arrays of a step, beside them in its folder."""


def content_key(*parts: Any) -> str:
    """A short name for a combination of plain values, dataclasses and files (as `Path`).

    An iterator stands for the list of its items, which is never held in memory.
    """
    digest = hashlib.blake2b(digest_size=10)
    for part in parts:
        if isinstance(part, Path):
            digest.update(f"file {file_digest(part)}\n".encode())
        elif isinstance(part, Iterator):
            separator = b"["
            for item in part:
                digest.update(separator + _json(item))
                separator = b", "
            digest.update(b"]\n" if separator == b", " else b"[]\n")
        else:
            value = asdict(part) if is_dataclass(part) and not isinstance(part, type) else part
            digest.update(_json(value) + b"\n")
    return digest.hexdigest()


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False).encode()


def file_digest(path: Path) -> str:
    """A digest of a file's (decompressed) content."""
    digest = hashlib.blake2b(digest_size=16)
    for line in read_lines(path, binary=True):
        digest.update(line)
    return digest.hexdigest()


class Cache:
    """A folder of finished steps."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        make_folder(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the folder if nothing is in it, as after a fault in the input."""
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def path(self, step: str, key: str) -> Path:
        """Where the result of a step is, or will be."""
        return self.folder / f"{step}.{key}"

    def has_text(self, step: str, key: str) -> bool:
        """Whether the text of a step is there, undamaged."""
        path = self.path(step, key)
        with contextlib.suppress(OSError, ValueError):
            return sha256_of(path) == _digest_file(path).read_text("ascii").strip()
        return False

    def text(self, step: str, key: str, make: Callable[[], str]) -> Path:
        """The result of a step, made now if it is not there or damaged."""
        return self.lines(step, key, lambda: [make()])

    def lines(self, step: str, key: str, make: Callable[[], Iterable[str]]) -> Path:
        """The same for a result that comes in pieces, and is written as they come."""
        path = self.path(step, key)
        if not self.has_text(step, key):
            digest = hashlib.sha256()
            with atomic_output(path) as handle:
                for text in make():
                    raw = text.encode("utf-8")
                    digest.update(raw)
                    handle.write(raw)
            write_text(_digest_file(path), digest.hexdigest() + "\n")
        return path

    def arrays(
        self,
        step: str,
        key: str,
        names: Iterable[str],
        make: Callable[[], Mapping[str, NDArray[Any]]],
    ) -> Arrays:
        """The arrays of a step by name, memory-mapped from a folder; a damaged one is made anew."""
        names = tuple(names)
        place = self.path(step, key)
        if place.is_dir():
            with contextlib.suppress(OSError, EOFError, ValueError):
                return _mapped(place, names)
            shutil.rmtree(place, ignore_errors=True)
        made = make()
        with temporary_folder(self.folder, place.name) as temporary:
            files = {name: temporary / f"{name}.npy" for name in names}
            for name, file in files.items():
                np.save(file, made[name], allow_pickle=False)
            digests = {name: sha256_of(file) for name, file in files.items()}
            write_text(temporary / _DIGESTS, json.dumps(digests))
            with contextlib.suppress(OSError):  # another process was quicker: the same arrays
                temporary.rename(place)
        return _mapped(place, names)


def _digest_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _mapped(place: Path, names: Iterable[str]) -> Arrays:
    """The arrays of a folder; raises `OSError` or `ValueError` if any is not as it was written."""
    digests = parse_json((place / _DIGESTS).read_text("ascii"))
    files = {name: place / f"{name}.npy" for name in names}
    if digests != {name: sha256_of(file) for name, file in files.items()}:
        raise ValueError("checksums differ")
    return {name: np.load(file, mmap_mode="r", allow_pickle=False) for name, file in files.items()}
