"""Scores of systems: automatic, silver and human parts, ranges, intervals, tests, layouts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.output.tables import Style
from crosspro.evaluation.protest.match import Alternative, score_system
from crosspro.evaluation.protest.report import csv_report, detail_tsv, json_report, text_report
from crosspro.evaluation.protest.results import ProtestSettings, evaluate_systems, status_of
from tests.evaluation.protest.tokens import HOUSE, RAIN, by_name, changed, judgement

PLAN = Resampling(200, 1)


@pytest.fixture
def good(suite, reference, french):
    return score_system(suite, replace(reference, name="good"), french, repair=True)


@pytest.fixture
def bad(suite, reference, french):
    """Four tokens of 15 do not match: two with the house, the rain, the event."""
    output = changed(replace(reference, name="bad"), (15, 5, "manoir"), (4, 0, "Ça"), (6, 0, "Il"))
    return score_system(suite, output, french, repair=True)


def test_the_reference_scores_100_percent(suite, good):
    evaluation = evaluate_systems(suite, {"good": good}, {}, ProtestSettings("fr"), PLAN)
    (system,) = evaluation.systems
    for score in system.scores.values():
        assert (score.value, score.low, score.high) == (1, 1, 1)
    assert system.at_most == 1
    assert evaluation.comparisons == ()


def test_what_nobody_has_judged_is_a_range(suite, bad):
    (system,) = evaluate_systems(suite, {"bad": bad}, {}, ProtestSettings("fr")).systems
    assert system.scores["automatic"].value == pytest.approx(11 / 15)
    assert system.scores["semi-automatic"].value == pytest.approx(11 / 15)
    assert system.at_most == pytest.approx(1)
    assert system.total("open") == 4


def test_verdicts_fill_the_range(suite, bad):
    results = by_name(bad)
    known = (
        judgement(results[RAIN], "right")
        | judgement(results[HOUSE], "wrong", "right")
        | judgement(results["talk1:word_37"], "conflict")
    )
    (system,) = evaluate_systems(suite, {"bad": bad}, known, ProtestSettings("fr")).systems
    counts = {status: system.total(status) for status in ("right", "wrong", "conflict", "open")}
    assert counts == {"right": 1, "wrong": 1, "conflict": 1, "open": 1}
    assert system.scores["automatic"].value == pytest.approx(11 / 15)
    assert system.scores["semi-automatic"].value == pytest.approx(12 / 15)
    assert system.at_most == pytest.approx(14 / 15)


def test_silver_is_apart(suite, reference, french):
    output = changed(reference, (4, 0, "Ça"))
    results = score_system(suite, output, french, {RAIN: [Alternative(("ça",))]}, repair=True)
    (system,) = evaluate_systems(
        suite, {"x": results}, {}, ProtestSettings("fr", silver="1.ab")
    ).systems
    assert (system.total("automatic"), system.total("silver")) == (14, 1)
    assert system.scores["automatic"].value == pytest.approx(14 / 15)
    assert system.scores["semi-automatic"].value == 1
    assert "|silver:1.ab|" in system.scores["semi-automatic"].signature
    assert "silver" not in system.scores["automatic"].signature


@pytest.mark.parametrize(
    ("pronoun", "antecedent", "needs", "status"),
    [
        ("right", "wrong", "pronoun", "right"),
        ("right", "wrong", "both", "wrong"),
        ("wrong", "right", "both", "wrong"),
        ("right", "unclear", "both", "unclear"),
        ("right", "conflict", "both", "conflict"),
        ("right", "conflict", "pronoun", "right"),
        ("unclear", "right", "pronoun", "unclear"),
        ("right", "right", "both", "right"),
    ],
)
def test_what_people_must_find_right(bad, pronoun, antecedent, needs, status):
    result = by_name(bad)[HOUSE]
    (said,) = judgement(result, pronoun, antecedent).values()
    assert status_of(result, said, needs) == status
    match = replace(result, outcome="match")
    assert status_of(match, said, needs) == status
    assert status_of(match, None, needs) == "automatic"


def test_a_match_that_people_find_wrong_counts_only_in_the_automatic_score(suite, good):
    result = by_name(good)[RAIN]
    known = judgement(result, "wrong")
    evaluation = evaluate_systems(suite, {"good": good}, known, ProtestSettings("fr"))
    (system,) = evaluation.systems
    assert system.scores["automatic"].value == 1
    assert system.scores["semi-automatic"].value == pytest.approx(14 / 15)
    assert (system.matches(), system.total("automatic"), system.total("wrong")) == (15, 14, 1)


def test_verdicts_about_another_output_do_not_count(suite, bad):
    rain = by_name(bad)[RAIN]
    old = replace(rain, item=replace(rain.item, digest="old"))
    evaluation = evaluate_systems(
        suite, {"bad": bad}, judgement(old, "right"), ProtestSettings("fr")
    )
    assert evaluation.systems[0].total("right") == 0
    assert evaluation.warnings == ("bad: 1 verdicts are about another output and do not count",)


def test_two_systems_are_compared(suite, good, bad):
    evaluation = evaluate_systems(
        suite, {"good": good, "bad": bad}, {}, ProtestSettings("fr"), PLAN
    )
    first = evaluation.comparisons[0]
    assert (first.first, first.second) == ("good", "bad")
    assert first.difference == pytest.approx(4 / 15)
    assert 0 < first.p_randomisation <= 1
    assert any("2 documents are few" in warning for warning in evaluation.warnings)
    same = evaluate_systems(suite, {"a": good, "b": good}, {}, ProtestSettings("fr"), PLAN)
    assert same.comparisons[0].p_bootstrap == 1


def test_one_document_is_resampled_by_token(suite, good):
    single = replace(suite, tokens=tuple(t for t in suite.tokens if t.document == "talk1"))
    results = [result for result in good if result.token.document == "talk1"]
    (system,) = evaluate_systems(single, {"x": results}, {}, ProtestSettings("fr"), PLAN).systems
    assert "|by:token|" in system.scores["automatic"].signature


def test_categories_have_intervals_where_there_are_two_documents(suite, bad):
    (system,) = evaluate_systems(suite, {"bad": bad}, {}, ProtestSettings("fr"), PLAN).systems
    sizes = {name: sum(counts.values()) for name, counts in system.counts.items()}
    for name, scores in system.categories.items():
        documents = {t.document for t in suite.tokens if t.category == name}
        for part, score in scores.items():
            right = system.counts[name]["automatic"]
            assert score.value == pytest.approx(right / sizes[name])
            assert (score.low is None) == (len(documents) == 1)
            assert score.signature == system.scores[part].signature
    assert set(system.categories) == {token.category for token in suite.tokens}


def test_signatures_tell_verdicts_apart(suite, bad):
    result = by_name(bad)[RAIN]
    found = [
        evaluate_systems(suite, {"bad": bad}, judgement(result, said), ProtestSettings("fr"))
        for said in ("right", "wrong")
    ]
    texts = [one.systems[0].scores["semi-automatic"].signature for one in found]
    assert all("|verdicts:1." in text for text in texts)
    assert texts[0] != texts[1]


def test_layouts_agree(suite, good, bad):
    evaluation = evaluate_systems(
        suite, {"good": good, "bad": bad}, {}, ProtestSettings("fr"), PLAN
    )
    text = text_report(evaluation, Style(signatures=True))
    assert "protest-automatic|" not in text_report(evaluation)
    assert "73.3 to 100.0" in text
    assert "protest-automatic|suite:" in text
    assert "| automatic matches |" in text_report(evaluation, Style(markdown=True))
    value = json.loads(json_report(evaluation))
    assert value["systems"][1]["scores"]["automatic"]["value"] == pytest.approx(11 / 15)
    assert len(value["systems"][1]["tokens"]) == 15
    first = value["systems"][1]["category_scores"]["anaphoric_inter_subject_it"]["automatic"]
    assert set(first) == {"value", "low", "high"}
    assert csv_report(evaluation).splitlines()[2] == "bad,0.733333,0.733333"
    rows = [line.split("\t") for line in detail_tsv(evaluation).splitlines()]
    assert len(rows) == 31
    assert {len(row) for row in rows} == {12}
