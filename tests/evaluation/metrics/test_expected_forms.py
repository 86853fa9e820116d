"""Expected forms: ctxpro's numbers, sets, and verdicts on translations."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics.contrastive_sets import CONTRAPRO
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
from tests.evaluation.metrics.contrastive_instances import ctxpro_instance, instance

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
    (found,) = evaluated(test_set, {"s": lines}, "released", language, None).candidates
    groups = {group.group: group for group in found.groups if group.breakdown == "rule"}
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
    assert f"{found.scores['accuracy'].value:.1f}" == total[-1]


@pytest.mark.parametrize(
    ("language", "accuracy", "different"),
    [
        (
            "fr",
            100 * 70 / 120,
            [
                ("il", True, "lui dort, dit-il."),
                ("la", True, "Mais-la a-t-elle compris ?"),
                ("lui", True, "Et-lui est arrivé hier."),
                ("ils", True, "Et-ils l'a vu."),
                ("elle", True, "Et elles a-t-elle compris ?"),
            ],
        ),
        ("de", 100 * 52 / 90, []),
    ],
)
def test_all_differences_of_the_case_are_hyphens(language, accuracy, different):
    _, test_set, lines = case(language)
    ours, released = (judge(test_set, lines, language, match) for match in ("words", "released"))
    rows = zip(test_set.instances, ours, released, strict=True)
    assert [
        (instance.reference_pronoun, one.right, one.sentence)
        for instance, one, other in rows
        if one.right != other.right
    ] == different
    found = evaluated(test_set, {"s": lines}, "words", language, None)
    assert found.scores["s"]["accuracy"].value == pytest.approx(accuracy)


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
        assert [one.right for one in judge(test_set, [sentence], "fr", match)] == [right]


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


def test_contrapro_and_languages_without_a_table():
    errors = [{"contrastive": "Sie sieht ihn ."}, {"contrastive": "Es sieht ihn jetzt ."}]
    test_set = expected_set("s", [instance(), instance(errors=errors)], "de")
    assert test_set.kind == CONTRAPRO
    assert test_set.instances[0].groups["gender"] == "masculine"
    (russian,) = expected_set("s", [ctxpro_instance("она")], "ru").instances
    assert "gender" not in russian.groups


@pytest.mark.parametrize("changes", [{"expected": 3}, {"rule": ""}, {"src pronoun": 1}])
def test_faults_are_placed(changes, tmp_path):
    (key,) = changes
    with pytest.raises(InputError, match=f"instance 2.{key}"):
        expected_set("s", [ctxpro_instance(), ctxpro_instance() | changes], "fr")
    path = tmp_path / "out.fr"
    path.write_text("a\n")
    with pytest.raises(InputError, match=r"out\.fr:2: lines"):
        read_translations(path, expected_set("s", [ctxpro_instance()] * 2, "fr"))


def test_accuracy_shares_and_comparisons():
    content = [ctxpro_instance(**{"document id": f"d{n % 12}"}) for n in range(24)]
    content += [ctxpro_instance("il", **{"document id": "d1", "rule": "GENDER.M"})] * 6
    good, bad = ["Elle dort."] * 24 + ["Il dort."] * 6, ["Il dort."] * 29 + [""]
    found = evaluated(expected_set("s", content, "fr"), {"good": good, "bad": bad})
    values = {
        (group.breakdown, group.group): group.scores["accuracy"].value
        for group in found.candidates[1].groups
    }
    assert values["gender", "feminine"] == values["rule", "GENDER.F"] == 0
    assert values["pronoun", "it:il"] == pytest.approx(100 * 5 / 6)
    assert found.scores["bad"]["accuracy"].value == pytest.approx(100 * 5 / 30)
    (difference,) = found.comparisons
    assert difference.p_randomisation < 0.01
    assert found.items.units.count == 12
    assert len(found.warnings) == 1  # an empty translation
    assert "match:words|language:fr" in found.signature
    details = list(found.metric.details(found.items, 1))
    assert details[0]["verdict"] == "wrong"
    examples = found.metric.examples(found.items, [0]).examples
    assert examples[0].candidates[0].marks[0].target == [0]
    assert found.html()
