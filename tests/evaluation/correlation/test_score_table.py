"""Reading tables of system scores."""

from __future__ import annotations

import lzma

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.correlation.score_table import read_score_table

TABLE = "system,bleu,apt,human\na,20,0.5,0.6\nb,21,0.6,0.5\nc,25,0.7,0.9\n"


def problems(tmp_path, text, **options):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_score_table(path, **{"human": "human", **options})
    return [str(p).removeprefix(f"{path}:") for p in caught.value.problems]


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


def test_every_bad_cell_is_reported(tmp_path):
    text = "system,bleu,human\na,,0.6\nb,x,nan\nb,3\n,4,5\na,1,2\n"
    assert problems(tmp_path, text) == [
        "2: bleu: expected a number, found nothing",
        "3: bleu: expected a number, found 'x'",
        "3: human: expected a number, found 'nan'",
        "4: cells: expected 3 as in the heading, found 2",
        "5: system: expected a name, found nothing",
        "6: system: expected a name of its own, found 'a', as in line 2",
    ]


def test_cells_that_are_not_used_are_not_looked_at(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("system,remark,bleu,human\na,good,1,2\nb,,2,3\nc,?,3,1\n")
    assert read_score_table(path, "human", ["bleu"]).metrics == ("bleu",)


def test_names_of_columns(tmp_path):
    assert problems(tmp_path, TABLE, human="people", metrics=["blue"]) == [
        "1: human column: expected one of bleu, apt, human, found 'people'",
        "1: metric: expected one of bleu, apt, human, found 'blue'",
    ]
    assert "'human' twice" in problems(tmp_path, "s,human,human\na,1,2\n")[0]
    unused = problems(tmp_path, TABLE, metrics=["bleu"], negate=["apt"])
    assert unused == ["1: negate: expected one of human, bleu, found 'apt'"]
    assert "system column" in problems(tmp_path, TABLE, system="name")[0]
    assert "systems left out" in problems(tmp_path, TABLE, without=["z"])[0]
    assert "a metric beside" in problems(tmp_path, "s,human\na,1\nb,2\nc,3\n")[0]


def test_too_few_systems_and_constant_columns(tmp_path):
    assert (
        "systems: expected at least 3, found 2"
        in problems(tmp_path, "s,m,human\na,1,2\nb,2,1\n")[0]
    )
    flat = problems(tmp_path, "s,m,human\na,1,2\nb,1,1\nc,1,1\n")
    assert flat == [" m: expected at least two different values, found 1 for all systems"]


def test_an_empty_file(tmp_path):
    assert "heading" in problems(tmp_path, "")[0]
