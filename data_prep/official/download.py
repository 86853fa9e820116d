"""Downloads of official files over https, checked by size and SHA-256.

A file is written under the name X.part and gets its name when it is complete. `manifest.json`
beside it records its address, size and checksum: a file that is still as the manifest has it is not
fetched again, and one that was damaged must become what it was.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from crosspro.data_prep.core.errors import CrossproError, input_error, quoted
from crosspro.data_prep.core.files import read_json_object, sha256_of, write_text
from crosspro.version import __version__

MANIFEST = "manifest.json"
SCHEMES = ("https",)
LARGEST = 20 << 30
"""Bytes of a file whose size is not known: the largest language model has about 10 GB."""
_BLOCK = 1 << 18
_TIMEOUT = 60
_BEGINNINGS = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\0", ".zip": b"PK", ".kenlm": b"mmap lm "}
_WEB_PAGES = (b"<!doctype html", b"<html")

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes there will be, if known."""


class DownloadError(CrossproError):
    """A file that cannot be had, or is not the one that was expected."""


@dataclass(frozen=True, slots=True)
class Received:
    """What the manifest records about a file."""

    url: str
    size: int
    sha256: str


def download(
    urls: Sequence[str],
    path: Path,
    *,
    size: int | None = None,
    sha256: str | None = None,
    progress: Progress = lambda done, total: None,
) -> tuple[Received, bool]:
    """Fetch a file from the first of these addresses that has it, unless it is there.

    Without a checksum the one in the manifest counts. Returns the entry of the manifest, and
    whether anything was fetched.
    """
    manifest = read_manifest(path.parent)
    earlier = manifest.get(path.name)
    sha256 = sha256 or (earlier.sha256 if earlier else None)
    if path.is_file() and sha256 is not None and sha256_of(path) == sha256:
        return earlier or Received("", path.stat().st_size, sha256), False
    part = path.with_name(f"{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    failures = []
    try:
        for url in urls:
            try:
                received = _fetch(url, part, size or LARGEST, progress)
                _check(received, part, path.suffix, size, sha256)
            except DownloadError as error:
                failures.append(str(error))
                continue
            part.replace(path)
            entries = {name: asdict(entry) for name, entry in manifest.items()}
            entries[path.name] = asdict(received)
            text = json.dumps(entries, indent=2, sort_keys=True, ensure_ascii=False)
            write_text(path.parent / MANIFEST, f"{text}\n")
            return received, True
    finally:
        part.unlink(missing_ok=True)
    raise DownloadError("\n".join(failures) or f"{path}: no address to fetch it from")


def _fetch(url: str, part: Path, largest: int, progress: Progress) -> Received:
    """Write what an address sends, until it is larger than it may be."""
    _require_https(url)
    request = urllib.request.Request(  # noqa: S310 (https only)
        url, headers={"User-Agent": f"crosspro/{__version__}", "Accept-Encoding": "identity"}
    )
    digest, done = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:  # noqa: S310
            _require_https(response.url)
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdecimal() else None
            with part.open("wb") as handle:
                while done <= largest and (block := response.read(_BLOCK)):
                    handle.write(block)
                    digest.update(block)
                    done += len(block)
                    progress(done, total)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise DownloadError(f"{url}: expected the file {part.stem}, found: {error}") from error
    if total is not None and done < total:
        raise DownloadError(f"{url}: size: expected {total:,} bytes, found {done:,}")
    return Received(url, done, digest.hexdigest())


def _require_https(url: str) -> None:
    try:
        parts = urlsplit(url)
        allowed = parts.scheme in SCHEMES and bool(parts.hostname)
    except ValueError:  # brackets without an address
        allowed = False
    if not allowed:
        raise DownloadError(f"url: expected an https address, found {quoted(url)}")


def _check(
    received: Received, part: Path, suffix: str, size: int | None, sha256: str | None
) -> None:
    """Refuse a file of another size or content, or a web page in place of a file."""
    with part.open("rb") as handle:
        start = handle.read(64)
    web_page = start.lstrip().lower().startswith(_WEB_PAGES)
    if not start.startswith(_BEGINNINGS.get(suffix, b"")) or web_page:
        fault = f"content: expected a {suffix} file, found {quoted(start)}"
    elif not received.size or size not in (None, received.size) or received.size > LARGEST:
        fault = f"size: expected {size or f'1 to {LARGEST}'} bytes, found {received.size}"
    elif sha256 not in (None, received.sha256):
        fault = f"sha256: expected {sha256}, found {received.sha256}"
    else:
        return
    raise DownloadError(f"{received.url}: {fault}")


def read_manifest(folder: Path) -> dict[str, Received]:
    """The files of a folder that were completely downloaded, by name."""
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        return {name: Received(**entry) for name, entry in read_json_object(path).items()}
    except TypeError as error:
        raise input_error(path, "file", "a manifest of downloads", str(error)) from error
