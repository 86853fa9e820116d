"""Downloads from a server on this machine that misbehaves in every way a real one does."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import pytest

from crosspro.data_prep.core.files import sha256_of
from crosspro.data_prep.official.download import (
    DownloadError,
    Patience,
    _Redirects,
    read_manifest,
    tried,
)
from crosspro.data_prep.official.download import download as download_safely

download = partial(download_safely, allow_http=True)
"""The server here has no certificate."""
CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Behaviour:
    """What the server does, request by request."""

    statuses: list[int] = field(default_factory=list)  # errors to answer with first
    cuts: list[int] = field(default_factory=list)  # bytes to send before hanging up
    ranges: bool = True
    etag: str | None = '"v1"'
    length: bool = True
    content: bytes = CONTENT
    wrong_range: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    extra: dict[str, str] = field(default_factory=dict)  # sent with the file
    location: str | None = None
    requests: list[dict[str, str]] = field(default_factory=list)


def handler_of(behaviour: Behaviour) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            behaviour.requests.append(dict(self.headers))
            if self.path.startswith("/missing"):
                self.send_error(404)
                return
            if behaviour.location and self.path == "/moved":
                self.send_response(302)
                self.send_header("Location", behaviour.location)
                self.end_headers()
                return
            if behaviour.statuses:
                self.answer_error(behaviour.statuses.pop(0))
                return
            self.answer()

        def answer_error(self, status: int) -> None:
            self.send_response(status)
            for name, value in behaviour.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def answer(self) -> None:
            body, total = behaviour.content, len(behaviour.content)
            wanted = self.headers.get("Range")
            fresh = self.headers.get("If-Range") in (None, behaviour.etag)
            if wanted and behaviour.ranges and fresh:
                start = int(wanted.removeprefix("bytes=").removesuffix("-"))
                if start >= total:
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{total}")
                    self.end_headers()
                    return
                start += behaviour.wrong_range
                body = body[start:]
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {start}-{total - 1}/{total}")
            else:
                self.send_response(200)
            if behaviour.length:
                self.send_header("Content-Length", str(len(body)))
            if behaviour.etag:
                self.send_header("ETag", behaviour.etag)
            for name, value in behaviour.extra.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body[: behaviour.cuts.pop(0)] if behaviour.cuts else body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@pytest.fixture
def serve(monkeypatch):
    """Starts a server and returns its address and its behaviour, which a test may change."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    servers = []

    def start(**options) -> tuple[str, Behaviour]:
        behaviour = Behaviour(**options)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(behaviour))
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/file", behaviour

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@dataclass
class Clock:
    """Waits without waiting."""

    waits: list[float] = field(default_factory=list)
    at: Callable[[int], None] = lambda number: None

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.at(len(self.waits))


@pytest.fixture
def clock():
    return Clock()


def patience(clock: Clock, attempts: int = 4) -> Patience:
    return Patience(attempts, first_wait=1.0, timeout=10.0, sleep=clock.sleep)


