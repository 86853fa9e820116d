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
    for task in ("en-fr", "de-en"):
        assert crosspro("demo", "-t", task, "-o", folder / task, "--documents", 60).code == 0
    return folder


def ids(path):
    return set(path.read_text().split())


def test_test_documents_are_apart_from_the_rest_and_from_other_sets(demo, tmp_path):
    call = ("select-test", demo / "en-fr/train.data", "-t", "en-fr", *LIMITS)
    result = crosspro(*call, "-o", tmp_path / "t")
    assert result.code == 0, result.stderr
    test, rest = ids(tmp_path / "t.test.doc-ids"), ids(tmp_path / "t.rest.doc-ids")
    assert test | rest == ids(demo / "en-fr/train.doc-ids")
    assert 1 < len(test) <= 5
    assert not test & rest
    other = crosspro(
        *("select-test", demo / "de-en/train.data", "-t", "de-en", *LIMITS),
        *("--exclude", tmp_path / "t.test.data", "-o", tmp_path / "back"),
    )
    assert other.code == 0, other.stderr  # a set of another task is excluded by its documents
    assert ids(tmp_path / "back.test.doc-ids")
    assert not ids(tmp_path / "back.test.doc-ids") & test


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
