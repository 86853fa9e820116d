"""`--html` of apt, autoprf and contrastive."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import CrossproError
from crosspro.scripts.common import check_plot
from tests.conftest import GOLDEN
from tests.evaluation.report.reading import check_page
from tests.scripts.apt_files import options
from tests.scripts.run import crosspro

CONTRASTIVE = GOLDEN / "contrastive" / "small_set"
CALLS = {
    "apt": (*options(), "--resamples", 20),
    "autoprf": (*options(), "--resamples", 20),
    "contrastive score": (CONTRASTIVE / "test.json", CONTRASTIVE / "scores", "--resamples", 20),
}


@pytest.mark.parametrize("command", CALLS)
def test_a_page_beside_the_tables(command, tmp_path):
    page = tmp_path / "page.html"
    result = crosspro(*command.split(), *CALLS[command], "--html", page)
    assert result.code == 0, result.stderr
    assert result.stdout == crosspro(*command.split(), *CALLS[command]).stdout
    data, elements = check_page(page.read_text("utf-8"))
    assert len(data["examples"]) == (40 if command == "contrastive score" else 20)
    assert elements.buttons


@pytest.mark.parametrize("command", CALLS)
def test_no_page_in_no_folder(command, tmp_path):
    missing = crosspro(*command.split(), *CALLS[command], "--html", tmp_path / "none" / "page.html")
    assert (missing.code, missing.stdout) == (2, b"")


def test_documents_are_named(tmp_path):
    page = tmp_path / "page.html"
    (tmp_path / "ids").write_text("\n".join(["first"] * 8 + ["second"] * 7) + "\n", "utf-8")
    result = crosspro("apt", *CALLS["apt"], "--doc-ids", tmp_path / "ids", "--html", page)
    assert result.code == 0, result.stderr
    data, _ = check_page(page.read_text("utf-8"))
    assert {line["document"] for line in data["lines"]} == {"first", "second"}


def test_the_distribution_of_cases(tmp_path):
    """Figure 2 of 000 as a file, and on the page."""
    pytest.importorskip("matplotlib")
    plot, page = tmp_path / "plot.svg", tmp_path / "page.html"
    result = crosspro("apt", *CALLS["apt"], "--plot", plot, "--html", page)
    assert result.code == 0, result.stderr
    assert result.stdout == crosspro("apt", *CALLS["apt"]).stdout
    assert "1 same" in plot.read_text("utf-8")
    assert "Distribution of cases" in page.read_text("utf-8")
    assert crosspro("apt", *CALLS["apt"], "--plot", tmp_path / "x").code == 2


def test_a_plot_of_correlations(tmp_path):
    """Figure 1 of 000."""
    pytest.importorskip("matplotlib")
    plot = tmp_path / "plot.svg"
    result = crosspro("correlate", "systems", "--published", "--resamples", 0, "--plot", plot)
    assert result.code == 0, result.stderr
    assert "apt_a_plain" in plot.read_text("utf-8")


def test_without_matplotlib_nothing_is_computed(tmp_path, monkeypatch):
    monkeypatch.setattr("crosspro.evaluation.report.plots.find_spec", lambda name: None)
    with pytest.raises(CrossproError, match=r"crosspro\[plots\]"):
        check_plot(tmp_path / "plot.svg")
    check_plot(None)
