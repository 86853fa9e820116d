"""The script that fetches the official data, as a user calls it."""

from __future__ import annotations

import hashlib
import http.server
import threading
from functools import partial

import pytest
from typer.testing import CliRunner

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.official import download, files
from crosspro.scripts.fetch_official import app
from tests.scripts.run import crosspro

OFFICIAL = b"\x1f\x8bofficial"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table of two files, one of which is on a server here."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download, "SCHEMES", ("http", "https"))
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "a.gz").write_bytes(OFFICIAL)
    handler = partial(Quiet, directory=str(tmp_path / "served"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    checksum = hashlib.sha256(OFFICIAL).hexdigest()
    rows = [
        ("columns",) * 9,
        ("a.gz", "en-fr", "2016", "train", f"{base}/gone {base}/a.gz", "10", checksum, "x", "y"),
        ("b.gz", "en-de", "2016", "train", f"{base}/b.gz", "", "", "x", "y"),
    ]
    path = tmp_path / "table.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.setattr(files, "TABLE", path)
    yield path
    server.shutdown()
    server.server_close()


def call(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_file_is_fetched_once(tmp_path, table):
    arguments = ("--task", "en-fr", "-o", tmp_path / "out")
    assert call(*arguments).exit_code == 0
    assert (tmp_path / "out" / "2016" / "a.gz").read_bytes() == OFFICIAL
    before = (tmp_path / "out" / "2016" / "a.gz").stat().st_mtime_ns
    assert call(*arguments).exit_code == 0
    assert (tmp_path / "out" / "2016" / "a.gz").stat().st_mtime_ns == before


def test_what_is_missing_does_not_stop_the_rest(tmp_path, table):
    result = call("--year", 2016, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "404" in result.stderr
    assert "https://huggingface.co/datasets/FrancophonIA/DiscoMT-2016" in result.stderr
    assert (tmp_path / "out" / "2016" / "a.gz").is_file()


def test_a_dry_run_lists_and_fetches_nothing(tmp_path, table):
    result = call("--dry-run", "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert "a.gz\ten-fr\ttrain\t10 bytes\tx" in result.stdout
    assert result.stdout.count("http://127.0.0.1") == 3
    assert "https://hdl.handle.net/11372/LRT-2394" in result.stderr
    assert not (tmp_path / "out").exists()


def test_everything_at_once_needs_a_choice(tmp_path, table):
    result = call("-o", tmp_path / "out")
    assert isinstance(result.exception, CrossproError)


def test_the_table_of_the_package():
    result = crosspro("fetch-official", "--dry-run", "--task", "fr-en")
    assert b"https://data.statmt.org/wmt16/pronoun-task/IWSLT15.fr-en.data.gz" in result.stdout
