"""What runs and archives are there, and whether they are whole: for those who keep models."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from crosspro.data_prep.core.errors import InputError, input_error, printable
from crosspro.data_prep.core.files import is_archive
from crosspro.data_prep.core.task import saved_task
from crosspro.prediction.model_archive import (
    MODEL,
    archived_text,
    opened_run,
    read_manifest,
)
from crosspro.prediction.model_export import TENSORS
from crosspro.prediction.runs import FILE, Run, find_run
from crosspro.prediction.stored_tensors import FULL, stored_weights
from crosspro.prediction.system import (
    DESCRIPTION,
    System,
    json_object,
    load_saved,
    model_folder,
    read_json_object,
)

ARCHIVES = ".zip"
"""How archives are called that are looked for in folders."""
_DIGITS = 12
_SWEEP = "multirun.yaml"
"""What Hydra writes to the folder of a sweep."""
_MOST_LISTED = 12


@dataclass(frozen=True)
class ModelSummary:
    """A trained system at a path: for which task, how large, how good on dev, and its digest.

    `official` is the name of the task's official score, `dev` has the scores of the run; `digest`
    is of the system's content, so that copies have the same.
    """

    path: str
    kind: str
    task: str
    system: str
    weights: str
    size: int
    official: str
    crosspro: str
    digest: str
    dev: Mapping[str, float] = field(default_factory=dict)


def found_models(paths: Sequence[Path]) -> Iterator[Path]:
    """The runs and archives that paths name, or that lie in or below folders."""
    for path in paths:
        if is_archive(path) or _is_model(path):
            yield path
        elif path.is_dir():
            yield from _below(path)
        else:
            expected = "a run, an archive of crosspro models, or a folder of them"
            raise input_error(path, "path", expected, "a file" if path.is_file() else "none")


def chosen_run(path: Path, tell: Callable[[str], None]) -> Path:
    """The run that a path stands for: itself, or the newest complete one of a folder of runs.

    `tell` hears which. Runs of several systems or tasks, those of a sweep and those that ended at
    the same time are equally possible: `InputError` lists them. A path without runs is given back,
    since what loads it says what is wrong with it.
    """
    if not path.is_dir() or _is_model(path):
        return path
    found = {run: _record(run) for run in _below(path)}
    complete = {run: one for run, one in found.items() if one is None or one.status == "complete"}
    if found and not complete:
        stopped = f"{len(found)} that did not end: {_listed(found)}"
        raise input_error(path, "run", "a complete one", stopped)
    ends = [_ended(one) for one in complete.values()]
    newest = [run for run, one in complete.items() if _ended(one) == max(ends)]
    kinds = {(one.task, one.system) if one else None for one in complete.values()}
    swept = len(complete) > 1 and (path / _SWEEP).is_file()
    if len(newest) > 1 or len(kinds) > 1 or swept:
        expected = "the name of one run, since several are equally possible"
        raise input_error(path, "run", expected, _listed(complete))
    if not newest:
        return path
    others = f"the newest of {len(complete)} complete runs" if len(complete) > 1 else "its only run"
    tell(printable(f"{path}: {others}, {newest[0].relative_to(path)}"))
    return newest[0]


def summary(path: Path) -> ModelSummary:
    """What a run or an archive says of itself; its arrays are not read."""
    if is_archive(path):
        manifest = read_manifest(path)
        text = archived_text(path, f"{MODEL}/{DESCRIPTION}")
        if text is None:
            raise input_error(path, "archive", f"a saved system with {DESCRIPTION}", "none")
        description = json_object(text, path / MODEL / DESCRIPTION)
        weights, size, kind = manifest.weights, path.stat().st_size, "archive"
    else:
        folder = model_folder(path)
        description = read_json_object(folder / DESCRIPTION)
        files = [one for one in folder.rglob("*") if one.is_file()]
        stored = [_weights_of(one) for one in files if one.match(TENSORS)]
        weights = next((one for one in stored if one != FULL), FULL)
        size, kind = sum(one.stat().st_size for one in files), "run"
    return _summary(path, kind, weights, size, description)


def checked_system(path: Path) -> System:
    """The system of a run or an archive, with all that can be checked: `InputError` has all faults.

    Every checksum, every file as its reader wants it, and every number of its arrays.
    """
    with opened_run(path) as folder:
        return load_saved(model_folder(folder))


def _summary(
    path: Path, kind: str, weights: str, size: int, description: Mapping[str, Any]
) -> ModelSummary:
    where = path / DESCRIPTION
    task = saved_task(description.get("task"), f"{where}: task")
    record = find_run(path)
    dev = {} if record is None else record.scores.get("dev", {})
    system = record.name if record else _text(description, "configured") or _network(description)
    return ModelSummary(
        str(path),
        kind,
        task.name,
        system,
        weights,
        size,
        task.official_score,
        _text(description, "crosspro"),
        _text(description, "sha256")[:_DIGITS],
        {name: score.value for name, score in dev.items()},
    )


def _network(description: Mapping[str, Any]) -> str:
    """What a system without a name of its own is called: its network, or its class."""
    settings = description.get("settings")
    named = _text(settings, "network") if isinstance(settings, Mapping) else ""
    return named or _text(description, "system")


def _text(content: Mapping[str, Any], key: str) -> str:
    value = content.get(key)
    return value if isinstance(value, str) and value.isprintable() else ""


def _weights_of(path: Path) -> str:
    try:
        return stored_weights(path)
    except (OSError, SafetensorError, ValueError) as error:
        found = " ".join(str(error).split()[:40])
        raise input_error(path, "weights", "a safetensors file", found) from error


def _record(path: Path) -> Run | None:
    """What a run says of itself; None where that cannot be read, which its model may do without."""
    try:
        return find_run(path)
    except InputError:
        return None


def _ended(record: Run | None) -> str:
    return "" if record is None else record.times.ended or record.times.started


def _listed(runs: Mapping[Path, Run | None]) -> str:
    """Runs by name, the newest first, each with its task and system where that is known."""
    order = sorted(runs.items(), key=lambda item: _ended(item[1]), reverse=True)
    shown = [str(run) if one is None else f"{run} ({one.task}, {one.name})" for run, one in order]
    more = [f"{len(shown) - _MOST_LISTED} more"] if len(shown) > _MOST_LISTED else []
    return ", ".join([*shown[:_MOST_LISTED], *more])


def _is_model(path: Path) -> bool:
    return any((path / name).is_file() for name in (FILE, DESCRIPTION, f"{MODEL}/{DESCRIPTION}"))


def _below(folder: Path) -> Iterator[Path]:
    """Runs and archives in a folder and those in it; what is inside a run belongs to it."""
    for place, folders, files in os.walk(folder):
        here = Path(place)
        if here != folder and _is_model(here):
            folders.clear()
            yield here
            continue
        folders.sort()
        for name in sorted(files):
            if name.endswith(ARCHIVES) and is_archive(here / name):
                yield here / name
