"""APT's cases against people: counts by case, category and kind, and verdicts joined with cases."""

from __future__ import annotations

import json
from math import isnan

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.correlation.disagreement import (
    BAD,
    CORRECT,
    INCORRECT,
    JudgedPronoun,
    PlacedVerdict,
    PronounCase,
    count_cases,
    disagreement_kind,
    is_impersonal,
    is_personal,
    join_cases,
    read_cases,
    read_judgements,
    read_placed_verdicts,
    study_disagreement,
    verdict_table,
)
from crosspro.evaluation.published.results import read_figures


def table_3():
    """001 Table 3, of which Table 4 gives the rejected equivalents, as judged pronouns."""
    wrong = {
        r["category"]: int(r["incorrect_equivalence"]) for r in read_figures("apt_disagreements")
    }
    pronouns = []
    rows = [row for row in read_figures("apt_protest_categories") if row["category"] != "total"]
    for row in rows:
        same, equivalent, different = (int(row[f"apt_case{case}"]) for case in (1, 2, 3))
        correct, disagreements = int(row["human_correct"]), int(row["disagreements"])
        rejected_equivalents = wrong.get(row["category"], 0)
        accepted_different = (disagreements + correct - same - equivalent) // 2
        rejected_same = disagreements - rejected_equivalents - accepted_different
        for case, human, number in (
            (1, CORRECT, same - rejected_same),
            (1, INCORRECT, rejected_same),
            (2, CORRECT, equivalent - rejected_equivalents),
            (2, INCORRECT, rejected_equivalents),
            (3, CORRECT, accepted_different),
            (3, INCORRECT, different - accepted_different),
        ):
            assert number >= 0
            pronouns += [JudgedPronoun(row["category"], case, human)] * number
    return pronouns


def test_table_3_of_001():
    """All 14 rows, every column; 109 of 1,294, 42 of 131 and 390 of 802 are disagreements."""
    study = study_disagreement(table_3())
    printed = {row["category"]: row for row in read_figures("apt_protest_categories")}
    assert [one.category for one in study.categories] == list(printed)
    for one in study.categories:
        row = printed[one.category]
        assert list(one.cases.values()) == [int(row[f"apt_case{case}"]) for case in (1, 2, 3)]
        counts = {
            "human_correct": one.correct,
            "human_incorrect": one.incorrect,
            "disagreements": one.disagreements,
            "examples": one.examples,
        }
        assert counts == {name: int(row[name]) for name in counts}
        assert f"{one.share:.1f}" == row["disagreement_pct"]
    by_case = [list(study.verdicts[case].values())[:2] for case in (1, 2, 3)]
    assert by_case == [[1185, 109], [89, 42], [390, 412]]
    assert (round(study.precision, 4), round(study.recall, 4)) == (0.8940, 0.7656)


def test_verdicts_of_all_cases_and_kinds(tmp_path):
    path = tmp_path / "j.csv"
    path.write_text(
        "category,case,human,kind,doc\nx,1,correct,,a\nx,1,bad translation,,a\nx,2,wrong,E,b\n"
        "x,3,right,V,b\ny,3,unclear,,b\ny,4,incorrect,,b\ny,6,bad,,b\n"
    )
    study = study_disagreement(read_judgements(path))
    assert study.verdicts[1] == {CORRECT: 1, INCORRECT: 0, BAD: 1}
    assert study.verdicts[6] == {CORRECT: 0, INCORRECT: 0, BAD: 1}
    (x, total) = study.categories
    assert (x.examples, x.disagreements, study.not_judged) == (3, 2, 1)
    assert total.kinds == {"V": 1, "E": 1, "I": 0, "O": 0}
    assert x.share == pytest.approx(200 / 3)


def test_intervals_hold_the_value_and_widen_by_unit():
    verdicts = [(f"document{n % 2}{n // 40}", (INCORRECT, CORRECT)[n % 2 == 0]) for n in range(80)]
    alone = [JudgedPronoun("a", 1, human) for _, human in verdicts]
    by_document = [JudgedPronoun("a", 1, human, unit=unit) for unit, human in verdicts]
    narrow, wide = (study_disagreement(p, 500, 1).categories[-1] for p in (alone, by_document))
    assert narrow.low < 50 < narrow.high
    assert wide.high - wide.low > narrow.high - narrow.low


