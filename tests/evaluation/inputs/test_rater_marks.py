"""Marks of raters and scores of metrics, in every form that WMT gives them out in."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.inputs.rater_marks import (
    RatedOutput,
    RaterMark,
    read_esa,
    read_mqm_table,
    read_ratings,
    read_segment_scores,
)
from tests.conftest import GOLDEN

WMT = GOLDEN / "wmt"
SOFA = "Es war unter dem Sofa."
ES = RaterMark(0, 2, "accuracy/mistranslation", "major")


def faults(reader, path):
    with pytest.raises(InputError) as raised:
        reader(path)
    return [str(problem).replace(f"{path.parent}/", "") for problem in raised.value.problems]


@pytest.mark.parametrize("path", ["metrics-eval/human-scores/en-de.mqm.seg.rating", "pair/mqm.tsv"])
def test_ratings(path):
    found = read_ratings(WMT / path)
    assert [(one.system, one.segment) for one in found] == [
        *(("alpha", number) for number in (0, 1, 2)),
        *(("beta", number) for number in (0, 1, 3)),
    ]
    assert found[1].marks == (ES,)
    assert found[-1].marks == (RaterMark(0, 4, "source error", "minor", in_source=True),)
    assert found[1].rater == ("rater2" if path.endswith("rating") else "rater")


def test_faults_of_ratings_are_told_at_once(tmp_path):
    path = tmp_path / "x.seg.rating"
    bad = json.dumps({"errors": [{"start": 3, "end": 1}, 7]})
    path.write_text(f"a\tNone\na\t{{\na\t[]\na\t{bad}\nb\nb\tNone\n", "utf-8")
    assert faults(read_ratings, path) == [
        "x.seg.rating:2: rating: expected JSON or None, found Expecting property name enclosed in "
        "double quotes: line 1 column 2 (char 1)",
        "x.seg.rating:3: rating: expected an object with \"errors\", a list, found '[]'",
        "x.seg.rating:4: errors[0]: expected start and end, characters from 0, found 3 and 1",
        "x.seg.rating:4: errors[1]: expected an object, found '7'",
        "x.seg.rating:5: columns: expected 2 or 3 columns, a system first, found 'b'",
    ]
    path.write_text("a\tNone\na\tNone\nb\tNone\n", "utf-8")
    assert faults(read_ratings, path) == [
        "x.seg.rating:3: system: expected 2 segments of b as of a, found 1"
    ]


def test_a_table_with_a_row_for_each_mark():
    found = read_mqm_table(WMT / "mqm.tsv")
    assert found[0] == RatedOutput(
        "alpha",
        "dog.1",
        1,
        "rater1",
        (),
        "The dog has lost its ball.",
        "Der Hund hat seinen Ball verloren.",
    )
    assert found[1].marks == (
        RaterMark(0, 2, "Accuracy/Mistranslation", "Major"),
        RaterMark(3, 6, "Style/Awkward", "Minor"),
        RaterMark(17, 21, "Style/Awkward", "Minor"),
    )
    assert (found[1].target, found[1].target[17:21]) == (SOFA, "Sofa")
    assert found[2].marks == (RaterMark(0, 2, "Source error", "Minor", in_source=True),)
    unclosed = RaterMark(None, None, "Style/Awkward", "Minor")
    assert (found[3].marks, found[3].target) == ((unclosed,), "Der Hund verlor seinen Ball.")


def test_a_table_of_marot_needs_no_heading():
    found = read_mqm_table(WMT / "marot.tsv")
    assert [(one.system, one.segment, one.rater, one.marks) for one in found] == [
        ("alpha", 2, "rater1", (ES,)),
        ("beta", 2, "rater1", ()),
    ]


def test_faults_of_a_table_are_told_at_once(tmp_path):
    path = tmp_path / "mqm.tsv"
    heading = "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rows = ["a\td\tx\tr\ts\tt\tc\tv", "a\td\t1\tr\ts\t</v>t<v>\tc\tv", "a\td\t1"]
    path.write_text("".join(f"{line}\n" for line in (heading, *rows)), "utf-8")
    assert faults(read_mqm_table, path) == [
        "mqm.tsv:2: segment: expected a whole number, found 'x'",
        "mqm.tsv:3: target: expected <v>…</v>, one after the other, found '</v>t<v>'",
        "mqm.tsv:4: row: expected 8 columns, found 3",
    ]
    path.write_text("system\tdoc\trater\n", "utf-8")
    assert faults(read_mqm_table, path)[0].startswith("mqm.tsv:1: columns: expected system, doc")


@pytest.mark.parametrize("form", ["annotations.jsonl", "segments.jsonl"])
def test_esa(form):
    found = {
        (one.system, one.document.split("_#_")[-1], one.segment): one
        for one in read_esa(WMT / form, ("en", "de"))
        if one.system != "refA"
    }
    assert len(found) == 8
    second = 3 if form == "annotations.jsonl" else 1
    first = found["alpha", "dog.1", 1]
    assert first.marks == (RaterMark(0, 2, "", "major"),)
    assert (first.score, first.rater, first.target) == (80.0, "engdeu1", SOFA)
    assert found["alpha", "key.2", second].marks == (RaterMark(None, None, "", "minor"),)
    assert found["beta", "dog.1", 1].marks == ()


def test_faults_of_esa_are_told_at_once(tmp_path):
    path = tmp_path / "esa.jsonl"
    rows = [json.loads(line) for line in (WMT / "segments.jsonl").read_text("utf-8").splitlines()]
    rows[0]["scores"]["alpha"][0]["errors"] = [{"start_i": 1, "end_i": "missing"}]
    rows[1]["scores"]["beta"] = ["good"]
    rows[2]["scores"]["beta"][0]["score"] = "good"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    assert faults(read_esa, path) == [
        "esa.jsonl:1: scores.alpha[0]: expected start_i and end_i, characters from 0, found 1 and "
        "'missing'",
        "esa.jsonl:2: scores.beta: expected annotations with errors, found \"'good'\"",
        "esa.jsonl:3: score: expected a number, found 'good'",
    ]


def test_scores_of_metrics():
    folder = WMT / "metrics-eval"
    one = read_segment_scores(folder / "metric-scores/en-de/toy-refA.seg.score")
    assert one == read_segment_scores(WMT / "pair/metrics.tsv")
    assert one["toy-refA"]["alpha", 1] == 0.4
    human = read_segment_scores(folder / "human-scores/en-de.mqm.seg.score")["en-de.mqm"]
    assert (human["alpha", 1], ("alpha", 3) in human) == (-5.0, False)


def test_faults_of_scores_are_told_at_once(tmp_path):
    path = tmp_path / "toy.seg.score"
    path.write_text("a\tone\na\tinf\na\n", "utf-8")
    assert faults(read_segment_scores, path) == [
        "toy.seg.score:1: score: expected a number, found 'one'",
        "toy.seg.score:2: score: expected a number, found 'inf'",
        "toy.seg.score:3: columns: expected 2 columns, a system first, found 'a'",
    ]
    table = tmp_path / "metrics.tsv"
    table.write_text("m\ta\t0\t1\nm\ta\t0\t2\nm\ta\tx\t2\n", "utf-8")
    assert faults(read_segment_scores, table) == [
        "metrics.tsv:2: segment: expected each segment of a system once, found 0 again",
        "metrics.tsv:3: row: expected metric, system, segment from 0, score, found "
        r"'m\ta\tx\t2'",
    ]
