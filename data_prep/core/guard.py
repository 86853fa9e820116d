"""What a command must never write over: its own inputs, and files that hold verdicts of people.

While a command runs (`guarded`), every file that it names as input or opens for reading is noted
by its identity on the disk, so that a link or another spelling of the path makes no difference.
`atomic_output` asks here before it writes; no command has to think of it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from crosspro.data_prep.core.errors import input_error

_sheets: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
"""The first and the last columns of tables that people fill in."""

_SQLITE = b"SQLite format 3\0"
_LONGEST_HEADING = 10_000

_Identity = tuple[int, int]
_inputs: dict[_Identity, Path] | None = None
_piped: dict[_Identity, bytes] | None = None
"""What came through the pipes that were read: a command may read an input more than once."""


@contextmanager
def guarded() -> Iterator[None]:
    """Note the inputs of a command while the block runs."""
    global _inputs, _piped
    before, _inputs, _piped = (_inputs, _piped), {}, {}
    try:
        yield
    finally:
        _inputs, _piped = before


def protect_sheets(first: tuple[str, ...], filled_in: tuple[str, ...]) -> None:
    """Never replace a table with these first and last columns if there is a word in the last."""
    if (first, filled_in) not in _sheets:
        _sheets.append((first, filled_in))


def note_input(path: Path) -> None:
    """Remember a file of a command that must not be written over."""
    if _inputs is not None:
        identity = _identity(path)
        if identity is not None and _known_input(identity) is None:
            _inputs[identity] = path


def is_pipe(path: Path) -> bool:
    """Whether what is there can be read once only: a pipe (also /dev/stdin, or what a shell makes
    of `<(…)`), a socket, or a device such as a terminal."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def kept_pipe(path: Path, read: Callable[[], bytes]) -> bytes:
    """What comes through a pipe, read when it is first asked for; without a command, each time."""
    if _piped is None:
        return read()
    found = path.stat()
    identity = found.st_dev, found.st_ino
    if identity not in _piped:
        _piped[identity] = read()
    return _piped[identity]


def check_not_input(path: Path) -> None:
    """Raise if a file is an input of the command that runs."""
    identity = _identity(path)
    other = None if identity is None else _known_input(identity)
    if other is not None:
        found = "an input of this command" + ("" if other == path else f" ({other})")
        raise input_error(path, "output", "a file of its own", found)


def _known_input(identity: _Identity) -> Path | None:
    """The input that is this file; the number of a file that is gone may belong to another."""
    path = None if _inputs is None else _inputs.get(identity)
    return path if path is not None and _identity(path) == identity else None


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
    if _identity(path) is not None and (is_database(path) or is_filled_in(path)):
        found = "a file with verdicts of people, which is never replaced"
        raise input_error(path, "output", "another file", found)


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database; the only ones that there are hold verdicts."""
    try:
        with path.open("rb") as handle:
            return handle.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def is_filled_in(path: Path) -> bool:
    """Whether a file is a review file or a sheet in which somebody has written."""
    import csv  # these are for outputs that exist already, and every command imports this module
    import lzma
    import zlib

    try:
        with _opened(path) as content:
            return _has_verdicts(content)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, csv.Error):
        return False


def _has_verdicts(content: IO[bytes]) -> bool:
    import csv

    first = content.readline(_LONGEST_HEADING).decode("utf-8-sig", "replace")
    heading = first.replace('"', "").split()
    for known, written in _sheets:
        if (*heading[: len(known)], *heading[-len(written) :]) == known + written:
            filled = len(heading) - len(written)
            break
    else:
        return False
    lines = (line.decode("utf-8", "replace") for line in content)
    rows = csv.reader(lines, delimiter="\t")
    return any(cell.strip() for cells in rows for cell in cells[filled:])


def _opened(path: Path) -> IO[bytes]:
    import gzip
    import lzma

    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    if path.suffix == ".xz":
        return cast(IO[bytes], lzma.open(path, "rb"))
    return path.open("rb")


def _identity(path: Path) -> _Identity | None:
    """What a regular file is, whatever it is called; devices and pipes are written to freely."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
