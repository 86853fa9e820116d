"""`crosspro leaderboard`: what it writes, and what it says of files that are not up to date."""

from __future__ import annotations

import pytest

from tests.evaluation.leaderboard.small_board import write_small_board
from tests.scripts.run import crosspro

BLOCK = "# Results\n\n<!-- results: six-rows -->\n<!-- end of results -->\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_small_board(tmp_path / "results")
    return tmp_path


def test_the_page_is_made_where_nothing_else_is_asked_for(folder):
    result = crosspro("leaderboard")
    assert result.code == 0, result.stderr
    assert b"best single" in result.stdout
    page = (folder / "leaderboard.html").read_bytes()
    assert crosspro("leaderboard", "-o", "again.html").code == 0
    assert (folder / "again.html").read_bytes() == page


def test_tables_are_checked_and_made_anew(folder):
    (folder / "R.md").write_text(BLOCK)
    line = ("leaderboard", "--tables", "R.md")
    checked = crosspro(*line, "--check")
    assert (checked.code, (folder / "R.md").read_text()) == (1, BLOCK)
    assert b"R.md: not up to date" in checked.stderr
    assert crosspro(*line, "-o", "o.csv").code == crosspro("leaderboard", "-o", "o.json").code == 0
    assert crosspro(*line, "--check").code == 0
    assert "results/en-de/ours.json" in (folder / "R.md").read_text()
    assert (folder / "o.csv").is_file() and (folder / "o.json").is_file()
    assert not (folder / "leaderboard.html").exists()


def test_wrong_figures_are_told_all_at_once(folder):
    text = f"{BLOCK}\n[12.3](results/en-de/ours.json) and [1.2](results/en-de/gone.json)\n"
    (folder / "R.md").write_text(text)
    result = crosspro("leaderboard", "--tables", "R.md", "--check")
    assert result.code == 2
    told = result.stderr.decode()
    assert "'12.3': expected numbers of en-de/ours, found '12.3'" in told
    assert "results/en-de/gone.json: expected a record" in told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("--check",), "--check"),
        (("--results", "nowhere"), "nowhere"),
        (("-o", "no/page.html"), "no/page.html"),
        (("--tables", "none.md"), "none.md"),
    ],
)
def test_faults_are_told(line, told, folder):
    result = crosspro("leaderboard", *line)
    assert result.code == 2
    assert told in result.stderr.decode()
    assert b"Traceback" not in result.stderr
