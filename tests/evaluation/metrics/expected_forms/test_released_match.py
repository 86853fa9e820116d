"""ctxpro's numbers, and where its comparison of words differs from ours."""

from __future__ import annotations

import pytest

from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
from crosspro.evaluation.metrics.expected_forms.metric import GeneratedSet, judge
from crosspro.evaluation.metrics.expected_forms.outputs import GeneratedOutput, read_outputs
from tests.conftest import GOLDEN
from tests.evaluation.metrics.expected_forms.context_sets import ctxpro_instance, written


def case(language):
    """ctxpro's set and an output whose last sentences stand after a separator, as it cuts them."""
    folder = GOLDEN / "ctxpro" / language
    test_set = read_expected(folder / "set.json", language)
    return folder, test_set, read_outputs([folder / f"parts.{language}"], test_set)


@pytest.mark.parametrize("language", ["fr", "de"])
def test_numbers_by_rule(language):
    folder, test_set, outputs = case(language)
    metric = make_metric("expected_forms", language=language, match="released")
    result = evaluate(metric, GeneratedSet(test_set, tuple(outputs))).systems[0]
    groups = {one.group: one for one in result.groups if one.breakdown == "rule"}
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
    assert f"{result.scores['accuracy'].value:.1f}" == total[-1]


@pytest.mark.parametrize(
    ("language", "different"),
    [
        (
            "fr",
            [
                ("il", True, "lui dort, dit-il."),
                ("la", True, "Mais-la a-t-elle compris ?"),
                ("lui", True, "Et-lui est arrivé hier."),
                ("ils", True, "Et-ils l'a vu."),
                ("elle", True, "Et elles a-t-elle compris ?"),
            ],
        ),
        ("de", []),
    ],
)
def test_all_differences_of_the_case_are_hyphens(language, different):
    _, test_set, (output,) = case(language)
    ours, released = (judge(test_set, output, language, match) for match in ("words", "released"))
    rows = zip(test_set.instances, output.payloads, ours, released, strict=True)
    assert [
        (instance.reference_pronoun, own.right, payload)
        for instance, payload, own, theirs in rows
        if own.right != theirs.right
    ] == different


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
def test_single_sentences(tmp_path, sentence, form, released, ours):
    test_set = read_expected(written(tmp_path, "set.json", [ctxpro_instance(form)]), "fr")
    output = GeneratedOutput("x", (sentence,))
    for match, right in (("released", released), ("words", ours)):
        assert [one.right for one in judge(test_set, output, "fr", match)] == [right]
