"""A trained system as one file: a zip archive of its run.

    run.json        the record of the run, if there is one
    model/          the saved system; system.json has the checksums of its files
    prior.npz       what links the words of single sentences, if the model brings it

The same content gives the same bytes. An archive may come from anywhere: names and sizes are
checked before anything is unpacked. Neither unpacking nor loading runs code.
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

from pydantic import AfterValidator

from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import (
    atomic_output,
    is_archive,
    sha256_of,
    write_text,
)

MODEL, DESCRIPTION, PRIOR, RECORD = "model", "system.json", "prior.npz", "run.json"
UNPACKED_BYTES, UNPACKED_RATIO = 1 << 30, 100
"""An archive may unpack to UNPACKED_BYTES, or to so many times its own size."""
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


def write_archive(path: Path, folder: Path) -> None:
    """Pack all files of a folder."""
    with atomic_output(path) as handle, zipfile.ZipFile(handle, "w") as archive:
        for name, file in files_below(folder).items():
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
        with _opened(path) as archive:
            archive.extractall(scratch)
        try:
            yield Path(scratch)
        except InputError as error:  # name the archive, and not the unpacked file
            raise InputError(
                replace(problem, path=problem.path.replace(scratch, str(path), 1))
                for problem in error.problems
            ) from error


def archived_bytes(path: Path, name: str) -> bytes | None:
    """A file of an archive; None if there is none of that name."""
    with _opened(path) as archive:
        return archive.read(name) if name in archive.namelist() else None


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """An archive whose files have harmless names and sizes."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if unsafe := [name for name in names if not _NAME.fullmatch(name)]:
                raise ValueError(f"{quoted(unsafe[0])} is no name of a model's file")
            size = sum(entry.file_size for entry in archive.infolist())
            limit = max(UNPACKED_BYTES, UNPACKED_RATIO * path.stat().st_size)
            if size > limit:
                raise ValueError(f"{size:,} bytes unpacked, more than {limit:,}")
            yield archive
    except _DAMAGED as error:
        reason = " ".join(str(error).split()[:40]) or type(error).__name__
        raise input_error(path, "archive", "that of a crosspro model", reason) from error
