"""Temporary files and folders for output; what a killed process left behind is removed.

Something temporary is locked while its process lives. The lock goes with the process, however that
ends, so that the next one that writes into a folder can tell what nobody needs any more.
"""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_MARK = ".crosspro"
"""How names of temporary files and folders end; they begin with a dot."""


def temporary_file(folder: Path, name: str) -> tuple[int, Path]:
    """A new file in a folder, open and locked, for what will be moved to `name`."""
    remove_left_behind(folder)
    while True:
        descriptor, made = tempfile.mkstemp(prefix=f".{name}.", suffix=_MARK, dir=folder)
        if _lock(descriptor, made):
            return descriptor, Path(made)
        os.close(descriptor)


@contextmanager
def temporary_folder(parent: Path, name: str) -> Iterator[Path]:
    """A new folder, which is gone after the block unless it was moved."""
    remove_left_behind(parent)
    while True:
        made = tempfile.mkdtemp(prefix=f".{name}.", suffix=_MARK, dir=parent)
        with suppress(FileNotFoundError):
            descriptor = os.open(made, os.O_RDONLY)
            if _lock(descriptor, made):
                break
            os.close(descriptor)
    try:
        yield Path(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(descriptor)


@functools.cache
def remove_left_behind(folder: Path) -> None:
    """Remove what killed processes left in a folder; a process does so once for each folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(_MARK):
                with suppress(OSError):  # somebody else's, or just gone
                    _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: in use
        if os.path.isdir(path):  # noqa: PTH112 - as the entry gave it
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)  # noqa: PTH108
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: str) -> bool:
    """Lock what was just made; False if somebody took it for left behind before that."""
    with suppress(OSError):  # a file system without locks: nobody removes anything there
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path))  # noqa: PTH116
    return False
