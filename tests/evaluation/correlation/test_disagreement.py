"""APT's cases against people: counts by case, category and kind."""

from __future__ import annotations

import json
from math import isnan

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.correlation.disagreement import disagreement_text, study_disagreement
from crosspro.evaluation.correlation.judged import JudgedPronoun, read_judgements
from crosspro.evaluation.inputs.case_records import BAD, CORRECT, INCORRECT
from crosspro.evaluation.output.records import json_text
from crosspro.evaluation.published.results import read_figures

JUDGED = """category,case,human,kind,doc
x,1,correct,,a
x,1,bad translation,,a
x,2,wrong,E,b
x,3,right,V,b
y,3,unclear,,b
y,4,incorrect,,b
y,6,bad,,b
"""
VERDICT = {True: CORRECT, False: INCORRECT, None: ""}


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
        assert (one.correct, one.incorrect) == (
            int(row["human_correct"]),
            int(row["human_incorrect"]),
        )
        assert (one.disagreements, one.examples) == (
            int(row["disagreements"]),
            int(row["examples"]),
        )
        assert f"{one.share.value:.1f}" == row["disagreement_pct"]
    assert [list(study.verdicts[case].values())[:2] for case in (1, 2, 3)] == [
        [1185, 109],
        [89, 42],
        [390, 412],
    ]
    assert (round(study.precision, 4), round(study.recall, 4)) == (0.8940, 0.7656)


def test_verdicts_of_all_cases_and_kinds(tmp_path):
    path = tmp_path / "j.csv"
    path.write_text(JUDGED)
    study = study_disagreement(read_judgements(path))
    assert study.verdicts[1] == {CORRECT: 1, INCORRECT: 0, BAD: 1}
    assert study.verdicts[6] == {CORRECT: 0, INCORRECT: 0, BAD: 1}
    (x, total) = study.categories
    assert (x.examples, x.disagreements, study.left_out) == (3, 2, 1)
    assert total.kinds == {"V": 1, "E": 1, "I": 0, "O": 0}
    rows = {" ".join(line.split()[:-4]): line.split()[-4:]
            for line in disagreement_text(study).splitlines()}  # fmt: skip
    assert rows["1 same"] == ["2", "50.0", "0.0", "50.0"]
    assert rows["5 not in ref."] == ["0", "–", "–", "–"]
    content = json.loads(json_text(study))
    assert content["categories"][0]["share"]["value"] == pytest.approx(200 / 3)


def test_intervals_hold_the_value_and_widen_by_unit():
    units = [f"document{n % 2}{n // 40}" for n in range(80)]
    by_document = [JudgedPronoun("a", 1, VERDICT[n % 2 == 0], unit) for n, unit in enumerate(units)]
    alone = [JudgedPronoun("a", 1, one.human) for one in by_document]
    narrow, wide = (
        study_disagreement(judged, Resampling(500, 1), unit).categories[-1].share
        for judged, unit in ((alone, "example"), (by_document, "document"))
    )
    assert narrow.low < 50 < narrow.high
    assert wide.high - wide.low > narrow.high - narrow.low
    assert (narrow.unit, wide.unit) == ("example", "document")


def test_shares_of_nothing_are_not_defined():
    study = study_disagreement([JudgedPronoun("a", 4, INCORRECT)], Resampling(20, 1))
    assert isnan(study.precision)
    assert isnan(study.recall)
    assert isnan(study.categories[-1].share.value)
    assert "–" in disagreement_text(study)


@pytest.mark.parametrize(
    ("row", "column"),
    [("x,7,correct", "case"), ("x,1,maybe", "human"), (",1,wrong", "category"), ("x,1", "cells"),
     ("x,1,correct,V", "kind"), ("x,3,correct,Z", "kind")],
)  # fmt: skip
def test_bad_rows_are_named(tmp_path, row, column):
    path = tmp_path / "j.csv"
    row += "," * (3 - row.count(",")) if column != "cells" else ""
    path.write_text(f"category,case,human,kind\nx,1,correct,\n{row}\n")
    with pytest.raises(InputError, match=rf"j\.csv:3: {column}: "):
        read_judgements(path)
    path.write_text("category,case\nx,1\n")
    with pytest.raises(InputError, match="'human'"):
        read_judgements(path)
