"""The official data of the shared tasks: what it is, where it is, and its download.

Downloads go over https, or over http if asked for; they are resumed where they broke off, and
checked. (pooch 1.9 begins anew, takes a web page for a file, and needs 60 ms to import.)
A file grows under the name X.part, and X.part.json says which version of it that is; a resumed
download asks for the rest of that version only. When it is complete, no web page instead of a file,
and its size and checksum are as expected, it gets its name, and `manifest.json` beside it records
where it came from. A file that is still as the manifest has it is not fetched again; one that was
damaged is, and must become what it was. Over plain http anybody on the way can change a file, and a
file without a known checksum would be believed: such addresses are tried over https alone.
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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from crosspro.data_prep.core.errors import CrossproError, quoted
from crosspro.data_prep.core.files import sha256_of, write_text
from crosspro.version import __version__

_BEGINNINGS = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\0", ".zip": b"PK", ".kenlm": b"mmap lm "}
_WEB_TYPES = ("text/html", "application/xhtml")
_WEB_BEGINNINGS = (b"<!doctype html", b"<html")


class DownloadError(CrossproError):
    """A file that cannot be had, or is not the one that was expected."""


def no_web_page(url: str, name: str, content_type: str) -> None:
    """Refuse a web page in place of a file: with it servers say that they do not have it."""
    if content_type.strip().lower().startswith(_WEB_TYPES) and not name.endswith(".html"):
        found = f"a web page ({quoted(content_type)})"
        raise DownloadError(f"{url}: expected the file {name}, found {found}")


def wrong_content(name: str, path: Path) -> str | None:
    """What is wrong with the beginning of a complete file, which will have this name."""
    with path.open("rb") as handle:
        start = handle.read(64)
    suffix = Path(name).suffix
    if not start:
        return "expected a file, found nothing at all"
    if start.lstrip().lower().startswith(_WEB_BEGINNINGS) and suffix != ".html":
        return "expected a file, found a web page"
    if not start.startswith(_BEGINNINGS.get(suffix, b"")):
        return f"expected the beginning of a {suffix} file, found {quoted(start[:16])}"
    return None


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


BLOCK = 1 << 18
LONGEST_WAIT = 300.0
_PASSING = {408, 425, 429, 500, 502, 503, 504}
LARGEST = 20 << 30
"""Bytes of a file whose size is not known: the largest language model has about 10 GB."""
SLACK = 1 << 24
"""How much more than a known size is taken, to be able to say how much it was."""
_NUMBER = re.compile(r"[0-9]{1,18}")
_RANGE = re.compile(r"bytes (?:([0-9]{1,18})-[0-9]{1,18}|\*)/([0-9]{1,18}|\*)")
_MARK = re.compile(r"[!-~][ -~]{0,254}")
"""What may be sent back to a server as the name of a version."""
_FAILURES = (urllib.error.URLError, http.client.HTTPException, OSError)

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes there will be, if known."""


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
    largest: int = LARGEST,
    patience: Patience | None = None,
    progress: Progress | None = None,
    allow_http: bool = False,
) -> tuple[Received, bool]:
    """Fetch a file from the first of these addresses that has it, unless it is there.

    Without a size, more than `largest` bytes are refused; without a checksum, the one that the
    manifest recorded counts. Plain http is tried after https, and only if it is allowed. Returns
    what the manifest says, and whether anything was fetched.
    """
    for url in urls:
        require_http(url)
    known = _complete(path, size, sha256)
    if known is not None:
        return known, False
    earlier = read_manifest(path.parent).get(path.name)
    if sha256 is None and earlier is not None:
        sha256 = earlier.sha256
    failures: list[str] = []
    patience = patience or Patience()
    for url in tried(urls, allow_http):
        guessed = allow_http and url not in urls  # if it does not answer, the given one is tried
        most = largest if size is None else size + SLACK
        tell = progress or (lambda *_: None)
        enough = replace(patience, attempts=1) if guessed else patience
        transfer = _Transfer(url, path, enough, tell, most, allow_http)
        try:
            received = transfer.run(size, sha256)
        except DownloadError as error:
            failures.append(str(error))
            continue
        record(path, received)
        return received, True
    raise DownloadError("\n".join(failures) or f"{path}: no address to fetch it from")


def tried(urls: Sequence[str], allow_http: bool) -> list[str]:
    """The addresses in the order in which they are tried: all over https, then http if allowed."""
    safe = [re.sub("^http:", "https:", url, flags=re.IGNORECASE) for url in urls]
    plain = [url for url in urls if urlsplit(url).scheme == "http"] if allow_http else []
    return list(dict.fromkeys([*safe, *plain]))


