"""Published figures: against a transcription of their own, and against themselves."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from crosspro.evaluation.published.results import published_results, read_figures
from tests.conftest import GOLDEN, SHARED_DATA

GOLDEN_TABLES = [*(GOLDEN / "published").glob("*.csv"), *(GOLDEN / "protest").glob("*.csv")]
TRANSCRIPTION = SHARED_DATA.parent / "published"
WHOLE = ("french_equivalents", "apt_cases_vs_human", "apt_protest_scores",
         "apt_protest_correlation", "apt_protest_categories", "apt_disagreements",
         "apt_correlation", "pronoun_types_discomt2015", "protest_matches_2015",
         "alignment_quality_deen_2016", "class_counts_iwslt15")  # fmt: skip


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def golden(name: str) -> list[dict[str, str]]:
    (path,) = (path for path in GOLDEN_TABLES if path.stem == name)
    return rows_of(path)


def total(rows: list[dict[str, str]], column: str) -> int:
    return sum(int(row[column]) for row in rows)


@pytest.mark.parametrize("name", WHOLE)
def test_whole_tables_are_those_of_the_transcription(name):
    assert read_figures(name) == golden(name)


def test_test_sets_are_those_of_the_transcription():
    mine = [row for row in read_figures("test_sets") if row["year"] != "2015"]
    assert mine == golden("test_sets")


@pytest.mark.parametrize(
    ("name", "size"), [("pronoun_types_discomt2015", 4732), ("protest_categories", 250)]
)
def test_types_and_categories_make_their_total(name, size):
    *rows, last = read_figures(name)
    assert total(rows, "count") == int(last["count"]) == size


def test_categories_are_those_of_the_transcription():
    assert read_figures("protest_categories")[:-1] == golden("protest_categories")


@pytest.mark.skipif(not TRANSCRIPTION.is_dir(), reason="the transcription is not here")
def test_golden_tables_are_the_transcription():
    for path in GOLDEN_TABLES:
        assert path.read_bytes() == (TRANSCRIPTION / path.name).read_bytes(), path.name


@pytest.mark.skipif(not TRANSCRIPTION.is_dir(), reason="the transcription is not here")
def test_results_are_those_of_the_transcription():
    mine = [row for row in read_figures("results") if row["year"] != "2015"]
    theirs = rows_of(TRANSCRIPTION / "results.csv")
    assert [{key: row[key] for key in theirs[0]} for row in mine] == theirs


@pytest.mark.parametrize("year", [2016, 2017])
def test_ranks_are_those_of_the_scores(year):
    for pair in {result.pair for result in published_results(year)}:
        results = [result for result in published_results(year, pair) if result.kind == "primary"]
        by_score = sorted(results, key=lambda result: -result.macro_recall)
        assert [result.rank for result in by_score] == list(range(1, len(results) + 1))
        by_rank = sorted(results, key=lambda result: result.accuracy_rank or 0)
        accuracies = [result.accuracy for result in by_rank]
        assert accuracies == sorted(accuracies, reverse=True)
