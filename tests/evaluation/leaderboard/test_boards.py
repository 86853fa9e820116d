"""Boards, Markdown, page and exports, made from a small folder of records."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.statistics import Resampling, paired_tests
from crosspro.evaluation.leaderboard.boards import MAIN_TASKS, make_boards
from crosspro.evaluation.leaderboard.evidence import differences, evidence_of
from crosspro.evaluation.leaderboard.export import leaderboard_csv, leaderboard_json
from crosspro.evaluation.leaderboard.markdown import check_figures, fill_blocks
from crosspro.evaluation.leaderboard.page import leaderboard_page
from crosspro.evaluation.leaderboard.record import published_records, read_records
from crosspro.evaluation.metrics.submissions.scores import (
    accuracy,
    confusion_units,
    macro_recall,
    on_sums,
)
from tests.evaluation.leaderboard.small_board import GOLD, TASK, write_small_board

BLOCKS = (
    "six-rows",
    "pair:en-de",
    "pair:en-fr-2015",
    "shipped",
    "translations",
    "metrics",
    "not-measured",
)


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    return write_small_board(tmp_path_factory.mktemp("board") / "results")


@pytest.fixture(scope="module")
def boards(results):
    return make_boards((*read_records(results), *published_records()), results)


def filled(results, boards, *blocks):
    path = results.parent / "some.md"
    path.write_text(
        "".join(f"<!-- results: {one} -->\nold\n<!-- end of results -->\n" for one in blocks)
    )
    return fill_blocks(path, boards, results)


def test_the_best_of_each_task(boards):
    assert [row.task for row in boards.overview] == list(MAIN_TASKS)
    row = next(one for one in boards.overview if one.task == "en-de")
    best = row.single, row.ensemble, row.papers
    assert [one.record.name for one in best] == ["en-de/ours", "en-de/both", "en-de/theirs"]
    assert row.published.record.title.startswith("Uppsala-primary")
    assert row.published.elsewhere
    expected = row.single.score("pooled").value - row.papers.score("pooled").value
    assert row.difference.value == pytest.approx(expected, abs=1e-4)
    assert row.difference.low <= row.difference.value <= row.difference.high
    missing = next(one for one in boards.overview if one.task == "es-en")
    assert missing.single is None and missing.difference is None


def test_rows_are_ordered_and_p_values_corrected(boards):
    table = boards.table("en-de")
    measured = [row.record.name for row in table.measured]
    assert measured == ["en-de/both", "en-de/ours", "en-de/theirs", "en-de/weak"]
    assert table.rows[len(measured) :] == table.published
    assert (table.headline, table.ranking) == ("pooled", ("tst1", "tst2"))
    assert table.tests == ("tst1", "tst2", "news")
    assert table.items == 78
    assert table.row(table.reference).difference is None
    tested = [row.difference for row in table.measured if row.difference]
    assert len(tested) == 3
    assert all(one.corrected >= one.p for one in tested)


def test_what_was_not_measured(boards):
    others = tuple(task for task in MAIN_TASKS if task != "en-de")
    assert boards.not_measured == {"ours": others, "theirs": others, "weak": others}


def test_differences_are_those_of_paired_tests(results):
    """The fast way by hits of classes gives what resampled confusion counts give."""
    records = {one.name: one for one in read_records(results)}
    first, second = (
        next(one for one in evidence_of(records[name], TASK, results) if one.name == "pooled")
        for name in ("en-de/weak", "en-de/theirs")
    )
    plan, size = Resampling(200), len(TASK.classes)
    table = confusion_units(first.gold, [*first.seeds, *second.seeds], size)
    measures = {"macro_recall": on_sums(macro_recall, size), "accuracy": on_sums(accuracy, size)}
    slow = paired_tests(("first", "second"), table, measures, plan)
    for one, other in zip(differences(first, second, TASK, plan), slow, strict=True):
        assert one[:3] == other[:3]
        np.testing.assert_allclose(one[3:], other[3:], atol=1e-9)


def test_blocks_are_made_and_stay_as_they_are(results, boards):
    text = filled(results, boards, *BLOCKS)
    assert "\nold\n" not in text
    path = results.parent / "some.md"
    path.write_text(text)
    assert fill_blocks(path, boards, results) == text
    assert "| es-en | not measured | not measured | not measured | 58.9†" in text
    assert "`crosspro reproduce en-de/ours`" in text
    assert "[ours system](results/en-de/ours.json)" in text
    assert "Not measured.\n" in text
    row = "| [mt/a](results/mt/a.json) | – | 61.5 [58.5, 64.5] | 4.0 [3.0, 5.0] | not tested |"
    assert row in text
    assert "- es-en: ours, theirs, weak\n" in text


def test_a_block_of_few_rows_keeps_the_reference(results, boards):
    text = filled(results, boards, "pair:en-de rows=1")
    names = re.findall(r"^\| \[?([\w -]+)", text, re.MULTILINE)[2:]
    assert names[:2] == ["both system", "theirs system"]
    assert len(names) == 3  # and the best published figure
    assert "2 rows more on the page" in text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<!-- results: six-row -->\n<!-- end of results -->\n", "six-rows"),
        ("<!-- results: six-rows rows=0 -->\n<!-- end of results -->\n", "six-rows"),
        ("<!-- results: six-rows -->\n", "end of results"),
    ],
)
def test_blocks_that_cannot_be_made(text, told, boards, tmp_path):
    (tmp_path / "x.md").write_text(text)
    with pytest.raises(InputError, match=told):
        fill_blocks(tmp_path / "x.md", boards)


def test_figures_in_prose_are_those_of_their_records(results):
    records = {one.name: one for one in read_records(results)}
    score = records["en-de/ours"].scores["pooled"]["macro_recall"]
    recall = records["en-de/ours"].classes["tst1"]["er"].recall
    shown = f"{score.value:.1f} [{score.low:.1f}, {score.high:.1f}]"
    right = (
        f"[{shown}](../results/en-de/ours.json), [*er* {recall:.2f}](../results/en-de/ours.json)"
    )
    docs = results.parent / "docs" / "x.md"
    assert check_figures(docs, right, records, results) == []
    wrong = (
        "[12.3 %](../results/en-de/ours.json)\n[99](../results/en-de/none.json)\n"
        "[5.5](elsewhere.json) [2 of them](../results/en-de/ours.json)\n"
    )
    found = check_figures(docs, wrong, records, results)
    assert [(one.line, one.found) for one in found] == [(1, "'12.3'"), (2, "none of this name")]


def unpacked(page, name):
    found = re.search(rf'id="{name}">([^<]*)<', page)
    return zlib.decompress(base64.b64decode(found[1]))


def test_the_page_carries_scores_and_labels(boards):
    page = leaderboard_page(boards)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    place = next(n for n, one in enumerate(data["groups"]) if one["name"] == "en-de")
    rows = {row["name"]: row for row in data["groups"][place]["rows"]}
    score = boards.table("en-de").row("en-de/ours").score("pooled")
    assert rows["en-de/ours"]["scores"]["pooled"]["macro_recall"][0] == round(score.value, 4)
    packed = json.loads(unpacked(page, f"details-{place}"))
    sets = packed["labels"]["sets"]
    assert {name: one["apart"] for name, one in sets.items()} == {
        name: one.apart for name, one in GOLD.items()
    }
    first = next(iter(sets.values()))
    labels = np.frombuffer(unpacked(page, f"labels-{place}"), np.uint8)
    matrix = labels[: first["gaps"] * first["columns"]].reshape(first["gaps"], first["columns"])
    classes = packed["labels"]["classes"]
    assert tuple(classes[one] for one in matrix[:, 0]) == GOLD[next(iter(sets))].labels
    start, seeds = first["rows"]["en-de/ours"]
    assert seeds == 2
    assert not np.array_equal(matrix[:, 1 + start], matrix[:, 2 + start])
    assert packed["rows"]["en-de/both"]["members"] == ["en-de/ours", "en-de/theirs"]


def test_outputs_are_the_same_each_time(results, boards):
    again = make_boards((*read_records(results), *published_records()), results)
    for make in (leaderboard_page, leaderboard_json, leaderboard_csv):
        text = make(boards)
        assert make(again) == text
        assert str(results) not in text


def test_exports_have_every_figure(boards):
    content = json.loads(leaderboard_json(boards))
    assert len(content["records"]) == len(boards.records)
    row = next(one for one in content["overview"] if one["task"] == "en-de")
    assert row["single"] == "en-de/ours"
    lines = list(csv.DictReader(io.StringIO(leaderboard_csv(boards))))
    figures = sum(
        sum(map(len, one.scores.values())) + 4 * sum(map(len, one.classes.values()))
        for one in boards.records
    )
    assert len(lines) == figures


def test_words_of_records_end_nothing(tmp_path):
    title = "x|y](z) <!-- end of results --> </script><b>"
    results = write_small_board(tmp_path / "results", title)
    boards = make_boards(read_records(results), results)
    text = filled(results, boards, "six-rows", "pair:en-de")
    assert text.count("<!-- end of results -->") == 2
    path = tmp_path / "some.md"
    path.write_text(text)
    assert fill_blocks(path, boards, results) == text
    assert "<b>" not in leaderboard_page(boards)
