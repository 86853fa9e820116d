"""The script that fetches the official data, as a user calls it."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from crosspro.data_prep.official import files
from crosspro.data_prep.official.download import DownloadError
from crosspro.scripts import fetch_official
from tests.scripts.run import crosspro


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table of two files, one of which can be had."""
    rows = [
        ("columns",) * 9,
        ("a.gz", "en-fr", "2016", "train", "https://x/old https://x/a.gz", "10", "", "x", "y"),
        ("b.gz", "en-de", "2016", "train", "https://x/b.gz", "", "", "x", "y"),
    ]
    path = tmp_path / "table.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.setattr(files, "TABLE", path)

    def download(urls, path, **_):
        if path.name == "b.gz":
            raise DownloadError(f"{urls[0]}: 404")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\x1f\x8bofficial")
        return True

    monkeypatch.setattr(fetch_official, "download", download)


def call(*arguments: object):
    return CliRunner().invoke(fetch_official.app, [str(argument) for argument in arguments])


def test_what_is_missing_does_not_stop_the_rest(tmp_path, table):
    assert call("--task", "en-fr", "-o", tmp_path / "out").exit_code == 0
    result = call("--year", 2016, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "404" in result.stderr
    assert (tmp_path / "out" / "2016" / "a.gz").is_file()


def test_a_dry_run_lists_and_fetches_nothing(tmp_path, table):
    result = call("--dry-run", "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert "a.gz\ten-fr\ttrain\t10 bytes\tx" in result.stdout
    assert result.stdout.count("https://x/") == 3
    assert not (tmp_path / "out").exists()


def test_everything_at_once_needs_a_choice(tmp_path, table):
    assert call("-o", tmp_path / "out").exit_code == 2


def test_the_table_of_the_package():
    result = crosspro("fetch-official", "--dry-run", "--task", "fr-en")
    assert b"https://data.statmt.org/wmt16/pronoun-task/IWSLT15.fr-en.data.gz" in result.stdout