def require_http(url: str) -> None:
    """Refuse addresses of any other kind, such as file:."""
    try:
        parts = urlsplit(url)
        right = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets without an address, a port that is no number
        right = False
    if not right:
        raise DownloadError(f"url: expected an http or https address, found {quoted(url)}")


def _complete(path: Path, size: int | None, sha256: str | None) -> Received | None:
    """What is known of a file that is there and need not be fetched."""
    if not path.is_file():
        return None
    entry = read_manifest(path.parent).get(path.name)
    if entry is not None and sha256 in (None, entry.sha256):
        same = entry.size == path.stat().st_size and sha256_of(path) == entry.sha256
        return entry if same else None
    if sha256 is not None and sha256_of(path) == sha256:  # put there by hand
        received = Received("", path.stat().st_size, sha256)
        record(path, received)
        return received
    return None


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirections, but to https only, or to http if that is allowed."""

    def __init__(self, allow_http: bool) -> None:
        self.allow_http = allow_http

    def redirect_request(
        self, req: Any, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        require_http(newurl)
        if not self.allow_http and urlsplit(newurl).scheme != "https":
            raise DownloadError(f"{req.full_url}: expected https, found that it leads to {newurl}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(allow_http: bool) -> urllib.request.OpenerDirector:
    """An opener that knows https, perhaps http, and none of the other kinds that urllib has."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        *([urllib.request.HTTPHandler()] if allow_http else []),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(allow_http),
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

    def __init__(
        self,
        url: str,
        path: Path,
        patience: Patience,
        progress: Progress,
        most: int,
        allow_http: bool,
    ) -> None:
        self.url = url
        self.most = most
        self.path = path
        self.part = path.with_name(f"{path.name}.part")
        self.notes = path.with_name(f"{path.name}.part.json")
        self.patience = patience
        self.progress = progress
        self.opener = _opener(allow_http)

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
            except (ValueError, OverflowError) as error:  # of an address we were sent on to
                found = f"what is no HTTP ({error})"
                raise DownloadError(f"{self.url}: expected an answer, found {found}") from error
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
            if total is not None:
                self.allow(total)
            with _writing(self.part):
                handle = self.part.open("ab" if start else "wb")
            with handle:
                self.progress(start, total)
                while block := response.read(BLOCK):
                    with _writing(self.part):
                        handle.write(block)
                    start += len(block)
                    self.allow(start)
                    self.progress(start, total)
        if total is not None and start != total:
            raise _CutError(f"the connection ended after {start:,} of {total:,} bytes")

    def allow(self, size: int) -> None:
        """Refuse a file that is larger than it may be."""
        if size > self.most:
            self.forget()
            expected = f"at most {self.most:,} bytes, found {size:,} or more"
            raise DownloadError(f"{self.url}: size: expected {expected}")

    def begin(self, response: http.client.HTTPResponse, start: int) -> int | None:
        """The size of the whole file, from the head of a response; notes its version."""
        if response.status == http.client.PARTIAL_CONTENT:
            sent = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if sent is None or sent[1] != str(start):
                self.forget()
                raise _CutError("the server sent another part of the file than asked for")
            return None if sent[2] == "*" else int(sent[2])
        no_web_page(self.url, self.path.name, response.headers.get("Content-Type", ""))
        notes = {
            "url": self.url,
            "etag": response.headers.get("ETag"),
            "modified": response.headers.get("Last-Modified"),
        }
        write_text(self.notes, json.dumps(notes))
        length = response.headers.get("Content-Length", "")
        return int(length) if _NUMBER.fullmatch(length) else None

    def version(self) -> str | None:
        """By what the server recognises the version of the part that is there."""
        url, *marks = (self.noted(key) for key in ("url", "etag", "modified"))
        for mark in marks:
            if url == self.url and mark and _MARK.fullmatch(mark) and not mark.startswith("W/"):
                return mark
        return None

    def noted(self, key: str) -> str | None:
        """What was noted about the part; nothing, if the notes are missing or damaged."""
        try:
            value = json.loads(self.notes.read_text("utf-8"))[key]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return value if isinstance(value, str) else None

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
        return float(wanted) if _NUMBER.fullmatch(wanted) else 0.0

    def finish(self, size: int | None, sha256: str | None) -> Received:
        """Check the complete file and give it its name."""
        received = Received(
            self.url,
            self.held(),
            sha256_of(self.part),
            self.noted("etag"),
            self.noted("modified"),
        )
        faults = [
            f"{self.url}: {field}: expected {expected}, found {found}"
            for field, expected, found in (
                ("size", size, received.size),
                ("sha256", sha256, received.sha256),
            )
            if expected not in (None, found)
        ]
        wrong = None if sha256 else wrong_content(self.path.name, self.part)
        if wrong is not None:
            faults.append(f"{self.url}: content: {wrong}")
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
