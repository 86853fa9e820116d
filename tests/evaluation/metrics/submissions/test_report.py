"""Layouts: every one tells the same scores."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions, ranks
from crosspro.evaluation.metrics.submissions.submission import read_gold, read_submissions
from crosspro.evaluation.output.tables import Style, markdown_table, text_table
from crosspro.evaluation.output.text import text_report
from crosspro.evaluation.published.results import published_results
from tests.conftest import GOLDEN

CASE = GOLDEN / "scorer" / "en-fr_random"


@pytest.fixture(scope="module")
def evaluation():
    from crosspro.data_prep.core.task import load_task

    task = load_task("en-fr")
    gold = read_gold(CASE / "gold.tsv", task)
    read = read_submissions([CASE / "pred.tsv", CASE / "gold.tsv"], task, gold, lenient=True)
    return evaluate_submissions(task, gold, read, plan=Resampling(200, 1))


def test_text_has_scores_intervals_classes_tests_and_signatures(evaluation):
    text = text_report(evaluation, Style(signatures=True))
    assert "100.00 [100.00, 100.00]" in text
    assert "macro_recall|task:en-fr|classes:8|absent:skip|gaps:583|" in text
    assert "|by:gap|seed:1|crosspro:" in text


def test_published_rows_are_ranked_only_if_primary(evaluation):
    data = evaluation.scored.data
    beside = replace(data, published=published_results(2017, "en-fr"))
    text = text_report(replace(evaluation, scored=replace(evaluation.scored, data=beside)))
    lines = [line.split() for line in text.splitlines()]
    assert ["1", "*gold"] in [line[:2] for line in lines]
    assert ["2", "TurkuNLP-primary"] in [line[:2] for line in lines]
    assert ["TurkuNLP-contrastive", "(2017)", "64.74"] in [line[:3] for line in lines]


def test_equal_values_share_a_rank():
    assert ranks([3.0, 5.0, 3.0, 1.0]) == [2, 1, 2, 4]


def test_tables_align():
    assert text_table(("a", "b"), [("x", "1"), ("long", "22")]) == (
        "a      b\n────  ──\nx      1\nlong  22\n"
    )
    assert (
        markdown_table(("a", "b"), [("x|y", "1")]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"
    )
