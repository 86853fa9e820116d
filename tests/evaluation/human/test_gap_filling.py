"""Gaps that people fill in: sheets, keys, and the measures of DiscoMT 2015."""

from __future__ import annotations

import csv
import io
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.guard import is_filled_in
from crosspro.data_prep.core.task import OTHER
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.correlation.judged import JudgedColumns, read_judgements
from crosspro.evaluation.human.exchange import review_table
from crosspro.evaluation.human.gap_filling import evaluate_gaps
from crosspro.evaluation.human.gap_sheets import (
    GAP,
    FilledGap,
    FilledSheets,
    draw_gaps,
    judged_csv,
    read_filled_gaps,
)
from crosspro.evaluation.human.metric_items import apt_items
from crosspro.evaluation.human.verdicts import Verdict
from crosspro.evaluation.inputs.plain_text import Documents
from crosspro.evaluation.inputs.pronoun_lists import load_lists
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.output.records import csv_report, json_report
from crosspro.evaluation.output.text import text_report
from tests.evaluation.metrics.apt.texts import mt_input, text, translation

LISTS = load_lists("en-fr")
LABELS = ("il", "elle", "ce", OTHER)


def gap(word, accepted, system="a", place=None, document=""):
    bad = accepted == "bad"
    return FilledGap(
        system,
        word,
        frozenset() if bad else frozenset(accepted.split()),
        bad,
        "it",
        document,
        place,
    )


def scores(*gaps):
    (result,) = evaluate_gaps(FilledSheets(gaps, 0), LISTS, None).systems
    return result


def pronouns(result):
    return [one for one in result.groups if one.breakdown]


def values(result):
    return {name: score.value for name, score in result.scores.items()}


def test_the_measures_of_a_small_sample():
    result = scores(
        gap("il", "il"),
        gap("il", "elle ce"),
        gap("elle", "il elle"),  # il is not missed: elle will do
        gap(OTHER, "OTHER"),
        gap(OTHER, "il"),
        gap("ce", "OTHER"),
        gap("ce", "bad"),
        gap("ce", "ce OTHER"),
    )
    found = values(result)
    assert result.total.counts == {"gaps": 8, "bad": 1}
    assert found["accuracy"] == 4 / 8
    assert found["accuracy_without_other"] == 3 / 5  # without 4, 5 and 6
    assert found["precision"] == 3 / 6
    assert found["lenient_recall"] == 3 / 6  # missed: elle, ce, il
    assert found["f"] == 0.5
    counts = {one.group: tuple(one.counts.values()) for one in pronouns(result)}
    assert counts["il"] == (2, 1, 1)
    assert counts["elle"] == (1, 1, 1)
    assert counts["ce"] == (3, 1, 1)
    assert counts["other"] == (2, 1, 1)
    assert counts["on"] == (0, 0, 0)
    assert pronouns(result)[-1].scores["lenient_recall"].value == 0.5


def test_what_is_not_defined():
    result = scores(gap(OTHER, "OTHER"))
    found = values(result)
    assert found["accuracy"] == 1
    assert all(isnan(found[name]) for name in found if name != "accuracy")
    assert "–" in text_report(evaluate_gaps(FilledSheets((gap(OTHER, "OTHER"),), 0), LISTS, None))
    assert isnan(pronouns(result)[0].scores["f"].value)
    assert isnan(pronouns(scores(gap("il", "elle")))[0].scores["f"].value)
    assert pronouns(scores(gap("il", "elle"), gap("elle", "il")))[0].scores["f"].value == 0


sets = st.one_of(
    st.just("bad"), st.lists(st.sampled_from(LABELS), min_size=1, unique=True).map(" ".join)
)
samples = st.lists(st.tuples(st.sampled_from(LABELS), sets), min_size=1, max_size=25)


@given(samples)
def test_counts_against_a_plain_loop(pairs):
    gaps = [gap(word, accepted) for word, accepted in pairs]
    result = scores(*gaps)
    found = values(result)
    assert found["accuracy"] == pytest.approx(np.mean([one.right for one in gaps]))
    every = pronouns(result)
    said, hit, missed = (
        sum(one.counts[name] for one in every[:-1]) for name in ("said", "hit", "missed")
    )
    if said:
        assert found["precision"] == pytest.approx(hit / said)
    if hit + missed:
        assert found["lenient_recall"] == pytest.approx(hit / (hit + missed))
    for one in every:
        label = OTHER if one.group == "other" else one.group
        wanted = sum(label in gap_.accepted for gap_ in gaps)
        recall = one.scores["lenient_recall"].value
        if not isnan(recall):  # lenient: never below the share of all gaps that accept it
            assert recall >= one.counts["hit"] / wanted
        assert one.counts["hit"] <= min(one.counts["said"], wanted)
    kept = [one for one in gaps if one.word != OTHER and one.accepted != {OTHER}]
    if kept:
        assert found["accuracy_without_other"] == pytest.approx(np.mean([g.right for g in kept]))


