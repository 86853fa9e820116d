"""The site: a page for every command and public name, and a strict build without a network."""

from __future__ import annotations

import subprocess
import sys

import pytest

import crosspro
from crosspro.scripts.main import COMMANDS
from crosspro.scripts.reproduce.site.reference import api_page, command_pages
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def pages():
    return command_pages()


def test_every_command_has_a_page_with_its_options_and_an_example(pages):
    assert set(pages) == {f"reference/commands/{name}.md" for name in [*COMMANDS, "index"]}
    for name in COMMANDS:
        page = pages[f"reference/commands/{name}.md"]
        assert f"$ crosspro {name}" in page, name
        assert "| option |" in page or name == "train", name
        assert f"[{name}]({name}.md)" in pages["reference/commands/index.md"]


def test_options_are_those_of_the_help(pages):
    page = pages["reference/commands/pronoun-f1.md"]
    assert "| `--reference` | FILE | Reference translation. **Must be given.** |" in page
    assert "| `--resamples` | NUMBER | Bootstrap resamples; 0 for no" in page
    assert "Default: `1000`" in page


def test_every_public_name_is_documented():
    page = api_page()
    for name in crosspro.__all__:
        assert f"\n## {name}\n" in page, name
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert len(section.split()) > 10, name


@pytest.mark.slow
def test_the_site_is_built_strictly(tmp_path):
    """Links, anchors and the navigation are right, and no page loads anything from elsewhere."""
    pytest.importorskip("mkdocs", reason="needs the extra docs")
    pytest.importorskip("material", reason="needs the extra docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for page in ("index", "results/index", "reference/commands/apt", "examples/report"):
        assert (tmp_path / f"{page}.html").stat().st_size > 10_000
