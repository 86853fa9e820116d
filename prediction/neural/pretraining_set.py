"""The text of a pre-training: self-labelled, read, cut and encoded once, in a folder.

Making it takes a minute or two and no GPU; learning from it needs nothing else. The folder has the
encoder as a model has it (units, vocabularies, lexicons), `train.npz` and `dev.npz`, and in
`set.json` the task, the origin of the text, and the settings by which it was read, with which a
pre-training must agree. Loading runs no code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile

import numpy as np

from crosspro.data_prep.core.arrays import read_npz
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import SIDES, Example
from crosspro.data_prep.core.files import (
    atomic_folder,
    atomic_output,
    read_json_object,
    sha256_of,
    write_text,
)
from crosspro.data_prep.core.settings import check_settings, settings, to_mapping
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

_DESCRIPTION = "set.json"
_SPLITS = ("train", "dev")


@settings
class SetDescription:
    """The content of `set.json`.

    `files` are those that are learnt from (train) and those whose lines are left out (unseen);
    `held_out` is the share of dev, `read` the settings that decide how a text is read.
    """

    format: Literal[4]
    task: Any
    files: tuple[Contents, ...]
    held_out: float
    network: str
    read: dict[str, str | int | bool]


@dataclass(frozen=True)
class PretrainingSet:
    """A task, an encoder, the encoded text, and its origin."""

    task: Task
    encoder: Encoder
    data: TrainingData
    files: tuple[Contents, ...]
    held_out: float


def write_encoded(path: Path, text: EncodedText) -> None:
    with atomic_output(path) as handle:
        np.savez_compressed(handle, label=text.label, **{**text.fields, **text.positions})


def read_encoded(path: Path, fields: Sequence[str]) -> EncodedText:
    """A text with some of its fields; a damaged or foreign file is refused."""
    try:
        arrays = read_npz(path)
        tokens, positions = (
            {name: arrays[name] for name in names} for names in (fields, POSITIONS)
        )
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
    files: Sequence[Contents],
    held_out: float,
) -> dict[str, int]:
    """Encode examples, with lexicons induced from `text`; returns the sizes of train."""
    fields, min_count = system.reads.fields, system.settings.training.min_count
    system.task = task
    encoder, encoded = system.new_encoder(train, text).fit_and_encode(train, task, min_count)
    encoded, encoded_dev = encoded.labelled(fields), encoder.encode(dev, task).labelled(fields)
    check_labels(encoded, encoded_dev)
    description = SetDescription(
        format=4,
        task=to_mapping(task),
        files=tuple(files),
        held_out=held_out,
        network=system.name,
        read=_reading_settings(system),
    )
    content = json.dumps(to_mapping(description), ensure_ascii=False, indent=1)
    with atomic_folder(folder) as new:
        encoder.save(new)
        for split, data in zip(_SPLITS, (encoded, encoded_dev), strict=True):
            write_encoded(new / f"{split}.npz", data)
        write_text(new / _DESCRIPTION, content + "\n")
    sizes: dict[str, int] = {side: int(encoded.positions[f"{side}_starts"][-1]) for side in SIDES}
    return {**sizes, "gaps": len(encoded)}


def settings_of_set(folder: Path) -> Mapping[str, str | int | bool]:
    """The settings of a system by which a set was read, by their keys."""
    return _description(folder).read


def load_pretraining_set(folder: Path, system: NeuralSystem) -> PretrainingSet:
    """The text that was encoded for such a system, with at least its fields."""
    path, description = folder / _DESCRIPTION, _description(folder)
    names = [field.name for field in system.reads.fields]
    task = task_from_mapping(description.task, f"{path}: task")
    expected = {"network": system.name, **_reading_settings(system)}
    by_set = {"network": description.network, **description.read}
    if by_set != expected:
        raise input_error(path, "read", json.dumps(expected), json.dumps(by_set))
    files = [folder / f"{split}.npz" for split in _SPLITS]
    train, dev = (read_encoded(file, names) for file in files)
    digests = dict(zip(_SPLITS, map(sha256_of, files), strict=True))
    encoder = load_encoder(folder, system.reads, system.settings.training)
    data = TrainingData(train, dev, digests)
    return PretrainingSet(task, encoder, data, description.files, description.held_out)


def _description(folder: Path) -> SetDescription:
    path = folder / _DESCRIPTION
    return check_settings(SetDescription, read_json_object(path), path)


def _reading_settings(system: NeuralSystem) -> dict[str, str | int | bool]:
    training = system.settings.training
    return {
        **{f"network.{side}_lexicon": name for side, name in system.reads.lexicons.items()},
        "training.lowercase": training.lowercase,
        "training.units": training.units,
        "training.unit_vocabulary": training.unit_vocabulary,
        "training.min_count": training.min_count,
    }
