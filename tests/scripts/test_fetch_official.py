"""The script that fetches the official data, as a user calls it."""

from __future__ import annotations

import hashlib
import http.server
import subprocess
import sys
import threading
from functools import partial

import pytest
from typer.testing import CliRunner

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.official.download import read_manifest
from crosspro.data_prep.official.files import COLUMNS
from crosspro.scripts.fetch_official import app
from tests.conftest import ROOT


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table of two files, one of which is on a server here."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "a.gz").write_bytes(b"official")
    handler = partial(Quiet, directory=str(tmp_path / "served"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    checksum = hashlib.sha256(b"official").hexdigest()
    rows = [
        COLUMNS,
        ("a.gz", "en-fr", "2016", "train", f"{base}/gone {base}/a.gz", "8", checksum, "x", "y"),
        ("b.gz", "en-de", "2016", "train", f"{base}/b.gz", "", "", "x", "y"),
    ]
    path = tmp_path / "table.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    yield path
    server.shutdown()
    server.server_close()


def call(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_file_is_fetched_once(tmp_path, table):
    arguments = ("--table", table, "--task", "en-fr", "-o", tmp_path / "out", "--allow-http")
    assert "a.gz: fetched, 8 bytes, sha256" in call(*arguments).stderr
    assert (tmp_path / "out" / "2016" / "a.gz").read_bytes() == b"official"
    assert read_manifest(tmp_path / "out" / "2016")["a.gz"].url.endswith("/a.gz")
    assert "a.gz: already there" in call(*arguments).stderr


def test_what_is_missing_does_not_stop_the_rest(tmp_path, table):
    result = call("--table", table, "--year", 2016, "-o", tmp_path / "out", "--allow-http")
    assert result.exit_code == 1
    assert "HTTP status 404" in result.stderr
    assert "1 of 2 files could not be fetched" in result.stderr
    assert "https://huggingface.co/datasets/FrancophonIA/DiscoMT-2016" in result.stderr
    assert (tmp_path / "out" / "2016" / "a.gz").is_file()


def test_plain_http_must_be_asked_for(tmp_path, table):
    arguments = ("--table", table, "--task", "en-de", "-o", tmp_path / "out", "--attempts", 1)
    result = call(*arguments)
    assert result.exit_code == 1
    assert "--allow-http tries them" in result.stderr
    assert not (tmp_path / "out" / "2016" / "b.gz").exists()


def test_a_dry_run_lists_and_fetches_nothing(tmp_path, table):
    result = call("--table", table, "--dry-run", "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert "a.gz\ten-fr\ttrain\t8 bytes\tx" in result.stdout
    assert result.stdout.count("https://127.0.0.1") == 3
    assert "http://" not in result.stdout
    allowed = call("--table", table, "--dry-run", "-o", tmp_path / "out", "--allow-http")
    assert allowed.stdout.count("http://127.0.0.1") == 3
    assert "pages of 2016: https://hdl.handle.net/11372/LRT-2394 https://hugg" in result.stderr
    assert not (tmp_path / "out").exists()


def test_everything_at_once_needs_a_choice(tmp_path, table):
    result = call("--table", table, "-o", tmp_path / "out")
    assert isinstance(result.exception, CrossproError)
    assert "expected --task, --year or --split" in str(result.exception)


def test_the_script_runs_by_itself():
    command = [sys.executable, "scripts/fetch_official.py", "--dry-run", "--task", "fr-en"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert "https://data.statmt.org/wmt16/pronoun-task/IWSLT15.fr-en.data.gz" in result.stdout
