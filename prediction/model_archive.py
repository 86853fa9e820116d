"""A trained system as one file: a zip archive with the checksum of every file in it.

    archive.json    format, version, size and SHA-256 of the other files
    run.json        the record of the run, if there is one
    model/          the saved system
    prior.npz       what links the words of single sentences, if the model brings it

The same content gives the same bytes. An archive may come from anywhere: names and sizes are
checked against `archive.json` before anything is unpacked, checksums while it is. Neither unpacking
nor loading runs code. The description of a saved system, too, has the checksums of its files.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import (
    atomic_output,
    is_archive,
    parse_json,
    sha256_of,
    write_text,
)
from crosspro.data_prep.core.settings import check_settings, settings
from crosspro.prediction.stored_tensors import Weights
from crosspro.version import __version__

MODEL, DESCRIPTION, PRIOR, RECORD = "model", "system.json", "prior.npz", "run.json"
UNPACKED_BYTES = 1 << 30
UNPACKED_RATIO = 100
"""An archive may unpack to UNPACKED_BYTES, or to so many times its own size."""
_MANIFEST = "archive.json"
_FORMAT = 1
_MANIFEST_BYTES = 1 << 24
_NAME = re.compile(r"\w[\w.+-]*(/\w[\w.+-]*)*", re.ASCII)
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,  # another compression
    RuntimeError,  # encrypted
    ValueError,
    OverflowError,
)


def _check_printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("should have no control characters, since it is printed to terminals")
    return text


Printable = Annotated[str, AfterValidator(_check_printable)]


# Checksums of a saved system ----------------------------------------------------------------------


def write_description(description: Mapping[str, Any], folder: Path) -> None:
    """Write the description of a saved system with the checksums of all files, and its own."""
    content = {key: value for key, value in description.items() if key not in ("files", "sha256")}
    files = files_below(folder)
    files.pop(DESCRIPTION, None)
    content["files"] = {name: sha256_of(path) for name, path in files.items()}
    content["sha256"] = _digest(content)
    write_text(folder / DESCRIPTION, json.dumps(content, ensure_ascii=False, indent=2) + "\n")


def files_below(folder: Path) -> dict[str, Path]:
    """All files in and below a folder by their names in it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in files}


def check_digests(description: Mapping[str, Any], folder: Path) -> None:
    """Refuse a system of which anything has changed since it was saved.

    A description without checksums, as anybody can write it, is checked against none.
    """
    if "files" not in description and "sha256" not in description:
        return
    path = folder / DESCRIPTION
    content = {key: value for key, value in description.items() if key != "sha256"}
    _check_digest(path, "sha256", description.get("sha256"), _digest(content))
    files = description.get("files")
    if not isinstance(files, dict) or not all(map(_NAME.fullmatch, files)):
        raise input_error(path, "files", "names of files with checksums", quoted(repr(files)))
    for name, digest in files.items():
        _check_digest(folder / name, "file", digest, sha256_of(folder / name))


def _check_digest(path: Path, field: str, saved: object, actual: str) -> None:
    if saved != actual:
        raise input_error(path, field, f"the checksum {quoted(str(saved), 70)}, as saved", actual)


def _digest(content: Mapping[str, Any]) -> str:
    """The checksum of a description. The order of keys counts, since that of classes does."""
    return hashlib.sha256(json.dumps(content).encode("ascii")).hexdigest()


# Archives -----------------------------------------------------------------------------------------


@settings
class ArchivedFile:
    """A file of an archive: its size and the checksum of its content."""

    size: Annotated[int, Field(ge=0)]
    sha256: str


@settings
class Manifest:
    """The content of `archive.json`; `weights` and `sha256` are in those of earlier versions."""

    format: Annotated[int, Field(ge=1, le=1)]
    crosspro: Annotated[str, Field(pattern=r"^[\w.+-]{1,60}$")]
    files: dict[str, ArchivedFile]
    weights: Weights | None = None
    sha256: str | None = None


def write_archive(path: Path, folder: Path) -> None:
    """Pack all files of a folder."""
    files = files_below(folder)
    for name in files:
        if not _NAME.fullmatch(name):
            raise input_error(folder / name, "name", "letters, digits, and . _ + -", quoted(name))
    listed = {name: {"size": file.stat().st_size, "sha256": sha256_of(file)}
              for name, file in files.items()}  # fmt: skip
    manifest = {"format": _FORMAT, "crosspro": __version__, "files": listed}
    content = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
    with atomic_output(path) as handle, zipfile.ZipFile(handle, "w") as archive:
        archive.writestr(_entry(_MANIFEST), content, compresslevel=9)
        for name, file in files.items():
            archive.writestr(_entry(name), file.read_bytes())


def _entry(name: str) -> zipfile.ZipInfo:
    """The head of a file, without anything that differs from day to day."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.create_system = 3  # Unix
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


@contextmanager
def opened_run(run: str | Path) -> Iterator[Path]:
    """The folder of a run; an archive is unpacked for as long as the block runs."""
    path = Path(run)
    if not is_archive(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="crosspro.") as scratch:
        folder = Path(scratch)
        unpack(path, folder)
        try:
            yield folder
        except InputError as error:  # name the archive, and not the unpacked file
            raise InputError(
                replace(problem, path=problem.path.replace(str(folder), str(path), 1))
                for problem in error.problems
            ) from error


def unpack(path: Path, folder: Path) -> None:
    """Write the files of an archive into an empty folder; a damaged archive is refused."""
    with _opened(path) as (archive, manifest):
        for name in manifest.files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_content(archive, manifest, name, path))


def archived_bytes(path: Path, name: str) -> bytes | None:
    """A file of an archive; None if there is none of that name."""
    with _opened(path) as (archive, manifest):
        return _content(archive, manifest, name, path) if name in manifest.files else None


@contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive, _manifest(archive, path)
    except _DAMAGED as error:
        reason = " ".join(str(error).split()[:40]) or type(error).__name__
        raise input_error(path, "archive", "that of a crosspro model", reason) from error


def _manifest(archive: zipfile.ZipFile, path: Path) -> Manifest:
    """The manifest, if the archive has the files that it lists, with harmless names and sizes."""
    entries = {entry.filename: entry for entry in archive.infolist()}
    if _MANIFEST not in entries or entries[_MANIFEST].file_size > _MANIFEST_BYTES:
        raise ValueError(f"no {_MANIFEST}")
    content = parse_json(archive.read(_MANIFEST))
    manifest = check_settings(Manifest, content, f"{path}: {_MANIFEST}")
    if sorted(archive.namelist()) != sorted((_MANIFEST, *manifest.files)):
        raise ValueError(f"other files than those of {_MANIFEST}")
    for name, entry in entries.items():
        if not _NAME.fullmatch(name) or stat.S_ISLNK(entry.external_attr >> 16):
            raise ValueError(f"{quoted(name)} is no plain file")
        if name != _MANIFEST and entry.file_size != manifest.files[name].size:
            raise ValueError(f"{name} has another size than in {_MANIFEST}")
    size = sum(entry.file_size for entry in entries.values())
    limit = max(UNPACKED_BYTES, UNPACKED_RATIO * path.stat().st_size)
    if size > limit:
        raise input_error(path, "archive", f"at most {limit:,} bytes unpacked", f"{size:,}")
    return manifest


def _content(archive: zipfile.ZipFile, manifest: Manifest, name: str, path: Path) -> bytes:
    content = archive.read(name)
    _check_digest(path, name, manifest.files[name].sha256, hashlib.sha256(content).hexdigest())
    return content
