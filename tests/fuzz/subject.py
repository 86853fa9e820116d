"""What the campaign tries: a reader with valid inputs, and what must hold for every other input.

An input is a set of files. A subject's `read` gets the folder that holds them; it raises the
project's own errors for what it refuses, and `DifferenceError` where something was taken in and
came out as something else. Anything else that it raises is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Files = Mapping[str, bytes]
"""The files of an input by their paths inside its folder."""


class DifferenceError(Exception):
    """Input that was accepted, but means something else than what was given."""


@dataclass(frozen=True)
class Subject:
    """A reader, a saved form or a set of commands.

    `changed` names the files that are mutated (all, if there are none). What is read from damaged
    files must be equal to what their original gives if `sealed`, because a checksum says so;
    `rewritten`, also from files that were taken apart and put together again. `share` is how many
    inputs it gets in a round: fewer where one takes long.
    """

    name: str
    originals: tuple[Files, ...]
    read: Callable[[Path], Any]
    changed: tuple[str, ...] = ()
    sealed: bool = False
    rewritten: bool = False
    share: int = 1000
    words: tuple[bytes, ...] = ()
    """Words of the format, which mutations put where they do not belong."""
    draw: Callable[..., Files] | None = None
    """Makes an input from a random generator where mutation of files is not enough."""
    tidy: Callable[[Path], None] = field(default=lambda folder: None)
    """Removes what `read` leaves in the folder."""


def files_of(folder: Path) -> dict[str, bytes]:
    """The content of all files under a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write_files(folder: Path, files: Files) -> None:
    """Put files into a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def require(condition: bool, what: str) -> None:
    """Raise `DifferenceError` unless a condition holds."""
    if not condition:
        raise DifferenceError(what)


def round_trip(
    read: Callable[[Path], Any], write: Callable[[Path, Any], None], name: str
) -> Callable[[Path], Any]:
    """A reading of a file after which what was accepted is written, read again and compared."""

    def there_and_back(folder: Path) -> Any:
        found = read(folder / name)
        copy = folder / f"copy.{name}"
        try:
            write(copy, found)
            require(read(copy) == found, f"{name} is not what its own writer makes of it")
        finally:
            copy.unlink(missing_ok=True)
        return found

    return there_and_back


def every(items: Iterable[Any]) -> list[Any]:
    """All items of a reader that is an iterator."""
    return list(items)
