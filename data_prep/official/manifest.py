"""The manifest of a folder of downloads: where each file came from, its size and checksum."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from crosspro.data_prep.core.files.textfile import write_text
from crosspro.data_prep.official.content import DownloadError

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Received:
    """What the manifest records about a file. `etag` and `modified` are the server's words."""

    url: str
    size: int
    sha256: str
    etag: str | None = None
    modified: str | None = None


def read_manifest(folder: Path) -> dict[str, Received]:
    """The files of a folder that were completely downloaded, by name."""
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
        found = {name: Received(**entry) for name, entry in content.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _refused(path, str(error)) from error
    for name, entry in found.items():
        if type(entry.size) is not int or not isinstance(entry.sha256, str):
            raise _refused(path, f"an entry of {name!r} without a size and a sha256")
    return found


def record(path: Path, received: Received) -> None:
    """Write a file into the manifest of its folder."""
    manifest = read_manifest(path.parent) | {path.name: received}
    entries = {name: asdict(manifest[name]) for name in sorted(manifest)}
    write_text(path.parent / MANIFEST, json.dumps(entries, indent=2, ensure_ascii=False) + "\n")


def _refused(path: Path, found: str) -> DownloadError:
    return DownloadError(f"{path}: expected a manifest of downloads, found {found}")
