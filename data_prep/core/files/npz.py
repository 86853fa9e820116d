"""The arrays of an .npz file, if they are no larger than the file can honestly hold.

A few bytes of a compressed file can stand for gigabytes, and the head of an array can ask for more
memory than follows it. Both are looked at before any array is read. Nothing in a file is ever run.
"""

from __future__ import annotations

import lzma
import math
import struct
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crosspro.data_prep.core.files.limits import ARRAY_BYTES

MOST_TIMES = 100
"""Arrays may be so many times as large as their file, where that is more than ARRAY_BYTES: counts
shrink to a tenth or so."""
_OF_DAMAGE = (struct.error, lzma.LZMAError, TokenError, SyntaxError, TypeError, OverflowError)
"""What zipfile and numpy raise for damage beside what they say they raise."""


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays by name; raises `ValueError` (or what zipfile and numpy raise) for a bad file.

    A fraction that is no finite number is one more fault: nobody writes such weights or counts.
    """
    try:
        return _arrays(path)
    except _OF_DAMAGE as error:
        raise ValueError(f"a damaged array: {error}") from error


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    limit = max(ARRAY_BYTES.most(), MOST_TIMES * path.stat().st_size)
    with ZipFile(path) as members:
        size = sum(member.file_size for member in members.infolist())
        if size > limit:
            found = f"arrays of {size:,} bytes in a file of {path.stat().st_size:,}"
            raise ValueError(f"{found}, not at most {limit:,} ({ARRAY_BYTES.hint})")
        return {
            member.filename.removesuffix(".npy"): _read(members, member.filename, member.file_size)
            for member in members.infolist()
        }


def _read(members: ZipFile, name: str, size: int) -> NDArray[Any]:
    with members.open(name) as handle:
        version = npy.read_magic(handle)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"{name}: an array of version {version}")
        read_head = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, kind = read_head(handle)
        asked = math.prod(shape) * kind.itemsize + handle.tell()
        if asked != size:
            raise ValueError(f"{name}: an array of {asked:,} bytes where there are {size:,}")
    with members.open(name) as handle:
        array: NDArray[Any] = npy.read_array(handle, allow_pickle=False)
    check_finite(name.removesuffix(".npy"), array)
    return array


def check_finite(name: str, array: NDArray[Any]) -> None:
    """Raise a `ValueError` if an array of fractions has one that is no finite number."""
    if array.dtype.kind in "fc" and not np.isfinite(array).all():
        wrong = int(np.count_nonzero(~np.isfinite(array)))
        raise ValueError(f"{name} has {wrong:,} of {array.size:,} numbers that are not finite")