def test_a_whole_file(tmp_path, serve, clock):
    url, behaviour = serve()
    seen = []
    received, fetched = download(
        [url],
        tmp_path / "2016" / "file",
        patience=patience(clock),
        size=len(CONTENT),
        sha256=SHA256,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert fetched
    assert (tmp_path / "2016" / "file").read_bytes() == CONTENT
    assert (received.size, received.sha256, received.etag) == (len(CONTENT), SHA256, '"v1"')
    assert seen[0] == (0, len(CONTENT))
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert sorted(path.name for path in (tmp_path / "2016").iterdir()) == ["file", "manifest.json"]
    assert read_manifest(tmp_path / "2016") == {"file": received}
    assert clock.waits == []
    assert "Range" not in behaviour.requests[0]


def test_a_complete_file_is_not_fetched_again(tmp_path, serve, clock):
    url, behaviour = serve()
    first, _ = download([url], tmp_path / "file", patience=patience(clock))
    again, fetched = download([url], tmp_path / "file", patience=patience(clock))
    assert (again, fetched, len(behaviour.requests)) == (first, False, 1)
    (tmp_path / "file").write_bytes(b"changed")
    assert download([url], tmp_path / "file", patience=patience(clock))[1]
    assert sha256_of(tmp_path / "file") == SHA256


def test_a_file_put_there_by_hand_is_recognised_by_its_checksum(tmp_path):
    (tmp_path / "file").write_bytes(CONTENT)
    received, fetched = download(["http://127.0.0.1:1/x"], tmp_path / "file", sha256=SHA256)
    assert not fetched
    assert read_manifest(tmp_path)["file"] == received


def test_a_cut_connection_is_resumed(tmp_path, serve, clock):
    url, behaviour = serve(cuts=[300_000, 200_000])
    download([url], tmp_path / "file", patience=patience(clock))
    assert sha256_of(tmp_path / "file") == SHA256
    assert [request.get("Range") for request in behaviour.requests] == [
        None,
        "bytes=300000-",
        "bytes=500000-",
    ]
    assert behaviour.requests[1]["If-Range"] == '"v1"'
    assert clock.waits == [1.0, 1.0]  # every connection brought something: no longer waits


def test_a_stopped_download_goes_on_in_the_next_run(tmp_path, serve, clock):
    url, behaviour = serve(cuts=[300_000])
    with pytest.raises(DownloadError, match=r"ended after 300,000 of 1,024,000 bytes; run again"):
        download([url], tmp_path / "file", patience=patience(clock, attempts=1))
    assert (tmp_path / "file.part").stat().st_size == 300_000
    assert not (tmp_path / "file").exists()
    download([url], tmp_path / "file", patience=patience(clock))
    assert behaviour.requests[1]["Range"] == "bytes=300000-"
    assert sha256_of(tmp_path / "file") == SHA256


def test_a_changed_file_is_not_joined_to_the_old_part(tmp_path, serve, clock):
    url, behaviour = serve(cuts=[300_000])

    def change(_: int) -> None:
        behaviour.etag, behaviour.content = '"v2"', CONTENT[::-1]

    clock.at = change
    download([url], tmp_path / "file", patience=patience(clock))
    assert (tmp_path / "file").read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize("options", [{"ranges": False}, {"etag": None}, {"etag": 'W/"v1"'}])
def test_servers_that_cannot_resume_begin_anew(tmp_path, serve, clock, options):
    url, behaviour = serve(cuts=[300_000], **options)
    download([url], tmp_path / "file", patience=patience(clock))
    assert sha256_of(tmp_path / "file") == SHA256
    assert len(behaviour.requests) == 2


def test_a_part_that_is_the_whole_file_is_enough(tmp_path, serve, clock):
    url, behaviour = serve()
    (tmp_path / "file.part").write_bytes(CONTENT)
    notes = {"url": url, "etag": '"v1"', "modified": None}
    (tmp_path / "file.part.json").write_text(json.dumps(notes))
    download([url], tmp_path / "file", patience=patience(clock))
    assert sha256_of(tmp_path / "file") == SHA256
    assert len(behaviour.requests) == 1


def test_a_part_that_is_longer_than_the_file_is_thrown_away(tmp_path, serve, clock):
    url, behaviour = serve()
    (tmp_path / "file.part").write_bytes(CONTENT + b"more")
    notes = {"url": url, "etag": '"v1"', "modified": None}
    (tmp_path / "file.part.json").write_text(json.dumps(notes))
    download([url], tmp_path / "file", patience=patience(clock))
    assert sha256_of(tmp_path / "file") == SHA256
    assert len(behaviour.requests) == 2


def test_the_wrong_part_is_not_taken(tmp_path, serve, clock):
    url, behaviour = serve(cuts=[300_000], wrong_range=True)
    download([url], tmp_path / "file", patience=patience(clock))
    assert sha256_of(tmp_path / "file") == SHA256
    assert len(behaviour.requests) == 3


def test_passing_errors_are_retried_with_longer_waits(tmp_path, serve, clock):
    url, _ = serve(statuses=[503, 500, 429])
    download([url], tmp_path / "file", patience=patience(clock))
    assert clock.waits == [1.0, 2.0, 4.0]


def test_the_server_says_how_long_to_wait(tmp_path, serve, clock):
    url, _ = serve(statuses=[503, 503], headers={"Retry-After": "7"})
    download([url], tmp_path / "file", patience=patience(clock))
    assert clock.waits == [7.0, 7.0]
    url, _ = serve(statuses=[503], headers={"Retry-After": "999999"})
    download([url], tmp_path / "other", patience=patience(clock))
    assert clock.waits[-1] == 300.0


def test_errors_that_do_not_pass(tmp_path, serve, clock):
    url, _ = serve(statuses=[503] * 9)
    with pytest.raises(DownloadError, match="found HTTP status 503"):
        download([url], tmp_path / "file", patience=patience(clock))
    assert len(clock.waits) == 3


@pytest.mark.parametrize("status", [403, 410])
def test_final_errors_are_not_retried(tmp_path, serve, clock, status):
    url, behaviour = serve(statuses=[status])
    with pytest.raises(DownloadError, match=f"found HTTP status {status}"):
        download([url], tmp_path / "file", patience=patience(clock))
    assert (len(behaviour.requests), clock.waits) == (1, [])
    assert list(tmp_path.iterdir()) == []


def test_the_next_address_is_tried(tmp_path, serve, clock):
    url, _ = serve()
    missing = url.replace("/file", "/missing")
    received, _ = download([missing, url], tmp_path / "file", patience=patience(clock))
    assert received.url == url
    with pytest.raises(DownloadError) as caught:
        download([missing, f"{missing}?x"], tmp_path / "none", patience=patience(clock))
    assert str(caught.value).count("HTTP status 404") == 2


def test_a_wrong_checksum_is_refused(tmp_path, serve, clock):
    url, _ = serve()
    with pytest.raises(DownloadError, match=f"sha256: expected {'0' * 64}, found {SHA256}"):
        download([url], tmp_path / "file", sha256="0" * 64, patience=patience(clock))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("length", [True, False])
def test_a_wrong_size_is_refused(tmp_path, serve, clock, length):
    url, _ = serve(length=length)
    with pytest.raises(DownloadError, match=r"size: expected 5( bytes)?, found 1,?024,?000"):
        download([url], tmp_path / "file", size=5, patience=patience(clock))
    assert not (tmp_path / "file").exists()


def test_no_network(tmp_path, clock):
    with pytest.raises(DownloadError, match=r"an answer of 127.0.0.1, found: .*is there a network"):
        download(["http://127.0.0.1:1/file"], tmp_path / "file", patience=patience(clock))
    assert clock.waits == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/x", "/etc/passwd", "http:///x"])
def test_other_addresses_are_refused(tmp_path, url):
    with pytest.raises(DownloadError, match="expected an http or https address"):
        download([url], tmp_path / "file")


def test_addresses_are_tried_over_https_and_http_only_if_allowed():
    urls = ["http://a/x", "https://b/x", "HTTP://c/x", "http://b/x"]
    safe = ["https://a/x", "https://b/x", "https://c/x"]
    assert tried(urls, allow_http=False) == safe
    assert tried(urls, allow_http=True) == [*safe, "http://a/x", "HTTP://c/x", "http://b/x"]


def test_nothing_is_fetched_over_plain_http_unless_it_is_allowed(tmp_path, serve, clock):
    url, behaviour = serve()
    with pytest.raises(DownloadError, match=r"https://127\.0\.0\.1") as refused:
        download_safely([url], tmp_path / "file", patience=patience(clock, attempts=1))
    assert "http://" not in str(refused.value)
    assert behaviour.requests == []
    assert not (tmp_path / "file").exists()


def test_https_does_not_lead_to_http():
    asked = urllib.request.Request("https://a.example/x")
    follow = partial(_Redirects(False).redirect_request, asked, None, 302, "", {})
    with pytest.raises(DownloadError, match="expected https, found that it leads to http://b"):
        follow("http://b.example/x")
    assert follow("https://b.example/x").full_url == "https://b.example/x"
    allowed = _Redirects(True).redirect_request(asked, None, 302, "", {}, "http://b.example/x")
    assert allowed.full_url == "http://b.example/x"


def test_what_was_noted_is_checked_ever_after(tmp_path, serve, clock):
    """Without a checksum in the table the first download says what the file is."""
    url, behaviour = serve()
    download([url], tmp_path / "file", patience=patience(clock))
    (tmp_path / "file").unlink()
    behaviour.content = b"another" * 100
    with pytest.raises(DownloadError, match=f"sha256: expected {SHA256}"):
        download([url], tmp_path / "file", patience=patience(clock))
    assert not (tmp_path / "file").exists()
    other = hashlib.sha256(behaviour.content).hexdigest()
    received, _ = download([url], tmp_path / "file", sha256=other, patience=patience(clock))
    assert received.sha256 == other == read_manifest(tmp_path)["file"].sha256


def test_redirections_stay_on_the_web(tmp_path, serve, clock):
    url, behaviour = serve()
    behaviour.location = url
    moved = url.replace("/file", "/moved")
    download([moved], tmp_path / "file", patience=patience(clock))
    behaviour.location = "ftp://127.0.0.1/x"
    with pytest.raises(DownloadError, match="expected an http or https address"):
        download([moved], tmp_path / "other", patience=patience(clock))


def test_a_folder_that_cannot_be_written(tmp_path, serve, clock):
    url, _ = serve()
    (tmp_path / "taken").write_text("")
    with pytest.raises(DownloadError, match="expected to write it"):
        download([url], tmp_path / "taken" / "file", patience=patience(clock))
    (tmp_path / "file.part").mkdir()
    with pytest.raises(DownloadError, match="expected to write it"):
        download([url], tmp_path / "file", patience=patience(clock))


@pytest.mark.parametrize("text", ["{", "[]", '{"file": {"x": 1}}'])
def test_a_damaged_manifest_is_named(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DownloadError, match="expected a manifest of downloads"):
        read_manifest(tmp_path)


def test_a_damaged_file_of_the_right_size_is_fetched_again(tmp_path, serve, clock):
    url, behaviour = serve()
    download([url], tmp_path / "file", patience=patience(clock))
    (tmp_path / "file").write_bytes(b"x" + CONTENT[1:])
    assert download([url], tmp_path / "file", patience=patience(clock))[1]
    assert (tmp_path / "file").read_bytes() == CONTENT
    (tmp_path / "file").write_bytes(b"")
    behaviour.content, behaviour.etag = CONTENT[::-1], '"v2"'
    with pytest.raises(DownloadError, match=f"sha256: expected {SHA256}, found"):
        download([url], tmp_path / "file", patience=patience(clock))


@pytest.mark.parametrize("kind", ["text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml"])
def test_a_web_page_is_no_file_by_its_type(tmp_path, serve, clock, kind):
    url, _ = serve(extra={"Content-Type": kind})
    with pytest.raises(DownloadError, match=r"expected the file x\.data, found a web page"):
        download([url], tmp_path / "x.data", patience=patience(clock))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("x.data", b" <!DOCTYPE html><p>Not here", "a web page"),
        ("x.data", b"", "nothing at all"),
        ("x.gz", b"Sorry, not here", r"the beginning of a \.gz file, found .*Sorry"),
        ("x.tar.gz", b"PK\3\4", r"the beginning of a \.gz file"),
        ("x.zip", b"\x1f\x8b", r"the beginning of a \.zip file"),
    ],
)
def test_what_cannot_be_the_file_is_refused(tmp_path, serve, clock, name, content, found):
    url, _ = serve(content=content)
    with pytest.raises(DownloadError, match=found):
        download([url], tmp_path / name, patience=patience(clock))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("length", [True, False])
