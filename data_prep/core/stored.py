"""Stored arrays, and a cache for the results of steps.

A result is named by the content it was made from and moved into place when it is complete, so an
interrupted run goes on with the first step that has no result.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.files import atomic_output, make_folder, sha256_of

Arrays = dict[str, NDArray[Any]]

_DAMAGE = (
    AttributeError, MemoryError, OverflowError, SyntaxError, TokenError, TypeError,
    lzma.LZMAError, struct.error, zlib.error,
)  # fmt: skip
"""Raised by zipfile and numpy for damaged files, beside the exceptions that they document."""


def read_npz(path: Path) -> Arrays:
    """All arrays of a file by name; raises `ValueError` (or what zipfile raises) for a bad file.

    Pickled objects and fractions that are not finite are refused.
    """
    try:
        with np.load(path, allow_pickle=False) as members:
            arrays = {name: members[name] for name in members.files}
        for name, values in arrays.items():
            check_finite(name, values)
    except _DAMAGE as error:
        raise ValueError(f"a damaged array: {error}") from error
    return arrays


def check_finite(name: str, values: NDArray[Any]) -> None:
    if values.dtype.kind in "fc" and not np.isfinite(values).all():
        wrong = int(np.count_nonzero(~np.isfinite(values)))
        raise ValueError(f"{name} has {wrong:,} of {values.size:,} numbers that are not finite")


def content_key(*parts: Any) -> str:
    """A digest of plain values, dataclasses and files (as `Path`).

    An iterator counts as the list of its items, which is never held in memory.
    """
    digest = hashlib.blake2b(digest_size=10)
    for part in parts:
        if isinstance(part, Path):
            digest.update(f"file {sha256_of(part)}\n".encode())
        elif isinstance(part, Iterator):
            digest.update(b"[")
            for number, item in enumerate(part):
                digest.update((b", " if number else b"") + _json(item))
            digest.update(b"]\n")
        else:
            value = asdict(part) if is_dataclass(part) and not isinstance(part, type) else part
            digest.update(_json(value) + b"\n")
    return digest.hexdigest()


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False).encode()


class Cache:
    """A folder of results: the file STEP.KEY is there when it is complete."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        make_folder(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the folder if it is empty, as after a fault in the input."""
        with suppress(OSError):
            self.folder.rmdir()

    def path(self, step: str, key: str) -> Path:
        """Where the result of a step is, or will be."""
        return self.folder / f"{step}.{key}"

    def lines(self, step: str, key: str, make: Callable[[], Iterable[str]]) -> Path:
        """A text file, written piece by piece unless it is there."""
        path = self.path(step, key)
        if not path.is_file():
            with atomic_output(path) as handle:
                for text in make():
                    handle.write(text.encode("utf-8"))
        return path
