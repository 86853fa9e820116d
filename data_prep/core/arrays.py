"""Stored arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def read_npz(path: Path | BinaryIO) -> Arrays:
    """All arrays of a file by name; a damaged file raises `ValueError`.

    Pickled objects and fractions that are not finite are refused.
    """
    try:
        with np.load(path, allow_pickle=False) as members:
            arrays = {name: members[name] for name in members.files}
    except OSError:
        raise
    except Exception as error:  # zipfile, zlib and numpy raise a dozen kinds for damaged files
        raise ValueError(f"a damaged file: {error}") from error
    for name, values in arrays.items():
        check_finite(name, values)
    return arrays


def check_finite(name: str, values: NDArray[Any]) -> None:
    if values.dtype.kind in "fc" and not np.isfinite(values).all():
        wrong = int(np.count_nonzero(~np.isfinite(values)))
        raise ValueError(f"{name} has {wrong:,} of {values.size:,} numbers that are not finite")
