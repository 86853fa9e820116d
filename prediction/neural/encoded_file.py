"""Encoded data as one small file, made on one machine to be learnt from on another.

Positions grow from entry to entry, so their steps are kept; of fields that number alike and differ
in few places, the differences. Both shrink to little. Loading runs no code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO
from zipfile import ZIP_LZMA, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.guard import note_input
from crosspro.data_prep.core.stored import read_npz
from crosspro.prediction.neural.encoding import EncodedData, Ints
from crosspro.prediction.neural.fields import Field
from crosspro.prediction.neural.flat_text import POSITIONS

_FIELD, _COLUMN, _LABEL = "field-", "gap-", "label"


def write_encoded(path: Path, data: EncodedData, fields: Sequence[Field]) -> None:
    """Write the arrays of these fields, none of which may be spelled."""
    arrays = {f"{_COLUMN}{name}": _steps(getattr(data, name)) for name in POSITIONS}
    arrays[_LABEL] = data.label
    for field, first in _with_first(fields):
        own = data.fields[field.name]
        arrays[f"{_FIELD}{field.name}"] = own if first is None else own - data.fields[first.name]
    with atomic_output(path) as handle, ZipFile(handle, "w", ZIP_LZMA) as archive:
        for name, array in arrays.items():
            about = ZipInfo(f"{name}.npy")  # without the time: the same data gives the same bytes
            about.compress_type = ZIP_LZMA
            with archive.open(about, "w", force_zip64=True) as member:
                _write(member, _smallest(array))


def read_encoded(path: Path, fields: Sequence[Field]) -> EncodedData:
    """The arrays of these fields; a damaged or foreign file is refused."""
    note_input(path)
    try:
        arrays = read_npz(path)
        columns = {name: _sums(arrays[f"{_COLUMN}{name}"]) for name in POSITIONS}
        found: dict[str, Ints] = {}
        for field, first in _with_first(fields):
            own = arrays[f"{_FIELD}{field.name}"].astype(np.int32)
            found[field.name] = own if first is None else own + found[first.name]
        return EncodedData(found, {}, **columns, label=arrays[_LABEL].astype(np.int32))
    except (OSError, KeyError, ValueError, BadZipFile) as error:
        expected = "encoded data of crosspro pretrain encode"
        raise input_error(path, "file", expected, str(error)) from error


def _with_first(fields: Sequence[Field]) -> Iterator[tuple[Field, Field | None]]:
    """Each field with the first one of its side that numbers alike, if that is another."""
    firsts: dict[tuple[str, str], Field] = {}
    for field in fields:
        first = firsts.setdefault((field.side, field.numbered_in), field)
        yield field, None if first is field else first


def _steps(column: Ints) -> Ints:
    return np.diff(column, prepend=np.int32(0))


def _sums(steps: Ints) -> Ints:
    return np.cumsum(steps, dtype=np.int32)


def _smallest(array: Ints) -> Ints:
    """The same numbers in the smallest type that holds them."""
    if not len(array):
        return array
    low, high = int(array.min()), int(array.max())
    kind = np.result_type(np.min_scalar_type(low), np.min_scalar_type(high))
    return array.astype(kind)


def _write(handle: IO[bytes], array: Ints) -> None:
    npy.write_array(handle, array, version=(1, 0), allow_pickle=False)
