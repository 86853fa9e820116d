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
    SCORES,
    GoldLabels,
    GoldSet,
    difference,
    labelled,
    read_gold,
    read_row,
    read_rows,
    renew_gold,
    row_file,
    scores_of,
    write_gold,
    write_row,
)
from crosspro.scripts.reproduce.results_page import (
    NO_REASON,
    TaskRows,
    not_measured,
    published_of,
    published_table,
    results_page,
    short_table,
    task_rows,
)
from tests.conftest import ROOT

FOLDER = ROOT / "results"
ROWS = {row.name: row for row in read_rows(FOLDER)}
ONE_OF_EACH_TASK = {row.task: row for row in ROWS.values()}
gold_of = cache(lambda task: read_gold(task, FOLDER))


@pytest.mark.parametrize("name", ROWS)
def test_a_row_has_its_provenance_and_the_scores_of_its_predictions(name):
    row, gold = ROWS[name], gold_of(ROWS[name].task)
    assert re.fullmatch(r"[0-9a-f]{7,40}", row.commit)
    assert row.seeds and row.configuration and row.environment
    assert row.commands and all(step["makes"] and step["command"] for step in row.commands)
    assert re.fullmatch(r"[0-9a-f]{64}", row.training["digest"]) and row.training["gaps"]
    assert set(row.members) <= set(ROWS)
    assert row.test_sets == {name: gold.described(name) for name in row.predictions}
    for test, by_seed in row.predictions.items():
        seeds = {part for seed in by_seed for part in seed.split("+")}
        assert seeds == set(map(str, row.seeds))
        for predicted in by_seed.values():
            assert gold.digest(predicted["labels"]) == predicted["digest"]
            assert len(predicted["labels"]) == row.test_sets[test]["gaps"]
    assert values(scores_of(gold, row.predictions, None)) == values(row.scores)


def values(scores):
    return {test: {name: score.value for name, score in by_measure.items()}
            for test, by_measure in scores.items()}  # fmt: skip


@pytest.mark.parametrize("task", ONE_OF_EACH_TASK)
def test_intervals_are_those_of_the_predictions(task):
    row = ONE_OF_EACH_TASK[task]
    assert gold_of(task).classes == load_task(task).classes
    assert scores_of(gold_of(task), row.predictions) == row.scores


@pytest.mark.slow
def test_all_intervals_are_those_of_the_predictions():
    for row in ROWS.values():
        assert scores_of(gold_of(row.task), row.predictions) == row.scores, row.name


def test_the_page_is_what_the_rows_say():
    tables = task_rows(FOLDER)
    assert results_page(tables) == (ROOT / "RESULTS.md").read_text("utf-8")
    assert short_table(tables) in (ROOT / "README.md").read_text("utf-8")


def test_rows_are_compared_on_the_gold_that_both_have():
    table = task_rows(FOLDER)["en-fr-2015"]
    pair = table.comparison(ROWS["ours/en-fr-2015/shipped"], table.papers)
    assert len(pair.ours_labelled.gold) == 1105 + 406
    assert (pair.ours_labelled.gold == pair.papers_labelled.gold).all()
    assert table.comparison(table.ours[0], []) is None


def test_what_is_not_measured_is_computed():
    rows = [row for row in ROWS.values() if row.name != "2016/de-en/CUNI-primary"]
    assert set(not_measured(rows)) - set(not_measured(list(ROWS.values()))) == {
        ("2016/de-en/CUNI-primary", NO_REASON)
    }


def test_a_row_on_official_files_stands_beside_its_published_figures():
    gold = gold_of("en-fr")
    gold = replace(gold, test_sets={**gold.test_sets, "WMT2016": GoldSet("0123")})
    predicted = {"WMT2016": {"1": {"labels": "0133"}}}
    row = replace(
        ROWS["2016/en-fr/TurkuNLP-primary"],
        predictions=predicted,
        scores=scores_of(gold, predicted),
    )
    table = TaskRows("en-fr", gold, (row,))
    (line,) = [
        line
        for line in published_table(published_of("en-fr"), table).splitlines()
        if f"({row_file(row.name).as_posix()})" in line
    ]
    assert "65.7 / 70.5" in line
    assert "75.0" in line


GOLD = GoldLabels(("a", "b"), {"x": GoldSet("0011", (2, 2)), "y": GoldSet("01", (1, 1))})


def predictions(**labels):
    return {name: {"1": {"labels": packed}} for name, packed in labels.items()}


def test_scores_by_hand():
    scores = scores_of(GOLD, predictions(x="0010", y="00"), SCORES)
    assert set(scores) == {"x", "y", "pooled"}
    assert scores["x"]["macro_recall"].value == 75
    assert scores["pooled"]["accuracy"].value == pytest.approx(100 * 4 / 6, abs=1e-6)
    apart = replace(GOLD, test_sets={**GOLD.test_sets, "y": GoldSet("01", apart=True)})
    assert set(scores_of(apart, predictions(x="0010", y="00"))) == {"x", "y"}


def test_a_difference_by_hand():
    first, second = (labelled(GOLD, predictions(x=text), ["x"]) for text in ("0011", "0010"))
    assert difference(("a", "b"), (first, second), 2).difference == 25
    same = difference(("a", "a"), (first, first), 2)
    assert (same.low, same.high, same.p_randomisation) == (0, 0, 1)


def test_rows_and_gold_labels_are_read_as_they_are_written(tmp_path):
    row = ROWS["ours/en-fr/ens_both"]
    write_row(row, tmp_path)
    assert read_rows(tmp_path) == [row]
    write_gold("en-fr", gold_of("en-fr"), tmp_path)
    assert read_gold("en-fr", tmp_path) == gold_of("en-fr")
    assert gold_of("en-fr").packed(["elle", "ce"]) == "".join(
        str(gold_of("en-fr").classes.index(label)) for label in ("elle", "ce")
    )


def test_other_gold_labels_do_not_touch_earlier_rows(tmp_path):
    row = ROWS["2017/es-en/baseline0"]
    gold = gold_of("es-en")
    write_row(row, tmp_path)
    write_gold("es-en", gold, tmp_path)
    same = {"ted_tst2015": gold.test_sets["ted_tst2015"]}
    renew_gold(load_task("es-en"), same, tmp_path)
    assert (read_gold("es-en", tmp_path), read_row(row.name, tmp_path)) == (gold, row)
    renew_gold(load_task("es-en"), {"ted_tst2015": GoldSet("0123")}, tmp_path)
    renewed, kept = read_gold("es-en", tmp_path), read_row(row.name, tmp_path)
    assert renewed.test_sets["ted_tst2015"] == GoldSet("0123")
    assert [*kept.scores.values()] == [*row.scores.values()]
    assert values(scores_of(renewed, kept.predictions, None)) == values(kept.scores)


def test_a_fault_names_file_and_key(tmp_path):
    content = json.loads(row_file("2017/es-en/baseline0", FOLDER).read_text("utf-8"))
    path = row_file("2017/es-en/baseline0", tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**content, "seeds": "1"}), "utf-8")
    with pytest.raises(InputError) as caught:
        read_row("2017/es-en/baseline0", tmp_path)
    assert [(one.path, one.field) for one in caught.value.problems] == [(str(path), "seeds")]
