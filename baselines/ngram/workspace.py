"""Large arrays for estimation: in memory while they are small, else in files that are mapped."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
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
