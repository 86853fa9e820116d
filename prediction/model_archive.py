"""A trained system as one file: a zip archive with the checksum of every file in it.

    archive.json    format, version, how weights are stored, and size and SHA-256 of the rest
    run.json        what the run says of itself, where there is a run
    model/          the saved system
    prior.npz       what links the words of single sentences, where the model brings it

The same content gives the same bytes. An archive may come from anywhere, so that nothing in it is
believed: it holds ordinary files under plain names, exactly those of `archive.json`, and no more
than it says. Unpacking it runs no code, and neither does loading what was in it.

The description of a saved system, too, has the checksums of its files and its own.

The box has the archives that come with the package, which commands take by their plain names. A
path that exists is meant before the name of a bundled model.
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
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.files import (
    atomic_output,
    is_archive,
    parse_json,
    sha256_of,
    temporary_folder,
)
from crosspro.data_prep.core.settings import check_settings
from crosspro.prediction.stored_tensors import WEIGHTS
from crosspro.version import __version__

_FILES, _REST = "files", "sha256"


def with_digests(description: Mapping[str, Any], folder: Path, name: str) -> dict[str, Any]:
    """A description, to be saved as `name`, with the checksums of all other files of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / name)
    digests = {path.relative_to(folder).as_posix(): sha256_of(path) for path in files}
    whole = {**description, _FILES: digests}
    return {**whole, _REST: _digest(whole, sort_keys=False)}


def renewed_digests(description: Mapping[str, Any], folder: Path, name: str) -> dict[str, Any]:
    """The same description with the checksums that the files have now."""
    rest = {key: value for key, value in description.items() if key not in (_FILES, _REST)}
    return with_digests(rest, folder, name)


def described_files(description: Mapping[str, Any], folder: Path, name: str) -> list[str]:
    """The files of a saved system beside its description; all in its folder if it names none."""
    return sorted(description.get(_FILES) or with_digests({}, folder, name)[_FILES])


