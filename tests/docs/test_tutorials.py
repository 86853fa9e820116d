"""Pages that have their reader do something are done as they stand, with what they show."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT, SHARED_DATA
from tests.docs.walkthrough import follow, matches

DOCS = ROOT / "docs"
QUICK = ("add-metric", "add-language")
"""Tutorials of seconds; `make test-all` follows the others."""
NEEDS = {
    "README": ("torch",),
    "api": ("torch",),
    "own-pair": ("sklearn", "torch"),
    "add-system": ("sklearn",),
}
"""Packages, and folders of real corpora."""
PAGES = [
    pytest.param(ROOT / "README.md", marks=pytest.mark.slow),
    pytest.param(DOCS / "api.md", marks=pytest.mark.slow),
    DOCS / "index.md",
    DOCS / "guides" / "evaluate.md",
    DOCS / "guides" / "score.md",
    *(
        pytest.param(path, marks=() if path.stem in QUICK else pytest.mark.slow)
        for path in sorted((DOCS / "tutorials").glob("*.md"))
        if path.stem != "index"
    ),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_can_be_followed(page, tmp_path, monkeypatch):
    for need in NEEDS.get(page.stem, ()):
        if not need.startswith("official"):
            pytest.importorskip(need)
        elif not (SHARED_DATA / need).is_dir():
            pytest.skip(f"{need} is not here")
    if (SHARED_DATA / "official_discomt2015").is_dir():
        (tmp_path / "corpora").symlink_to(SHARED_DATA)
    monkeypatch.setenv("COLUMNS", "80")
    follow(page, tmp_path)


def test_what_is_left_out_may_be_anything():
    assert matches("a\n…\nd\n", "a\nb\nc\nd\n")
    assert matches("took … s\n", "took 12.3 s\n")
    assert not matches("a\n…\nd\n", "a\nb\n")
    assert not matches("a.\n", "ab\n")
