"""APT's cases against people: Tables 3 and 4 of 001, and Table 5 of 000."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.correlation.disagreement import (
    CaseVerdicts,
    Disagreement,
    Judgements,
    derived_verdicts,
    printed_kinds,
    published_judgements,
    verdicts_from_margins,
)
from crosspro.evaluation.correlation.judged import JudgedColumns, JudgedPronoun, read_judgements
from crosspro.evaluation.output.page import evaluation_page
from crosspro.evaluation.output.records import csv_report, json_report
from crosspro.evaluation.output.text import text_report
from crosspro.evaluation.published.results import read_figures
from tests.evaluation.output.reading import Elements

PLAN = Resampling(20, 1)


def groups(evaluation):
    return {one.group: one for one in evaluation.systems[0].groups}


def table_3():
    return {row["category"]: row for row in read_figures("apt_protest_categories")}


def test_table_3_of_001_comes_out_of_the_derived_verdicts():
    """All 14 rows, every column."""
    printed = table_3()
    found = groups(evaluate(Disagreement(), Judgements(published_judgements())))
    assert found.keys() == printed.keys()
    for category, row in printed.items():
        counts = found[category].counts
        assert [counts[f"case_{case}"] for case in (1, 2, 3)] == [
            int(row[f"apt_case{case}"]) for case in (1, 2, 3)
        ]
        for count, column in {
            "correct": "human_correct",
            "incorrect": "human_incorrect",
            "disagreements": "disagreements",
            "examples": "examples",
        }.items():
            assert counts[count] == int(row[column])
        assert f"{found[category].scores['disagreement'].value:.1f}" == row["disagreement_pct"]


def test_the_derived_confusion_of_001():
    """systems.md §9: 109 of 1,294, 42 of 131, 390 of 802; 8, 32 and 49% in the text."""
    assert sum(derived_verdicts().values()).tolist() == [[1185, 109], [89, 42], [390, 412]]
    data = Judgements(published_judgements(), printed_kinds=printed_kinds())
    text = text_report(evaluate(Disagreement(), data))
    for row in ("case 1     1185        109         8.4", "89         42        32.1", "48.6\n"):
        assert row in text
    assert "precision 0.8940, recall 0.7656" in text


def test_table_3_needs_the_reference_as_a_tenth_system():
    tokens = {"anaphoric_intra_subject_it": 25, "event_it": 30, "pleonastic_it": 30}
    examples = {category: int(table_3()[category]["examples"]) for category in tokens}
    assert all(examples[category] <= 10 * tokens[category] for category in tokens)  # 002 Table 2
    assert examples["pleonastic_it"] > 9 * 30


cells = st.integers(0, 40)


@given(st.tuples(*[cells] * 6))
def test_margins_determine_the_table(numbers):
    table = np.array(numbers).reshape(3, 2)
    cases = tuple(int(n) for n in table.sum(axis=1))
    disagreements = int(table[0, 1] + table[1, 1] + table[2, 0])
    correct = int(table[:, 0].sum())
    found = verdicts_from_margins(cases, correct, disagreements, int(table[1, 1]))
    assert found.tolist() == table.tolist()


def test_margins_that_fit_no_table():
    with pytest.raises(ValueError, match="whole numbers"):
        verdicts_from_margins((1, 0, 0), 1, 1, 0)
    with pytest.raises(ValueError, match="whole numbers"):
        verdicts_from_margins((1, 0, 1), 5, 0, 0)


def test_cases_4_to_6_and_the_unjudged_are_left_out():
    judged = (("a", 1, True), ("a", 3, True), ("a", 4, False), ("b", 2, None), ("b", 6, True))
    data = Judgements([JudgedPronoun(*one) for one in judged])
    evaluation = evaluate(Disagreement(), data)
    a, total = groups(evaluation).values()
    assert (a.group, a.counts["examples"], a.counts["disagreements"]) == ("a", 2, 1)
    assert (a.scores["disagreement"].value, total.counts["examples"]) == (50, 2)
    assert evaluation.scored.facts == {"left_out": 3}


def test_intervals_hold_the_value_and_widen_by_unit():
    rows = [JudgedPronoun("a", 1, n % 2 == 0, f"document{n % 2}{n // 40}") for n in range(80)]
    alone = [JudgedPronoun(r.category, r.case, r.correct) for r in rows]
    narrow, wide = (
        evaluate(Disagreement(), Judgements(judged), Resampling(500, 1)).systems[0].scores
        for judged in (alone, rows)
    )
    one, other = narrow["disagreement"], wide["disagreement"]
    assert one.low < 50 < one.high
    assert other.high - other.low > one.high - one.low
    assert narrow["precision"].low is None


@pytest.mark.parametrize("unit", ["document", "system"])
@pytest.mark.parametrize("metric", [Disagreement, CaseVerdicts])
def test_every_output_says_what_was_resampled(metric, unit):
    judged = [JudgedPronoun("it", case, correct) for case in (1, 2, 3) for correct in (True, False)]
    evaluation = evaluate(metric(), Judgements(judged, unit), PLAN)
    assert f"[95% interval by {unit}]" in text_report(evaluation)
    assert "interval" not in text_report(evaluate(metric(), Judgements(judged)))
    assert f"by:{unit}" in csv_report(evaluation)
    assert f"by:{unit}" in json.loads(json_report(evaluation))["signature"]
    page = Elements(evaluation_page(evaluation))
    assert (page.loaded, "table" in page.tags) == ([], True)


def test_shares_of_nothing_are_not_defined():
    evaluation = evaluate(Disagreement(), Judgements([JudgedPronoun("a", 3, False)]), PLAN)
    shown = text_report(evaluation)
    assert "case 1        0          0           –" in shown
    assert "precision –, recall –" in shown
    (system,) = json.loads(json_report(evaluation))["systems"]
    values = {name: score["value"] for name, score in system["scores"].items()}
    assert values == {"disagreement": 0, "precision": None, "recall": None}
    nothing = evaluate(Disagreement(), Judgements([JudgedPronoun("a", 4, False)]), PLAN)
    assert text_report(nothing).splitlines()[4].split() == ["APT", "–"]
    assert ",0,0,,,," in csv_report(nothing)


def test_a_case_that_nobody_judged_has_no_shares():
    data = Judgements([JudgedPronoun("a", 1, True), JudgedPronoun("a", 2, None)])
    evaluation = evaluate(CaseVerdicts(), data)
    same, equivalent = list(groups(evaluation).values())[:2]
    assert [score.value for score in same.scores.values()] == [100, 0, 0]
    assert np.isnan([score.value for score in equivalent.scores.values()]).all()
    assert csv_report(evaluation).splitlines()[2].startswith("APT,case,2 equivalent,0,0,0,0,,,,")
    assert "1 pronouns that nobody has judged are left out." in text_report(evaluation)


def test_judgements_are_read(tmp_path):
    path = tmp_path / "j.tsv"
    path.write_text("doc\tcat\tcase\tok\nd1\tx\tc1\tyes\nd2\ty\t3\tincorrect\nd2\ty\t2\t\n")
    found = read_judgements(path, JudgedColumns("cat", "case", "ok", "doc"))
    assert found == [
        JudgedPronoun("x", 1, True, "d1"),
        JudgedPronoun("y", 3, False, "d2"),
        JudgedPronoun("y", 2, None, "d2"),
    ]


def test_every_bad_judgement_is_reported(tmp_path):
    path = tmp_path / "j.csv"
    path.write_text("category,case,human\nx,7,correct\nx,1,maybe\n,1,no\nx,1\n")
    with pytest.raises(InputError) as caught:
        read_judgements(path)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4, 5]
    with pytest.raises(InputError, match="column: expected one of category, case, human"):
        read_judgements(path, JudgedColumns(human="verdict"))
