"""The choice of test documents from the command line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.scripts.run import crosspro

LIMITS = ("--documents", "5", "--min-segments", "5", "--words", "900")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    for task in ("en-fr", "en-de", "de-en"):
        assert crosspro("demo", "-t", task, "-o", folder / task, "--documents", 60).code == 0
    return folder


def test_two_tasks_share_their_test_documents(demo, tmp_path):
    files = demo / "en-fr/train.data", demo / "en-de/train.data"
    result = crosspro(
        "select-test", *files, "-t", "en-fr", "-t", "en-de", *LIMITS, "-o", tmp_path / "group"
    )
    assert result.code == 0, result.stderr
    assert result.stdout.count(b"total") == 2
    ids = {}
    for task in ("en-fr", "en-de"):
        for part in ("test", "rest"):
            text = (tmp_path / f"group.{task}.{part}.doc-ids").read_text()
            ids[task, part] = set(text.split())
        whole = (demo / task / "train.doc-ids").read_text()
        assert ids[task, "test"] | ids[task, "rest"] == set(whole.split())
    assert ids["en-fr", "test"] == ids["en-de", "test"]
    assert 1 < len(ids["en-fr", "test"]) <= 5
    assert not ids["en-fr", "test"] & ids["en-fr", "rest"]
    other = crosspro(
        *("select-test", demo / "de-en/train.data", "-t", "de-en", *LIMITS),
        *("--exclude", tmp_path / "group.en-fr.test.data", "-o", tmp_path / "back"),
    )
    assert other.code == 0, other.stderr  # a set of another task is excluded by its documents
    back = set((tmp_path / "back.test.doc-ids").read_text().split())
    assert back
    assert not back & ids["en-fr", "test"]


@pytest.mark.parametrize("arguments", [("-t", "en-fr"), ("-t", "en-fr", "-t", "en-fr")])
def test_files_and_tasks_that_do_not_go_together(demo, tmp_path, arguments):
    files = demo / "en-fr/train.data", demo / "en-de/train.data"
    result = crosspro("select-test", *files, *arguments, "-o", tmp_path / "group")
    assert result.code == 2
    assert not list(tmp_path.iterdir())


def test_a_disk_that_is_full_leaves_all_parts_or_none(demo, tmp_path):
    """The test part fits, the rest does not: no file is new, and old ones are as before."""
    call = ["select-test", str(demo / "en-fr/train.data"), "-t", "en-fr", *LIMITS, "-o", "t"]
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)\n"
        "from crosspro.scripts.cli import main; main()"
    )

    def run(most):
        line = [sys.executable, "-c", code, str(most), *call]
        return subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)

    assert run(1 << 30).returncode == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(before) == ["t.rest.data", "t.rest.doc-ids", "t.test.data", "t.test.doc-ids"]
    (tmp_path / "t.test.data").write_text("old")
    full = run(len(before["t.test.data"]) + 1000)
    assert full.returncode == 2
    assert "Traceback" not in full.stderr
    assert (tmp_path / "t.test.data").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == before.keys()
    assert run(1 << 30).returncode == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