def test_shares_of_nothing_are_not_defined():
    study = study_disagreement([JudgedPronoun("a", 4, INCORRECT)], 20)
    assert isnan(study.precision)
    assert isnan(study.recall)
    assert isnan(study.categories[-1].share)


@pytest.mark.parametrize(
    ("case", "human", "anaphoric", "reference", "candidate", "kind"),
    [
        (3, CORRECT, True, "elles", "ils", "V"),  # extraits and vidéos, the example of 001 §6
        (3, CORRECT, True, "elle", "ce", "I"),
        (3, CORRECT, True, "ils", "ça", "I"),
        (3, CORRECT, True, "ça", "ce", "O"),
        (3, CORRECT, True, "ça", "il", "V"),
        (3, CORRECT, True, "elle", "OTHER", "O"),
        (3, CORRECT, False, "cela", "il", "O"),  # pleonastic and event
        (2, INCORRECT, True, "ce", "il", "E"),
        (2, INCORRECT, False, "ce", "il", "E"),
        (1, INCORRECT, True, "il", "il", "O"),
        (1, CORRECT, True, "il", "il", ""),
        (4, INCORRECT, True, "il", "", ""),
    ],
)
def test_kinds(case, human, anaphoric, reference, candidate, kind):
    pronoun = PronounCase(case, (reference,), (candidate,))
    assert disagreement_kind(pronoun, human, anaphoric, "fr") == kind
    assert disagreement_kind(pronoun, human, anaphoric, "cs") == ""


def test_personal_and_impersonal_forms():
    words = ("il", "Elle", "ce", "ça", "on", "lui", "c'", "cela", "celle", "x")
    assert [word for word in words if is_personal(word, "fr")] == ["il", "Elle", "on", "lui"]
    assert [word for word in words if is_impersonal(word, "fr")] == ["ce", "ça", "c'", "cela"]
    assert is_personal("er", "de")
    assert not is_impersonal("es", "de")


def test_verdicts_are_written_read_and_joined_with_cases(tmp_path):
    verdicts = [
        PlacedVerdict("a", 0, 0, "anaphoric_intra", CORRECT, "t0", "d"),
        PlacedVerdict("a", 1, 0, "event", INCORRECT, "t1", "e"),
        PlacedVerdict("a", 2, 0, "event", "", "t2", "e"),
    ]
    path = tmp_path / "v.csv"
    path.write_text(verdict_table(verdicts))
    assert read_placed_verdicts(path) == verdicts
    sides = {"reference": {"labels": ["elle"]}, "translation": {"labels": ["il"]}}
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps({"apt": [
        {"candidate": "a", "sentence": line, "position": 0, "case": case, **sides}
        for line, case in ((0, 3), (1, 1))
    ]}))  # fmt: skip
    assert count_cases(read_cases(cases)) == {"a": [1, 0, 1, 0, 0, 0]}
    assert join_cases(verdicts, read_cases(cases), "fr", "document") == [
        JudgedPronoun("anaphoric_intra", 3, CORRECT, "V", "d"),
        JudgedPronoun("event", 1, INCORRECT, "O", "e"),
    ]
    for content in (
        "{",
        "[]",
        '{"apt": [{"candidate": "a"}]}',
        json.dumps({"apt": [sides | {"case": 0}]}),
    ):
        cases.write_text(content)
        with pytest.raises(InputError, match=r"cases\.json"):
            read_cases(cases)


@pytest.mark.parametrize(
    ("row", "field"),
    [("x,7,correct,", "case"), ("x,1,maybe,", "human"), ("x,1", "cells"),
     ("x,1,correct,V", "kind"), ("x,3,correct,Z", "kind")],
)  # fmt: skip
def test_bad_rows_are_named(tmp_path, row, field):
    path = tmp_path / "j.csv"
    path.write_text(f"category,case,human,kind\nx,1,correct,\n{row}\n")
    with pytest.raises(InputError, match=rf"j\.csv:3: {field}: "):
        read_judgements(path)
    path.write_text("system,line,position,category,human\na,x,4,event,wrong\n")
    with pytest.raises(InputError, match=r"j\.csv:2: line: "):
        read_placed_verdicts(path)
