"""Pages that have their reader do something are done as they stand, with what they show."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosspro.data_prep.core.task import task_names
from crosspro.evaluation.inputs.pronoun_forms import LANGUAGES
from crosspro.evaluation.inputs.pronoun_lists import lists_names
from crosspro.evaluation.protest.language import shipped_languages
from tests.conftest import ROOT, SHARED_DATA
from tests.docs.walkthrough import follow, matches, steps

DOCS = ROOT / "docs"
QUICK = ("index", "tutorials/add-metric", "tutorials/add-language")
NEEDS: dict[str, tuple[str, ...]] = {
    "tutorials/own-pair": ("package sklearn", "package torch"),
    "tutorials/leaderboard-row": ("official_discomt2015",),
    "tutorials/judge-systems": (),
    "tutorials/annotation": (),
    "tutorials/add-system": (),
}
"""Longer ones, which `make test-all` follows where what they need is at hand."""


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(one, marks=pytest.mark.slow) for one in NEEDS)]
)
def test_a_page_can_be_followed(name, tmp_path, monkeypatch):
    for need in NEEDS.get(name, ()):
        if need.startswith("package "):
            pytest.importorskip(need.removeprefix("package "))
        elif not (SHARED_DATA / need).is_dir():
            pytest.skip(f"{need} is not here")
    if (SHARED_DATA / "official_discomt2015").is_dir():
        (tmp_path / "corpora").symlink_to(SHARED_DATA)
    monkeypatch.setenv("COLUMNS", "80")
    follow(DOCS / f"{name}.md", tmp_path)


def test_every_tutorial_is_followed():
    pages = {f"tutorials/{page.stem}" for page in (DOCS / "tutorials").glob("*.md")}
    assert pages - {"tutorials/index"} == {
        name for name in (*QUICK, *NEEDS) if name.startswith("tutorials")
    }
    for name in (*QUICK, *NEEDS):
        assert steps(DOCS / f"{name}.md"), name


def test_the_language_of_the_tutorial_is_a_new_one():
    assert "en-pt" not in lists_names()
    assert "pt" not in (*shipped_languages(), *LANGUAGES)
    assert not any(name.startswith("en-pt") for name in task_names())


def test_what_is_left_out_may_be_anything():
    assert matches("a\n…\nd\n", "a\nb\nc\nd\n")
    assert matches("took … s\n", "took 12.3 s\n")
    assert not matches("a\n…\nd\n", "a\nb\n")
    assert not matches("a.\n", "ab\n")


def test_a_page_is_read_as_it_stands(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(
        '```yaml title="a.yaml"\nb: 1\n```\n\n```console\n$ echo a \\\n    b\na b\n$ true\n```\n'
        "```python\nprint(1)\n```\n\n```text\n1\n```\n```sh\nserve\n```\n"
    )
    found = [(one.kind, one.text, one.shown) for one in steps(page)]
    assert found == [
        ("file", "b: 1\n", None),
        ("command", "echo a b", "a b\n"),
        ("command", "true", ""),
        ("python", "print(1)\n", "1\n"),
    ]
