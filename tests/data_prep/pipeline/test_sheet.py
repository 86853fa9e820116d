"""Sheets of source pronouns: what people say of subjects and links comes back (003 §3.3.3)."""

from __future__ import annotations

import csv
import json
import re

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.gaps.segments import Correction, PronounDecision
from crosspro.data_prep.pipeline.sheet import checked_rates, sheet_text
from tests.sample import as_conllu
from tests.scripts.run import crosspro

ENGLISH = ["It/obj works/root ./punct", "I/nsubj like/root it/obj ./punct",
           "They/nsubj say/root it/nsubj is/ccomp it/nsubj ./punct"]  # fmt: skip
"""The parser is wrong twice: the first it is a subject, the last one is none."""
FRENCH = ["Il marche .", "Je l' aime .", "Ils disent que c' est lui ."]
LINKS = ["0-0 1-1 2-2", "0-0 1-2 3-3", "0-0 1-1 2-2 3-4 4-3 5-6"]
"""The it of line 1 has no link, and both of line 2 have wrong ones."""

FILLED = {
    ("0", "0"): ("yes", "yes"),
    ("1", "2"): ("no", "l'"),
    ("2", "0"): ("", "yes"),
    ("2", "2"): ("Yes", "3"),
    ("2", "4"): ("no", "Lui"),
}


@pytest.fixture
def call(tmp_path):
    """The command that prepares three lines, with a parse, annotation and links of our own."""
    parse = []
    for line in ENGLISH:
        for number, token in enumerate(line.split(), start=1):
            form, label = token.split("/")
            tag = "PRON" if label in ("nsubj", "obj") else "VERB"
            parse.append(f"{number}\t{form}\t{form.lower()}\t{tag}\t_\t_\t0\t{label}\t_\t_")
        parse.append("")
    files = {
        "t.en": [" ".join(token.split("/")[0] for token in line.split()) for line in ENGLISH],
        "t.fr": FRENCH,
        "links": LINKS,
        "parse": parse,
        "tokens": [as_conllu(FRENCH)],
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return (
        *("prepare", "--task", "en-fr", "--source", tmp_path / "t.en"),
        *("--target", tmp_path / "t.fr", "--links", tmp_path / "links", "--tokenised"),
        *("--annotator", f"conllu:{tmp_path / 'tokens'}"),
        *("--source-annotator", f"conllu:{tmp_path / 'parse'}", "-o", tmp_path / "work"),
    )


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t"))


def fill(sheet, path, answers):
    rows = rows_of(sheet)
    for row in rows:
        row["subject"], row["words"] = answers.get((row["line"], row["position"]), ("", ""))
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, rows[0], delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def sheet(call, tmp_path):
    result = crosspro(*call, "--sheet", tmp_path / "sheet.tsv")
    assert result.code == 0, result.stderr
    return tmp_path / "sheet.tsv"


def labels(tmp_path):
    return [[gap.label for gap in example.gaps]
            for example in read_examples(tmp_path / "work.data", load_task("en-fr"))]  # fmt: skip


def test_a_sheet_shows_what_was_decided(sheet, tmp_path):
    shown = [tuple(row[name] for name in ("line", "position", "filter", "rule", "linked"))
             for row in rows_of(sheet)]  # fmt: skip
    assert shown == [
        ("0", "0", "removed", "label obj", "0"),
        ("1", "2", "removed", "label obj", "-"),
        ("2", "0", "unfiltered", "", "0"),
        ("2", "2", "kept", "label nsubj", "2"),
        ("2", "4", "kept", "label nsubj", "3"),
    ]
    assert rows_of(sheet)[3]["source"] == "They say [[it]] is it ."
    assert rows_of(sheet)[3]["target"] == "Ils disent [[que]] c' est lui ."
    assert labels(tmp_path) == [[], [], ["ils", "OTHER", "ce"]]
    assert "checked" not in json.loads((tmp_path / "work.report.json").read_text())


def test_a_sheet_that_comes_back_corrects_and_tells_how_often_we_were_wrong(call, sheet, tmp_path):
    filled = fill(sheet, tmp_path / "filled.tsv", FILLED)
    result = crosspro(*call, "--checked", filled)
    assert result.code == 0, result.stderr
    assert labels(tmp_path) == [["il"], [], ["ils", "ce"]]
    examples = list(read_examples(tmp_path / "work.data", load_task("en-fr")))
    assert (2, 1) in examples[1].links  # it is l', which had no link
    assert (4, 5) in examples[2].links
    assert (4, 3) not in examples[2].links
    report = json.loads((tmp_path / "work.report.json").read_text())
    assert str(filled) in report["inputs"]
    assert report["checked"] == {
        "kept": {"checked": 2, "wrong": 1},
        "removed": {"checked": 2, "wrong": 1},
        "filter_precision": 0.5,
        "filter_recall": 0.5,
        "link_precision": 2 / 4,
        "link_recall": 2 / 5,
    }


def test_rows_that_are_not_filled_in_say_nothing(call, sheet, tmp_path):
    filled = fill(sheet, tmp_path / "f.tsv", {("2", "4"): ("", "-")})
    assert crosspro(*call, "--checked", filled).code == 0
    assert labels(tmp_path) == [[], [], ["ils", "OTHER", "OTHER"]]
    rates = json.loads((tmp_path / "work.report.json").read_text())["checked"]
    assert [rates[name]["checked"] for name in ("kept", "removed")] == [0, 0]
    assert (rates["filter_recall"], rates["link_recall"]) == (None, None)
    empty = crosspro(*call, "--checked", sheet)
    assert empty.code == 2
    assert sheet.name in empty.stderr.decode()


def test_marks_are_those_of_the_sheet_not_of_links_that_have_changed(call, sheet, tmp_path):
    """`yes` confirms what people saw, whatever the aligner says now."""
    filled = fill(sheet, tmp_path / "f.tsv", {("0", "0"): ("yes", "yes")})
    (tmp_path / "links").write_text("0-1 2-2\n" + "\n".join(LINKS[1:]) + "\n")
    assert crosspro(*call, "--checked", filled).code == 0
    assert labels(tmp_path)[0] == ["il"]
    rates = json.loads((tmp_path / "work.report.json").read_text())["checked"]
    assert rates["link_precision"] == 0


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("yes\tyes", "perhaps\tyes", "subject"),
        ("Lui", "elle", "words"),
        ("I like", "I hate", "source"),
        ("0\t0\tIt", "9\t0\tIt", "line"),
        ("2\t0\tThey", "2\t1\tThey", "position"),
        ("2\t0\tThey", "2\tThey", "cells"),
        ("subject", "subjects", "heading"),
    ],
)
def test_faults_of_a_sheet_are_placed(call, sheet, tmp_path, old, new, field):
    filled = fill(sheet, tmp_path / "f.tsv", FILLED)
    before = (tmp_path / "work.data").read_bytes()
    text = filled.read_text("utf-8")
    assert old in text
    filled.write_text(text.replace(old, new, 1), encoding="utf-8")
    result = crosspro(*call, "--checked", filled)
    assert result.code == 2
    assert re.search(rf"f\.tsv:\d+: {field}:", result.stderr.decode())
    assert (tmp_path / "work.data").read_bytes() == before


