"""What a pre-training learns from: self-labelled text, read, cut and numbered once, in a folder.

Making it takes minutes of one core and no GPU; learning from it needs nothing else. The folder has
the encoder as a model has it (units, vocabularies, lexicons), `train.npz` and `dev.npz`, and in
`set.json` the task, what the text was made from, and how it was read, which a pre-training must
agree with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import atomic_folder, sha256_of, write_text
from crosspro.data_prep.core.processes import Report, Step
from crosspro.data_prep.core.task import Task, saved_task, task_to_save
from crosspro.data_prep.pipeline.sets.splits import Contents
from crosspro.prediction.neural.encoded_file import read_encoded, write_encoded
from crosspro.prediction.neural.encoding import Encoder, encode, fit_encoder
from crosspro.prediction.neural.flat_text import Reading, flatten, labelled_rows
from crosspro.prediction.neural.lexicon_input import Text, load_lexicons
from crosspro.prediction.neural.model_files import load_encoder, save_encoder
from crosspro.prediction.neural.new_reading import new_reading
from crosspro.prediction.neural.subwords import load_units
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.neural.tensors import gap_tensors
from crosspro.prediction.neural.training_checks import check_labels
from crosspro.prediction.neural.training_data import TrainingData
from crosspro.prediction.system import read_json_object
from crosspro.prediction.typed_values import faults

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
class PretrainingSet:
    """A task, how its text is read, the text as arrays, and what it was made from."""

    task: Task
    encoder: Encoder
    data: TrainingData
    origin: SetOrigin


def write_pretraining_set(
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

    The folder, which may be an empty one, is there when all of it is. Returns what there is of
    train: pieces of text, and gaps.
    """
    report(Step("learning lexicons and pieces"))
    reading = new_reading(system.reads, system.training, task, train, text)
    report(Step("cutting words into pieces"))
    flat = labelled_rows(flatten(train, reading))
    report(Step("numbering pieces"))
    encoder = fit_encoder(flat, system.training.min_count)
    sizes = {
        "source": flat.source_starts[-1],
        "target": flat.target_starts[-1],
        "gaps": len(flat.labels),
    }
    encoded = encode(flat, encoder, task)
    dev_encoded = encode(labelled_rows(flatten(dev, reading)), encoder, task)
    check_labels(encoded.label, dev_encoded.label)
    report(Step("writing"))
    description = {
        "format": _FORMAT,
        "task": task_to_save(task),
        "origin": asdict(origin),
        "read": _reading_settings(system),
        "train": sizes,
    }
    with atomic_folder(folder) as new:
        save_encoder(encoder, new)
        for split, data in zip(_SPLITS, (encoded, dev_encoded), strict=True):
            write_encoded(new / f"{split}.npz", data, reading.fields)
        write_text(new / _FILE, json.dumps(description, ensure_ascii=False, indent=1) + "\n")
    return sizes


def settings_of_set(folder: Path) -> dict[str, Any]:
    """How the text of a folder was read, as settings of a pre-training: their names and values."""
    description = _description(folder)
    read = description.get("read")
    if not isinstance(read, dict) or not isinstance(read.get("lexicons"), dict):
        raise input_error(folder / _FILE, "read", "how the text was read", repr(read))
    lexicons = {f"network_settings.{side}_lexicon": name for side, name in read["lexicons"].items()}
    return lexicons | {f"training.{name}": read[name] for name in _TRAINING if name in read}


def load_pretraining_set(folder: Path, system: NeuralSystem) -> PretrainingSet:
    """What was encoded for such a system; one that would read otherwise is refused."""
    path = folder / _FILE
    description = _description(folder)
    task = saved_task(description.get("task"), f"{path}: task")
    expected, found = _reading_settings(system), description.get("read")
    if not _reads_as(found, expected):
        raise input_error(path, "read", json.dumps(expected), json.dumps(found))
    settings, fields = system.training, system.reads.fields
    units = load_units(folder) if settings.units != "words" else None
    reading = Reading(fields, settings.lowercase, units, load_lexicons(folder))
    files = {split: folder / f"{split}.npz" for split in _SPLITS}
    train, dev = (read_encoded(file, fields) for file in files.values())
    data = TrainingData(
        train,
        gap_tensors(train, settings.context),
        gap_tensors(dev, settings.context),
        len(task.classes),
        settings,
        {split: sha256_of(file) for split, file in files.items()},
    )
    origin = _saved_origin(description.get("origin", {}), path)
    return PretrainingSet(task, load_encoder(reading, folder), data, origin)


def _description(folder: Path) -> dict[str, Any]:
    """What the folder says of itself."""
    path = folder / _FILE
    description = read_json_object(path)
    found = description.get("format")
    if type(found) is not int or found != _FORMAT:  # true and 1.0 are equal to 1
        raise input_error(path, "format", str(_FORMAT), repr(found))
    return description


def _saved_origin(content: object, path: Path) -> SetOrigin:
    """What a set was made from; sets of before do not say it."""
    problems = [Problem(str(path), None, *fault) for fault in faults("origin", content, SetOrigin)]
    if problems or not isinstance(content, dict):
        raise InputError(problems)
    files = tuple(Contents(**one) for one in content.get("files", ()))
    return SetOrigin(**{**content, "files": files})


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
        **{name: getattr(system.training, name) for name in _TRAINING},
    }
