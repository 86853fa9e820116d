"""APT's cases against people: counts by case, category and kind, and verdicts joined with cases."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.correlation.disagreement import (
    CORRECT,
    INCORRECT,
    JudgedPronoun,
    PlacedVerdict,
    PronounCase,
    count_cases,
    disagreement_kind,
    join_cases,
    read_cases,
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
    assert [counts_of.category for counts_of in study.categories] == list(printed)
    for counts_of in study.categories:
        row = printed[counts_of.category]
        assert list(counts_of.cases.values()) == [int(row[f"apt_case{case}"]) for case in (1, 2, 3)]
        counts = {
            "human_correct": counts_of.correct,
            "human_incorrect": counts_of.incorrect,
            "disagreements": counts_of.disagreements,
            "examples": counts_of.examples,
        }
        assert counts == {name: int(row[name]) for name in counts}
        assert f"{counts_of.share:.1f}" == row["disagreement_pct"]
    by_case = [list(study.verdicts[case].values())[:2] for case in (1, 2, 3)]
    assert by_case == [[1185, 109], [89, 42], [390, 412]]
    assert (round(study.precision, 2), round(study.recall, 2)) == (89.40, 76.56)


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
    assert join_cases(verdicts, read_cases(cases), "fr") == [
        JudgedPronoun("anaphoric_intra", 3, CORRECT, "V", "d"),
        JudgedPronoun("event", 1, INCORRECT, "O", "e"),
    ]
    place = {"candidate": "a", "sentence": 0, "position": 0, "case": 1, **sides}
    for content in (
        "{",
        "[]",
        '{"apt": [{"candidate": "a"}]}',
        json.dumps({"apt": [place | {"case": 0}]}),
        json.dumps({"apt": [place | {"case": True}]}),
        json.dumps({"apt": [place | {"position": "0"}]}),
        json.dumps({"apt": [place, place]}),
        '{"apt": [], "apt": []}',
    ):
        cases.write_text(content)
        with pytest.raises(InputError, match=r"cases\.json"):
            read_cases(cases)
