"""The table of the official files, and downloads from a server on this machine."""

from __future__ import annotations

import hashlib
import http.server
import threading
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import pytest

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.official import download as module
from crosspro.data_prep.official.download import DownloadError, download
from crosspro.data_prep.official.files import official_files, select

CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def test_the_table_is_well_formed():
    files = official_files()
    assert len({file.path for file in files}) == len(files) > 40
    for file in files:
        assert PurePosixPath(file.name).name == file.name
        assert file.evidence and file.source and file.urls
        assert all(urlsplit(url).scheme == "https" for url in file.urls)
        assert file.sha256 is None or len(bytes.fromhex(file.sha256)) == 32
    assert {file.year for file in files} == {2015, 2016, 2017}


@pytest.mark.parametrize("task", ["en-fr", "fr-en", "en-de", "de-en"])
def test_every_task_of_2016_has_data_and_documents(task):
    for split, number in (("train", 6), ("dev", 2), ("test", 2)):
        names = [file.name for file in select(official_files(), [task], [2016], [split])]
        assert len(names) == number
        assert sum("doc-ids" in name for name in names) == number // 2


def test_every_year_has_addresses_at_lindat_and_on_the_hub():
    for year in (2015, 2016, 2017):
        urls = [url for file in select(official_files(), years=[year]) for url in file.urls]
        for address in (f"FrancophonIA/DiscoMT-{year}", "lindat"):
            assert any(address in url for url in urls)


def test_unknown_choices_are_refused():
    files = official_files()
    for choice, name in (({"tasks": ["en-xx"]}, "task"), ({"years": [1999]}, "year"),
                         ({"splits": ["all"]}, "split"),
                         ({"tasks": ["en-fr"], "years": [2015]}, "task")):  # fmt: skip
        with pytest.raises(CrossproError, match=name):
            select(files, **choice)


@pytest.fixture
def server(monkeypatch):
    """The address of a server, and the paths that were requested."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(module, "SCHEMES", ("http", "https"))
    requested = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requested.append(self.path)
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
    yield f"http://127.0.0.1:{server.server_port}", requested
    server.shutdown()
    server.server_close()


def test_a_file_comes_from_the_first_address_that_has_it_and_is_fetched_once(server, tmp_path):
    base, requested = server
    urls = [f"{base}/missing", f"{base}/cut", f"{base}/moved"]
    path = tmp_path / "2016" / "file"
    calls = []
    assert download(urls, path, size=len(CONTENT), progress=lambda *n: calls.append(n))
    assert calls[-1] == (len(CONTENT), len(CONTENT))
    assert requested == ["/missing", "/cut", "/moved", "/file"]
    assert not download(urls, path, sha256=SHA256)
    assert len(requested) == 4
    path.write_bytes(b"damaged")
    assert download(urls, path, sha256=SHA256)
    assert path.read_bytes() == CONTENT
    assert [file.name for file in path.parent.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("address", "name", "expected", "fault"),
    [("file", "x", {"sha256": "0" * 64}, "sha256"), ("file", "x", {"size": 5}, "size"),
     ("cut", "x", {}, "size"), ("page", "x.data", {}, "content"),
     ("file", "x.gz", {}, "content"), ("missing", "x", {}, "404")],
)  # fmt: skip
def test_what_is_not_the_file_is_refused(server, tmp_path, address, name, expected, fault):
    with pytest.raises(DownloadError, match=fault):
        download([f"{server[0]}/{address}"], tmp_path / name, **expected)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("url", ["http://h/x", "file:///etc/passwd", "https://", "https://[x/"])
def test_other_addresses_are_refused(url, tmp_path):
    with pytest.raises(DownloadError, match="url"):
        download([url], tmp_path / "x")
