"""The rows of `results/`: provenance, digests, scores computed again, and RESULTS.md."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.scripts.reproduce.results import (
    GoldLabels,
    GoldSet,
    Predictions,
    difference,
    labelled_sets,
    measure,
    read_gold,
    read_row,
    read_rows,
    row_file,
    write_gold,
    write_row,
)
from crosspro.scripts.reproduce.results_page import results_page, short_table, task_tables
from tests.conftest import ROOT

FOLDER = ROOT / "results"
ROWS = {row.name: row for row in read_rows(FOLDER)}
ONE_OF_A_TASK = {row.task: name for name, row in ROWS.items()}.values()


@cache
def gold_of(task):
    return read_gold(task, FOLDER)


def measured(row, **plan):
    gold = gold_of(row.task)
    sets = labelled_sets(gold, row.predictions)
    return {name: measure(one, len(gold.classes), **plan) for name, one in sets.items()}


@pytest.mark.parametrize("name", ROWS)
def test_a_row_has_its_provenance(name):
    row, gold = ROWS[name], gold_of(ROWS[name].task)
    assert re.fullmatch(r"[0-9a-f]{7,40}", row.commit)
    assert row.seeds and row.configuration and row.environment
    assert row.commands and all(step.makes and step.command for step in row.commands)
    assert re.fullmatch(r"[0-9a-f]{64}", row.training.digest) and row.training.gaps
    assert set(row.members) <= set(ROWS)
    assert row.test_sets.keys() == row.predictions.keys()
    for test, known in row.test_sets.items():
        assert known.gold_digest == gold.gold_digest(test)
        assert known.gaps == len(gold.test_sets[test].labels)
        assert known.documents == (len(gold.test_sets[test].documents) or None)
        seeds = {part for seed in row.predictions[test] for part in seed.split("+")}
        assert seeds == set(map(str, row.seeds))
        for predicted in row.predictions[test].values():
            assert gold.digest(predicted.labels) == predicted.digest
            assert len(predicted.labels) == known.gaps


@pytest.mark.parametrize("name", ROWS)
def test_scores_are_those_of_the_predictions(name):
    row = ROWS[name]
    again = measured(row, plan=None)
    assert again.keys() == row.scores.keys()
    for test, scores in row.scores.items():
        assert {key: one.value for key, one in scores.items()} == {
            key: one.value for key, one in again[test].items()
        }


@pytest.mark.parametrize("name", ONE_OF_A_TASK)
def test_intervals_are_those_of_the_predictions(name):
    assert measured(ROWS[name]) == ROWS[name].scores


@pytest.mark.slow
def test_all_intervals_are_those_of_the_predictions():
    for row in ROWS.values():
        assert measured(row) == row.scores, row.name


@pytest.mark.parametrize("task", sorted({row.task for row in ROWS.values()}))
def test_classes_are_those_of_the_task(task):
    assert gold_of(task).classes == load_task(task).classes


def test_the_page_is_what_the_rows_say():
    page = (ROOT / "RESULTS.md").read_text("utf-8")
    assert results_page(FOLDER) == page
    tables, _ = task_tables(FOLDER)
    assert short_table(tables) in (ROOT / "README.md").read_text("utf-8")


GOLD = GoldLabels(("a", "b"), {"x": GoldSet("0011", (2, 2)), "y": GoldSet("01", (1, 1))})


def predictions(**labels):
    return {name: {"1": Predictions("", own)} for name, own in labels.items()}


def test_scores_by_hand():
    sets = labelled_sets(GOLD, predictions(x="0010", y="00"))
    assert set(sets) == {"x", "y", "pooled"}
    assert measure(sets["x"], 2)["macro_recall"].value == 75
    assert measure(sets["pooled"], 2)["accuracy"].value == pytest.approx(100 * 4 / 6, abs=1e-6)
    apart = replace(GOLD, test_sets={**GOLD.test_sets, "y": GoldSet("01", apart=True)})
    assert set(labelled_sets(apart, predictions(x="0010", y="00"))) == {"x", "y"}


def test_a_difference_by_hand():
    first, second = (labelled_sets(GOLD, predictions(x=one))["x"] for one in ("0011", "0010"))
    assert difference(first, second, 2).value == 25
    assert difference(first, first, 2).low == difference(first, first, 2).high == 0


def test_what_is_written_is_read(tmp_path):
    row = ROWS["en-fr/ens_both"]
    assert read_row(write_row(row, tmp_path)) == row
    write_gold("en-fr", gold_of("en-fr"), tmp_path)
    assert read_gold("en-fr", tmp_path) == gold_of("en-fr")
    assert gold_of("en-fr").packed(["elle", "ce"]) == "".join(
        str(gold_of("en-fr").classes.index(label)) for label in ("elle", "ce")
    )


def test_a_fault_names_file_and_key(tmp_path):
    content = json.loads(row_file("es-en/ngram", FOLDER).read_text("utf-8"))
    path = row_file("es-en/ngram", tmp_path)
    path.parent.mkdir()
    for change, key in (({"name": "es-en/other"}, "name"), ({"seeds": "1"}, "seeds")):
        path.write_text(json.dumps({**content, **change}), "utf-8")
        with pytest.raises(InputError) as caught:
            read_row(path)
        assert [(one.path, one.field) for one in caught.value.problems] == [(str(path), key)]
