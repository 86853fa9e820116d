"""What is attacked: a reader with valid files, and what must hold for every other input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Files = Mapping[str, bytes]
"""The files of an input by their paths inside its folder."""


class Reader:
    """A function that reads files of a folder, and the valid files that are damaged for it.

    It refuses with the project's own errors; anything else that it raises is a failure.
    """

    def __init__(
        self,
        name: str,
        read: Callable[[Path], Any],
        *originals: Files,
        words: str = "",
        changed: tuple[str, ...] = (),
        sealed: bool = False,
        rewritten: bool = False,
        share: float = 1.0,
        tidy: str = "",
    ) -> None:
        """Describe a reader.

        `words` of the format (between commas) are put where they do not belong; `changed` names
        the files that are damaged, if not all. What is read from damaged files must be what their
        original gives if `sealed`, because a checksum says so; `rewritten`, also from files that
        were put together again. `share` of the examples is tried where one takes long; `tidy` is
        a pattern of files that `read` leaves behind.
        """
        self.name, self.read, self.originals = name, read, originals
        self.words = tuple(word.encode() for word in words.split(", ") if words)
        self.changed, self.sealed, self.rewritten = changed, sealed, rewritten
        self.share, self.tidy = share, tidy


def files_of(folder: Path) -> dict[str, bytes]:
    """The content of all files under a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write_files(folder: Path, files: Files) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def round_trip(
    read: Callable[[Path], Any], write: Callable[[Path, Any], None], name: str
) -> Callable[[Path], Any]:
    """A reading of a file after which what was accepted is written, read again and compared."""

    def there_and_back(folder: Path) -> Any:
        found = read(folder / name)
        copy = folder / f"copy.{name}"
        try:
            write(copy, found)
            assert read(copy) == found, f"{name} is not what its own writer makes of it"
        finally:
            copy.unlink(missing_ok=True)
        return found

    return there_and_back
