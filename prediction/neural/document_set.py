"""The document set of a pre-training: self-labelled text, read, cut and encoded once, in a folder.

Making it takes a minute or two of many cores and no GPU; learning from it needs nothing else. The
folder has the encoder as a model has it (units, vocabularies, lexicons), `train.npz` and `dev.npz`,
and in `set.json` the task, what the text was made from, and how it was read, which a pre-training
must agree with.

The arrays are small files: positions grow from entry to entry, so their steps are kept; of fields
that number alike and differ in few places, the differences. Loading runs no code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import (
    atomic_folder,
    atomic_output,
    read_json_object,
    sha256_of,
    write_text,
)
from crosspro.data_prep.core.processes import Report, Step
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.core.stored import read_npz
from crosspro.data_prep.core.task import Task, task_from_mapping, task_to_mapping
from crosspro.data_prep.pipeline.sets.splits import Contents
from crosspro.prediction.neural.reading.encoding import (
    POSITIONS,
    EncodedText,
    Encoder,
    Ints,
    Reading,
    encode,
    fit_and_encode,
    load_encoder,
)
from crosspro.prediction.neural.reading.fields import Field
from crosspro.prediction.neural.reading.lexicon_fields import Text, load_lexicons
from crosspro.prediction.neural.reading.subwords import load_units
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.neural.training.data import (
    TrainingData,
    check_labels,
    learn_reading,
    training_data,
)

_FIELD, _COLUMN, _LABEL = "field-", "gap-", "label"


def write_encoded(path: Path, data: EncodedText, fields: Sequence[Field]) -> None:
    """Write the arrays of these fields, none of which may be spelled."""
    arrays = {
        f"{_COLUMN}{name}": np.diff(getattr(data, name), prepend=np.int32(0)) for name in POSITIONS
    }
    arrays[_LABEL] = data.label
    for field, first in _with_first(fields):
        own = data.fields[field.name]
        arrays[f"{_FIELD}{field.name}"] = own if first is None else own - data.fields[first.name]
    with atomic_output(path) as handle, ZipFile(handle, "w") as archive:
        for name, array in arrays.items():
            about = ZipInfo(f"{name}.npy")  # without the time: the same data gives the same bytes
            about.compress_type = ZIP_DEFLATED  # LZMA takes ten times as long for a fifth less
            with archive.open(about, "w", force_zip64=True) as member:
                npy.write_array(member, _smallest(array), version=(1, 0), allow_pickle=False)


def read_encoded(path: Path, fields: Sequence[Field]) -> EncodedText:
    """The arrays of these fields; a damaged or foreign file is refused."""
    try:
        arrays = read_npz(path)
        columns = {
            name: np.cumsum(arrays[f"{_COLUMN}{name}"], dtype=np.int32) for name in POSITIONS
        }
        found: dict[str, Ints] = {}
        for field, first in _with_first(fields):
            own = arrays[f"{_FIELD}{field.name}"].astype(np.int32)
            found[field.name] = own if first is None else own + found[first.name]
        label = arrays[_LABEL].astype(np.int32)
        return EncodedText(found, {}, **columns, label=label, digest=sha256_of(path))
    except (OSError, KeyError, ValueError, BadZipFile) as error:
        expected = "encoded data of crosspro pretrain encode"
        raise input_error(path, "file", expected, str(error)) from error


def _with_first(fields: Sequence[Field]) -> Iterator[tuple[Field, Field | None]]:
    """Each field with the first one of its side that numbers alike, if that is another."""
    firsts: dict[tuple[str, str], Field] = {}
    for field in fields:
        first = firsts.setdefault((field.side, field.numbered_in), field)
        yield field, None if first is field else first


def _smallest(array: Ints) -> Ints:
    """The same numbers in the smallest type that holds them."""
    if not len(array):
        return array
    low, high = int(array.min()), int(array.max())
    kind = np.result_type(np.min_scalar_type(low), np.min_scalar_type(high))
    return array.astype(kind)


_FILE = "set.json"
_FORMAT = 1
_SPLITS = ("train", "dev")
_TRAINING = ("lowercase", "units", "unit_vocabulary", "min_count")
"""Settings of a training that decide how a text is read, beside the names of lexicons."""


@dataclass(frozen=True)
class SetOrigin:
    """What a set was made from.

    `files` are those that are learnt from (train) and those whose lines are left out (unseen);
    `own_gaps` says whether it asks for the gaps of the task, `held_out` is the share to choose by.
    """

    files: tuple[Contents, ...] = ()
    own_gaps: bool | None = None
    held_out: float | None = None


@dataclass(frozen=True)
class DocumentSet:
    """A task, how its text is read, the text as arrays, and what it was made from."""

    task: Task
    encoder: Encoder
    data: TrainingData
    origin: SetOrigin


def write_document_set(
    folder: Path,
    system: NeuralSystem,
    task: Task,
    train: Sequence[Example],
    dev: Sequence[Example],
    text: Text,
    origin: SetOrigin,
    report: Report = lambda _: None,
) -> Mapping[str, int]:
    """Encode examples as a system reads them; `text` is what lexicons are induced from.

    The folder, which may be an empty one, is there when all of it is. Returns the sizes of
    train: pieces of text, and gaps.
    """
    report(Step("learning lexicons and pieces"))
    fields = system.reads.fields
    reading = learn_reading(system.reads, system.settings.training, task, train, text)
    report(Step("cutting words into pieces, and numbering these"))
    encoder, every = fit_and_encode(train, reading, task, system.settings.training.min_count)
    encoded = every.labelled(fields)
    dev_encoded = encode(dev, encoder, task).labelled(fields)
    sizes = {
        "source": int(encoded.source_starts[-1]),
        "target": int(encoded.target_starts[-1]),
        "gaps": len(encoded.label),
    }
    check_labels(encoded.label, dev_encoded.label)
    report(Step("writing"))
    description = {
        "format": _FORMAT,
        "task": task_to_mapping(task),
        "origin": asdict(origin),
        "read": _reading_settings(system),
        "train": sizes,
    }
    with atomic_folder(folder) as new:
        encoder.save(new)
        for split, data in zip(_SPLITS, (encoded, dev_encoded), strict=True):
            write_encoded(new / f"{split}.npz", data, fields)
        write_text(new / _FILE, json.dumps(description, ensure_ascii=False, indent=1) + "\n")
    return sizes


def settings_of_set(folder: Path) -> dict[str, Any]:
    """How the text of a folder was read, as settings of a pre-training: their names and values."""
    description = _description(folder)
    read = description.get("read")
    if not isinstance(read, dict) or not isinstance(read.get("lexicons"), dict):
        raise input_error(folder / _FILE, "read", "how the text was read", repr(read))
    lexicons = {f"network.{side}_lexicon": name for side, name in read["lexicons"].items()}
    return lexicons | {f"training.{name}": read[name] for name in _TRAINING if name in read}


def load_document_set(folder: Path, system: NeuralSystem) -> DocumentSet:
    """What was encoded for such a system; one that would read otherwise is refused."""
    path = folder / _FILE
    description = _description(folder)
    task = task_from_mapping(description.get("task"), f"{path}: task")
    expected, found = _reading_settings(system), description.get("read")
    if not _reads_as(found, expected):
        raise input_error(path, "read", json.dumps(expected), json.dumps(found))
    training, fields = system.settings.training, system.reads.fields
    units = load_units(folder) if training.units != "words" else None
    reading = Reading(fields, training.lowercase, units, load_lexicons(folder))
    train, dev = (read_encoded(folder / f"{split}.npz", fields) for split in _SPLITS)
    data = training_data(train, dev, task, training, system.together)
    origin = check_settings(SetOrigin, description.get("origin"), f"{path}: origin")
    return DocumentSet(task, load_encoder(reading, folder), data, origin)


def _description(folder: Path) -> dict[str, Any]:
    """What the folder says of itself."""
    path = folder / _FILE
    description = read_json_object(path)
    found = description.get("format")
    if type(found) is not int or found != _FORMAT:  # true and 1.0 are equal to 1
        raise input_error(path, "format", str(_FORMAT), repr(found))
    return description


def _reads_as(found: object, expected: Mapping[str, Any]) -> bool:
    """Whether a text was read as expected; it may have more fields than are wanted."""
    if not isinstance(found, dict) or not isinstance(found.get("fields"), list):
        return False
    fields = [name for name in found["fields"] if name in expected["fields"]]
    return {**found, "fields": fields} == expected


def _reading_settings(system: NeuralSystem) -> dict[str, Any]:
    """The settings that decide how a text is read."""
    return {
        "network": system.name,
        "fields": [field.name for field in system.reads.fields],
        "lexicons": dict(system.reads.lexicons),
        **{name: getattr(system.settings.training, name) for name in _TRAINING},
    }
