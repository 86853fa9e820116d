"""Questions as tables: out, filled in by a spreadsheet, and back."""

from __future__ import annotations

import csv
import io

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.people.questions import (
    COLUMNS,
    Question,
    read_review,
    review_table,
    verdict_table,
)
from crosspro.evaluation.people.verdicts import Item, Verdict, VerdictStore

RAIN = Item("talk:word_1", "0123456789ab", "old, new", "ça", "")
HOUSE = Item("talk:word_2", "ba9876543210", "new", "elle", "manoir")
TOKENS = {RAIN.token: False, HOUSE.token: True}


def question(item):
    line = (("It", "pronoun"), ("is", ""), ("=x", "head"))
    anaphoric = TOKENS[item.token]
    category = "anaphoric_intra" if anaphoric else "pleonastic_it"
    return Question(
        item, category, category, anaphoric, (line,), (line, line), (line,), "il", "", "why"
    )


QUESTIONS = {item.key: question(item) for item in (RAIN, HOUSE)}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "review.tsv"
    path.write_text(review_table(QUESTIONS.values()), "utf-8")
    return path


def fill_in(path, cells):
    """Fill in rows of a review file by token, as a spreadsheet does."""
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig")), delimiter="\t"))
    for row in rows:
        row |= cells.get(row["item"].partition("/")[0], {})
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter="\t", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(b"\xef\xbb\xbf" + text.getvalue().encode("utf-8"))


def test_tables_go_out_and_come_back(path):
    assert "\t[[It]] is [[=x]] / [[It]] is [[=x]]\t" in path.read_text()
    assert read_review(path, TOKENS, "Ada") == []
    fill_in(path, {
        RAIN.token: {"pronoun": "Right", "remark": 'as "one" says'},
        HOUSE.token: {"pronoun": "wrong", "antecedent": "right", "annotator": "Ben"},
    })  # fmt: skip
    assert read_review(path, TOKENS, "Ada") == [
        Verdict(RAIN, "Ada", "right", remark='as "one" says'),
        Verdict(HOUSE, "Ben", "wrong", "right"),
    ]
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join(line.rstrip("\t") for line in lines), "utf-8")
    assert len(read_review(path, TOKENS, "Ada")) == 2  # empty cells at the end may be missing


def test_all_verdicts_are_read_into_another_store(tmp_path):
    verdicts = [
        Verdict(RAIN, "Ada", "wrong", remark="=1+1"),
        Verdict(RAIN, "Ben", "right", remark="- why not"),
        Verdict(RAIN, "Eve", "right", kind="decision"),
        Verdict(HOUSE, "Ada", "bad"),
    ]
    path = tmp_path / "all.tsv"
    path.write_text(verdict_table(QUESTIONS, verdicts))
    assert "\t=1" not in path.read_text()
    assert read_review(path, TOKENS, None) == verdicts
    store = VerdictStore(tmp_path / "v.sqlite", "suite")
    assert store.add(read_review(path, TOKENS, None)) == 4
    assert store.judgements()[RAIN.key].pronoun == "right"


@pytest.mark.parametrize(
    ("cells", "field"),
    [
        ({"item": "talk:word_1"}, "item"),
        ({"item": "talk9:word_1/0123456789ab"}, "item"),
        ({"item": "talk:word_1/1.2E+11"}, "item"),
        ({"pronoun": "yes"}, "pronoun"),
        ({"pronoun": "", "remark": "what?"}, "pronoun"),
        ({"antecedent": "right"}, "antecedent"),
        ({"annotator": "a\u0007"}, "annotator"),
        ({"kind": "order"}, "kind"),
    ],
)
def test_faults_name_their_line_and_column(path, cells, field):
    fill_in(path, {RAIN.token: {"pronoun": "right"} | cells})
    with pytest.raises(InputError) as caught:
        read_review(path, TOKENS, "Ada")
    assert [(problem.line, problem.field) for problem in caught.value.problems] == [(2, field)]
