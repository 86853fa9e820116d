"""Downloads over http and https: resumed where they broke off, retried, and checked.

A file grows under the name X.part, and X.part.json says which version of it that is; a resumed
download asks for the rest of that version only. When it is complete, and its size and checksum are
as expected, it gets its name, and `manifest.json` beside it records where it came from. A file that
the manifest knows is not fetched again.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from crosspro import __version__
from crosspro.data_prep.errors import CrossproError, quoted
from crosspro.data_prep.files.digest import sha256_of
from crosspro.data_prep.files.textfile import write_text

MANIFEST = "manifest.json"
BLOCK = 1 << 18
LONGEST_WAIT = 300.0
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")
_FAILURES = (urllib.error.URLError, http.client.HTTPException, OSError)

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes there will be, if known."""


class DownloadError(CrossproError):
    """A file that cannot be had, or is not the one that was expected."""


@dataclass(frozen=True, slots=True)
class Received:
    """What the manifest records about a file. `etag` and `modified` are the server's words."""

    url: str
    size: int
    sha256: str
    etag: str | None = None
    modified: str | None = None


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try: failures in a row without a new byte, and the waiting between them."""

    attempts: int = 5
    first_wait: float = 1.0
    timeout: float = 60.0
    sleep: Callable[[float], None] = time.sleep


def download(
    urls: Sequence[str],
    path: Path,
    *,
    size: int | None = None,
    sha256: str | None = None,
    patience: Patience | None = None,
    progress: Progress | None = None,
) -> tuple[Received, bool]:
    """Fetch a file from the first of these addresses that has it, unless it is there.

    Returns what the manifest says, and whether anything was fetched.
    """
    for url in urls:
        require_http(url)
    known = _complete(path, size, sha256)
    if known is not None:
        return known, False
    failures: list[str] = []
    for url in urls:
        transfer = _Transfer(url, path, patience or Patience(), progress or (lambda *_: None))
        try:
            received = transfer.run(size, sha256)
        except DownloadError as error:
            failures.append(str(error))
            continue
        record(path, received)
        return received, True
    raise DownloadError("\n".join(failures) or f"{path}: no address to fetch it from")


def require_http(url: str) -> None:
    """Refuse addresses of any other kind, such as file:."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise DownloadError(f"url: expected an http or https address, found {quoted(url)}")


