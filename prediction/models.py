"""Runs and archives: list, choose and pack them."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError

from crosspro.data_prep.align.numbering import word_form
from crosspro.data_prep.align.prior import Prior, load_prior, packed_prior
from crosspro.data_prep.core.errors import InputError, input_error, printable
from crosspro.data_prep.core.files import (
    is_archive,
    json_object,
    read_json_object,
    temporary_folder,
    write_text,
)
from crosspro.data_prep.core.task import Task, task_from_mapping
from crosspro.prediction.model_archive import (
    ARCHIVES,
    MODEL,
    PRIOR,
    archived_text,
    box_models,
    described_files,
    from_box,
    opened_run,
    read_manifest,
    renewed_digests,
    write_archive,
)
from crosspro.prediction.runs import FILE, Run, find_run
from crosspro.prediction.stored_tensors import (
    FULL,
    load_tensors,
    narrowed,
    stored_weights,
)
from crosspro.prediction.system import DESCRIPTION, System, load_saved, model_folder

TENSORS = "*.safetensors"


@dataclass(frozen=True)
class Export:
    """What was packed: the system, its files, and how many of them hold narrowed matrices."""

    system: System
    files: int
    narrowed: int
    size: int


PRIOR_BYTES = 1_300_000
"""Of the prior in an archive, at most: twice what links of pronouns need."""
_FEWEST_PRONOUNS = 0.01


def export_run(
    run: Path,
    output: Path,
    weights: str | None = None,
    prior: Path | None = None,
    prior_bytes: int = PRIOR_BYTES,
) -> Export:
    """Pack a run, or another archive, into one file; only a system that can be loaded is packed.

    `weights` (one of `WEIGHTS`) says how matrices of tensors are stored, None: as they are; what is
    no tensor (vocabularies, language models, lexicons) stays as it is. `prior` is what the aligner
    learnt from the training text, in either direction; as much of it is packed as there is room
    for.
    """
    if output.suffix in (".gz", ".xz"):
        raise input_error(output, "output", "a name that ends otherwise", f"one in {output.suffix}")
    place = Path(tempfile.gettempdir())
    with opened_run(run) as folder, temporary_folder(place, MODEL) as scratch:
        source = model_folder(folder)
        system = load_saved(source)
        names = described_files(read_json_object(source / DESCRIPTION), source, DESCRIPTION)
        for name in (*names, DESCRIPTION):
            (scratch / MODEL / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, scratch / MODEL / name)
        tensors = sorted(scratch.rglob(TENSORS))
        changed = [path for path in tensors if weights is not None and _store(path, weights)]
        if changed:
            _describe_again(scratch / MODEL)
        if (folder / FILE).is_file():
            shutil.copyfile(folder / FILE, scratch / FILE)
        if prior is not None:
            fitting = prior_for(system.task, prior)
            (scratch / PRIOR).write_bytes(packed_prior(fitting, prior_bytes))
        elif (folder / PRIOR).is_file():
            shutil.copyfile(folder / PRIOR, scratch / PRIOR)
        fewer = [stored for path in tensors if (stored := stored_weights(path)) != FULL]
        write_archive(output, scratch, fewer[0] if fewer else FULL)
    return Export(system, len(names) + 1, len(fewer), output.stat().st_size)


def prior_for(task: Task, path: Path) -> Prior:
    """A prior for a task, turned if it was learnt from the target to the source.

    Text of the right languages has their pronouns every other line; other text has few of them.
    """
    prior = load_prior(path)
    turned = prior.turned()
    shares = [_pronoun_share(task, one) for one in (prior, turned)]
    if max(shares) < _FEWEST_PRONOUNS:
        expected = f"one of text in {task.source_language} and {task.target_language}"
        found = f"one in whose text {max(shares):.2%} of the words are pronouns of {task.name}"
        raise input_error(path, "prior", expected, found)
    return turned if shares[1] > shares[0] else prior


def _pronoun_share(task: Task, prior: Prior) -> float:
    """How much of a text is pronouns of the task, on the side with fewer of them."""
    form = word_form(prior.form, prior.prefix_length)
    forms = [word for words in task.forms.values() for word in words]
    shares = []
    for asked, words, pairs, tally in (
        (task.source_pronouns or forms[:0], prior.source_words, prior.pair_source, prior.backward),
        (forms, prior.target_words, prior.pair_target, prior.forward),
    ):
        counts = np.bincount(pairs, tally.pairs, len(words))
        known = {words[form(word)] for word in asked if form(word) in words}
        shares.append(counts[sorted(known)].sum() / max(counts.sum(), 1) if asked else 1.0)
    return float(min(shares))


def _store(path: Path, weights: str) -> bool:
    """Store the matrices of a file otherwise; whether they were not so before."""
    if stored_weights(path) == weights:
        return False
    try:
        path.write_bytes(narrowed(load_tensors(path).arrays, weights))
    except ValueError as error:
        raise input_error(path.name, "weights", "finite numbers", str(error)) from error
    return True


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2) + "\n")


def _describe_again(model: Path) -> None:
    """Renew the checksums of a saved system whose files have changed, and of systems in it."""
    inside_first = sorted(model.rglob(DESCRIPTION), key=lambda path: -len(path.parts))
    for path in inside_first:
        description = json_object(path.read_bytes(), path)
        whole = renewed_digests(description, path.parent, DESCRIPTION)
        _write_json(path, whole)


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
    for path in map(from_box, paths):
        if is_archive(path) or _is_model(path):
            yield path
        elif path.is_dir():
            yield from _below(path)
        else:
            expected = "a run, an archive of crosspro models, or a folder of them"
            raise input_error(path, "path", expected, "a file" if path.is_file() else "none")


def chosen_run(path: Path, tell: Callable[[str], None]) -> Path:
    """The run that a path stands for: itself, or the newest complete one of a folder of runs.

    The name of a bundled model stands for its archive. `tell` hears which run it is. Runs of
    several systems or tasks, those of a sweep and those that ended at the same time are equally
    possible: `InputError` lists them. A path without runs is given back, since what loads it says
    what is wrong with it.
    """
    path = from_box(path)
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


def box_summaries() -> list[ModelSummary]:
    """What the bundled models say of themselves, under their names."""
    found = box_models().items()
    return [replace(summary(path), path=name, kind="box") for name, path in found]


def summary(path: Path) -> ModelSummary:
    """What a run or an archive says of itself; its arrays are not read."""
    description = _description(path)
    if is_archive(path):
        manifest = read_manifest(path)
        weights, size, kind = manifest.weights, path.stat().st_size, "archive"
    else:
        folder = model_folder(path)
        files = [one for one in folder.rglob("*") if one.is_file()]
        stored = [_weights_of(file) for file in files if file.match(TENSORS)]
        weights = next((one for one in stored if one != FULL), FULL)
        size, kind = sum(one.stat().st_size for one in files), "run"
    return _summary(path, kind, weights, size, description)


def _description(path: Path) -> dict[str, Any]:
    """What the system of a run or an archive says of itself."""
    if not is_archive(path):
        return read_json_object(model_folder(path) / DESCRIPTION)
    text = archived_text(path, f"{MODEL}/{DESCRIPTION}")
    if text is None:
        raise input_error(path, "archive", f"a saved system with {DESCRIPTION}", "none")
    return json_object(text, path / MODEL / DESCRIPTION)


def _summary(
    path: Path, kind: str, weights: str, size: int, description: Mapping[str, Any]
) -> ModelSummary:
    where = path / DESCRIPTION
    task = task_from_mapping(description.get("task"), f"{where}: task")
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
