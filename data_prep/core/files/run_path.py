"""What may stand where a run is asked for: its folder, or an archive of `crosspro models`."""

from __future__ import annotations

from pathlib import Path

_BEGINNING = b"PK\x03\x04"


def is_archive(path: Path) -> bool:
    """Whether a file begins as archives do; whether it is one of ours is seen when it is read."""
    try:
        if not path.is_file():  # a pipe can be read once
            return False
        with path.open("rb") as handle:
            return handle.read(len(_BEGINNING)) == _BEGINNING
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return False


def is_run(path: Path) -> bool:
    """Whether a path stands for a trained system, and not for a file of data."""
    return path.is_dir() or is_archive(path)
