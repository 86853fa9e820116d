"""Cases and verdicts side by side, and the kinds of their disagreements."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.correlation.judged import (
    COLUMNS,
    disagreement_kind,
    is_impersonal,
    is_personal,
    join_cases,
    read_judgements,
    read_placed_verdicts,
)
from crosspro.evaluation.inputs.case_records import CaseRecord, PlacedVerdict, RecordedSide
from crosspro.evaluation.output.tables import csv_text

PATH = Path("cases.json")


def record(system="a", line=0, case=3, reference="elle", candidate="il"):
    sides = [RecordedSide((), (), tuple(words.split()), ()) for words in (reference, candidate)]
    return CaseRecord(system, line, 0, "it", "it", *sides, case, ("it",))


def verdict(system="a", line=0, human="correct", category="x", anaphoric=True):
    return PlacedVerdict(system, line, 0, category, human, f"t{line}", "doc", anaphoric)


@pytest.mark.parametrize(
    ("case", "human", "anaphoric", "reference", "candidate", "kind"),
    [
        (3, "correct", True, "elles", "ils", "V"),  # extraits and vidéos, the example of 001 §6
        (3, "correct", True, "elle", "ce", "I"),
        (3, "correct", True, "ils", "ça", "I"),
        (3, "correct", True, "ça", "ce", "O"),
        (3, "correct", True, "ça", "il", "V"),
        (3, "correct", True, "elle", "OTHER", "O"),
        (3, "correct", False, "cela", "il", "O"),  # pleonastic and event
        (2, "incorrect", True, "ce", "il", "E"),
        (2, "incorrect", False, "ce", "il", "E"),
        (1, "incorrect", True, "il", "il", "O"),
        (1, "correct", True, "il", "il", ""),
        (4, "incorrect", True, "il", "", ""),
    ],
)
def test_kinds(case, human, anaphoric, reference, candidate, kind):
    sides = [reference], [candidate]
    assert disagreement_kind(case, human, anaphoric, sides, "fr") == kind
    assert disagreement_kind(case, human, anaphoric, sides, "cs") == ""


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
    joined = join_cases(PATH, records, verdicts, "fr")
    path = tmp_path / "judged.csv"
    path.write_text(csv_text([COLUMNS, *joined.rows]), "utf-8")
    judged = read_judgements(path, "document")
    assert judged == joined.pronouns("document")
    assert [(one.case, one.human, one.kind) for one in judged] == [
        *((1, "correct", ""), (2, "incorrect", "E"), (3, "correct", "V")),
        *((3, "", ""), (5, "bad translation", "")),
    ]
    assert {one.unit for one in judged} == {"doc"}


def test_verdicts_of_a_table_have_places(tmp_path):
    path = tmp_path / "v.tsv"
    heading = "system\tline\tposition\tcategory\thuman\tdocument\n"
    path.write_text(f"{heading}a\t1\t4\tanaphoric_intra_they\twrong\td\na\t2\t0\tevent_it\t\td\n")
    assert read_placed_verdicts(path) == [
        PlacedVerdict("a", 1, 4, "anaphoric_intra_they", "incorrect", "", "d", True),
        PlacedVerdict("a", 2, 0, "event_it", "", "", "d", False),
    ]
    path.write_text(f"{heading}a\tx\t4\tevent_it\twrong\td\n")
    with pytest.raises(InputError, match=r"v\.tsv:2: line: "):
        read_placed_verdicts(path)


def test_systems_that_do_not_fit():
    with pytest.raises(InputError, match="'x'"):
        join_cases(PATH, [record("a"), record("x")], [verdict()], "fr")
    with pytest.raises(InputError, match=r"'a\.en'"):
        join_cases(PATH, [record("a.fr"), record("a.en")], [verdict()], "fr")
    with pytest.raises(InputError, match=r"cases\.json"):
        join_cases(PATH, [record(line=5)], [verdict()], "fr")
