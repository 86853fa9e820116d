"""`crosspro protest build` as a user calls it: suites, and everything that is wrong with files."""

from __future__ import annotations

import json
import shutil

import pytest

from crosspro.evaluation.protest.suite import read_suite
from tests.scripts.protest.conftest import FOLDER, LINKS, OWN_LINKS, TEXT, protest, signatures


def test_build_reports_and_writes(suite, tmp_path):
    result = protest(
        "build",
        "--annotation",
        FOLDER / "en",
        *TEXT,
        *LINKS,
        "--text",
        tmp_path / "copy",
        "-o",
        tmp_path / "again.jsonl",
    )
    report = result.stdout.decode()
    assert "too few: pleonastic it, 1 of 30 wanted" in report
    assert "no specific antecedent" in report
    assert b"14 tokens (published: 250)" in result.stderr
    assert (tmp_path / "again.jsonl").read_bytes() == suite.read_bytes()
    for name in ("en", "fr", "doc-ids", "links"):
        copy = (tmp_path / f"copy.{name}").read_text("utf-8")
        assert copy == (FOLDER / f"text.{name}").read_text("utf-8")


def test_build_from_mmax_on_both_sides_makes_links(tmp_path):
    path = tmp_path / "suite.jsonl"
    result = protest(
        "build", "--annotation", FOLDER / "en", "--reference", FOLDER / "fr", "-o", path
    )
    assert result.code == 0, result.stderr
    suite = read_suite(path)
    assert suite.references[0][0] == ("J'", "ai", "un", "vélo", ".")
    assert suite.settings["links"] == "aligned"


def test_links_are_repaired_only_on_demand(suite, tmp_path):
    repaired = tmp_path / "repaired.jsonl"
    line = ("build", "--annotation", FOLDER / "en", *TEXT, *LINKS)
    result = protest(*line, "--repair", "-o", repaired)
    assert b"15 tokens" in result.stderr
    found = [len(read_suite(path).tokens) for path in (suite, repaired)]
    assert found == [14, 15]  # a clitic has no link
    for option, automatic in (("--repair", 1.0), ("--no-repair", 14 / 15)):
        scored = protest(
            "score",
            repaired,
            "--candidate",
            FOLDER / "text.fr",
            *OWN_LINKS,
            option,
            "--layout",
            "json",
        )
        (system,) = json.loads(scored.stdout)["systems"]
        assert system["scores"]["automatic"]["value"] == pytest.approx(automatic)
    assert "|repair:no|" in signatures(repaired, "--candidate", FOLDER / "text.fr", *OWN_LINKS)[0]


def test_build_with_sizes_decisions_and_top_up(tmp_path):
    decisions = tmp_path / "d.tsv"
    decisions.write_text("document\tword\tcategory\thead\n001_talk2\tword_13\tevent_it\n", "utf-8")
    path = tmp_path / "suite.jsonl"
    arguments = (
        "build",
        "--annotation",
        FOLDER / "en",
        *TEXT,
        *LINKS,
        "-o",
        path,
        "--decisions",
        decisions,
        "--size",
        "event_it=1",
    )
    others = [("--size", f"{name}=0") for name in ("pleonastic_it", "anaphoric_inter_subject_it")]
    assert protest(*arguments, *(word for pair in others for word in pair)).code == 0
    categories = [token.category for token in read_suite(path).tokens]
    assert categories.count("event_it") == 1
    assert "pleonastic_it" not in categories
    assert protest(*arguments, "--top-up").code == 0
    assert sum(t.category == "event_it" for t in read_suite(path).tokens) == 2
    assert protest(*arguments, "--size", "it=1").code == 2


def test_build_lists_every_problem_and_writes_nothing(tmp_path):
    project = shutil.copytree(FOLDER / "en", tmp_path / "en")
    words = project / "Basedata" / "000_talk1_words.xml"
    words.write_text(words.read_text("utf-8").replace("</words>", ""), "utf-8")
    coref = project / "Markables" / "001_talk2_coref_level.xml"
    coref.write_text(coref.read_text("utf-8").replace("word_19", "word_1900"), "utf-8")
    output = tmp_path / "suite.jsonl"
    result = protest("build", "--annotation", project, *TEXT, *LINKS, "-o", output)
    assert result.code == 2
    lines = result.stderr.decode().splitlines()
    assert [line.split(": ")[0].rpartition("/")[2] for line in lines] == [
        "000_talk1_words.xml:102",
        "001_talk2_coref_level.xml:7",
    ]
    assert not output.exists()


