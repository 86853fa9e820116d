"""Downloads of official files over https, checked by size and SHA-256 where these are known.

A file is written under the name X.part and gets its name when it is complete.
"""

from __future__ import annotations

import http.client
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import CrossproError, quoted
from crosspro.data_prep.core.files import sha256_of
from crosspro.version import __version__

SCHEMES = ("https",)
_BLOCK = 1 << 18
_TIMEOUT = 60
_BEGINNINGS = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\0", ".zip": b"PK", ".kenlm": b"mmap lm "}
_WEB_PAGES = (b"<!doctype html", b"<html")

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes there will be, if known."""


class DownloadError(CrossproError):
    """A file that cannot be had, or is not the one that was expected."""


def download(
    urls: Sequence[str],
    path: Path,
    *,
    size: int | None = None,
    sha256: str | None = None,
    progress: Progress = lambda done, total: None,
) -> bool:
    """Fetch a file from the first of these addresses that has it, unless it is there.

    Returns whether it was fetched. A file of another size or checksum is fetched again.
    """
    complete = path.is_file() and size in (None, path.stat().st_size)
    if complete and (sha256 is None or sha256 == sha256_of(path)):
        return False
    part = path.with_name(f"{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    failures = []
    try:
        for url in urls:
            try:
                _fetch(url, part, size, progress)
                _check(part, path.suffix, sha256)
            except (OSError, ValueError, http.client.HTTPException) as error:
                failures.append(f"{url}: {error}")
                continue
            part.replace(path)
            return True
    finally:
        part.unlink(missing_ok=True)
    raise DownloadError("\n".join(failures))


def _fetch(url: str, part: Path, size: int | None, progress: Progress) -> None:
    """Write what an address sends; raises `ValueError` where that is not all of the file."""
    headers = {"User-Agent": f"crosspro/{__version__}", "Accept-Encoding": "identity"}
    _require_https(url)
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 (https only)
    done = 0
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:  # noqa: S310
        _require_https(response.url)
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isdecimal() else size
        if size is not None and total != size:
            raise ValueError(f"size: expected {size:,} bytes, found {total:,}")
        with part.open("wb") as handle:
            while block := response.read(_BLOCK):
                handle.write(block)
                done += len(block)
                progress(done, total)
    if done != total and total is not None:
        raise ValueError(f"size: expected {total:,} bytes, found {done:,}")


def _require_https(url: str) -> None:
    if not url.startswith(tuple(f"{scheme}://" for scheme in SCHEMES)):
        raise ValueError(f"url: expected an https address, found {quoted(url)}")


def _check(part: Path, suffix: str, sha256: str | None) -> None:
    """Refuse a file of another content, or a web page in place of a file."""
    with part.open("rb") as handle:
        start = handle.read(64)
    web_page = start.lstrip().lower().startswith(_WEB_PAGES)
    if not start.startswith(_BEGINNINGS.get(suffix, b"")) or web_page:
        raise ValueError(f"content: expected a {suffix} file, found {quoted(start)}")
    if sha256 not in (None, sha256_of(part)):
        raise ValueError(f"sha256: expected {sha256}, found another")