def test_intervals_and_comparisons():
    gaps = []
    for line in range(30):
        gaps.append(gap("il", "il", "a", (line, 0)))
        gaps.append(gap("il", "il" if line % 2 else "elle", "b", (line, 0)))
    evaluation = evaluate_gaps(FilledSheets(tuple(gaps), 0), LISTS, Resampling(200, 1))
    first, second = evaluation.systems
    assert first.scores["accuracy"].low == 1
    assert second.scores["accuracy"].low < 0.5 < second.scores["accuracy"].high
    assert "by:pronoun" in first.scores["accuracy"].signature
    accuracy = next(one for one in evaluation.comparisons if one.metric == "accuracy")
    assert accuracy.difference == 0.5
    assert accuracy.p_randomisation < 0.05
    documents = tuple(gap("il", "il", "a", (n, 0), f"d{n % 3}") for n in range(9))
    found = evaluate_gaps(FilledSheets(documents, 0), LISTS, Resampling(20, 1))
    assert "by:document" in found.systems[0].scores["f"].signature
    assert found.warnings == (
        "3 documents are few: intervals and bootstrap p values are too small",
    )


def test_systems_with_other_pronouns_are_not_compared():
    gaps = (gap("il", "il", "a", (0, 0)), gap("il", "il", "b", (1, 0)))
    evaluation = evaluate_gaps(FilledSheets(gaps, 0), LISTS, Resampling(20, 1))
    assert evaluation.comparisons == ()
    assert evaluation.warnings == ("a and b have gaps of other pronouns: no comparison",)


SOURCE = text(["The car stops .", "it is red .", "they say it .", "and so it goes"])
REFERENCE = translation(
    "ref",
    ["La voiture .", "Elle est rouge .", "Ils le disent .", "donc il va"],
    ["0-0", "0-0 1-1", "0-0 1-2 2-1", "0-0 2-1 3-2"],
)
CANDIDATE = translation(
    "cand",
    ["La voiture .", "Dit-il rouge .", "Ils le disent .", "donc va"],
    ["0-0", "0-0 1-1", "0-0 1-2 2-1", "0-0"],
)
DOCUMENTS = Documents(np.array([0, 0, 1, 1]), ("one", "two"))


@pytest.fixture
def evaluation():
    data = mt_input(SOURCE, REFERENCE, [REFERENCE, CANDIDATE], LISTS)
    return evaluate(make_metric("apt", repair=False), data)


def table(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8")), delimiter="\t"))


def test_a_sheet_hides_the_pronoun_and_the_system(evaluation):
    drawn = draw_gaps(evaluation, DOCUMENTS, None, 2, 1)
    sheet, key = table(drawn.sheet), table(drawn.key)
    assert drawn.examples == len(sheet) == len(key) == 8
    assert [row["example"] for row in sheet] == [str(n) for n in range(1, 9)]
    assert "cand" not in drawn.sheet.decode()
    by_place = {
        (k["system"], k["line"], k["position"]): (s, k) for s, k in zip(sheet, key, strict=True)
    }
    row, hidden = by_place["cand", "1", "0"]
    assert row["source"] == "The car stops . / [[it]] is red ."
    assert row["translation"] == f"La voiture . / {GAP} rouge ."  # Dit-il as a whole
    assert (hidden["output"], hidden["case"], hidden["document"]) == ("Dit-il", "3", "one")
    row, hidden = by_place["ref", "2", "2"]
    assert row["source"] == "they say [[it]] ."  # the line before is in another document
    assert (row["translation"], hidden["output"]) == (f"Ils {GAP} disent .", "le")
    row, hidden = by_place["cand", "3", "2"]
    assert (row["translation"], hidden["output"], hidden["case"]) == (
        "Ils le disent . / donc va",
        "",
        "4",
    )


def test_a_sample_is_the_same_for_all_systems_and_seeds_differ(evaluation):
    key = table(draw_gaps(evaluation, None, 2, 0, 3).key)
    places = [
        {(r["line"], r["position"]) for r in key if r["system"] == s} for s in ("ref", "cand")
    ]
    assert places[0] == places[1]
    assert len(places[0]) == 2
    again = draw_gaps(evaluation, None, 2, 0, 3).key
    assert table(again) == key
    assert len({draw_gaps(evaluation, None, None, 0, seed).key for seed in range(6)}) > 1


@pytest.fixture
def files(evaluation, tmp_path):
    drawn = draw_gaps(evaluation, DOCUMENTS, None, 1, 1)
    sheet, key = tmp_path / "sheet.tsv", tmp_path / "key.tsv"
    sheet.write_bytes(drawn.sheet)
    key.write_bytes(drawn.key)
    return sheet, key


def fill(sheet, answers):
    rows = table(sheet.read_bytes())
    for row, answer in zip(rows, answers, strict=False):
        row["accepted"] = answer
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, rows[0], delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    sheet.write_text(buffer.getvalue(), "utf-8")


def test_filled_sheets_are_read_with_their_key(files):
    sheet, key = files
    assert not is_filled_in(sheet)
    fill(sheet, ["il, elle", "c' ", "cela/ça", "Other", "bad translation", "BAD", ""])
    assert is_filled_in(sheet)
    found = read_filled_gaps([sheet], key, LISTS)
    assert found.empty == 2
    assert [set(one.accepted) for one in found.gaps] == [
        {"il", "elle"}, {"ce"}, {"ça"}, {OTHER}, set(), set()
    ]  # fmt: skip
    assert [one.bad for one in found.gaps] == [False] * 4 + [True] * 2
    words = {(one.system, one.place): one.word for one in found.gaps}
    assert all(words[place] == word for place, word in (
        (("cand", (1, 0)), "il"), (("ref", (2, 2)), OTHER), (("cand", (3, 2)), OTHER),
    ) if place in words)  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(judged_csv(found))))
    assert [row["human"] for row in rows[4:]] == ["bad translation"] * 2
    assert {row["category"] for row in rows} <= {"it", "they"}


