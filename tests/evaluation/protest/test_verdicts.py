"""The store of verdicts, review files, and what becomes of them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.evaluation.human.exchange import COLUMNS, read_review_file
from crosspro.evaluation.human.verdicts import Item, Verdict, VerdictStore
from crosspro.evaluation.protest.match import Alternative, score_system
from crosspro.evaluation.protest.review import silver_from, to_judge, write_review
from crosspro.evaluation.protest.text import SystemOutput
from tests.evaluation.protest.tokens import CLITIC, HOUSE, RAIN, changed

ITEM = Item(HOUSE, "sys", "abc", "il", "manoir", True)
OTHER = Item(RAIN, "sys", "def", "ça", "", False)


@pytest.fixture
def store(tmp_path):
    with VerdictStore(tmp_path / "v.sqlite", "suite") as store:
        yield store


def test_verdicts_survive_with_tags_and_remarks(store, tmp_path):
    first = Verdict(ITEM, "Anna", "right", "wrong", ("agreement", "style"), "sees it so")
    second = Verdict(OTHER, "Anna", "unclear", None)
    assert store.record([first, second]) == 2
    with VerdictStore(tmp_path / "v.sqlite", "suite", create=False) as again:
        assert again.verdicts() == [first, second]


def test_a_second_verdict_by_the_same_person_replaces_the_first(store):
    store.record([Verdict(ITEM, "Anna", "right", "right", ("old",))])
    store.record([Verdict(ITEM, "Anna", "wrong", "right", ("new",))])
    (verdict,) = store.verdicts()
    assert (verdict.pronoun, verdict.tags) == ("wrong", ("new",))


def test_agreement_conflict_and_resolution(store):
    store.record([Verdict(ITEM, "Anna", "right", "right", ("a",), "yes")])
    store.record([Verdict(ITEM, "Ben", "right", "right", ("b",))])
    judgement = store.judgements()[ITEM.key]
    assert (judgement.pronoun, judgement.antecedent) == ("right", "right")
    assert (judgement.annotators, judgement.tags) == (("Anna", "Ben"), ("a", "b"))
    store.record([Verdict(ITEM, "Ben", "wrong", "right", (), "no")])
    assert store.judgements()[ITEM.key].in_conflict
    ((item, verdicts),) = store.conflicts()
    assert (item, len(verdicts)) == (ITEM, 2)
    store.record([Verdict(ITEM, "Chris", "wrong", "right", (), "decided", kind="decision")])
    assert store.conflicts() == []
    judgement = store.judgements()[ITEM.key]
    assert (judgement.pronoun, judgement.resolved) == ("wrong", True)
    assert judgement.remarks == ("yes", "no", "decided")


def test_disagreement_about_the_antecedent_is_a_conflict(store):
    store.record(
        [
            Verdict(ITEM, "Anna", "right", "right"),
            Verdict(ITEM, "Ben", "right", "unclear"),
        ]
    )
    assert store.judgements()[ITEM.key].antecedent == "conflict"
    assert len(store.conflicts()) == 1


def test_nothing_is_stored_if_something_is_wrong(store):
    bad = replace(Verdict(OTHER, "Anna", "right", None), pronoun="maybe")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="CHECK constraint"):
        store.record([Verdict(ITEM, "Anna", "right", "right"), bad])
    assert store.verdicts() == []


def test_a_store_whose_tables_have_damaged_names_is_refused(store, tmp_path):
    content = (tmp_path / "v.sqlite").read_bytes()
    damaged = content.replace(b"CREATE TABLE", b"CREATE \xccABLE").replace(
        b"tablesuite", b"table\xccuite"
    )
    assert damaged != content
    (tmp_path / "damaged").write_bytes(damaged)
    with pytest.raises(InputError, match="a file of verdicts"):
        VerdictStore(tmp_path / "damaged", "suite")


def test_stores_of_other_suites_and_other_files_are_refused(store, tmp_path):
    with pytest.raises(InputError, match="verdicts on the suite other, found on suite"):
        VerdictStore(tmp_path / "v.sqlite", "other")
    (tmp_path / "text").write_text("no database at all, but text", "utf-8")
    with pytest.raises(InputError, match="not a database"):
        VerdictStore(tmp_path / "text", "suite")
    connection = sqlite3.connect(tmp_path / "foreign")
    connection.execute("CREATE TABLE x (y)")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="another kind of database"):
        VerdictStore(tmp_path / "foreign", "suite")
    with pytest.raises(InputError, match="found none"):
        VerdictStore(tmp_path / "none", "suite", create=False)


@pytest.fixture
def results(suite, reference, french):
    """Three mismatches: a pair, a pronoun, and a head."""
    output = changed(
        replace(reference, name="sys"),
        (16, 0, "Il"),
        (15, 5, "manoir"),
        (4, 0, "Ça"),
        (0, 3, '"bicyclette'),
    )
    return score_system(suite, output, french, repair=True)


def filled(path, verdicts):
    """A review file with verdicts (pronoun, antecedent, tags, remark) by token."""
    lines = path.read_text("utf-8").splitlines()
    out = [lines[0]]
    for line in lines[1:]:
        cells = line.split("\t")
        if cells[0] in verdicts:
            cells[-4:] = verdicts[cells[0]]
        out.append("\t".join(cells))
    path.write_text("\n".join(out) + "\n", "utf-8")


def test_mismatches_go_out_and_verdicts_come_back(suite, results, french, tmp_path, store):
    path = tmp_path / "review.tsv"
    rows = to_judge(results, {})
    assert [row.token.name for row in rows] == [
        "talk1:word_6",
        CLITIC,
        RAIN,
        HOUSE,
        "talk2:word_19",
    ]
    assert write_review(path, rows) == 5
    text = path.read_text("utf-8")
    assert "She saw the old [[house]] . / [[It]] stood on a hill ." in text
    assert "vu la vieille [[manoir]]" in text
    assert read_review_file(path, suite.anaphoric, "Anna") == []  # nothing is filled in yet
    filled(
        path,
        {HOUSE: ("right", "RIGHT", "gender, style", "a valid pair"), RAIN: ("wrong", "", "", "")},
    )
    verdicts = read_review_file(path, suite.anaphoric, "Anna")
    assert [(v.item.token, v.pronoun, v.antecedent, v.tags) for v in verdicts] == [
        (RAIN, "wrong", None, ()),
        (HOUSE, "right", "right", ("gender", "style")),
    ]
    store.record(verdicts)
    left = to_judge(results, store.judgements())
    assert [row.token.name for row in left] == ["talk1:word_6", CLITIC, "talk2:word_19"]
    silver = silver_from(store.judgements().values())
    assert silver == {HOUSE: [Alternative(("il",), ("manoir",), "from sys")]}
    assert silver_from(store.judgements().values(), silver) == silver  # nothing twice


def test_matches_are_judged_on_demand(results, french, tmp_path, store):
    assert len(to_judge(results, {}, matches=True)) == len(results) == 15
    said = Verdict(
        Item(results[0].token.name, "sys", results[0].item.digest, "il", "", True),
        "Anna",
        "right",
        None,
    )
    store.record([said])
    assert len(to_judge(results, store.judgements(), matches=True)) == 14


@pytest.mark.parametrize("column", [0, 1, 2, 9, 10])
def test_a_row_about_something_else_than_was_exported_is_refused(
    suite, results, french, tmp_path, column
):
    path = tmp_path / "review.tsv"
    write_review(path, to_judge(results, {}))
    filled(path, {HOUSE: ("right", "right", "", "")})
    assert len(read_review_file(path, suite.anaphoric, "Anna")) == 1
    lines = path.read_text("utf-8").splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.startswith(HOUSE)]
    cells = lines[at].split("\t")
    cells[column] = "talk1:word_6" if column == 0 else "0" + cells[column][1:]
    lines[at] = "\t".join(cells)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(InputError, match="as they were exported"):
        read_review_file(path, suite.anaphoric, "Anna")


def test_pairs_need_both_halves_right_to_become_silver(store):
    store.record([Verdict(ITEM, "Anna", "right", "wrong")])
    assert silver_from(store.judgements().values()) == {}


def test_bad_review_files_are_named(suite, results, french, tmp_path):
    path = tmp_path / "review.tsv"
    write_review(path, to_judge(results, {}))
    filled(
        path,
        {
            "talk1:word_6": ("yes", "right", "", ""),
            CLITIC: ("right", "", "", ""),
            RAIN: ("right", "right", "", ""),
            HOUSE: ("", "", "tag", ""),
        },
    )
    path.write_text(path.read_text("utf-8") + "x\ty\n" + "none" + "\t" * 15 + "\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_review_file(path, suite.anaphoric, "Anna")
    assert [(p.line, p.field) for p in caught.value.problems] == [
        (2, "pronoun"),
        (3, "antecedent"),
        (4, "antecedent"),
        (5, "pronoun"),
        (5, "antecedent"),
        (7, "columns"),
        (8, "token"),
    ]
    path.write_text("token\tsystem\n", "utf-8")
    with pytest.raises(InputError, match="columns: expected token system"):
        read_review_file(path, suite.anaphoric, "Anna")


def test_a_row_twice_is_refused(suite, results, french, tmp_path):
    path = tmp_path / "review.tsv"
    write_review(path, to_judge(results, {}))
    filled(path, {RAIN: ("right", "", "", "")})
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines, lines[3]]) + "\n", "utf-8")
    with pytest.raises(InputError, match="a second one on talk1:word_29"):
        read_review_file(path, suite.anaphoric, "Anna")


@given(st.integers(0, 3000), st.text(max_size=3))
def test_mutated_review_files_raise_nothing_else(
    suite, reference_rows, french, tmp_path_factory, place, text
):
    path = tmp_path_factory.mktemp("review") / "r.tsv"
    write_review(path, reference_rows)
    content = path.read_text("utf-8")
    path.write_text(content[:place] + text + content[place + 1 :], "utf-8", newline="\n")
    try:
        read_review_file(path, suite.anaphoric, "Anna")
    except CrossproError as error:
        assert str(error)


@pytest.fixture(scope="session")
def reference_rows(suite, text, french):
    output = SystemOutput("sys", suite.source, suite.references[0], text.links[0])
    return score_system(suite, output, french, repair=True)


def test_the_columns_end_with_what_people_fill_in():
    assert COLUMNS[-4:] == ("pronoun", "antecedent", "tags", "remark")
