"""Trained systems packed into archives, in full or in fewer bits, and unpacked again."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import check_new_folder, temporary_folder, write_text
from crosspro.prediction.model_archive import MODEL, opened_run, unpack, write_archive
from crosspro.prediction.runs import FILE
from crosspro.prediction.stored_tensors import (
    FULL,
    load_tensors,
    narrowed,
    stored_weights,
)
from crosspro.prediction.system import (
    DESCRIPTION,
    System,
    json_object,
    load_saved,
    model_folder,
    read_json_object,
)
from crosspro.prediction.system_digests import described_files, renewed_digests

TENSORS = "*.safetensors"


@dataclass(frozen=True)
class Export:
    """What was packed: the system, its files, and how many of them hold narrowed matrices."""

    system: System
    files: int
    narrowed: int
    size: int


def export_run(run: Path, output: Path, weights: str = FULL) -> Export:
    """Pack a run, or another archive, into one file; only a system that can be loaded is packed.

    `weights` (one of `WEIGHTS`) says how matrices of tensors are stored; what is no tensor
    (vocabularies, language models, lexicons) stays as it is.
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
        if sum(_store(path, weights) for path in tensors):
            _describe_again(scratch / MODEL)
        if (folder / FILE).is_file():
            shutil.copyfile(folder / FILE, scratch / FILE)
        fewer = sum(stored_weights(path) != FULL for path in tensors)
        write_archive(output, scratch, weights if fewer else FULL)
    return Export(system, len(names) + 1, fewer, output.stat().st_size)


def import_archive(path: Path, output: Path) -> System:
    """Unpack an archive into a new or an empty folder, which then is that of a run."""
    check_new_folder(output)
    if not output.absolute().parent.is_dir():
        raise input_error(output, "output", "a folder in an existing one", f"no {output.parent}")
    with temporary_folder(output.absolute().parent, output.name) as scratch:
        unpack(path, scratch)
        system = load_saved(model_folder(scratch))
        scratch.chmod(0o755)
        scratch.rename(output)
    return system


def _store(path: Path, weights: str) -> bool:
    """Store the matrices of a file otherwise; whether they were not so before."""
    if stored_weights(path) == weights:
        return False
    try:
        path.write_bytes(narrowed(load_tensors(path).arrays, weights))
    except ValueError as error:
        raise input_error(path.name, "weights", "finite numbers", str(error)) from error
    return True


def _describe_again(model: Path) -> None:
    """Renew the checksums of a saved system whose files have changed, and of systems in it."""
    inside_first = sorted(model.rglob(DESCRIPTION), key=lambda path: -len(path.parts))
    for path in inside_first:
        description = json_object(path.read_bytes(), path)
        whole = renewed_digests(description, path.parent, DESCRIPTION)
        write_text(path, json.dumps(whole, ensure_ascii=False, indent=2) + "\n")
