"""Links of the pages lead to files and headings, and the site is built without warnings."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "models").glob("*.md")]
_FENCE = re.compile(r"^( *)```.*?^\1```[^\n]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\ssrc=["']?(?:https?:)?//"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preconnect|preload|icon))[^>]*href=["']?(?:https?:)?//"""
    r"""|url\(["']?(?:https?:)?//|@import ["'](?:https?:)?//""",
    re.IGNORECASE,
)
"""What a browser would load from the network."""


def slug(heading: str) -> str:
    plain = _LINK.sub(r"\1", heading).replace("`", "").replace("*", "")
    plain = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


@cache
def anchors(path: Path) -> frozenset[str]:
    """The headings of a page, as GitHub and MkDocs link them."""
    text = _FENCE.sub("", path.read_text("utf-8"))
    return frozenset(map(slug, re.findall(r"^#+ (.+)$", text, re.MULTILINE)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = re.sub(r"`[^`\n]*`", "", _FENCE.sub("", page.read_text("utf-8")))
    wrong = []
    for _, target in _LINK.findall(text):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            wrong.append(target)
    assert wrong == []


@pytest.mark.slow
def test_the_site_is_strict_and_loads_nothing(tmp_path):
    for package in ("material", "mkdocs_click", "mkdocstrings"):
        pytest.importorskip(package, reason="needs the extra docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", tmp_path]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "crosspro evaluate" in (tmp_path / "reference" / "commands.html").read_text("utf-8")
    assert "macro_recall" in (tmp_path / "reference" / "python.html").read_text("utf-8")
    for path in (*tmp_path.rglob("*.html"), *tmp_path.rglob("*.css")):
        assert not _LOADED.search(path.read_text("utf-8")), path
