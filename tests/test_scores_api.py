"""Lists of lines and paths are one text; wrong arguments are named."""

from __future__ import annotations

import pytest

import crosspro
from tests.conftest import GOLDEN

APT = GOLDEN / "apt"
LINES = {
    name: (APT / name).read_text("utf-8").splitlines() for name in ("src.en", "ref.fr", "mt.fr")
}
LINKS = {name: (APT / name).read_text("utf-8").splitlines() for name in ("ref.align", "mt.align")}


def linked(metric, source, reference, candidates, links=LINKS["ref.align"], **more):
    named = candidates if isinstance(candidates, dict) else {"candidate": candidates}
    more = {"candidate_links": dict.fromkeys(named, LINKS["mt.align"]), "resamples": 50, **more}
    function = getattr(crosspro, metric)
    return function(source, reference, candidates, pronouns="en-fr", links=links, **more)


def scores_of(result):
    return [
        (score.value, score.low, score.high)
        for candidate in result.candidates
        for score in candidate.scores.values()
    ]


TEXTS = LINES["src.en"], LINES["ref.fr"]


@pytest.mark.parametrize("metric", ["apt", "autoprf"])
def test_lines_score_as_files_do(metric):
    files = linked(
        metric, APT / "src.en", APT / "ref.fr", str(APT / "mt.fr"), APT / "ref.align",
        candidate_links=APT / "mt.align",
    )  # fmt: skip
    lines = linked(metric, *TEXTS, {"A": LINES["mt.fr"], "B": APT / "mt.fr"})
    pairs = [
        [tuple(map(int, link.split("-"))) for link in line.split()] for line in LINKS["ref.align"]
    ]
    assert scores_of(linked(metric, *TEXTS, LINES["mt.fr"], pairs)) == scores_of(files)
    assert scores_of(lines) == scores_of(files) * 2
    assert (files.names, lines.names) == (["candidate"], ["A", "B"])
    assert lines.signature == files.signature


def test_documents_are_a_list_too(tmp_path):
    ids = [str(number // 3) for number in range(len(LINES["src.en"]))]
    (tmp_path / "ids").write_text("".join(f"{one}\n" for one in ids), "utf-8")
    by_path = linked("apt", *TEXTS, LINES["mt.fr"], documents=tmp_path / "ids")
    by_list = linked("apt", *TEXTS, LINES["mt.fr"], documents=ids)
    assert "by:document" in by_list.signature
    assert scores_of(by_list) == scores_of(by_path)


def test_languages_stand_for_lists():
    named = crosspro.apt(*TEXTS, LINES["mt.fr"], pronouns="en-fr", tokenised=True, prior="en-fr",
                         resamples=0)  # fmt: skip
    languages = {"source_language": "en", "target_language": "fr"}
    assert (
        crosspro.apt(*TEXTS, LINES["mt.fr"], resamples=0, **languages).signature == named.signature
    )


def test_several_metrics_and_their_settings():
    report = crosspro.score(
        *TEXTS, {"A": LINES["mt.fr"], "B": LINES["ref.fr"]}, ["apt", "pronoun-f1"],
        source_language="en", target_language="fr", resamples=9,
        settings={"apt": {"repair": "off"}},
    )  # fmt: skip
    assert list(report.scores["A"]) == ["apt", "pronoun-f1"]
    assert "repair:off" in report["apt"].signature
    plain = crosspro.pronoun_f1(LINES["ref.fr"], {"B": LINES["ref.fr"]}, "fr", resamples=0)
    assert plain.scores["B"]["f1"].value == report["pronoun-f1"].scores["B"]["f1"].value == 100


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: crosspro.apt("no.en", TEXTS[1], LINES["mt.fr"], pronouns="en-fr"), "no.en"),
        (lambda: linked("apt", *TEXTS, {"A": ["Oui ."]}), "candidate A"),
        (lambda: crosspro.pronoun_f1(["a"], {"A": [float("nan")]}, "fr"), "candidate A"),
        (lambda: crosspro.pronoun_f1({"A": ["a"]}, ["a"], "fr"), "reference"),
        (lambda: crosspro.pronoun_f1(["a"], {}, "fr"), "candidates"),
        (lambda: crosspro.pronoun_f1(["a"], ["a"], "xx"), "target-language"),
        (lambda: crosspro.pronoun_f1(["a"], ["a"], "fr", documents=["x", "y"]), "documents"),
        (lambda: crosspro.apt(*TEXTS, LINES["mt.fr"]), "language"),
        (lambda: linked("apt", *TEXTS, LINES["mt.fr"], candidate_links={"B": []}), "_links"),
        (lambda: linked("apt", *TEXTS, LINES["mt.fr"], ["0-0"]), "links"),
        (lambda: linked("apt", *TEXTS, LINES["mt.fr"], settings={"colour": 1}), "apt.colour"),
        (lambda: crosspro.proofread(["It sleeps."], ["Er schläft."]), "model"),
        (lambda: crosspro.proofread(["It."], ["Er.", "Es."], model="en-de"), "translation"),
    ],
)  # fmt: skip
def test_wrong_input_is_named(call, named):
    with pytest.raises(crosspro.InputError) as caught:
        call()
    assert named in str(caught.value)
    assert "--" not in str(caught.value)
