"""The choice of test documents from the command line."""

from __future__ import annotations

import pytest

from tests.scripts.run import crosspro

LIMITS = ("--documents", "5", "--min-segments", "5", "--words", "900")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    sizes = ("--train", "60", "--dev", "5", "--test", "5")
    for task in ("en-fr", "en-de", "de-en"):
        assert crosspro("demo", "-t", task, "-o", folder / task, *sizes).code == 0
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-t", "en-fr"), b"a --task for each file: 2 files, 1 tasks"),
        (("-t", "en-fr", "-t", "en-fr"), b"a task of its own"),
        (("-t", "en-fr", "-t", "en-de", "--doc-ids", "x"), b"--doc-ids belongs to one file"),
    ],
)
def test_files_and_tasks_that_do_not_go_together(demo, tmp_path, arguments, message):
    files = demo / "en-fr/train.data", demo / "en-de/train.data"
    result = crosspro("select-test", *files, *arguments, "-o", tmp_path / "group")
    assert result.code == 2
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


def test_an_excluded_file_must_have_five_columns(demo, tmp_path):
    (tmp_path / "bad.data").write_text("a\tb\n")
    result = crosspro(
        *("select-test", demo / "en-fr/train.data", "-t", "en-fr", "-o", tmp_path / "x"),
        *("--exclude", tmp_path / "bad.data"),
    )
    assert result.code == 2
    assert b"bad.data:1: columns: expected 5" in result.stderr