def check_digests(
    description: Mapping[str, Any],
    folder: Path,
    name: str,
    unpacked: Mapping[str, str] | None = None,
) -> None:
    """Refuse a system of which anything has changed since it was saved, with all that has.

    One without checksums, as anybody can make it, is held against none. `unpacked` has those that
    files were found to have when they were unpacked.
    """
    if _FILES not in description and _REST not in description:
        return
    rest = {key: value for key, value in description.items() if key != _REST}
    found = _digest(rest, sort_keys=False)  # that of keys counts, as that of classes does
    if description.get(_REST) != found:
        expected = f"the checksum {quoted(str(description.get(_REST)))} that it was saved with"
        raise InputError([Problem(str(folder / name), None, "sha256", expected, found)])
    files = description.get(_FILES)
    if not isinstance(files, dict) or not all(map(_inside, files)):
        expected = "the files of the folder and their checksums"
        raise InputError([Problem(str(folder / name), None, _FILES, expected, quoted(repr(files)))])
    problems = [
        Problem(str(folder / file), None, "file", f"as it was saved (sha256 {digest})", state)
        for file, digest in files.items()
        if (state := (unpacked or {}).get(file) or _state(folder / file)) != digest
    ]
    if problems:
        raise InputError(problems)


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _state(path: Path) -> str:
    try:
        return sha256_of(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        return getattr(error, "strerror", None) or str(error)


MODEL, PRIOR = "model", "prior.npz"
_MANIFEST = "archive.json"
_FORMAT = 1
_LARGEST_MANIFEST = 1 << 24
FILE_BYTES = 1 << 30
PACKED_TIMES = 100
"""An archive may unpack to FILE_BYTES, or to so many times its size."""
_BLOCK = 1 << 20
_OLDEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file: zip archives know none before."""
_FILE_MODE = (stat.S_IFREG | 0o644) << 16
_UNIX = 3
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,  # a compression that we never use
    RuntimeError,  # encrypted
    ValueError,
    OverflowError,
)
_part = re.compile(r"\w[\w.+-]*")


@dataclass(frozen=True)
class ArchivedFile:
    """A file of an archive: its size and the checksum of its content."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What an archive says of itself."""

    format: int
    crosspro: str
    weights: str
    files: Mapping[str, ArchivedFile]
    sha256: str


def write_archive(path: Path, folder: Path, weights: str) -> None:
    """Pack all files of a folder, whose matrices are stored as `weights` says."""
    found = sorted(one for one in folder.rglob("*") if one.is_file())
    files = {one.relative_to(folder).as_posix(): one for one in found}
    for name in files:
        if not _is_plain(name):
            raise input_error(folder / name, "name", "letters, digits, and . _ + - between", name)
    listed = {name: ArchivedFile(one.stat().st_size, sha256_of(one)) for name, one in files.items()}
    manifest = Manifest(_FORMAT, __version__, weights, listed, "")
    whole = replace(manifest, sha256=_digest(asdict(manifest)))
    about = json.dumps(asdict(whole), indent=1, sort_keys=True) + "\n"
    with atomic_output(path) as handle, zipfile.ZipFile(handle, "w") as archive:
        archive.writestr(_entry(_MANIFEST), about.encode("ascii"), compresslevel=9)
        for name, one in files.items():
            with one.open("rb") as content:
                _write(archive, name, content)


ARCHIVES = ".zip"
"""How archives are called that are looked for in folders."""
BOX = Path(__file__).resolve().parent.parent / "models"
"""Where the models are that come with the package."""


def box_models() -> dict[str, Path]:
    """The archives of the bundled models by their names."""
    return {path.stem: path for path in sorted(BOX.glob(f"*{ARCHIVES}"))}


def from_box(path: Path) -> Path:
    """The archive of the bundled model that a plain name stands for; other paths as they are."""
    if path.name != str(path) or not str(path)[:1].isalnum() or "." in str(path) or path.exists():
        return path
    box = box_models()
    if str(path) not in box:
        shipped = f", or one of the bundled models: {', '.join(box)}" if box else ""
        found = "neither" if box else "none, and no bundled models"
        raise input_error(path, "model", f"a run or an archive{shipped}", found)
    return box[str(path)]


@contextmanager
def opened_run(run: str | Path) -> Iterator[Path]:
    """The folder of a run; that of an archive is unpacked for as long as the block runs."""
    path = Path(run)
    if not is_archive(path):
        yield path
        return
    with temporary_folder(Path(tempfile.gettempdir()), MODEL) as folder:
        unpack(path, folder)
        try:
            yield folder
        except InputError as error:
            raise InputError(
                _placed(problem, folder, path) for problem in error.problems
            ) from error


def unpack(path: Path, folder: Path) -> Manifest:
    """Write the files of an archive into an empty folder; one that is not whole is refused."""
    with _opened(path) as archive:
        manifest = _manifest(archive, path)
        for name in manifest.files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as handle:
                for block in _content(archive, manifest, name, path):
                    handle.write(block)
    return manifest


def read_manifest(path: Path) -> Manifest:
    """What an archive says of itself; the files in it are not read."""
    with _opened(path) as archive:
        return _manifest(archive, path)


def unpacked_digests(run: str | Path) -> dict[str, str]:
    """The checksums of the files of a system that `opened_run` unpacks, where it does."""
    if not is_archive(Path(run)):
        return {}
    parts = ((name.partition("/"), file) for name, file in read_manifest(Path(run)).files.items())
    return {inner: file.sha256 for (room, _, inner), file in parts if room == MODEL}


def archived_text(path: Path, name: str) -> str | None:
    """A text of an archive by its name; None if it has none of that name."""
    content = archived_bytes(path, name)
    return None if content is None else content.decode("utf-8")


def archived_bytes(path: Path, name: str) -> bytes | None:
    """A file of an archive by its name; None if it has none of that name."""
    with _opened(path) as archive:
        manifest = _manifest(archive, path)
        if name not in manifest.files:
            return None
        return b"".join(_content(archive, manifest, name, path))


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """An archive to read; whatever is wrong with it becomes one message."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except _DAMAGED as error:
        found = "a damaged or another one"
        if isinstance(error, OSError) and error.strerror:
            found = error.strerror
        raise input_error(path, "archive", "a whole one of crosspro models", found) from error


def _manifest(archive: zipfile.ZipFile, path: Path) -> Manifest:
    """What the archive says of itself, held against what it has."""
    about = archive.getinfo(_MANIFEST) if _MANIFEST in archive.namelist() else None
    if about is None or about.file_size > _LARGEST_MANIFEST:
        raise ValueError("no archive.json")
    content = parse_json(archive.read(about))
    number = content.get("format") if isinstance(content, dict) else None
    if type(number) is not int or number != _FORMAT:
        writer = quoted(str(content.get("crosspro"))) if isinstance(content, dict) else "unknown"
        expected = f"{_FORMAT} (this is crosspro {__version__})"
        found = f"{quoted(repr(number))}, written by crosspro {writer}"
        raise input_error(path, "format", expected, found)
    try:
        manifest = check_settings(Manifest, content, path)
    except InputError as error:
        raise ValueError("an archive.json that was changed") from error
    if manifest.sha256 != _digest({**content, "sha256": ""}):
        raise ValueError("an archive.json that was changed")
    if manifest.weights not in WEIGHTS or not manifest.crosspro.isprintable():
        raise ValueError("an archive.json of another kind")
    _check_entries(archive, manifest, path)
    return manifest


def _check_entries(archive: zipfile.ZipFile, manifest: Manifest, path: Path) -> None:
    """The archive has the files of its manifest, nothing else, and not too much of them."""
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if sorted(names) != sorted((_MANIFEST, *manifest.files)) or not all(map(_is_plain, names)):
        raise ValueError("other files than those of archive.json")
    for entry in entries:
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if entry.is_dir() or kind not in (0, stat.S_IFREG):
            raise ValueError("what is no ordinary file")
        listed = manifest.files.get(entry.filename)
        if listed is not None and entry.file_size != listed.size:
            raise ValueError("files of another size")
    total = sum(entry.file_size for entry in entries)
    most = max(FILE_BYTES, PACKED_TIMES * path.stat().st_size)
    if total > most:
        expected = f"at most {most:,} bytes unpacked"
        raise input_error(path, "archive", expected, f"{total:,}")


def _content(
    archive: zipfile.ZipFile, manifest: Manifest, name: str, path: Path
) -> Iterator[bytes]:
    """A file in blocks; after the last one its checksum was right."""
    digest = hashlib.sha256()
    with archive.open(name) as handle:
        while block := handle.read(_BLOCK):
            digest.update(block)
            yield block
    expected = manifest.files[name].sha256
    if digest.hexdigest() != expected:
        raise input_error(path, name, f"the checksum {quoted(expected)}", digest.hexdigest())


def _write(archive: zipfile.ZipFile, name: str, content: Any) -> None:
    with archive.open(_entry(name), "w", force_zip64=True) as handle:
        while block := content.read(_BLOCK):
            handle.write(block)


def _entry(name: str) -> zipfile.ZipInfo:
    """The head of a file, without anything that differs from day to day."""
    entry = zipfile.ZipInfo(name, _OLDEST)
    entry.create_system = _UNIX
    entry.external_attr = _FILE_MODE
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _is_plain(name: str) -> bool:
    """Whether a name stays inside its folder on every system."""
    return name.isascii() and all(_part.fullmatch(part) for part in name.split("/"))


def _digest(content: Mapping[str, Any], sort_keys: bool = True) -> str:
    """The checksum of a description, however its file is laid out."""
    return hashlib.sha256(json.dumps(content, sort_keys=sort_keys).encode("ascii")).hexdigest()


def _placed(problem: Problem, folder: Path, path: Path) -> Problem:
    """A problem of an unpacked file, as one of the archive."""
    inside = problem.path.removeprefix(str(folder))
    return problem if inside == problem.path else replace(problem, path=f"{path}{inside}")
