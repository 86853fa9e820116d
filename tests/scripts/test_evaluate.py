"""`crosspro evaluate`: its page, and submissions of other text."""

from __future__ import annotations

from tests.conftest import GOLDEN
from tests.evaluation.report.reading import check_page
from tests.scripts.run import crosspro

CASE = GOLDEN / "scorer" / "en-fr_random"


def test_evaluate_writes_a_page_beside_its_table(tmp_path):
    page = tmp_path / "page.html"
    call = ("evaluate", CASE / "gold.tsv", CASE / "pred.tsv", "--task", "en-fr", "--lenient",
            "--resamples", 20)  # fmt: skip
    result = crosspro(*call, "--html", page)
    assert result.code == 0, result.stderr
    assert result.stdout == crosspro(*call).stdout
    data, _ = check_page(page.read_text("utf-8"))
    assert len(data["examples"]) == 583
    assert crosspro(*call, "--html", tmp_path / "none" / "page.html").code == 2


def test_a_submission_with_its_lines_exchanged_is_refused(tmp_path):
    """Lines with two labels each, and nothing else that tells them apart but their text."""
    lines = ["il elle\t\ta b c\tREPLACE_0 x REPLACE_2\t\n", "ce on\t\td e\tREPLACE_0 REPLACE_1\t\n"]
    (tmp_path / "gold.data").write_text("".join(lines), "utf-8")
    (tmp_path / "wrong.data").write_text("".join(lines[::-1]), "utf-8")
    call = ("evaluate", tmp_path / "gold.data", tmp_path / "wrong.data", "--task", "en-fr")
    result = crosspro(*call, "--resamples", 0)
    assert (result.code, result.stdout) == (2, b"")
    assert b"wrong.data:1: source" in result.stderr
    lenient = crosspro(*call, "--resamples", 0, "--lenient")
    assert lenient.code == 0
    assert b"wrong.data" in lenient.stderr


def test_the_table_says_whether_intervals_are_by_gap_or_by_document(tmp_path):
    """X.gold.data finds X.doc-ids beside it."""
    lines = ["il\t\tit\tREPLACE_0\t0-0\n", "elle\t\tit\tREPLACE_0\t0-0\n"]
    (tmp_path / "x.gold.data").write_text("".join(lines), "utf-8")
    page = tmp_path / "page.html"
    call = ("evaluate", tmp_path / "x.gold.data", tmp_path / "x.gold.data", "--task", "en-fr",
            "--resamples", 20, "--html", page)  # fmt: skip
    assert "by gap" in crosspro(*call).stdout.decode()
    assert "by gap" in page.read_text("utf-8")
    (tmp_path / "x.doc-ids").write_text("a\nb\n", "utf-8")
    by_document = crosspro(*call).stdout.decode()
    assert ": 2 gaps in 2 documents" in by_document
    assert "by document" in by_document
    assert "by document" in page.read_text("utf-8")
    assert "95%" not in crosspro(*call[:-4], "--resamples", 0).stdout.decode()
