"""An output that is an input is refused, and people's verdicts are never replaced.

While a command runs (`guarded`), every file that it names as input or opens for reading is noted by
its identity on the disk, so links and other spellings of a path make no difference.
`files.atomic_output` asks here before it writes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from crosspro.data_prep.core.errors import input_error

_SQLITE = b"SQLite format 3\0"
"""The only databases are those of verdicts."""

_Identity = tuple[int, int]
_inputs: dict[_Identity, Path] | None = None


@contextmanager
def guarded() -> Iterator[None]:
    """Note the inputs of a command while the block runs."""
    global _inputs
    before, _inputs = _inputs, {}
    try:
        yield
    finally:
        _inputs = before


def note_input(path: Path) -> None:
    """Remember a file that the command must not write over."""
    identity = _identity(path)
    if _inputs is not None and identity is not None:
        _inputs[identity] = path


def check_not_input(path: Path) -> None:
    """Raise if a file is an input of the command that runs."""
    identity = _identity(path)
    if _inputs is None or identity is None:
        return
    noted = _inputs.get(identity)
    # The identity of a deleted input may belong to another file by now.
    if noted is not None and _identity(noted) == identity:
        found = "an input of this command" + ("" if noted == path else f" ({noted})")
        raise input_error(path, "output", "a file of its own", found)


def check_apart(paths: Iterable[Path]) -> None:
    """Raise if two outputs are the same file, so that one would be lost."""
    seen: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if real in seen and (not os.path.lexists(real) or _identity(path) is not None):
            raise input_error(path, "output", "a file of its own", "another output")
        seen.add(real)


def check_output(path: Path) -> None:
    """Raise if a file may not be replaced."""
    check_not_input(path)
    if _identity(path) is not None:
        with path.open("rb") as handle:
            if handle.read(len(_SQLITE)) == _SQLITE:
                found = "a database, which is never replaced"
                raise input_error(path, "output", "another file", found)


def _identity(path: Path) -> _Identity | None:
    """Device and inode of a regular file; other files (devices, pipes) are written to freely."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
