"""Disagreement between APT and people, and Tables 3 and 4 of 001."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.correlation.cases import case_csv, case_json, study_cases
from crosspro.evaluation.correlation.disagreement import (
    JudgedPronoun,
    count_verdicts,
    derived_verdicts,
    disagreement_csv,
    disagreement_interval,
    disagreement_json,
    disagreement_text,
    published_judgements,
    study_disagreement,
    verdicts_from_margins,
    with_total,
)
from crosspro.evaluation.correlation.judged import JudgedColumns, read_judgements
from tests.conftest import ROOT


def table_3():
    path = ROOT / "evaluation" / "published" / "figures" / "apt_protest_categories.csv"
    with path.open(encoding="utf-8") as handle:
        return {row["category"]: row for row in csv.DictReader(handle)}


def test_table_3_of_001_comes_out_of_the_derived_verdicts():
    """All 14 rows, every column."""
    printed = table_3()
    found = {one.category: one for one in count_verdicts(published_judgements())}
    assert found.keys() == printed.keys()
    for category, row in printed.items():
        one = found[category]
        assert one.cases == [int(row[f"apt_case{case}"]) for case in (1, 2, 3)]
        assert one.correct == int(row["human_correct"])
        assert one.incorrect == int(row["human_incorrect"])
        assert one.disagreements == int(row["disagreements"])
        assert one.examples == int(row["examples"])
        assert f"{one.percentage:.1f}" == row["disagreement_pct"]


def test_the_derived_confusion_of_001():
    """systems.md §9: 109 of 1,294, 42 of 131, 390 of 802; 8, 32 and 49% in the text."""
    total = with_total(derived_verdicts())[-1]
    assert total.counts.tolist() == [[1185, 109], [89, 42], [390, 412]]
    assert [round(share) for share in total.disagreement_by_case] == [8, 32, 49]
    assert round(total.precision, 3) == 0.894
    assert round(total.recall, 3) == 0.766


def test_table_3_needs_the_reference_as_a_tenth_system():
    counts = {"anaphoric_intra_subject_it": 25, "event_it": 30, "pleonastic_it": 30}
    for category, tokens in counts.items():  # 002 Table 2
        examples = int(table_3()[category]["examples"])
        assert examples <= 10 * tokens
    assert int(table_3()["pleonastic_it"]["examples"]) > 9 * 30


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
    rows = [
        JudgedPronoun("a", 1, True),
        JudgedPronoun("a", 3, True),
        JudgedPronoun("a", 4, False),
        JudgedPronoun("b", 2, None),
        JudgedPronoun("b", 6, True),
    ]
    (a, total) = count_verdicts(rows)
    assert (a.category, a.examples, a.disagreements, a.percentage) == ("a", 2, 1, 50)
    assert total.examples == 2


def test_intervals_hold_the_value_and_widen_by_unit():
    rows = [JudgedPronoun("a", 1, n % 2 == 0, f"document{n % 2}{n // 40}") for n in range(80)]
    alone = [JudgedPronoun(r.category, r.case, r.correct) for r in rows]
    plan = Resampling(500, 1)
    low, high = disagreement_interval(alone, "a", plan)
    assert low < 50 < high
    wide = disagreement_interval(rows, "total", plan)
    assert wide[1] - wide[0] > high - low
    assert disagreement_interval([], "a", plan) == (None, None)


def test_shares_of_nothing_are_not_defined():
    study = study_disagreement([JudgedPronoun("a", 3, False)], Resampling(20, 1))
    shown = disagreement_text(study)
    assert "case 1        0          0           –" in shown
    assert "precision –, recall –" in shown
    (a, _) = json.loads(disagreement_json(study))["categories"]
    assert (a["percentage"], a["precision"], a["recall"]) == (0, None, None)
    nothing = study_disagreement([JudgedPronoun("a", 4, False)], Resampling(20, 1))
    assert disagreement_text(nothing).splitlines()[2].split() == ["total", *"0000000", "–"]
    assert ",0,0,,,," in disagreement_csv(nothing)


def test_a_case_that_nobody_judged_has_no_shares():
    study = study_cases([JudgedPronoun("a", 1, True)])
    same, equivalent = json.loads(case_json(study))["cases"][:2]
    assert set(same["percentages"].values()) == {100, 0}
    assert set(equivalent["percentages"].values()) == {None}
    assert case_csv(study).splitlines()[2].startswith("2,0,0,0,0,,,,")


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