def test_without_a_key_the_table_says_everything(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("system,output,accepted\na,Il,il\na,,other\nb,x y elle,elle il\n", "utf-8")
    found = read_filled_gaps([path], None, LISTS)
    assert [(one.word, one.right) for one in found.gaps] == [
        ("il", True), (OTHER, True), ("elle", True)
    ]  # fmt: skip
    evaluation = evaluate_gaps(found, LISTS, Resampling(20, 1))
    assert "by:gap" in evaluation.systems[0].scores["f"].signature
    assert (
        csv_report(evaluation).splitlines()[0].startswith("system,accuracy,accuracy_without_other,")
    )
    assert '"missed": 0' in json_report(evaluation)


def test_all_faults_of_sheets_and_key(files, tmp_path):
    sheet, key = files
    fill(sheet, ["il", "was", "il bad"])
    lines = sheet.read_text("utf-8").splitlines()
    twice = tmp_path / "twice.tsv"
    twice.write_text("\n".join([lines[0], lines[1], "99\t\t\til\t", "1\til"]) + "\n", "utf-8")
    rows = key.read_text("utf-8").splitlines()
    cells = rows[1].split("\t")
    cells[3], cells[6] = "x", "7"
    key.write_text("\n".join([rows[0], "\t".join(cells), *rows[2:], rows[2]]) + "\n", "utf-8")
    with pytest.raises(InputError) as error:
        read_filled_gaps([sheet, twice], key, LISTS)
    told = [(problem.path.rpartition("/")[2], problem.field) for problem in error.value.problems]
    assert ("twice.tsv", "cells") in told
    assert told.count(("twice.tsv", "example")) == 2
    assert ("key.tsv", "example") in told
    assert told.count(("sheet.tsv", "accepted")) == 2
    assert ("sheet.tsv", "line") in told
    assert ("sheet.tsv", "case") in told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "column: expected 'accepted' among them, found a heading"),
        ("system,output,accepted,accepted\na,il,il,il\n", "heading: expected different names"),
        ("system,output,accepted\n", "at least one gap that is filled in"),
        ("system,output,accepted\na,il,\n", "at least one gap that is filled in"),
        ("system,output,accepted\n,il,il\n", "system: expected a name, found nothing"),
        (
            "system,output,accepted,line,position\na,il,il,0,0\na,il,il,0,0\n",
            "each once for each system",
        ),
    ],
)
def test_tables_that_are_refused(content, told, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=told):
        read_filled_gaps([path], None, LISTS)


def test_a_filled_in_review_file_of_apt_is_a_table_of_judged_pronouns(evaluation, tmp_path):
    """`correlate disagreement --case why --human pronoun` reads what a campaign exports."""
    items = apt_items(evaluation)
    said = ("right", "wrong", "unclear")
    verdicts = [
        Verdict(one.item, "A", said[number % 3], None) for number, one in enumerate(items.items)
    ]
    path = tmp_path / "review.tsv"
    path.write_bytes(review_table(items, verdicts, 1))
    judged = read_judgements(path, JudgedColumns(case="why", human="pronoun"))
    cases = [one.case for own in evaluation.scored.items for one in own]
    assert [one.case for one in judged] == cases
    assert [one.correct for one in judged] == [[True, False, None][n % 3] for n in range(8)]
    assert {one.category for one in judged} == {"it", "they"}
