"""Checksums of a saved system: of its files, and of the description that holds them.

A system that was saved before there were checksums has none, and is loaded without.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.core.files import sha256_of

_FILES, _REST = "files", "sha256"


def with_digests(description: Mapping[str, Any], folder: Path, name: str) -> dict[str, Any]:
    """A description, to be saved as `name`, with the checksums of all other files of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / name)
    digests = {path.relative_to(folder).as_posix(): sha256_of(path) for path in files}
    whole = {**description, _FILES: digests}
    return {**whole, _REST: _digest(whole)}


def renewed_digests(description: Mapping[str, Any], folder: Path, name: str) -> dict[str, Any]:
    """The same description with the checksums that the files have now."""
    rest = {key: value for key, value in description.items() if key not in (_FILES, _REST)}
    return with_digests(rest, folder, name)


def described_files(description: Mapping[str, Any], folder: Path, name: str) -> list[str]:
    """The files of a saved system beside its description; of an old one, all in its folder."""
    listed = description.get(_FILES)
    if listed is None:
        return list(with_digests({}, folder, name)[_FILES])
    return sorted(listed)


def check_digests(description: Mapping[str, Any], folder: Path, name: str) -> None:
    """Refuse a system of which anything has changed since it was saved, with all that has."""
    if _FILES not in description and _REST not in description:
        return
    rest = {key: value for key, value in description.items() if key != _REST}
    found = _digest(rest)
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
        if (state := _state(folder / file)) != digest
    ]
    if problems:
        raise InputError(problems)


def _digest(content: Mapping[str, Any]) -> str:
    """However the file is laid out; but the order of keys counts, as that of classes does."""
    text = json.dumps(content)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _state(path: Path) -> str:
    try:
        return sha256_of(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        return getattr(error, "strerror", None) or str(error)
