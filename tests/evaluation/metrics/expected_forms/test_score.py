"""Outputs and their verdicts, accuracies and reports."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.expected_forms.metric import (
    ALONE,
    BESIDE,
    NEITHER,
    RIVAL,
    GeneratedSet,
    judge,
)
from crosspro.evaluation.output.records import detail_tsv
from crosspro.evaluation.output.text import text_report
from tests.evaluation.metrics.expected_forms.context_sets import ctxpro_instance, read

PLAN = Resampling(200, 5)


def evaluate_generative(test_set, outputs, plan=None):
    metric = make_metric("expected_forms", language="fr")
    return evaluate(metric, GeneratedSet(test_set, tuple(outputs)), plan)


def judged(test_set, output, language="fr"):
    return [one.verdict for one in judge(test_set, output, language)]


def verdicts(tmp_path, content, lines, **options):
    found, (output,) = read(tmp_path, content, lines, **options)
    return judged(found, output)


def test_the_four_verdicts(tmp_path):
    lines = ["Va-t-elle bien ?", "Elle dort, dit-il.", "Il dort.", "Ça dort."]
    assert verdicts(tmp_path, [ctxpro_instance()] * 4, lines) == [ALONE, BESIDE, RIVAL, NEITHER]


def test_the_scored_part_of_a_document(tmp_path):
    content = [ctxpro_instance()] * 3
    lines = ["Elle. <eos> Il dort.", "Il. <SEP> Elle dort.", "Elle <eos> Elle <eos> Il"]
    assert verdicts(tmp_path, content, lines) == [RIVAL, ALONE, RIVAL]
    assert verdicts(tmp_path, content, lines, part=1) == [ALONE, RIVAL, ALONE]
    assert verdicts(tmp_path, content, lines, separators=("|||",)) == [BESIDE] * 3


def test_every_fault_of_every_output_is_reported(tmp_path):
    content = [ctxpro_instance()] * 3
    outputs = ["a <eos> b", "a", "a <eos> b"], ["a <eos> b"], ["a <eos> b"] * 4
    with pytest.raises(InputError) as caught:
        read(tmp_path, content, *outputs, part=2)
    problems = [(one.path[-2:], one.line, one.field) for one in caught.value.problems]
    assert problems == [("s0", 2, "payload"), ("s1", 2, "lines"), ("s2", 4, "lines")]


def test_lenient_counts_missing_parts_as_wrong(tmp_path):
    outputs = ["elle", "a <eos> elle"]
    found, systems = read(tmp_path, [ctxpro_instance()] * 2, outputs, part=2, lenient=True)
    evaluation = evaluate_generative(found, systems)
    assert evaluation.systems[0].scores["accuracy"].value == 50
    assert len(evaluation.warnings) == 1


def evaluated(tmp_path, plan=PLAN):
    content = [ctxpro_instance(**{"document id": f"d{n % 12}"}) for n in range(24)]
    content += [ctxpro_instance("il", **{"document id": "d1", "rule": "GENDER.M"})] * 6
    good, bad = ["Elle dort."] * 24 + ["Il dort."] * 6, ["Il dort."] * 29 + [""]
    found, outputs = read(tmp_path, content, good, bad)
    return evaluate_generative(found, outputs, plan)


def test_accuracy_shares_and_comparisons(tmp_path):
    found = evaluated(tmp_path)
    values = {}
    for system in found.systems:
        for one in system.groups:
            name = one.breakdown, one.group
            values.setdefault(name, []).append(one.scores["accuracy"].value)
    assert values["", "total"] == [100, pytest.approx(100 * 5 / 30)]
    assert values["gender", "feminine"] == values["rule", "GENDER.F"] == [100, 0]
    assert values["pronoun", "it:il"] == [100, pytest.approx(100 * 5 / 6)]
    keys = ("right", "right_beside_a_rival", "rival_instead", "neither")
    assert [found.systems[1].scores[key].value for key in keys] == pytest.approx(
        [100 * 5 / 30, 0, 80, 100 / 30]
    )
    (difference,) = found.comparisons
    assert difference.p_randomisation < 0.01
    assert (found.scored.units.name, found.scored.units.count) == ("document", 12)
    assert len(found.warnings) == 1
    signature = found.signatures[0]
    assert "match:words|payload:part-1|language:fr" in signature
    assert not evaluated(tmp_path, None).comparisons


def test_counts_and_details(tmp_path):
    found = evaluated(tmp_path)
    assert found.systems[1].total.counts == {
        "instances": 30, "right": 5, "right_beside_a_rival": 0, "rival_instead": 24, "neither": 1,
    }  # fmt: skip
    assert "rival instead" in text_report(found)
    detail = [line.split("\t") for line in detail_tsv(found).splitlines()]
    assert detail[31][-4:] == ["rival instead", "elle", "il", "Il dort."]
    assert detail[60][-4:] == ["neither", "il", "-", "-"]
