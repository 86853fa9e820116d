"""Reading tables of system scores."""

from __future__ import annotations

import lzma

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.correlation.score_table import read_score_table

TABLE = "system,bleu,apt,human\na,20,0.5,0.6\nb,21,0.6,0.5\nc,25,0.7,0.9\n"


def fault(tmp_path, text, **options):
    """The place of what is wrong."""
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_score_table(path, **{"human": "human", **options})
    (problem,) = caught.value.problems
    return problem.line, problem.field


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.xz", "semicolon.csv"])
def test_tables_in_every_form(tmp_path, name):
    mark = {"t.tsv": "\t", "semicolon.csv": ";"}.get(name, ",")
    content = ("\ufeff" + TABLE.replace(",", mark).replace("\n", "\r\n")).encode()
    path = tmp_path / name
    path.write_bytes(lzma.compress(content) if name.endswith("xz") else content)
    table = read_score_table(path, "human")
    assert table.systems == ("a", "b", "c")
    assert table.metrics == ("bleu", "apt")
    assert table.columns["bleu"].tolist() == [20, 21, 25]


def test_columns_systems_and_signs_can_be_chosen(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + "d,1,2,3\n")
    table = read_score_table(path, "human", ["bleu"], without=["a"], negate=["bleu"])
    assert table.systems == ("b", "c", "d")
    assert table.metrics == ("bleu",)
    assert table.columns["bleu"].tolist() == [-21, -25, -1]
    other = read_score_table(path, "human", ["bleu"])
    assert len({table.digest, other.digest}) == 2


@pytest.mark.parametrize(
    ("row", "field"),
    [(",0.6", "bleu"), ("x,0.6", "bleu"), ("3,nan", "human"), ("3", "cells")],
)
def test_a_bad_cell_is_named(tmp_path, row, field):
    assert fault(tmp_path, f"system,bleu,human\na,1,2\nb,{row}\nc,3,1\n") == (3, field)


@pytest.mark.parametrize("name", ["", "a"])
def test_systems_have_names_of_their_own(tmp_path, name):
    assert fault(tmp_path, f"system,bleu,human\na,1,2\n{name},4,5\n") == (3, "system")


def test_cells_that_are_not_used_are_not_looked_at(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("system,remark,bleu,human\na,good,1,2\nb,,2,3\nc,?,3,1\n")
    assert read_score_table(path, "human", ["bleu"]).metrics == ("bleu",)


def test_names_of_columns(tmp_path):
    assert fault(tmp_path, TABLE, human="people") == (1, "human column")
    assert fault(tmp_path, TABLE, metrics=["blue"]) == (1, "metric")
    assert fault(tmp_path, "s,human,human\na,1,2\n") == (1, "heading")
    assert fault(tmp_path, TABLE, metrics=["bleu"], negate=["apt"]) == (1, "negate")
    assert fault(tmp_path, TABLE, system="name") == (1, "system column")
    assert fault(tmp_path, TABLE, without=["z"]) == (None, "systems left out")
    assert fault(tmp_path, "s,human\na,1\nb,2\nc,3\n") == (1, "heading")
    assert fault(tmp_path, "") == (1, "heading")


def test_too_few_systems_and_constant_columns(tmp_path):
    assert fault(tmp_path, "s,m,human\na,1,2\nb,2,1\n") == (None, "systems")
    assert fault(tmp_path, "s,m,human\na,1,2\nb,1,1\nc,1,1\n") == (None, "m")
