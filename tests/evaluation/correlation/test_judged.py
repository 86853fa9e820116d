"""Cases and verdicts side by side, and the kinds of their disagreements."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.correlation.disagreement import (
    count_kinds,
    derived_verdicts,
    printed_kinds,
)
from crosspro.evaluation.correlation.judged import (
    COLUMNS,
    is_impersonal,
    is_personal,
    join_cases,
    kind_of,
    read_judgements,
)
from crosspro.evaluation.inputs.case_records import CaseRecord, PlacedVerdict, RecordedSide

PATH = Path("cases.json")


def record(system="a", line=0, case=3, reference="elle", candidate="il"):
    sides = [RecordedSide((), (), tuple(words.split()), ()) for words in (reference, candidate)]
    return CaseRecord(system, line, 0, "it", "it", *sides, case, ("it",))


def verdict(system="a", line=0, human="correct", category="x", anaphoric=True):
    return PlacedVerdict(system, line, 0, category, human, f"t{line}", "doc", anaphoric)


@pytest.mark.parametrize(
    ("case", "correct", "anaphoric", "reference", "candidate", "kind"),
    [
        (3, True, True, "elles", "ils", "V"),  # extraits and vidéos, the example of 001 §6
        (3, True, True, "elle", "ce", "I"),
        (3, True, True, "ils", "ça", "I"),
        (3, True, True, "ça", "ce", "O"),
        (3, True, True, "ça", "il", "V"),
        (3, True, True, "elle", "OTHER", "O"),
        (3, True, False, "cela", "il", "O"),  # pleonastic and event
        (2, False, True, "ce", "il", "E"),
        (2, False, False, "ce", "il", "E"),
        (1, False, True, "il", "il", "O"),
    ],
)
def test_kinds(case, correct, anaphoric, reference, candidate, kind):
    assert kind_of(case, correct, anaphoric, [reference], [candidate], "fr") == kind


def test_personal_and_impersonal_forms():
    assert [word for word in ("il", "Elle", "ce", "ça", "on", "lui", "celle", "x") if
            is_personal(word, "fr")] == ["il", "Elle", "on", "lui"]  # fmt: skip
    assert [word for word in ("il", "ce", "c'", "cela", "celle", "x") if
            is_impersonal(word, "fr")] == ["ce", "c'", "cela"]  # fmt: skip
    assert is_personal("er", "de")
    assert not is_impersonal("es", "de")


def test_rows_are_joined_by_system_and_place():
    records = [record(), record(line=1, case=1), record("b.fr.xz"), record("b.fr.xz", 7)]
    verdicts = [
        verdict(),
        verdict(line=1, human="incorrect"),
        verdict("b", human="bad translation"),
        verdict("b", 1),
        verdict(line=2, human=""),
    ]
    table = join_cases(PATH, records, verdicts, "fr")
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in table.rows]
    assert [(row["system"], row["line"], row["case"], row["kind"]) for row in rows] == [
        ("a", 0, 3, "V"),
        ("a", 1, 1, "O"),
        ("b", 0, 3, ""),
    ]
    assert (table.judged, table.without_case) == (3, 2)


def test_the_table_is_read_as_judged_pronouns(tmp_path):
    records = [record(line=n, case=case) for n, case in enumerate((1, 2, 3, 3, 5))]
    said = ("correct", "incorrect", "correct", "", "bad translation")
    verdicts = [verdict(line=n, human=human) for n, human in enumerate(said)]
    path = tmp_path / "judged.csv"
    path.write_text(join_cases(PATH, records, verdicts, "fr").text(), "utf-8")
    judged = read_judgements(path)
    assert [(one.case, one.correct, one.bad, one.kind) for one in judged] == [
        (1, True, False, ""),
        (2, False, False, "E"),
        (3, True, False, "V"),
        (3, None, False, ""),
        (5, None, True, ""),
    ]
    assert count_kinds(judged)["total"] == {"V": 1, "E": 1, "I": 0, "O": 0}


def test_languages_without_a_table_have_no_kinds():
    table = join_cases(PATH, [record()], [verdict()], "cs")
    assert table.rows[0][-1] == ""


def test_systems_that_do_not_fit():
    with pytest.raises(InputError) as error:
        join_cases(PATH, [record("a"), record("x"), record("y")], [verdict()], "fr")
    assert [problem.found for problem in error.value.problems] == ["'x'", "'y'"]
    with pytest.raises(InputError, match="each once"):
        join_cases(PATH, [record("a.fr"), record("a.en")], [verdict()], "fr")
    with pytest.raises(InputError, match="apt --tokens"):
        join_cases(PATH, [record(line=5)], [verdict()], "fr")


def test_one_row_of_table_4_cannot_come_from_the_words_alone():
    """V and I are accepted different pronouns, but there are only 40 of them and 57 of these."""
    counts = derived_verdicts()
    kinds = {name: own for name, own in printed_kinds().items() if name in counts}
    assert all(own["E"] == counts[name][1, 1] for name, own in kinds.items())
    more = {name for name, own in kinds.items() if own["V"] + own["I"] > counts[name][2, 0]}
    assert more == {"anaphoric_inter_subject_it"}
