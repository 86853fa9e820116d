"""Every figure of README, RESULTS.md and docs that is a result comes from a record."""

import re
from pathlib import Path

import pytest

from crosspro.evaluation.leaderboard.boards import make_boards
from crosspro.evaluation.leaderboard.markdown import check_figures, fill_blocks
from crosspro.evaluation.leaderboard.record import published_records, read_records

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
PAGES = [ROOT / "README.md", ROOT / "RESULTS.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOT_MEASURED_HERE = {
    "docs/reference/demo.md": "the best reachable scores of a generated corpus, calculated",
    "docs/guides/train.md": "a published figure, with its source",
    "docs/guides/pronoun_f1.md": "what another tool prints of its own sample",
}
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"<!-- results: .*?<!-- end of results -->", re.DOTALL)
_LINK = re.compile(r"\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]\([^()\s]+\)")
_RESULT = re.compile(r"\d+\.\d+ / \d+\.\d+|\d+\.\d+ \[[-+]?\d+\.\d+, [-+]?\d+\.\d+\]|\(p [0-9<≤]")


@pytest.fixture(scope="module")
def records():
    return (*read_records(RESULTS), *published_records())


@pytest.fixture(scope="module")
def boards(records):
    return make_boards(records, RESULTS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_tables_and_figures_are_those_of_records(page, records, boards):
    text = page.read_text("utf-8")
    assert fill_blocks(page, boards, RESULTS) == text, "crosspro leaderboard --tables makes it"
    by_name = {record.name: record for record in records}
    assert check_figures(page, text, by_name, RESULTS) == []
    for form in (_CODE, _BLOCK, _LINK):
        text = form.sub("", text)
    if page.relative_to(ROOT).as_posix() not in NOT_MEASURED_HERE:
        assert _RESULT.findall(text) == [], "a result that links to no record"


def test_results_can_be_read_in_two_minutes():
    lines = (ROOT / "RESULTS.md").read_text("utf-8").splitlines()
    assert len(lines) <= 150
