"""Review files of a suite, and what becomes of the verdicts in them."""

from __future__ import annotations

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


@pytest.fixture
def store(tmp_path):
    with VerdictStore(tmp_path / "v.sqlite", "suite") as store:
        yield store


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
