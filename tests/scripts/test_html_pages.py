"""`--html` of apt, autoprf and contrastive."""

from __future__ import annotations

import pytest

from tests.conftest import GOLDEN
from tests.evaluation.output.reading import check_page
from tests.scripts.apt_files import options
from tests.scripts.run import crosspro

CONTRASTIVE = GOLDEN / "contrastive" / "small_set"
CALLS = {
    "apt": (*options(), "--resamples", 20),
    "autoprf": (*options(), "--resamples", 20),
    "contrastive": (CONTRASTIVE / "test.json", CONTRASTIVE / "scores", "--resamples", 20),
}


@pytest.mark.parametrize("command", CALLS)
def test_a_page_beside_the_tables(command, tmp_path):
    page = tmp_path / "page.html"
    result = crosspro(command, *CALLS[command], "--html", page)
    assert result.code == 0, result.stderr
    assert result.stdout == crosspro(command, *CALLS[command]).stdout
    data, elements = check_page(page.read_text("utf-8"))
    assert len(data["examples"]) == (40 if command == "contrastive" else 20)
    assert elements.buttons
    result = crosspro(command, *CALLS[command], "--html", page, "--max-examples", 5)
    assert "Only 5 of" in page.read_text("utf-8")


@pytest.mark.parametrize("command", CALLS)
def test_no_page_of_legacy_output_or_in_no_folder(command, tmp_path):
    legacy = crosspro(command, *CALLS[command], "--legacy", "--html", tmp_path / "page.html")
    missing = crosspro(command, *CALLS[command], "--html", tmp_path / "none" / "page.html")
    assert (legacy.code, missing.code) == (2, 2)
    assert b"no page of --legacy" in legacy.stderr
    assert b"no folder" in missing.stderr
    assert (legacy.stdout, missing.stdout) == (b"", b"")


def test_documents_are_named(tmp_path):
    page = tmp_path / "page.html"
    (tmp_path / "ids").write_text("\n".join(["first"] * 8 + ["second"] * 7) + "\n", "utf-8")
    result = crosspro("apt", *CALLS["apt"], "--doc-ids", tmp_path / "ids", "--html", page)
    assert result.code == 0, result.stderr
    data, _ = check_page(page.read_text("utf-8"))
    assert {line[1] for line in data["lines"]} == {"first", "second"}


def test_the_distribution_of_cases(tmp_path):
    """Figure 2 of 000 as a file, and on the page."""
    plot, page = tmp_path / "plot.svg", tmp_path / "page.html"
    result = crosspro("apt", *CALLS["apt"], "--plot", plot, "--html", page)
    assert result.code == 0, result.stderr
    assert result.stdout == crosspro("apt", *CALLS["apt"]).stdout
    assert "1 same" in plot.read_text("utf-8")
    assert "Distribution of cases" in page.read_text("utf-8")
    assert b"ends in .svg" in crosspro("apt", *CALLS["apt"], "--plot", tmp_path / "x").stderr
    assert crosspro("apt", *CALLS["apt"], "--legacy", "--plot", plot).code == 2
