"""Results of steps on disk, found again by the content of what they were made from.

A step's name and the key of its inputs and options make the file name. A result is complete when
it exists (it is moved into place) with a checksum that fits, so an interrupted run goes on with the
first missing one, and a damaged one is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.files.digest import sha256_of
from crosspro.data_prep.core.files.json_text import parse_json
from crosspro.data_prep.core.files.temporary import temporary_folder
from crosspro.data_prep.core.files.textfile import (
    atomic_output,
    make_folder,
    read_lines,
    write_text,
)

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
