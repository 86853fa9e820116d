"""The text of a pre-training: self-labelled, read, cut and encoded once, in a folder.

Making it takes a minute or two and no GPU; learning from it needs nothing else. The folder has the
encoder as a model has it (units, vocabularies, lexicons), `train.npz` and `dev.npz`, and in
`set.json` the task, the origin of the text, and the settings by which it was read, with which a
pre-training must agree. Loading runs no code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from crosspro.data_prep.core.arrays import read_npz
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import (
    atomic_folder,
    atomic_output,
    read_json_object,
    sha256_of,
    write_text,
)
from crosspro.data_prep.core.settings import check_settings, to_mapping
from crosspro.data_prep.core.task import Task, task_from_mapping
from crosspro.data_prep.pipeline.sets.splits import Contents
from crosspro.prediction.neural.reading.encoding import (
    POSITIONS,
    EncodedText,
    Encoder,
    load_encoder,
    text_of,
)
from crosspro.prediction.neural.reading.lexicon_fields import Text
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.neural.training.data import TrainingData, check_labels

_DESCRIPTION, _FORMAT = "set.json", 3
_SPLITS = ("train", "dev")
_TRAINING = ("lowercase", "units", "unit_vocabulary", "min_count")
"""Settings of a training that decide how a text is read, beside the names of lexicons."""


@dataclass(frozen=True)
class SetOrigin:
    """The origin of the text of a pre-training.

    `files` are those that are learnt from (train) and those whose lines are left out (unseen);
    `own_gaps` says whether it asks for the gaps of the task, `held_out` is the share of dev.
    """

    files: tuple[Contents, ...] = ()
    own_gaps: bool | None = None
    held_out: float | None = None


@dataclass(frozen=True)
class PretrainingSet:
    """A task, an encoder, the encoded text, and its origin."""

    task: Task
    encoder: Encoder
    data: TrainingData
    origin: SetOrigin


def write_encoded(path: Path, text: EncodedText) -> None:
    arrays: dict[str, Any] = {f"field-{name}": array for name, array in text.fields.items()}
    arrays |= {f"position-{name}": array for name, array in text.positions.items()}
    with atomic_output(path) as handle:
        np.savez_compressed(handle, label=text.label, **arrays)


def read_encoded(path: Path, fields: Sequence[str]) -> EncodedText:
    """A text with some of its fields; a damaged or foreign file is refused."""
    try:
        arrays = read_npz(path)
        tokens = {name: arrays[f"field-{name}"] for name in fields}
        positions = {name: arrays[f"position-{name}"] for name in POSITIONS}
        return text_of(tokens, {}, positions, arrays["label"])
    except (OSError, KeyError, ValueError, BadZipFile) as error:
        expected = "encoded data of crosspro pretrain encode"
        raise input_error(path, "file", expected, str(error)) from error


def write_pretraining_set(
    folder: Path,
    system: NeuralSystem,
    task: Task,
    train: Sequence[Example],
    dev: Sequence[Example],
    text: Text,
    origin: SetOrigin,
) -> Mapping[str, int]:
    """Encode examples, with lexicons induced from `text`; returns the sizes of train."""
    fields = system.reads.fields
    system.task = task
    encoder, every = system.new_encoder(train, text).fit_and_encode(
        train, task, system.settings.training.min_count
    )
    encoded, encoded_dev = every.labelled(fields), encoder.encode(dev, task).labelled(fields)
    check_labels(encoded, encoded_dev)
    sizes = {
        "source": int(encoded.positions["source_starts"][-1]),
        "target": int(encoded.positions["target_starts"][-1]),
        "gaps": len(encoded),
    }
    description = {
        "format": _FORMAT,
        "task": to_mapping(task),
        "origin": asdict(origin),
        "read": _reading_settings(system),
        "train": sizes,
    }
    with atomic_folder(folder) as new:
        encoder.save(new)
        for split, data in zip(_SPLITS, (encoded, encoded_dev), strict=True):
            write_encoded(new / f"{split}.npz", data)
        write_text(new / _DESCRIPTION, json.dumps(description, ensure_ascii=False, indent=1) + "\n")
    return sizes


def settings_of_set(folder: Path) -> dict[str, Any]:
    read = _description(folder).get("read")
    if not isinstance(read, dict) or not isinstance(read.get("lexicons"), dict):
        raise input_error(folder / _DESCRIPTION, "read", "how the text was read", repr(read))
    lexicons = {f"network.{side}_lexicon": name for side, name in read["lexicons"].items()}
    return lexicons | {f"training.{name}": read[name] for name in _TRAINING if name in read}


def load_pretraining_set(folder: Path, system: NeuralSystem) -> PretrainingSet:
    """The text that was encoded for such a system, with at least its fields."""
    path, description = folder / _DESCRIPTION, _description(folder)
    task = task_from_mapping(description.get("task"), f"{path}: task")
    expected, read = _reading_settings(system), description.get("read")
    names = expected.pop("fields")
    fields = read.pop("fields", None) if isinstance(read, dict) else None
    if read != expected or not isinstance(fields, list) or not {*names} <= {*fields}:
        expected["fields"] = names
        raise input_error(path, "read", json.dumps(expected), f"{json.dumps(read)}, {fields}")
    files = {split: folder / f"{split}.npz" for split in _SPLITS}
    train, dev = (read_encoded(file, names) for file in files.values())
    digests = {split: sha256_of(file) for split, file in files.items()}
    origin = check_settings(SetOrigin, description.get("origin"), f"{path}: origin")
    encoder = load_encoder(folder, system.reads, system.settings.training)
    return PretrainingSet(task, encoder, TrainingData(train, dev, digests), origin)


def _description(folder: Path) -> dict[str, Any]:
    description = read_json_object(folder / _DESCRIPTION)
    number = repr(description.get("format"))
    if number != str(_FORMAT):  # true and 1.0 are equal to 1
        raise input_error(folder / _DESCRIPTION, "format", str(_FORMAT), number)
    return description


def _reading_settings(system: NeuralSystem) -> dict[str, Any]:
    return {
        "network": system.name,
        "fields": [field.name for field in system.reads.fields],
        "lexicons": dict(system.reads.lexicons),
        **{name: getattr(system.settings.training, name) for name in _TRAINING},
    }
