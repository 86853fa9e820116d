"""Pages can be read: no sentence of more than 40 words, links that lead somewhere, a true map."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from crosspro.scripts.main import COMMANDS
from tests.conftest import ROOT

LONGEST = 40
MOST = 90
"""Words of a sentence, and of a paragraph, at most."""
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
CARDS = sorted((ROOT / "models").glob("*.md"))
LINKING = [*PAGES, ROOT / "RESULTS.md", ROOT / "CHANGELOG.md", *CARDS]
MADE = {"examples": "by make docs"}
"""What stands on the site alone."""

_FENCE = re.compile(r"^( *)```.*?^\1```[^\n]*$", re.MULTILINE | re.DOTALL)
_TABLES = re.compile(r"<!-- results: .*?<!-- end of results -->", re.DOTALL)
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_END = re.compile(r"(?<=[.?!…])[)*_”\"»]*\s+|\n{2,}|\n(?= *(?:[-*#|>]|\d+\.) ?)|\|")
_ABBREVIATIONS = re.compile(r"\b(?:e\.g|i\.e|etc|et al|cf|vs|Fig|No)\.")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a page: of paragraphs, lists and cells of tables; code is one word."""
    for form, instead in (
        (_FENCE, "\n\n"), (_TABLES, "\n\n"), (re.compile(r"<!--.*?-->", re.DOTALL), ""),
        (re.compile(r"`[^`\n]+`"), "CODE"), (_LINK, r"\1"),
        (_ABBREVIATIONS, "CODE"), (re.compile(r"(?<=\d)\.(?=\d)"), ","),
    ):  # fmt: skip
        text = form.sub(instead, text)
    for one in _END.split(text):
        if one and (words := one.split()):
            yield " ".join(words)


def length(sentence: str) -> int:
    """How many words a sentence has: what has a letter or a digit in it."""
    return sum(any(letter.isalnum() for letter in word) for word in sentence.split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_sentence_is_long(page):
    found = [one for one in sentences(page.read_text("utf-8")) if length(one) > LONGEST]
    assert found == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_paragraph_has_one_idea(page):
    """Which is not measured; but what is long has more than one."""
    text = _TABLES.sub("\n\n", _FENCE.sub("\n\n", page.read_text("utf-8")))
    parts = re.split(r"\n\s*\n|\n(?=[-|] ?|\d+\. )", text)
    assert [part[:60] for part in parts if len(part.split()) > MOST] == []


def test_sentences_are_told():
    text = "# A head\n\nOne is here, 1.5 of it. `a. b` is\ncode (two).\n\n- a\n- b c\n\n"
    text += "| x y | z |\n"
    assert [length(one) for one in sentences(text)] == [2, 6, 4, 1, 2, 2, 1]


@cache
def anchors(path: Path) -> frozenset[str]:
    """What links to a page may name behind #: its headings, as GitHub and MkDocs write them."""
    text = _FENCE.sub("", path.read_text("utf-8"))
    return frozenset(map(_slug, re.findall(r"^#+ (.+)$", text, re.MULTILINE)))


def _slug(heading: str) -> str:
    plain = _LINK.sub(r"\1", heading).replace("`", "").replace("*", "")
    plain = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = re.sub(r"`[^`\n]*`", "", _FENCE.sub("", page.read_text("utf-8")))
    wrong = []
    for _, target in _LINK.findall(text):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or path.split("/")[0] in MADE:
            continue
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            wrong.append(target)
    assert wrong == []


def test_the_map_of_the_papers_leads_to_commands_and_modules():
    rows = re.findall(r"^\| (§|Table|the rel)[^|]*\|[^|]*\| ([^|]*) \| ([^|]*) \|$",
                      (DOCS / "papers.md").read_text("utf-8"), re.MULTILINE)  # fmt: skip
    assert len(rows) > 40
    for _, commands, modules in rows:
        for command in re.findall(r"`crosspro ([\w-]+)", commands):
            assert command in COMMANDS, command
        for system in re.findall(r"system=(\w+)", commands):
            assert (ROOT / "conf" / "system" / f"{system}.yaml").is_file(), system
        for module in re.findall(r"`([^`]+)`", modules):
            assert (ROOT / module).exists(), module
