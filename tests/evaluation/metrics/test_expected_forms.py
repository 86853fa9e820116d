"""Expected forms: ctxpro's numbers, sets, and verdicts on translations."""

from __future__ import annotations

import pytest

from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics.expected_forms import (
    CTXPRO,
    ExpectedForms,
    ExpectedFormsSettings,
    GeneratedSet,
    expected_set,
    judge,
    read_expected,
    read_translations,
)
from crosspro.evaluation.resampling import Resampling
from tests.conftest import GOLDEN
from tests.evaluation.metrics.contrastive_instances import ctxpro_instance

PLAN = Resampling(200, 5)


def case(language):
    """ctxpro's set and an output whose last sentences stand after a separator."""
    folder = GOLDEN / "ctxpro" / language
    test_set = read_expected(folder / "set.json", language)
    return folder, test_set, read_translations(folder / f"parts.{language}", test_set)


def evaluated(test_set, translations, match="words", language="fr", plan=PLAN):
    metric = ExpectedForms(ExpectedFormsSettings(language, match))
    return evaluate(metric, GeneratedSet(test_set, translations), plan)


@pytest.mark.parametrize("language", ["fr", "de"])
def test_ctxpros_numbers_by_rule(language):
    folder, test_set, lines = case(language)
    (evaluation,) = evaluated(test_set, {"s": lines}, "released", language, None).candidates
    groups = {group.group: group for group in evaluation.groups if group.breakdown == "rule"}
    *rows, total = [
        line.split("\t")
        for line in (folder / "expected.complete.txt").read_text("utf-8").splitlines()
    ]
    assert len(rows) == len(groups)
    for name, right, size, share in rows:
        group = groups[name.split(" ")[0]]
        assert group.counts["instances"] == int(size)
        assert group.scores["accuracy"].value == pytest.approx(100 * int(right) / int(size))
        assert share == f"{group.scores['accuracy'].value:.1f}%"
    assert f"{evaluation.scores['accuracy'].value:.1f}" == total[-1]


@pytest.mark.parametrize(
    ("sentence", "form", "released", "ours"),
    [
        ("Il l'a vu.", "la", True, False),
        ("Va-t-elle bien ?", "elle", False, True),
        ("Qu'elle vienne !", "elle", False, True),
        ("Où est-il ?", "il", False, True),
        ("Elle, dort.", "Elle", True, True),
    ],
)
def test_single_sentences(sentence, form, released, ours):
    test_set = expected_set("set", [ctxpro_instance(form)], "fr")
    for match, right in (("released", released), ("words", ours)):
        assert [judgement.right for judgement in judge(test_set, [sentence], "fr", match)] == [
            right
        ]


def test_the_last_sentence_counts():
    lines = ["Va-t-elle bien ?", "Elle dort, dit-il.", "Il dort.", "Elle <eos> Il",
             "Il <SEP> elle", "elle <sep>"]  # fmt: skip
    test_set = expected_set("set", [ctxpro_instance()] * len(lines), "fr")
    right = [judgement.right for judgement in judge(test_set, lines, "fr")]
    assert right == [True, True, False, False, True, False]


# Sets ---------------------------------------------------------------------------------------------


def test_ctxpro():
    near = ctxpro_instance(**{"ante distance": 0, "intrasegmental": True})
    verb = {"rule": "DO.ELL", "expected": "veux", "src verb": "do"}
    test_set = expected_set("s.json", [near, verb], "fr")
    first, second = test_set.instances
    assert test_set.kind == CTXPRO
    assert first.groups == {
        "rule": "GENDER.F", "pronoun": "it:elle", "antecedent": "same segment", "distance": "0",
        "gender": "feminine",
    }  # fmt: skip
    assert (first.source, first.document) == ("It sleeps.", "d1")
    assert "pronoun" not in second.groups
    tool = read_expected(GOLDEN / "ctxpro" / "de" / "set.json", "de").instances[0]
    assert (tool.document, tool.source) == ("d0", "x")  # which the tool spells otherwise


def test_accuracy_shares_and_comparisons():
    content = [ctxpro_instance(**{"document id": f"d{n % 12}"}) for n in range(24)]
    content += [ctxpro_instance("il", **{"document id": "d1", "rule": "GENDER.M"})] * 6
    good, bad = ["Elle dort."] * 24 + ["Il dort."] * 6, ["Il dort."] * 29 + [""]
    evaluation = evaluated(expected_set("s", content, "fr"), {"good": good, "bad": bad})
    values = {
        (group.breakdown, group.group): group.scores["accuracy"].value
        for group in evaluation.candidates[1].groups
    }
    assert values["gender", "feminine"] == values["rule", "GENDER.F"] == 0
    assert values["pronoun", "it:il"] == pytest.approx(100 * 5 / 6)
    assert evaluation.scores["bad"]["accuracy"].value == pytest.approx(100 * 5 / 30)
    (difference,) = evaluation.comparisons
    assert difference.p_randomisation < 0.01
    assert evaluation.items.units.count == 12
    assert len(evaluation.warnings) == 1  # an empty translation
    assert "match:words|language:fr" in evaluation.signature
    details = list(evaluation.metric.details(evaluation.items, 1))
    assert details[0]["verdict"] == "wrong"
