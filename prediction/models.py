"""Runs, archives and bundled models: list and pack them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from crosspro.data_prep.align.prior import load_prior, save_prior
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import is_archive, json_object, read_json_object
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.core.task import task_from_mapping
from crosspro.prediction.model_archive import (
    DESCRIPTION,
    MODEL,
    PRIOR,
    RECORD,
    archived_bytes,
    files_below,
    opened_run,
    write_archive,
    write_description,
)
from crosspro.prediction.registry import bundled_model, bundled_models
from crosspro.prediction.runs import find_run
from crosspro.prediction.stored_tensors import Weights, load_tensors, narrowed
from crosspro.prediction.system import Description, System, load_saved, model_folder

PRIOR_PAIRS = 78_000
"""Of the prior in an archive, at most: 0.4 MB. Fewer pairs link pronouns worse."""
_TENSORS = "*.safetensors"
_DIGITS = 12


def chosen_run(path: Path) -> Path:
    """The archive of a bundled model if a path is its name, else the path, which must exist."""
    if bundled := bundled_model(path):
        return bundled
    if not path.exists():
        names = ", ".join(bundled_models())
        expected = f"a run, an archive, or one of the bundled models ({names})"
        raise input_error(path, "model", expected, "no such file, folder or name")
    return path


# Listing ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelSummary:
    """A trained system at a path: its task, size, scores on dev, and digest.

    `official` is the name of the task's official score; copies of a system have one `digest`.
    """

    path: str
    kind: str
    task: str
    system: str
    size: int
    official: str
    crosspro: str
    digest: str
    dev: Mapping[str, float] = field(default_factory=dict)


def bundled_summaries() -> list[ModelSummary]:
    return [
        replace(summary(path), path=name, kind="bundled") for name, path in bundled_models().items()
    ]


def summary(path: Path) -> ModelSummary:
    """The summary of a run or an archive; its arrays are not read."""
    if is_archive(path):
        kind, size, place = "archive", path.stat().st_size, path / MODEL / DESCRIPTION
        text = archived_bytes(path, f"{MODEL}/{DESCRIPTION}")
        if text is None:
            raise input_error(path, "archive", f"a saved system with {DESCRIPTION}", "none")
        content = json_object(text, place)
    else:
        folder = model_folder(path)
        kind, place = "run", folder / DESCRIPTION
        content = read_json_object(place)
        size = sum(file.stat().st_size for file in files_below(folder).values())
    description = check_settings(Description, content, place)
    task = task_from_mapping(description.task, f"{place}: task")
    record = find_run(path)
    dev = {} if record is None else record.scores.get("dev", {})
    return ModelSummary(
        str(path),
        kind,
        task.name,
        record.name if record else description.configured or description.system,
        size,
        task.official_score,
        description.crosspro,
        description.sha256[:_DIGITS],
        {name: score.value for name, score in dev.items()},
    )


# Packing ------------------------------------------------------------------------------------------


def export_run(
    run: Path,
    output: Path,
    weights: Weights | None = None,
    prior: Path | None = None,
) -> System:
    """Pack a run, or another archive, into one file; returns its system.

    `weights` says how matrices are stored (None: as they are). `prior` is what the aligner learnt
    from the training text.
    """
    if output.suffix in (".gz", ".xz"):
        raise input_error(output, "output", "a name that ends in .zip", f"one in {output.suffix}")
    with opened_run(run) as folder, tempfile.TemporaryDirectory() as scratch:
        packed = Path(scratch)
        source = model_folder(folder)
        system = load_saved(source)
        names = {DESCRIPTION, *(read_json_object(source / DESCRIPTION).get("files") or ())}
        for name in names:
            (packed / MODEL / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, packed / MODEL / name)
        if weights is not None:
            _store_weights(packed / MODEL, weights)
        for name in (RECORD, PRIOR):
            if (folder / name).is_file():
                shutil.copyfile(folder / name, packed / name)
        if prior is not None:
            save_prior(packed / PRIOR, load_prior(prior).largest(PRIOR_PAIRS))
        write_archive(output, packed)
    return system


def _store_weights(model: Path, weights: Weights) -> None:
    """Narrow the matrices of a saved system, and renew its checksums and those of systems in it."""
    for path in model.rglob(_TENSORS):
        try:
            path.write_bytes(narrowed(load_tensors(path), weights))
        except ValueError as error:
            raise input_error(path.name, "weights", "finite numbers", str(error)) from error
    for path in sorted(model.rglob(DESCRIPTION), key=lambda path: -len(path.parts)):  # inner first
        write_description(read_json_object(path), path.parent)