def read_manifest(folder: Path) -> dict[str, Received]:
    """The files of a folder that were completely downloaded, by name."""
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
        return {name: Received(**entry) for name, entry in content.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise DownloadError(f"{path}: expected a manifest of downloads, found {error}") from error


def record(path: Path, received: Received) -> None:
    """Write a file into the manifest of its folder."""
    manifest = read_manifest(path.parent) | {path.name: received}
    entries = {name: asdict(manifest[name]) for name in sorted(manifest)}
    write_text(path.parent / MANIFEST, json.dumps(entries, indent=2, ensure_ascii=False) + "\n")


def _complete(path: Path, size: int | None, sha256: str | None) -> Received | None:
    """What is known of a file that is there and need not be fetched."""
    if not path.is_file():
        return None
    entry = read_manifest(path.parent).get(path.name)
    if entry is not None and entry.size == path.stat().st_size:
        return entry if sha256 in (None, entry.sha256) else None
    if sha256 is not None and sha256_of(path) == sha256:  # put there by hand
        received = Received("", path.stat().st_size, sha256)
        record(path, received)
        return received
    return None


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirections, but to http and https only."""

    def redirect_request(
        self, req: Any, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        require_http(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    """An opener that knows http and https, and none of the other kinds that urllib has."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    return opener


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Tells a full disk from a failing network."""
    try:
        yield
    except OSError as error:
        raise DownloadError(f"{path}: expected to write it, found {error.strerror}") from error


class _CutError(Exception):
    """The connection ended before the file did."""


class _Transfer:
    """The download of one file from one address, through as many connections as it takes."""

    def __init__(self, url: str, path: Path, patience: Patience, progress: Progress) -> None:
        self.url = url
        self.path = path
        self.part = path.with_name(f"{path.name}.part")
        self.notes = path.with_name(f"{path.name}.part.json")
        self.patience = patience
        self.progress = progress
        self.opener = _opener()

    def run(self, size: int | None, sha256: str | None) -> Received:
        with _writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        failed = 0
        while True:
            before = self.held()
            try:
                self.connect(size)
                break
            except DownloadError:
                raise
            except urllib.error.HTTPError as error:
                with error:
                    if self.has_all(error):
                        break
                    wait = self.refused(error)
                fault: Exception = error
            except (_CutError, *_FAILURES) as error:
                wait, fault = 0.0, error
            failed = 1 if self.held() > before else failed + 1
            if failed >= self.patience.attempts:
                raise DownloadError(self.said(fault)) from fault
            backoff = self.patience.first_wait * 2 ** (failed - 1)
            self.patience.sleep(min(max(wait, backoff), LONGEST_WAIT))
        return self.finish(size, sha256)

    def held(self) -> int:
        """How many bytes are there already."""
        return self.part.stat().st_size if self.part.is_file() else 0

    def connect(self, size: int | None) -> None:
        """One connection: ask for what is missing, and append or begin anew as the server says."""
        headers = {"User-Agent": f"crosspro/{__version__}", "Accept-Encoding": "identity"}
        start, version = self.held(), self.version()
        if start and version:
            headers |= {"Range": f"bytes={start}-", "If-Range": version}
        else:
            start = 0
        request = urllib.request.Request(self.url, headers=headers)  # noqa: S310 (http only)
        with self.opener.open(request, timeout=self.patience.timeout) as response:
            total = self.begin(response, start)
            if response.status != http.client.PARTIAL_CONTENT:
                start = 0
            if size is not None and total not in (None, size):
                expected = f"{size:,} bytes, found {total:,}"
                raise DownloadError(f"{self.url}: size: expected {expected}")
            with _writing(self.part):
                handle = self.part.open("ab" if start else "wb")
            with handle:
                self.progress(start, total)
                while block := response.read(BLOCK):
                    with _writing(self.part):
                        handle.write(block)
                    start += len(block)
                    self.progress(start, total)
        if total is not None and start != total:
            raise _CutError(f"the connection ended after {start:,} of {total:,} bytes")

    def begin(self, response: http.client.HTTPResponse, start: int) -> int | None:
        """The size of the whole file, from the head of a response; notes its version."""
        if response.status == http.client.PARTIAL_CONTENT:
            sent = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if sent is None or sent[1] != str(start):
                self.forget()
                raise _CutError("the server sent another part of the file than asked for")
            return None if sent[2] == "*" else int(sent[2])
        notes = {
            "url": self.url,
            "etag": response.headers.get("ETag"),
            "modified": response.headers.get("Last-Modified"),
        }
        write_text(self.notes, json.dumps(notes))
        length = response.headers.get("Content-Length", "")
        return int(length) if length.isdigit() else None

    def version(self) -> str | None:
        """By what the server recognises the version of the part that is there."""
        try:
            notes = json.loads(self.notes.read_text("utf-8"))
            url, etag, modified = (notes[key] for key in ("url", "etag", "modified"))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        for mark in (etag, modified):
            if url == self.url and isinstance(mark, str) and not mark.startswith("W/"):
                return mark
        return None

    def has_all(self, error: urllib.error.HTTPError) -> bool:
        """Whether the server has nothing to send because the part is the whole file."""
        if error.code != http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            return False
        sent = _RANGE.fullmatch(error.headers.get("Content-Range", ""))
        return sent is not None and sent[2] == str(self.held())

    def refused(self, error: urllib.error.HTTPError) -> float:
        """How long a server that answers with an error wants us to wait; final ones are raised."""
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and self.held():
            self.forget()  # the part is longer than the file: it is none of it
            return 0.0
        if error.code not in _PASSING:
            raise DownloadError(self.said(error)) from error
        wanted = error.headers.get("Retry-After", "") if error.headers else ""
        return float(wanted) if wanted.isdigit() else 0.0

    def finish(self, size: int | None, sha256: str | None) -> Received:
        """Check the complete file and give it its name."""
        notes = json.loads(self.notes.read_text("utf-8"))
        received = Received(
            self.url, self.held(), sha256_of(self.part), notes["etag"], notes["modified"]
        )
        faults = [
            f"{self.url}: {field}: expected {expected}, found {found}"
            for field, expected, found in (
                ("size", size, received.size),
                ("sha256", sha256, received.sha256),
            )
            if expected not in (None, found)
        ]
        if faults:
            self.forget()
            raise DownloadError("\n".join(faults))
        self.part.replace(self.path)
        self.notes.unlink(missing_ok=True)
        return received

    def forget(self) -> None:
        """Begin anew next time."""
        self.part.unlink(missing_ok=True)
        self.notes.unlink(missing_ok=True)

    def said(self, error: Exception) -> str:
        """A failure in words."""
        if isinstance(error, urllib.error.HTTPError):
            return f"{self.url}: expected the file, found HTTP status {error.code} {error.reason}"
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        what = str(reason) or type(reason).__name__
        if isinstance(error, _CutError):
            return f"{self.url}: expected the whole file, found that {what}; run again to go on"
        host = urlsplit(self.url).hostname
        return f"{self.url}: expected an answer of {host}, found: {what}; is there a network?"