def test_null_subjects_have_no_pronouns_to_check(tmp_path):
    for option in ("--sheet", "--checked"):
        result = crosspro("prepare", "--task", "es-en", "--source", tmp_path / "x", option,
                          tmp_path / "s.tsv", "-o", tmp_path / "w")  # fmt: skip
        assert result.code == 2
        assert option in result.stderr.decode()


def decision(line, decided):
    return PronounDecision(line, 0, ("it",), ("il",), (0,), decided, "rule")


def test_a_sample_is_of_each_decision_and_the_same_for_a_seed():
    decisions = [decision(n, "removed" if n % 10 == 0 else "kept") for n in range(1000)]
    sheet = sheet_text(decisions, 20)
    assert sheet == sheet_text(decisions, 20) != sheet_text(decisions, 20, seed=2)
    rows = list(csv.DictReader(sheet.splitlines(), delimiter="\t"))
    lines = [int(row["line"]) for row in rows]
    assert lines == sorted(lines)
    kept = [line for line, row in zip(lines, rows, strict=True) if row["filter"] == "kept"]
    assert (len(kept), len(rows)) == (20, 40)
    assert min(kept) < 300 < 700 < max(kept)


def test_error_rates_of_the_paper():
    """003 §3.3.3, de-en: 34 of a sample of 70 removed pronouns were subjects."""
    answers = {n: {0: Correction(subject=n < 34)} for n in range(70)}
    rates = checked_rates([decision(n, "removed") for n in range(700)], answers)
    assert rates["removed"] == {"checked": 70, "wrong": 34}
