"""Ranks and paired tests of MT systems and metrics, on a small board of each."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crosspro.evaluation.leaderboard.boards import make_boards
from crosspro.evaluation.leaderboard.export import leaderboard_csv, leaderboard_json
from crosspro.evaluation.leaderboard.markdown import fill_blocks
from crosspro.evaluation.leaderboard.metric_values import (
    MarkedItems,
    measured_values,
    write_marks,
    write_values,
)
from crosspro.evaluation.leaderboard.page import leaderboard_page
from crosspro.evaluation.leaderboard.ranking import PairwiseTests
from crosspro.evaluation.leaderboard.record import (
    Board,
    MakingStep,
    MeasuredSet,
    Provenance,
    Record,
    read_records,
    write_record,
)
from crosspro.evaluation.leaderboard.system_sums import SystemSums, measured_sums, write_sums

DOCUMENTS = 12
HITS = {"good": 9, "fair": 8, "poor": 3, "copy": 3}
"""Of the ten pronouns of a document so many are right, or one more or less."""


def compared(values, p):
    value = np.subtract.outer(values, values).astype(float)
    return PairwiseTests(tuple("abcd"[: len(values)]), value, value, value, np.array(p))


def test_a_rank_is_what_tests_leave():
    p = [[1, 0.5, 0.001, 0.001], [0.5, 1, 0.03, 0.001], [0.001, 0.03, 1, 1], [0.001, 0.001, 1, 1]]
    tests = compared([9, 8, 3, 3], p)
    assert tests.ranks() == ((1, 2), (1, 3), (2, 4), (3, 4))  # 0.03 is 0.06 of two that are left
    assert tests.ranks(lower_is_better=True) == ((3, 4), (2, 4), (1, 3), (1, 2))
    corrected = tests.corrected()
    assert corrected[1].tolist() == pytest.approx([0.5, 1, 0.06, 0.003])
    assert (corrected == corrected.T).all()


def test_rows_that_no_test_tells_apart_share_all_ranks():
    tests = compared([5, 5, 4], np.ones((3, 3)))
    assert tests.ranks() == ((1, 3),) * 3


def small_record(name, board, found):
    return Record(
        name=f"{board}/{name}",
        board=board,
        title=name,
        system=name,
        origin=Provenance.OTHERS,
        task=f"toy.{board}",
        commit="0123abc",
        environment={"python": "3.11"},
        steps=(MakingStep("all", ("crosspro", "leaderboard")),),
        sets=found.sets,
        scores=found.scores,
        digests=found.digests,
    )


def write_systems(results: Path, measure: str) -> None:
    for name, hits in HITS.items():
        own = hits + (np.arange(DOCUMENTS) % 3 - 1) * (name == "fair")
        more = [own, np.full(DOCUMENTS, 10)] + [np.full(DOCUMENTS, 10)] * (measure == "pronoun_f1")
        sums = {
            "apt": np.tile([5.0, 10], (DOCUMENTS, 1)),
            measure: np.stack(more, axis=1).astype(float),
        }
        signatures = {one: f"{one}|by:document" for one in sums}
        test = MeasuredSet(10 * DOCUMENTS, DOCUMENTS, "b" * 64)
        evidence = SystemSums("toy", test, sums, signatures)
        write_sums(f"translations/{name}", evidence, results)
        write_record(small_record(name, Board.TRANSLATIONS, measured_sums(evidence)), results)
    late = small_record("late", Board.TRANSLATIONS, measured_sums(evidence))
    write_record(late, results)  # it has a score and no evidence


def write_metrics(results: Path) -> None:
    levels = np.tile([0, 1, 0, 2], DOCUMENTS)
    marks = {"pronouns": MarkedItems(levels, (4,) * DOCUMENTS, (4,) * DOCUMENTS)}
    write_marks("toy.metrics", marks, results)
    noise = np.random.default_rng(5).normal(size=len(levels))
    for name, weight in (("sees", 2.0), ("guesses", 0.0)):
        values = {"pronouns": weight * levels + noise}
        write_values(f"metrics/{name}", values, results)
        write_record(small_record(name, Board.METRICS, measured_values(marks, values)), results)


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("ranks") / "results"
    write_systems(folder, "pronoun_f1")
    write_metrics(folder)
    return folder


@pytest.fixture(scope="module")
def boards(results):
    return make_boards(read_records(results), results)


def rows_of(table):
    return {row.record.title: row for row in table.rows}


def test_systems_are_ranked_by_pronoun_f1_and_compared_with_the_best(boards):
    (table,) = boards.translations
    assert table.columns == (("toy", "pronoun_f1"), ("toy", "apt"))
    assert [row.record.title for row in table.rows] == ["good", "fair", "copy", "late", "poor"]
    assert table.best == "translations/good"
    rows = rows_of(table)
    assert {name: row.rank and tuple(row.rank) for name, row in rows.items()} == {
        "good": (1, 1),
        "fair": (2, 2),
        "copy": (3, 4),
        "poor": (3, 4),
        "late": None,
    }
    assert rows["good"].difference is None and rows["late"].difference is None
    assert rows["poor"].difference == rows["copy"].difference
    assert rows["fair"].difference.value == pytest.approx(-10)
    assert rows["fair"].difference.low < -10 < rows["fair"].difference.high
    assert rows["fair"].difference.corrected < 0.05


def test_less_doubt_is_better(tmp_path):
    write_systems(tmp_path, "in_doubt")
    for record in read_records(tmp_path):
        kept = {"toy": {"in_doubt": record.scores["toy"]["in_doubt"]}}
        write_record(replace(record, scores=kept), tmp_path)
    (table,) = make_boards(read_records(tmp_path), tmp_path).translations
    rows = rows_of(table)
    assert table.best == "translations/copy"
    assert tuple(rows["poor"].rank) == (1, 2)
    assert tuple(rows["good"].rank) == (4, 4)
    assert rows["good"].difference.value == pytest.approx(60)


def test_metrics_are_ranked_by_their_area(boards):
    (table,) = boards.metrics
    assert table.columns[0] == ("pronouns", "auc")
    assert [tuple(row.rank) for row in table.rows] == [(1, 1), (2, 2)]
    assert table.rows[1].difference.value == pytest.approx(
        table.rows[1].score("pronouns", "auc").value - table.rows[0].score("pronouns", "auc").value,
        abs=1e-4,
    )


def test_markdown_says_ranks_twins_and_what_measures_need(results, boards):
    path = results.parent / "some.md"
    path.write_text("<!-- results: translations -->\nold\n<!-- end of results -->\n")
    text = fill_blocks(path, boards, results)
    links = re.sub(r"\(results/[^)]*\)", "", text)
    assert "| toy.translations | rank | pronoun F1 | APT | less the best |" in links
    assert "| [good] | 1 | 90.0 [90.0, 90.0] | 50.0 [50.0, 50.0] | best |" in links
    assert re.search(
        r"^\| \[fair\] \| 2 \| 80\.0 .* \| -10\.0 \[-\d.*\], p 0\.0\d+ \|$", links, re.M
    )
    assert re.search(r"^\| \[poor\] \| 3–4 \|", links, re.M)
    assert re.search(r"^\| \[late\] \| – \|.*\| not tested \|$", links, re.M)
    assert "\ncopy, late and poor are the same" in links
    assert "APT and pronoun F1 need a reference." in links
    assert "In doubt" not in links


def test_exports_and_page_carry_ranks_and_tests(boards):
    (table,) = json.loads(leaderboard_json(boards))["translations"]
    assert table["best"] == "translations/good"
    assert table["ranked_by"] == ["toy", "pronoun_f1"]
    assert table["rows"][2]["rank"] == [3, 4]
    assert table["same"] == [["translations/copy", "translations/late", "translations/poor"]]
    lines = list(csv.DictReader(io.StringIO(leaderboard_csv(boards))))
    ranks = {one["title"]: (one["low"], one["high"]) for one in lines if one["measure"] == "rank"}
    assert ranks["fair"] == ("2", "2") and "late" not in ranks
    page = leaderboard_page(boards)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    (group,) = (one for one in data["groups"] if one["name"] == "toy.translations")
    assert [row.get("ranks") for row in group["rows"]] == [[1, 1], [2, 2], [3, 4], None, [3, 4]]
    assert any("copy, late and poor" in note for note in group["notes"])
