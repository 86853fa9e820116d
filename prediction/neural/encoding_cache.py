"""Encoded data in a folder, memory-mapped by every run over the same content."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np

from crosspro.data_prep.task import Task
from crosspro.prediction.neural.encoding import EncodedData, Encoder, Ints, encode
from crosspro.prediction.neural.flat_text import POSITIONS, FlatText

_COLUMNS = (*POSITIONS, "label")


def cached_encoding(
    text: FlatText, encoder: Encoder, task: Task, folder: Path | None
) -> EncodedData:
    """The arrays, memory-mapped from a folder if they were made before from the same content."""
    if folder is None:
        return encode(text, encoder, task)
    settings = json.dumps([encoder.to_json(), task.class_index], sort_keys=True)
    key = hashlib.blake2b(f"{settings} {text.digest}".encode(), digest_size=12).hexdigest()
    place = folder / key
    if place.is_dir():
        with contextlib.suppress(OSError, ValueError):
            return _mapped(place, encoder)
        shutil.rmtree(place, ignore_errors=True)  # damaged
    data = encode(text, encoder, task)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as temporary:
        for name, array in _files(data).items():
            np.save(Path(temporary, name), array, allow_pickle=False)
        with contextlib.suppress(OSError):  # another process was quicker: the same arrays
            Path(temporary).rename(place)
    return _mapped(place, encoder)


def _files(data: EncodedData) -> dict[str, Ints]:
    """Each array by the name of its file; a field may have the name of a column."""
    return {
        **{f"{name}.npy": array for name, array in data.fields.items()},
        **{f"{name}-spellings.npy": array for name, array in data.spellings.items()},
        **{f"gap-{name}.npy": getattr(data, name) for name in _COLUMNS},
    }


def _mapped(place: Path, encoder: Encoder) -> EncodedData:
    def array(name: str) -> Ints:
        mapped: Ints = np.load(place / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        return mapped

    fields = encoder.reading.fields
    return EncodedData(
        {field.name: array(field.name) for field in fields},
        {field.name: array(f"{field.name}-spellings") for field in fields if field.spelled},
        **{name: array(f"gap-{name}") for name in _COLUMNS},
    )
