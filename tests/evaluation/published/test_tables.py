"""The tables of the papers: against a transcription of their own, the papers, and themselves."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.published.results import published_results, read_figures
from crosspro.evaluation.published.tables import (
    paper_names,
    published_table,
    published_tables_of,
    table_names,
)
from tests.conftest import GOLDEN, SHARED_DATA

GOLDEN_TABLES = [*(GOLDEN / "published").glob("*.csv"), *(GOLDEN / "protest").glob("*.csv")]
TRANSCRIPTION = SHARED_DATA.parent / "published"
SEEDS = SHARED_DATA.parent / "seeds"
"""The papers as text, which are not ours to publish."""
PAPERS = {
    "apt-2017": "000_*.txt",
    "protest-2018": "001_*.txt",
    "protest-2016": "002_*.txt",
    "wmt-2016": "003_*.txt",
    "discomt-2017": "004_*.txt",
}
RESULTS = {
    **dict(zip((f"wmt-2016-{n}" for n in (6, 7, 8, 9)),
               ((2016, pair) for pair in ("de-en", "en-de", "fr-en", "en-fr")), strict=True)),
    **dict(zip((f"discomt-2017-{n}" for n in (5, 6, 7, 8)),
               ((2017, pair) for pair in ("de-en", "en-de", "es-en", "en-fr")), strict=True)),
}  # fmt: skip


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def golden(name: str) -> list[dict[str, str]]:
    (path,) = (path for path in GOLDEN_TABLES if path.stem == name)
    return rows_of(path)


def records(name: str) -> list[dict[str, str]]:
    return [dict(row) for row in published_table(name).records]


def total(rows: list[dict[str, str]], column: str) -> int:
    return sum(int(row[column]) for row in rows)


def test_every_table_of_the_papers_is_there():
    wanted = {"apt-2017": (1, 5), "protest-2016": (1, 3), "protest-2018": (1, 4),
              "wmt-2016": (1, 9), "discomt-2017": (1, 13)}  # fmt: skip
    assert set(paper_names()) == set(wanted)
    assert set(table_names()) == {
        f"{paper}-{number}"
        for paper, (first, last) in wanted.items()
        for number in (*range(first, last + 1), "text")
    }


@pytest.mark.parametrize("name", table_names())
def test_a_table_says_where_it_is_from_and_shows_rows_of_one_width(name):
    table = published_table(name)
    paper, _, number = name.rpartition("-")
    assert table.source.endswith(", running text" if number == "text" else f", Table {number}")
    assert re.search(r"\b20\d\d, ", table.source)
    assert paper.rpartition("-")[2] in table.source
    assert table.records
    for block in table.blocks:
        assert block.rows
        assert {len(row) for row in block.rows} == {len(block.heading)}
        assert table.left < len(block.heading) or name in ("discomt-2017-1", "apt-2017-1")


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("apt-2017-2", "french_equivalents"),
        ("apt-2017-5", "apt_cases_vs_human"),
        ("protest-2018-1", "apt_protest_scores"),
        ("protest-2018-2", "apt_protest_correlation"),
        ("protest-2018-3", "apt_protest_categories"),
        ("protest-2018-4", "apt_disagreements"),
        ("protest-2016-1", "pronoun_types_discomt2015"),
        ("protest-2016-3", "protest_matches_2015"),
        ("wmt-2016-4", "alignment_quality_deen_2016"),
        ("wmt-2016-5", "class_counts_iwslt15"),
    ],
)
def test_whole_tables_are_those_of_the_transcription(name, figures):
    assert records(name) == golden(figures)


@pytest.mark.parametrize(
    ("name", "figures", "column", "value"),
    [
        ("apt-2017-3", "apt_correlation", "table", "table_3"),
        ("apt-2017-4", "apt_correlation", "table", "table_4"),
        ("wmt-2016-1", "test_sets", "year", "2016"),
        ("discomt-2017-2", "test_sets", "year", "2017"),
    ],
)
def test_tables_are_parts_of_the_transcription(name, figures, column, value):
    assert records(name) == [row for row in golden(figures) if row[column] == value]


@pytest.mark.parametrize(("name", "size"), [("protest-2016-1", 4732), ("protest-2016-2", 250)])
def test_types_and_categories_make_their_total(name, size):
    *rows, last = records(name)
    assert total(rows, "count") == int(last["count"]) == size


def test_categories_are_those_of_the_transcription():
    assert records("protest-2016-2")[:-1] == golden("protest_categories")


@pytest.mark.parametrize(
    ("name", "year", "pairs"),
    [
        ("wmt-2016-2", "2016", ["en-fr", "en-de"]),
        ("wmt-2016-3", "2016", ["fr-en", "de-en"]),
        ("discomt-2017-3", "2017", ["en-fr", "en-de"]),
        ("discomt-2017-4", "2017", ["es-en", "de-en"]),
    ],
)
def test_documents_and_totals_are_those_of_the_transcription(name, year, pairs):
    sizes = {(row["year"], row["pair"]): row for row in golden("test_sets")}
    columns = {"segments": "segs", "source_tokens": "src_tokens", "target_tokens": "tgt_tokens"}
    assert [block.title for block in published_table(name).blocks] == pairs
    for pair in pairs:
        *documents, last = [row for row in records(name) if row["pair"] == pair]
        of_pair = [
            row
            for row in golden("test_documents") + golden("test_documents_printed_totals")
            if (row["year"], f"{row['src_lang']}-{row['tgt_lang']}") == (year, pair)
        ]
        assert len(documents) == 8
        for mine, theirs in zip([*documents, last], of_pair, strict=True):
            assert mine["ted_id"] == theirs.get("ted_id", "total")
            assert mine["speaker"] == theirs.get("speaker", "")
            assert [mine[one] for one in columns] == [theirs[one] for one in columns.values()]
        for column in columns:
            assert total(documents, column) == int(sizes[year, pair][column])
            misprint = (name, pair, column) == ("discomt-2017-4", "es-en", "source_tokens")
            assert (total(documents, column) == int(last[column])) is not misprint


def test_the_misprinted_total_is_kept_and_noted():
    table = published_table("discomt-2017-4")
    (last,) = (row for row in table.records if (row["pair"], row["ted_id"]) == ("es-en", "total"))
    assert last["source_tokens"] == "12455"
    assert any("12,455" in note and "13,139" in note for note in table.notes)


def test_pronouns_of_the_subtasks_are_those_of_the_transcription():
    for row in records("discomt-2017-1"):
        for year in row["years"].split(", "):
            inventory = [
                one
                for one in golden("class_inventory")
                if (one["year"], one["pair"]) == (year, row["pair"])
            ]
            classes = row["target_pronouns"].replace("cela/ça", "cela").split(", ")
            assert sorted(classes) == sorted(one["class"] for one in inventory)
            if row["pair"] != "es-en":
                assert row["source_pronouns"].split(", ") == inventory[0]["source_pronouns"].split(
                    "|"
                )


@pytest.mark.skipif(not TRANSCRIPTION.is_dir(), reason="the transcription is not here")
def test_golden_tables_are_the_transcription():
    for path in GOLDEN_TABLES:
        assert path.read_bytes() == (TRANSCRIPTION / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", RESULTS)
def test_result_tables_are_the_published_results(name):
    year, pair = RESULTS[name]
    shown = [dict(row) for row in published_table(name).records]
    results = published_results(year, pair)
    assert [row["submission"] for row in shown] == [one.submission for one in results]
    for row, result in zip(shown, results, strict=True):
        assert float(row["macro_recall"]) == result.macro_recall
        assert (row["accuracy_rank"] or None) == (
            str(result.accuracy_rank) if result.accuracy_rank else None
        )
    primary = sorted(
        (one for one in results if one.kind == "primary"), key=lambda one: -one.macro_recall
    )
    assert [one.rank for one in primary] == list(range(1, len(primary) + 1))
    assert sorted(one.accuracy_rank or 0 for one in primary) == [one.rank for one in primary]
    assert not any(one.accuracy_rank for one in results if one.kind != "primary")
    by_rank = sorted(primary, key=lambda one: one.accuracy_rank or 0)
    accuracies = [one.accuracy for one in by_rank]
    assert accuracies == sorted(accuracies, reverse=True)


@pytest.mark.skipif(not TRANSCRIPTION.is_dir(), reason="the transcription is not here")
def test_results_are_those_of_the_transcription():
    mine = [row for row in read_figures("results") if row["year"] != "2015"]
    theirs = rows_of(TRANSCRIPTION / "results.csv")
    assert [{key: row[key] for key in theirs[0]} for row in mine] == theirs
    ranks = {
        tuple(row[key] for key in ("year", "pair", "submission")): row["accuracy_rank"]
        for row in rows_of(TRANSCRIPTION / "accuracy_ranks.csv")
    }
    for row in mine:
        key = tuple(row[name] for name in ("year", "pair", "submission"))
        assert row["accuracy_rank"] == ranks.get(key, "")
    prose = {row["item"]: row["value"] for row in rows_of(TRANSCRIPTION / "prose_figures.csv")
             if row["topic"] == "cuni_en_de_after_bugfix"}  # fmt: skip
    corrected = {row["submission"]: row["corrected_macro_recall"]
                 for row in mine if row["corrected_macro_recall"]}  # fmt: skip
    assert corrected == {
        f"CUNI-{item.removesuffix('_macro_recall')}": value for item, value in prose.items()
    }


def test_corrected_figures_of_cuni_stand_beside_the_ranked_ones():
    found = {one.submission: one for one in published_results(2016, "en-de")}
    assert found["CUNI-primary"].corrected_macro_recall == 54.37
    assert found["CUNI-contrastive"].corrected_macro_recall == 51.74
    assert (found["CUNI-primary"].macro_recall, found["CUNI-primary"].rank) == (28.26, 9)
    assert [one.submission for one in published_results() if one.corrected_macro_recall] == [
        "CUNI-contrastive",
        "CUNI-primary",
    ]


@pytest.mark.parametrize("name", [f"discomt-2017-{number}" for number in (9, 10, 11, 12)])
def test_recalls_make_the_accuracy_and_the_macro_recall(name):
    (block,) = published_table(name).blocks
    first, *rows = block.rows
    pair = published_table(name).records[0]["pair"]
    instances = [int(cell) for cell in first[1:]]
    results = {one.submission: one for one in published_results(2017, pair)}
    assert {row[0] for row in rows} == set(results)
    for submission, *cells in rows:
        hits = [round(float(cell) * n / 100) for cell, n in zip(cells, instances, strict=True)]
        macro = sum(hit / n for hit, n in zip(hits, instances, strict=True)) / len(hits)
        assert 100 * macro == pytest.approx(results[submission].macro_recall, abs=0.01)
        accuracy = 100 * sum(hits) / sum(instances)
        assert accuracy == pytest.approx(results[submission].accuracy, abs=0.01)


def test_matches_are_no_more_than_examples_and_examples_are_the_categories():
    wanted = {row["category"]: row["count"] for row in records("protest-2016-2")}
    for row in records("protest-2016-3"):
        assert wanted[row["category"]] == row["examples"]
        assert int(row["matches"]) <= int(row["examples"])


def test_cases_of_apt_make_their_totals():
    *cases, last = records("apt-2017-5")
    count = total(cases, "total")
    assert count == int(last["total"])
    for column in ("correct_pct", "incorrect_pct", "bad_translation_pct"):
        share = sum(int(row[column]) * int(row["total"]) for row in cases) / count
        assert share == pytest.approx(int(last[column]), abs=1)
    for row in [*cases, last]:
        assert total([row], "correct_pct") + total([row], "incorrect_pct") + total(
            [row], "bad_translation_pct"
        ) == pytest.approx(100, abs=1)


def test_apt_of_two_tables_is_the_same():
    """What the note of Table 3 says."""
    in_table_4 = {(row["alignment"], row["w2"], row["w6"]): row for row in records("apt-2017-4")}
    for row in (one for one in records("apt-2017-3") if one["metric"] == "APT"):
        other = in_table_4[row["alignment"], row["w2"], row["w6"]]
        assert (row["pearson"], row["spearman"]) == (other["pearson"], other["spearman"])


def test_categories_of_disagreement_make_their_totals():
    *rows, last = records("protest-2018-3")
    for column in ("apt_case1", "apt_case2", "apt_case3", "human_correct", "human_incorrect",
                   "disagreements", "examples"):  # fmt: skip
        assert total(rows, column) == int(last[column])
    for row in [*rows, last]:
        assert total([row], "human_correct") + total([row], "human_incorrect") == int(
            row["examples"]
        )
        share = 100 * int(row["disagreements"]) / int(row["examples"])
        assert share == pytest.approx(float(row["disagreement_pct"]), abs=0.0501)
    kinds = {row["category"]: row for row in records("protest-2018-4")}
    for row in rows:
        if row["category"] in kinds:
            assert sum(total([kinds[row["category"]]], one) for one in (
                "valid_alternative", "incorrect_equivalence", "impersonal", "other")
            ) == int(row["disagreements"])  # fmt: skip


def test_filters_take_away_and_precision_is_paid_with_recall():
    for row in records("wmt-2016-5"):
        assert int(row["after_filter"]) <= int(row["before_filter"])
    links = {row["symmetrisation"]: row for row in records("wmt-2016-4")
             if row["alignment_model"] == "giza_hmm"}  # fmt: skip
    order = ("intersection", "grow-diag", "grow-diag-final-and", "grow-diag-final", "union")
    for kind in ("all", "pronoun"):
        precision = [float(links[one][f"{kind}_precision"]) for one in order]
        recall = [float(links[one][f"{kind}_recall"]) for one in order]
        assert precision == sorted(precision, reverse=True)
        assert recall == sorted(recall)


def test_marks_of_the_characteristics_are_as_many_as_printed():
    for row in records("discomt-2017-13"):
        systems = [row[name] for name in row if name not in ("characteristic", "marks")]
        certain = sum(mark in ("x", "(x)") for mark in systems)
        open_ones = systems.count("?")
        assert certain <= int(row["marks"]) <= certain + open_ones


def printed(paper: str) -> str:
    """The text of a paper as a line of words."""
    (path,) = SEEDS.glob(PAPERS[paper])
    return plain_words(path.read_text("utf-8"))


def plain_words(text: str) -> str:
    """Text as a line of words: no marks of layout, no commas in numbers."""
    text = unicodedata.normalize("NFC", text)
    text = re.sub(r"</?\w+>|[|*_$%\\]", " ", text)
    text = re.sub(r"(?<=\d),(?=\d\d\d\b)", "", text)
    return " ".join(text.replace("\n", " ").split())


def cells_in_print(name: str) -> list[list[str]]:
    """The figures of each row as the paper prints them, side by side."""
    table = published_table(name)
    if name.endswith("-text"):
        return [plain_words(row["words"]).split() for row in table.records]
    if name == "apt-2017-1":
        return [plain_words(re.sub(r"\((\d)\)", r" \1 ", row["example"])).split()
                for row in table.records]  # fmt: skip
    if name in ("wmt-2016-2", "wmt-2016-3", "discomt-2017-3", "discomt-2017-4"):
        left, right = (block.rows for block in table.blocks)
        return [[*one[2:], *other[2:]] for one, other in zip(left, right, strict=True)]
    if name == "protest-2016-3":
        (block,) = table.blocks
        return [list(column) for column in zip(*(row[1:] for row in block.rows), strict=True)]
    if name == "wmt-2016-5":
        return [[row["before_filter"], row["after_filter"]] for row in table.records]
    if name == "protest-2018-3":
        keys = ("apt_case1", "apt_case2", "apt_case3", "human_correct", "human_incorrect")
        return [[*(row[key] for key in keys), row["disagreements"], "/", row["examples"],
                 row["disagreement_pct"]] for row in table.records]  # fmt: skip
    if name == "protest-2018-4":
        return [[cell if cell != "0" else "–" for cell in row[1:]] for row in table.blocks[0].rows]
    if name == "wmt-2016-4":
        return [[cell.removeprefix("0") for cell in row[2:]] for row in table.blocks[0].rows]
    if name == "apt-2017-2":
        names = (row["pronouns"].replace("|", ", ").replace("'", "’") for row in table.records)
        return [one.split() for one in names]
    if name == "apt-2017-3":
        return [[row["pearson"]] for row in table.records]
    if name == "protest-2018-2":
        return [[row["w1"], row["w2"], row["pearson"], row["spearman"]] for row in table.records]
    if name == "discomt-2017-1":
        return [row[3].split() for row in table.blocks[0].rows[:-1]]
    if name == "discomt-2017-13":
        return [[*row[0].replace("- ", "-").split(), *"X" * int(row[6])]
                for row in table.blocks[0].rows]  # fmt: skip
    if name in RESULTS:
        glued = name.startswith("discomt")  # ranks are glued to the scores of the text version
        return [
            [row["macro_recall"] + (row["rank"] if glued else ""),
             *([] if glued or not row["rank"] else [row["rank"]]),
             row["accuracy"] + (row["accuracy_rank"] if glued else "")]
            for row in table.records
        ]  # fmt: skip
    return [list(row[table.left :]) for row in table.blocks[0].rows]


LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the papers are not here")
@pytest.mark.parametrize("name", table_names())
def test_every_row_is_in_the_paper(name):
    text = f" {printed(name.rpartition('-')[0]).translate(LOWERED)} "
    for row in cells_in_print(name):
        wanted = " ".join(cell for cell in row if cell)
        found = wanted in text if name.endswith("-text") else f" {wanted} " in text
        assert found, (name, row)


NUMBERS = {"no": "0", "one": "1", "two": "2", "four": "4", "five": "5", "six": "6", "nine": "9",
           "ten": "10", "eleven": "11", "perfect": "1.00", "all": "5"}  # fmt: skip
"""Figures that the running text has as words; *all* are the five teams of 2017."""


@pytest.mark.parametrize("paper", paper_names())
def test_the_words_of_a_figure_in_running_text_have_it(paper):
    for row in records(f"{paper}-text"):
        words = re.split(r"[\s()%,;/–-]+", re.sub(r"(?<=\d),(?=\d)", "", row["words"]))
        found = {word.lstrip("+−") for word in words}
        found |= {NUMBERS[word.lower()] for word in words if word.lower() in NUMBERS}
        figure = row["figure"].removesuffix("000000").lstrip("-")
        assert figure in found, row


@pytest.mark.skipif(not TRANSCRIPTION.is_dir(), reason="the transcription is not here")
@pytest.mark.parametrize("paper", paper_names())
def test_every_transcribed_figure_of_running_text_is_there(paper):
    number = PAPERS[paper].partition("_")[0]
    wanted = Counter(
        float(row["value"])
        for row in rows_of(TRANSCRIPTION / "prose_figures.csv")
        if row["paper"] == number
    )
    assert wanted <= Counter(float(row["figure"]) for row in records(f"{paper}-text"))


def test_notes_of_2017_say_what_the_tables_have():
    """Every difference that a note gives is that of the results."""
    results = {(one.pair, one.submission): one for one in published_results(2017)}
    baselines = {
        pair: [one for one in published_results(2017, pair) if one.kind == "baseline"]
        for pair in ("de-en", "en-de", "es-en", "en-fr")
    }

    def above_tuned(pair: str, submission: str) -> str:
        tuned = max(one.macro_recall for one in baselines[pair])
        return f"{results[pair, submission].macro_recall - tuned:.2f}"

    def best_margin(pair: str, score: str) -> str:
        of = [getattr(one, score) for one in published_results(2017, pair) if one.kind == "primary"]
        return f"{max(of) - max(getattr(one, score) for one in baselines[pair]):.2f}"

    def notes(number: int) -> str:
        return " ".join(published_table(f"discomt-2017-{number}").notes)

    assert above_tuned("en-de", "UU-Stymne16-primary") in notes(6)
    first, second = (results["en-de", f"{one}-primary"].macro_recall
                     for one in ("Uppsala", "TurkuNLP"))  # fmt: skip
    assert f"{first - second:.2f}" in notes(6)
    assert above_tuned("es-en", "UU-Hardmeier-contrastive") in notes(7)
    assert above_tuned("en-fr", "Uppsala-contrastive") in notes(8)
    for pair in ("en-fr", "de-en"):
        assert best_margin(pair, "macro_recall") in notes(8)
    for pair in ("en-fr", "de-en", "es-en"):
        assert best_margin(pair, "accuracy") in notes(8)
    for pair in ("de-en", "en-fr"):
        tuned = max(baselines[pair], key=lambda one: one.macro_recall)
        assert f"({tuned.macro_recall}, {tuned.accuracy})" in notes(5)


def test_a_name_that_is_none_is_answered_with_all_names():
    with pytest.raises(InputError) as caught:
        published_tables_of(["wmt-2016-5", "wmt-2017"])
    (problem,) = caught.value.problems
    assert "wmt-2016" in problem.expected
    assert "discomt-2017-13" in problem.expected
    assert problem.found == "'wmt-2017'"


def test_a_paper_stands_for_its_tables_once():
    names = [table.name for table in published_tables_of(["apt-2017-4", "apt-2017"])]
    assert names == ["apt-2017-4", *(f"apt-2017-{one}" for one in (1, 2, 3, 5, "text"))]
