"""Several metrics in one table: which are computed, settings, pairs, and all outputs."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.metrics.pronoun_doubt import ProofreadPronoun
from crosspro.evaluation.resampling import Resampling
from crosspro.evaluation.score_report import TEXT_METRICS, score_texts, usual_metrics
from crosspro.evaluation.texts import make_texts
from tests.evaluation.report.reading import check_page, page_data

SOURCE = ["It sleeps .", "They see her now .", "It was here ."] * 4
GOOD = ["Il dort .", "Elles le voient maintenant .", "Elle était là ."] * 4
BAD = [line.replace("Il", "Elle") for line in GOOD[:6]] + ["rien"] * 6
LINKS = [[(0, 0)]] * 12
PLAN = Resampling(50, 1)


class Judge:
    described = ("model:x",)

    def judged(self, source, target, documents, progress=None):
        wrong = 0.7 if "rien" in target else 0.1
        return tuple(ProofreadPronoun(line, "il", "it", wrong) for line in range(len(source)))


def texts(languages=("en", "fr"), source=SOURCE, documents=None, **candidates):
    candidates = candidates or {"good": GOOD, "bad": BAD}
    return make_texts(source, GOOD, candidates, documents, languages)


def scored(*metrics, data=None, **options):
    links = {"good": LINKS, "bad": LINKS}
    options = {"links": LINKS, "candidate_links": links, "resampling": PLAN} | options
    return score_texts(data or texts(), metrics, **options)


@pytest.fixture(scope="module")
def report():
    pytest.importorskip("sacrebleu")
    return scored(*TEXT_METRICS, judge_of=lambda source, target: Judge())


def test_the_usual_metrics_are_those_for_which_there_is_enough():
    assert usual_metrics(texts())[:3] == ["apt", "autoprf", "pronoun-f1"]
    assert usual_metrics(texts(source=[]))[0] == "pronoun-f1"
    assert "apt" not in usual_metrics(texts(("fr", "de")))
    assert "apt" in usual_metrics(texts(("", "")), "en-fr")


def test_one_table_has_all_scores_in_per_cent(report):
    table, differences = report.tables()
    assert [len(row) for row in table.rows] == [1 + len(TEXT_METRICS)] * 2
    assert [str(row[0]) for row in table.rows] == ["good", "bad"]
    assert len(differences.rows) == len(TEXT_METRICS)
    assert report.scores["good"]["apt"].value == report["apt"].scores["good"]["apt"].value == 100
    assert report.scores["bad"]["apt"].value < 100
    text = str(report)
    assert all(evaluation.signature in text for evaluation in report.evaluations.values())
    assert "\n" not in repr(report)
    assert len(repr(report)) < 100


def test_outputs_for_programs(report):
    content = json.loads(report.json())
    assert list(content["metrics"]) == list(TEXT_METRICS)
    assert content["metrics"]["apt"]["candidates"][0]["counts"]["case_1"] == 12
    heading, first, _ = report.csv().splitlines()
    row = dict(zip(heading.split(","), first.split(","), strict=True))
    assert (row["candidate"], row["apt"], row["bleu"]) == ("good", "100", "100")
    details = json.loads(report.details())
    assert len(details["apt"]) == len(details["autoprf"]) == 24


def test_the_page_has_the_pronouns_of_the_first_linked_metric(report):
    data, elements = check_page(report.html())
    assert len(data["examples"]) == 12
    assert elements.buttons
    assert len(page_data(report.html(most_examples=3))["examples"]) == 3
    plain = scored("pronoun-f1").html()
    assert "<script" not in plain


def test_pairs():
    many = dict.fromkeys("abcd", GOOD)
    links = {"candidate_links": dict.fromkeys(many, LINKS)}
    pairs = [
        (t.first, t.second) for t in scored("apt", data=texts(**many), **links)["apt"].comparisons
    ]
    assert pairs == [("a", "b"), ("a", "c"), ("a", "d")]
    report = scored("apt", baseline="bad")
    assert [(test.first, test.second) for test in report["apt"].comparisons] == [("good", "bad")]
    assert scored("apt", resampling=None)["apt"].comparisons == ()


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": ["meteor"]},
        {"settings": {"bleu": {}}},
        {"settings": {"apt": {"colour": "red"}}},
        {"baseline": "nobody"},
        {"metrics": ["doubt"]},
        {"pronouns": "en-xx"},
        {"data": texts(source=[])},
    ],
)
def test_what_cannot_be_scored_is_refused(options):
    with pytest.raises(InputError):
        scored(*options.pop("metrics", ["apt"]), **options)
