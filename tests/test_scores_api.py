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
    texts = source, reference, candidates
    return crosspro.score(*texts, [metric], pronouns="en-fr", links=links, **more)[metric]


def pronoun_f1(reference, candidates, language="fr", **more):
    return crosspro.score(
        [], reference, candidates, ["pronoun-f1"], target_language=language, **more
    )


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
    texts = (*TEXTS, LINES["mt.fr"], ["apt"])
    lists = crosspro.score(*texts, pronouns="en-fr", prior="en-fr", resamples=0)
    languages = {"source_language": "en", "target_language": "fr"}
    named = crosspro.score(*texts, resamples=0, **languages)
    assert named["apt"].signature == lists["apt"].signature


def test_several_metrics_and_their_settings():
    report = crosspro.score(
        *TEXTS, {"A": LINES["mt.fr"], "B": LINES["ref.fr"]}, ["apt", "pronoun-f1"],
        source_language="en", target_language="fr", resamples=9,
        settings={"apt": {"repair": "off"}},
    )  # fmt: skip
    assert list(report.scores["A"]) == ["apt", "pronoun-f1"]
    assert "repair:off" in report["apt"].signature
    assert report["pronoun-f1"].scores["B"]["f1"].value == 100


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: linked("apt", "no.en", TEXTS[1], LINES["mt.fr"]), "no.en"),
        (lambda: linked("apt", *TEXTS, {"A": ["Oui ."]}), "candidate A"),
        (lambda: pronoun_f1(["a"], {"A": [float("nan")]}), "candidate A"),
        (lambda: pronoun_f1({"A": ["a"]}, ["a"]), "reference"),
        (lambda: pronoun_f1(["a"], {}), "candidates"),
        (lambda: pronoun_f1(["a"], ["a"], "xx"), "target-language"),
        (lambda: pronoun_f1(["a"], ["a"], documents=["x", "y"]), "documents"),
        (lambda: crosspro.score(*TEXTS, LINES["mt.fr"], ["apt"]), "language"),
        (lambda: linked("apt", *TEXTS, LINES["mt.fr"], candidate_links={"B": []}), "_links"),
        (lambda: linked("apt", *TEXTS, LINES["mt.fr"], ["0-0"]), "links"),
        (lambda: linked("apt", *TEXTS, LINES["mt.fr"], settings={"apt": {"hue": 1}}), "apt.hue"),
        (lambda: crosspro.proofread(["It sleeps."], ["Er schläft."]), "model"),
        (lambda: crosspro.proofread(["It."], ["Er.", "Es."], model="en-de"), "translation"),
    ],
)  # fmt: skip
def test_wrong_input_is_named(call, named):
    with pytest.raises(crosspro.InputError) as caught:
        call()
    assert named in str(caught.value)
    assert "--" not in str(caught.value)
