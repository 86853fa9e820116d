"""Pages of `evaluate` and `score` show hostile words and names as text."""

from __future__ import annotations

import pytest

from tests.conftest import GOLDEN
from tests.evaluation.report.reading import Elements, check_page
from tests.scripts.run import crosspro

NAME = "<img src=x onerror=alert(1)>"
ATTACKS = (
    "</script><script>alert(1)</script>",
    '"><svg/onload=alert(1)>',
    "<base/href=//x.example>",
)
HARMLESS = ("word",) * 3


def evaluate_page(folder, name, words):
    line = "il\til\tit {word}\tREPLACE_0 {word}\t0-0\n"
    for file in ("gold.data", f"{name}.data"):
        text = "".join(line.format(word=word) for word in words)
        (folder / file).write_text(text, "utf-8")
    (folder / "gold.doc-ids").write_text("".join(f"{word}\n" for word in words), "utf-8")
    return ("evaluate", folder / "gold.data", folder / f"{name}.data", "--task", "en-fr-2015")


def score_page(folder, name, words):
    apt = GOLDEN / "apt"
    for file, golden in {"s.en": "src.en", "r.fr": "ref.fr", f"{name}.fr": "mt.fr"}.items():
        lines = (apt / golden).read_text("utf-8").splitlines()
        text = "".join(f"{line} {words[n % 3]}\n" for n, line in enumerate(lines))
        (folder / file).write_text(text, "utf-8")
    files = ("--source", folder / "s.en", "--reference", folder / "r.fr",
             "--candidate", folder / f"{name}.fr")  # fmt: skip
    links = ("--links", apt / "ref.align", "--candidate-links", apt / "mt.align")
    return ("score", *files, *links, "-m", "apt", "-m", "autoprf", "--pronouns", "en-fr")


@pytest.mark.parametrize("make", [evaluate_page, score_page])
def test_hostile_text_stays_text(make, tmp_path):
    tags = []
    for name, words in (("name", HARMLESS), (NAME, ATTACKS)):
        folder = tmp_path / str(len(tags))
        folder.mkdir()
        result = crosspro(*make(folder, name, words), "--resamples", 0, "--html", folder / "page")
        assert result.code == 0, result.stderr
        page = (folder / "page").read_text("utf-8")
        check_page(page)
        tags.append(set(Elements(page).tags))
        assert page.count("<script") == page.count("</script>")
    assert tags[1] <= tags[0]
