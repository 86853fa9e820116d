"""Outputs and their verdicts, accuracies and reports."""

from __future__ import annotations

from collections import Counter

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.sample import sample_path
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.contrastive.build import BuildRules, build_set, read_lines_of
from crosspro.evaluation.metrics.expected_forms.metric import (
    ALONE,
    BESIDE,
    NEITHER,
    RIVAL,
    GeneratedSet,
    judge,
)
from crosspro.evaluation.metrics.expected_forms.outputs import PayloadRules
from crosspro.evaluation.output.records import detail_tsv
from crosspro.evaluation.output.text import text_report
from tests.evaluation.metrics.expected_forms.context_sets import (
    ctxpro_instance,
    read,
    tsv_row,
    written,
)

PLAN = Resampling(200, 5)


def evaluate_generative(test_set, outputs, language, rules, plan=None):
    metric = make_metric("expected_forms", language=language, rules=rules)
    return evaluate(metric, GeneratedSet(test_set, tuple(outputs)), plan)


def judged(test_set, output, language="fr"):
    return [one.verdict for one in judge(test_set, output, language)]


def verdicts(tmp_path, content, lines, **options):
    found, (output,) = read(tmp_path, content, lines, **options)
    return judged(found, output, options.get("language", "fr"))


def test_the_four_verdicts(tmp_path):
    lines = ["Va-t-elle bien ?", "Elle dort, dit-il.", "Il dort.", "Ça dort."]
    assert verdicts(tmp_path, [ctxpro_instance()] * 4, lines) == [ALONE, BESIDE, RIVAL, NEITHER]


def test_the_payload_of_a_document(tmp_path):
    content = [ctxpro_instance()] * 3
    lines = ["Elle. <eos> Il dort.", "Il. <SEP> Elle dort.", "Elle <eos> Elle <eos> Il"]
    assert verdicts(tmp_path, content, lines) == [RIVAL, ALONE, RIVAL]
    assert verdicts(tmp_path, content, lines, rules=PayloadRules(part=1)) == [ALONE, RIVAL, ALONE]
    assert verdicts(tmp_path, content, lines, parts=[1, -2, 2]) == [ALONE, RIVAL, ALONE]
    whole = PayloadRules(separators=("|||",))
    assert verdicts(tmp_path, content, lines, rules=whole) == [BESIDE] * 3


def test_as_many_last_sentences_as_the_source_has(tmp_path):
    content = [ctxpro_instance(), ctxpro_instance(**{"src segment": "It sleeps. Really."})]
    lines = ["Il vient. Elle dort. Vraiment."] * 2
    rules = PayloadRules(sentences=True)
    assert verdicts(tmp_path, content, lines, rules=rules) == [NEITHER, ALONE]


def test_the_outputs_of_a_tsv(tmp_path):
    rows = [
        tsv_row(output="Elle. <eos> Il."),
        tsv_row(label="incorrect"),
        tsv_row(payload=0, output="Elle. <eos> Il.", source="It. <eos> A."),
        tsv_row(output="Elle."),
    ]
    found, (own,) = read(tmp_path, "\n".join(rows) + "\n")
    assert own.payloads == ("Il.", "Elle.", "Elle.")
    assert own.notes == ("1 outputs have another number of parts than their source",)
    assert judged(found, own) == [RIVAL, ALONE, ALONE]
    other = ["a <eos> Elle", "x", "Elle <eos> b", "c <eos> Il"]
    _, (given,) = read(tmp_path, "\n".join(rows) + "\n", other)
    assert given.payloads == ("Elle", "Elle", "Il")
    share = PayloadRules(share=1.0)
    _, (part,) = read(tmp_path, "\n".join(rows) + "\n", ["a b Il Elle"] * 4, rules=share)
    assert part.payloads == ("Il Elle",) * 3


def faults(tmp_path, content, *outputs, **options):
    with pytest.raises(InputError) as caught:
        read(tmp_path, content, *outputs, **options)
    return [str(one).removeprefix(f"{tmp_path}/") for one in caught.value.problems]


def test_every_fault_of_every_output_is_reported(tmp_path):
    content = [ctxpro_instance()] * 3
    outputs = ["a <eos> b", "a", "a <eos> b"], ["a"], ["a"] * 4
    assert faults(tmp_path, content, *outputs, rules=PayloadRules(part=2)) == [
        "s1:2: lines: expected 3 lines as in set, found 1",
        "s2:4: lines: expected 3 lines as in set, found 4",
        "s0:2: payload: expected part 2 (instance 2), found 1 part",
    ]
    where = "expected the number of a part: 1 the first, -1 the last"
    assert faults(tmp_path, content, ["a"] * 3, parts=["1", "0", "x"]) == [
        f"parts:2: part: {where}, found '0'",
        f"parts:3: part: {where}, found 'x'",
    ]
    odd = faults(tmp_path, content, ["a"] * 3, parts=["\x1e1", "\x1e-0", "٣"])
    assert [one.partition(" ")[0] for one in odd] == ["parts:2:", "parts:3:"]
    assert faults(tmp_path, content, ["a"] * 3, parts=["1"]) == [
        "parts:2: lines: expected 3 lines as in set, found 1"
    ]


def test_lenient_counts_missing_parts_as_wrong(tmp_path):
    rules = PayloadRules(part=2)
    found, (output,) = read(tmp_path, [ctxpro_instance()] * 2, ["elle", "a <eos> elle"],
                            rules=rules, lenient=True)  # fmt: skip
    evaluation = evaluate_generative(found, [output], "fr", rules)
    assert evaluation.systems[0].scores["accuracy"].value == 50
    expected = "s0: 1 outputs without the part of the payload; they count as wrong"
    assert evaluation.warnings == (expected,)


def evaluated(tmp_path, plan=PLAN):
    content = [ctxpro_instance(**{"document id": f"d{n % 12}"}) for n in range(24)]
    content += [ctxpro_instance("il", **{"document id": "d1", "rule": "GENDER.M"})] * 6
    good, bad = ["Elle dort."] * 24 + ["Il dort."] * 6, ["Il dort."] * 29 + [""]
    found, outputs = read(tmp_path, content, good, bad)
    return evaluate_generative(found, outputs, "fr", PayloadRules(), plan)


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
    assert found.warnings == ("s1: 1 empty translations; they count as wrong",)
    signature = found.signatures[0]
    assert "rule:expected-form-in-payload|payload:part-1|language:fr" in signature
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


def test_a_set_of_our_own_with_its_references_is_all_right(tmp_path):
    files = (sample_path(name) for name in ("sample.en", "sample.fr", "sample.doc-ids"))
    built = list(build_set(read_lines_of(*files), BuildRules(), Counter()))
    references = [one["ref segment"] for one in built]
    errors = [one["errors"][0]["contrastive"] for one in built]
    path = written(tmp_path, "built.json", built)
    found, outputs = read(tmp_path, path.read_text("utf-8"), references, errors)
    right, wrong = (judged(found, one) for one in outputs)
    assert set(right) == {ALONE}
    assert set(wrong) == {RIVAL}