def test_a_file_larger_than_allowed_is_refused(tmp_path, serve, clock, length):
    url, _ = serve(length=length)
    with pytest.raises(DownloadError, match=r"size: expected at most 300,000 bytes, found"):
        download([url], tmp_path / "file", largest=300_000, patience=patience(clock))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "extra",
    [
        {"Content-Length": "²"},
        {"Content-Length": "9" * 5000},
        {"Content-Length": "-5"},
        {"Last-Modified": "x\ty"},
        {"ETag": "a\r\n b"},
    ],
)
def test_odd_headers_do_no_harm(tmp_path, serve, clock, extra):
    url, _ = serve(length=False, etag=None, extra=extra, cuts=[300_000])
    try:
        download([url], tmp_path / "file", patience=patience(clock))
    except DownloadError as error:
        assert "expected" in str(error)


@pytest.mark.parametrize("wanted", ["²", "soon", "9" * 5000])
def test_an_odd_wish_to_wait_is_passed_over(tmp_path, serve, clock, wanted):
    url, _ = serve(statuses=[503], headers={"Retry-After": wanted})
    download([url], tmp_path / "file", patience=patience(clock))
    assert clock.waits == [1.0]


@pytest.mark.parametrize("place", ["http://[", "http://h:x/", "http://h:99999999/", "http://h:0/"])
def test_odd_addresses_are_told(tmp_path, serve, clock, place):
    url, behaviour = serve()
    behaviour.location = place
    moved = url.replace("/file", "/moved")
    with pytest.raises(DownloadError, match=r"expected an"):
        download([moved], tmp_path / "file", patience=patience(clock))
    with pytest.raises(DownloadError, match=r"expected an"):
        download([place], tmp_path / "file", patience=patience(clock))


@pytest.mark.parametrize("text", ['{"file": {"url": "", "size": "x", "sha256": 5}}', "[" * 100_000])
def test_a_manifest_with_odd_values_is_named(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DownloadError, match="expected a manifest of downloads"):
        read_manifest(tmp_path)
