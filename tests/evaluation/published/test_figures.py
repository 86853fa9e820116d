"""Published figures: against a transcription of their own, and against themselves."""

from __future__ import annotations

import csv
import re
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


def test_documents_and_totals_are_those_of_the_transcription():
    sizes = {(row["year"], row["pair"]): row for row in golden("test_sets")}
    columns = {"segments": "segs", "source_tokens": "src_tokens", "target_tokens": "tgt_tokens"}
    rows = read_figures("test_documents")
    for year, pair in dict.fromkeys((row["year"], row["pair"]) for row in rows):
        *documents, last = [row for row in rows if (row["year"], row["pair"]) == (year, pair)]
        of_pair = [
            row
            for row in golden("test_documents") + golden("test_documents_printed_totals")
            if (row["year"], f"{row['src_lang']}-{row['tgt_lang']}") == (year, pair)
        ]
        for mine, theirs in zip([*documents, last], of_pair, strict=True):
            assert mine["ted_id"] == theirs.get("ted_id", "total")
            assert [mine[one] for one in columns] == [theirs[one] for one in columns.values()]
        for column in columns:
            assert total(documents, column) == int(sizes[year, pair][column])
            misprint = (year, pair, column) == ("2017", "es-en", "source_tokens")
            assert (total(documents, column) == int(last[column])) is not misprint


def test_pronouns_of_a_task_are_its_classes():
    for row in read_figures("subtask_pronouns"):
        for year in row["years"].split(", "):
            inventory = [
                one["class"]
                for one in golden("class_inventory")
                if (one["year"], one["pair"]) == (year, row["pair"])
            ]
            classes = row["target_pronouns"].replace("cela/ça", "cela").split(", ")
            assert sorted(classes) == sorted(inventory)


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
    for pair in {one.pair for one in published_results(year)}:
        results = [one for one in published_results(year, pair) if one.kind == "primary"]
        by_score = sorted(results, key=lambda one: -one.macro_recall)
        assert [one.rank for one in by_score] == list(range(1, len(results) + 1))
        by_rank = sorted(results, key=lambda one: one.accuracy_rank or 0)
        accuracies = [one.accuracy for one in by_rank]
        assert accuracies == sorted(accuracies, reverse=True)


def test_corrected_figures_of_cuni_stand_beside_the_ranked_ones():
    found = {one.submission: one for one in published_results(2016, "en-de")}
    assert found["CUNI-primary"].corrected_macro_recall == 54.37
    assert found["CUNI-contrastive"].corrected_macro_recall == 51.74
    assert (found["CUNI-primary"].macro_recall, found["CUNI-primary"].rank) == (28.26, 9)


@pytest.mark.parametrize("pair", ["de-en", "en-de", "es-en", "en-fr"])
def test_recalls_make_the_accuracy_and_the_macro_recall(pair):
    results = {one.submission: one for one in published_results(2017, pair)}
    rows = [row for row in read_figures("class_recall_2017") if row["pair"] == pair]
    for submission, result in results.items():
        of_it = [row for row in rows if row["submission"] == submission]
        instances = [int(row["instances"]) for row in of_it]
        hits = [round(float(row["recall"]) * int(row["instances"]) / 100) for row in of_it]
        macro = sum(hit / n for hit, n in zip(hits, instances, strict=True)) / len(hits)
        assert 100 * macro == pytest.approx(result.macro_recall, abs=0.01)
        accuracy = 100 * sum(hits) / sum(instances)
        assert accuracy == pytest.approx(result.accuracy, abs=0.01)


def test_matches_are_no_more_than_examples():
    wanted = {row["category"]: row["count"] for row in read_figures("protest_categories")}
    for row in read_figures("protest_matches_2015"):
        assert wanted[row["category"]] == row["examples"]
        assert int(row["matches"]) <= int(row["examples"])


def test_cases_of_apt_make_their_totals():
    *cases, last = read_figures("apt_cases_vs_human")
    count = total(cases, "total")
    assert count == int(last["total"])
    for column in ("correct_pct", "incorrect_pct", "bad_translation_pct"):
        share = sum(int(row[column]) * int(row["total"]) for row in cases) / count
        assert share == pytest.approx(int(last[column]), abs=1)


def test_categories_of_disagreement_make_their_totals():
    *rows, last = read_figures("apt_protest_categories")
    for column in ("apt_case1", "apt_case2", "apt_case3", "human_correct", "human_incorrect",
                   "disagreements", "examples"):  # fmt: skip
        assert total(rows, column) == int(last[column])
    kinds = {row["category"]: row for row in read_figures("apt_disagreements")}
    for row in rows:
        if row["category"] in kinds:
            assert sum(int(kinds[row["category"]][one]) for one in (
                "valid_alternative", "incorrect_equivalence", "impersonal", "other")
            ) == int(row["disagreements"])  # fmt: skip


def test_filters_take_away():
    for row in read_figures("class_counts_iwslt15"):
        assert int(row["after_filter"]) <= int(row["before_filter"])


def test_marks_of_the_characteristics_are_as_many_as_printed():
    for row in read_figures("system_characteristics_2017"):
        systems = [row[name] for name in row if name not in ("characteristic", "marks")]
        certain = sum(mark in ("x", "(x)") for mark in systems)
        assert certain <= int(row["marks"]) <= certain + systems.count("?")


NUMBERS = {"no": "0", "one": "1", "two": "2", "four": "4", "five": "5", "six": "6", "nine": "9",
           "ten": "10", "eleven": "11", "perfect": "1.00", "all": "5"}  # fmt: skip
"""Figures that the running text has as words; *all* are the five teams of 2017."""


def test_the_words_of_a_figure_in_running_text_have_it():
    for row in read_figures("running_text"):
        words = re.split(r"[\s()%,;/–-]+", re.sub(r"(?<=\d),(?=\d)", "", row["words"]))
        found = {word.lstrip("+−") for word in words}
        found |= {NUMBERS[word.lower()] for word in words if word.lower() in NUMBERS}
        assert row["figure"].removesuffix("000000").lstrip("-") in found, row
