"""Downloads from a server on this machine."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading

import pytest

from crosspro.data_prep.official import download as module
from crosspro.data_prep.official.download import DownloadError, download, read_manifest

CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(monkeypatch):
    """The address of a server, and the paths that it was asked for."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(module, "SCHEMES", ("http", "https"))
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            if self.path == "/missing":
                self.send_error(404)
                return
            if self.path == "/moved":
                self.send_response(302)
                self.send_header("Location", "/file")
                self.end_headers()
                return
            body = b"<!DOCTYPE html>" if self.path == "/page" else CONTENT
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:1000] if self.path == "/cut" else body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def test_a_file_comes_from_the_first_address_that_has_it_and_is_fetched_once(server, tmp_path):
    base, asked = server
    urls = [f"{base}/missing", f"{base}/cut", f"{base}/moved"]
    path = tmp_path / "2016" / "file"
    calls = []
    received, fetched = download(urls, path, size=len(CONTENT), progress=lambda *n: calls.append(n))
    assert (fetched, received.url, received.size) == (True, urls[2], len(CONTENT))
    assert calls[-1] == (len(CONTENT), len(CONTENT))
    assert read_manifest(path.parent) == {"file": received}
    assert received.sha256 == SHA256
    assert asked == ["/missing", "/cut", "/moved", "/file"]
    assert download(urls, path) == (received, False)
    assert len(asked) == 4
    path.write_bytes(b"damaged")
    assert download(urls, path) == (received, True)
    assert {one.name for one in path.parent.iterdir()} == {"file", "manifest.json"}


@pytest.mark.parametrize(
    ("address", "name", "expected", "fault"),
    [
        ("file", "x", {"sha256": "0" * 64}, "sha256"),
        ("file", "x", {"size": 5}, "size"),
        ("cut", "x", {}, "size"),
        ("page", "x.data", {}, "content"),
        ("file", "x.gz", {}, "content"),
        ("missing", "x", {}, "404"),
    ],
)
def test_what_is_not_the_file_is_refused(server, tmp_path, address, name, expected, fault):
    with pytest.raises(DownloadError, match=fault):
        download([f"{server[0]}/{address}"], tmp_path / name, **expected)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("url", ["http://h/x", "file:///etc/passwd", "https://", "https://[x/"])
def test_other_addresses_are_refused(url, tmp_path):
    with pytest.raises(DownloadError, match="url"):
        download([url], tmp_path / "x")


@pytest.mark.parametrize(
    "content", ["[", "[1]", '{"x": {}}', '{"x": {"url": 1, "size": "", "sha256": 1}}']
)
def test_a_manifest_of_something_else_is_refused(content, tmp_path):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(DownloadError, match=r"manifest\.json"):
        read_manifest(tmp_path)


def test_a_manifest_is_sorted(server, tmp_path):
    for name in ("b", "a"):
        download([f"{server[0]}/file"], tmp_path / name)
    assert list(json.loads((tmp_path / "manifest.json").read_text())) == ["a", "b"]