def test_problems_of_annotation_text_links_and_decisions_come_together(tmp_path):
    project = shutil.copytree(FOLDER / "en", tmp_path / "en")
    words = project / "Basedata" / "000_talk1_words.xml"
    words.write_text(words.read_text("utf-8").replace("</words>", ""), "utf-8")
    (tmp_path / "links").write_text("0-0 99-0\n" * 19, "utf-8")
    (tmp_path / "d.tsv").write_text("document\tword\tcategory\thead\na\tb\tc\n", "utf-8")
    result = protest(
        "build",
        "--annotation",
        project,
        *TEXT,
        "--links",
        tmp_path / "links",
        "--decisions",
        tmp_path / "d.tsv",
        "-o",
        tmp_path / "x",
    )
    assert result.code == 2
    named = [line.split(":")[0].rpartition("/")[2] for line in result.stderr.decode().splitlines()]
    assert named == ["000_talk1_words.xml", "d.tsv", *["links"] * 18, "… and 1 more problem"]


def test_all_problems_of_decisions_in_their_order(tmp_path):
    rows = ["document\tword\tcategory\thead", "no\tword_1\t\t", "000_talk1\tword_1\tbad\t"]
    (tmp_path / "d.tsv").write_text("\n".join([*rows, "000_talk1\tx\t\t"]) + "\n", "utf-8")
    result = protest(
        *("build", "--annotation", FOLDER / "en", *TEXT, *LINKS),
        *("--decisions", tmp_path / "d.tsv", "-o", tmp_path / "x"),
    )
    fields = [line.rpartition("d.tsv:")[2] for line in result.stderr.decode().splitlines()]
    assert [field.partition(": expected")[0] for field in fields] == [
        "2: document",
        "3: category",
        "4: word",
    ]


def test_build_with_unequal_lines_and_links_out_of_range(tmp_path):
    (tmp_path / "short.fr").write_text("Il .\n", "utf-8")
    result = protest(
        "build",
        "--annotation",
        FOLDER / "en",
        "--source",
        FOLDER / "text.en",
        "--reference",
        tmp_path / "short.fr",
        "--doc-ids",
        tmp_path / "short.fr",
        *LINKS,
        "-o",
        tmp_path / "x",
    )
    assert result.code == 2
    assert result.stderr.decode().count(":2: lines: expected 19 lines as in") == 2
    links = (FOLDER / "text.links").read_text("utf-8").splitlines()
    links[3], links[7] = "0-0 50-1", "0-0 1-60"
    (tmp_path / "links").write_text("\n".join(links) + "\n", "utf-8")
    result = protest(
        "build",
        "--annotation",
        FOLDER / "en",
        *TEXT,
        "--links",
        tmp_path / "links",
        "-o",
        tmp_path / "x",
    )
    assert result.code == 2
    assert b"links:4: links: expected links inside 6 source and 7 target tokens" in result.stderr
    assert b"links:8: links:" in result.stderr


def test_build_needs_the_annotated_documents_in_the_text(tmp_path):
    (tmp_path / "ids").write_text("other\n" * 19, "utf-8")
    result = protest(
        "build",
        "--annotation",
        FOLDER / "en",
        *TEXT[:4],
        "--doc-ids",
        tmp_path / "ids",
        *LINKS,
        "-o",
        tmp_path / "x",
    )
    assert result.code == 2
    assert b"a document of" in result.stderr


def test_several_documents_need_doc_ids(tmp_path):
    result = protest("build", "--annotation", FOLDER / "en", *TEXT[:4], "-o", tmp_path / "x")
    assert result.code == 2
    assert result.stderr.count(b"--doc-ids") == 2


def test_unequal_sentences_of_mmax_projects(tmp_path):
    project = shutil.copytree(FOLDER / "fr", tmp_path / "fr")
    level = project / "Markables" / "001_talk2_sentence_level.xml"
    kept = [line for line in level.read_text("utf-8").splitlines() if "markable_3" not in line]
    level.write_text("\n".join(kept) + "\n", "utf-8")
    result = protest(
        "build", "--annotation", FOLDER / "en", "--reference", project, "-o", tmp_path / "x"
    )
    assert result.code == 2
    assert b"sentences: expected 4 as in" in result.stderr


@pytest.mark.parametrize("command", ["build", "score", "review"])
def test_help(command):
    assert protest(command, "--help").code == 0
