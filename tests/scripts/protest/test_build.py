"""`crosspro protest build` as a user calls it: suites, and everything that is wrong with files."""

from __future__ import annotations

import json
import shutil

import pytest

from crosspro.evaluation.protest.suite import read_suite
from tests.scripts.protest.conftest import (
    ANNOTATION,
    BUILD,
    FOLDER,
    LINKS,
    REFERENCE,
    SIDES,
    TEXT,
    outcome,
    protest,
    refused,
    scores,
)


def test_build_reports_and_writes(suite, tmp_path):
    again = tmp_path / "again.jsonl"
    report, told = protest(f"{BUILD} --text {tmp_path}/copy -o {again}")
    rows = {line.rsplit(maxsplit=5)[0]: line.split()[-5:] for line in report.splitlines() if line}
    assert rows["pleonastic it"] == ["1", "0", "1", "1", "30"]
    assert "14 tokens" in told
    assert again.read_bytes() == suite.read_bytes()
    for name in ("en", "fr", "doc-ids", "links"):
        copy = (tmp_path / f"copy.{name}").read_text("utf-8")
        assert copy == (FOLDER / f"text.{name}").read_text("utf-8")


def test_build_from_mmax_on_both_sides_makes_links(tmp_path):
    path = tmp_path / "suite.jsonl"
    protest(f"{ANNOTATION} --reference {FOLDER}/fr -o {path}")
    suite = read_suite(path)
    assert suite.references[0][0] == ("J'", "ai", "un", "vélo", ".")
    assert suite.settings["links"] == "aligned"


def test_links_are_repaired_only_on_demand(suite, tmp_path):
    repaired = tmp_path / "repaired.jsonl"
    assert "15 tokens" in protest(f"{BUILD} --repair -o {repaired}")[1]
    found = [len(read_suite(path).tokens) for path in (suite, repaired)]
    assert found == [14, 15]  # a clitic has no link
    for option, automatic in (("--repair", 1.0), ("--no-repair", 14 / 15)):
        (system,) = scores(repaired, REFERENCE, options=option)
        assert system["scores"]["automatic"]["value"] == pytest.approx(automatic)
    assert "|repair:no|" in system["scores"]["automatic"]["signature"]


def test_build_with_sizes_decisions_and_top_up(tmp_path):
    decisions, path = tmp_path / "d.tsv", tmp_path / "suite.jsonl"
    decisions.write_text("document\tword\tcategory\thead\n001_talk2\tword_13\tevent_it\n", "utf-8")
    line = f"{BUILD} -o {path} --decisions {decisions} --size event_it=1"
    protest(f"{line} --size pleonastic_it=0 --size anaphoric_inter_subject_it=0")
    categories = [token.category for token in read_suite(path).tokens]
    assert categories.count("event_it") == 1
    assert "pleonastic_it" not in categories
    protest(f"{line} --top-up")
    assert sum(t.category == "event_it" for t in read_suite(path).tokens) == 2
    refused(f"{line} --size it=1")


@pytest.fixture
def damaged(tmp_path):
    """The annotation with a file that is cut off."""
    project = shutil.copytree(FOLDER / "en", tmp_path / "en")
    words = project / "Basedata" / "000_talk1_words.xml"
    words.write_text(words.read_text("utf-8").replace("</words>", ""), "utf-8")
    return project


def test_build_lists_every_problem_and_writes_nothing(damaged, tmp_path):
    coref = damaged / "Markables" / "001_talk2_coref_level.xml"
    coref.write_text(coref.read_text("utf-8").replace("word_19", "word_1900"), "utf-8")
    told = refused(f"build --annotation {damaged} {TEXT} {LINKS} -o {tmp_path}/suite.jsonl")
    assert [line.split(": ")[0].rpartition("/")[2] for line in told.splitlines()] == [
        "000_talk1_words.xml:102",
        "001_talk2_coref_level.xml:7",
    ]
    assert not (tmp_path / "suite.jsonl").exists()


def test_problems_of_annotation_text_links_and_decisions_come_together(damaged, tmp_path):
    links, decisions = tmp_path / "links", tmp_path / "d.tsv"
    links.write_text("0-0 99-0\n" * 19, "utf-8")
    decisions.write_text("document\tword\tcategory\thead\na\tb\tc\n", "utf-8")
    files = f"--links {links} --decisions {decisions} -o {tmp_path}/x"
    told = refused(f"build --annotation {damaged} {TEXT} {files}")
    named = [line.split(":")[0].rpartition("/")[2] for line in told.splitlines()]
    assert named[:-1] == ["000_talk1_words.xml", "d.tsv", *["links"] * 18]


def test_all_problems_of_decisions_in_their_order(tmp_path):
    rows = ["document\tword\tcategory\thead", "no\tword_1\t\t", "000_talk1\tword_1\tbad\t"]
    (tmp_path / "d.tsv").write_text("\n".join([*rows, "000_talk1\tx\t\t"]) + "\n", "utf-8")
    told = refused(f"{BUILD} --decisions {tmp_path}/d.tsv -o {tmp_path}/x")
    fields = [line.rpartition("d.tsv:")[2] for line in told.splitlines()]
    assert [field.partition(": expected")[0] for field in fields] == [
        "2: document",
        "3: category",
        "4: word",
    ]


def test_build_with_unequal_lines_and_links_out_of_range(tmp_path):
    short, links = tmp_path / "short.fr", tmp_path / "links"
    short.write_text("Il .\n", "utf-8")
    files = f"--source {FOLDER}/text.en --reference {short} --doc-ids {short}"
    told = refused(f"{ANNOTATION} {files} {LINKS} -o {tmp_path}/x")
    assert told.count("short.fr:2: lines:") == 2
    lines = (FOLDER / "text.links").read_text("utf-8").splitlines()
    lines[3], lines[7] = "0-0 50-1", "0-0 1-60"
    links.write_text("\n".join(lines) + "\n", "utf-8")
    told = refused(f"{ANNOTATION} {TEXT} --links {links} -o {tmp_path}/x")
    assert "links:4: links:" in told
    assert "links:8: links:" in told


def test_build_needs_the_annotated_documents_in_the_text(tmp_path):
    (tmp_path / "ids").write_text("other\n" * 19, "utf-8")
    ids = f"--doc-ids {tmp_path}/ids"
    assert "talk1" in refused(f"{ANNOTATION} {SIDES} {ids} {LINKS} -o {tmp_path}/x")
    refused(f"{ANNOTATION} {SIDES} -o {tmp_path}/x")


def test_unequal_sentences_of_mmax_projects(tmp_path):
    project = shutil.copytree(FOLDER / "fr", tmp_path / "fr")
    level = project / "Markables" / "001_talk2_sentence_level.xml"
    kept = [line for line in level.read_text("utf-8").splitlines() if "markable_3" not in line]
    level.write_text("\n".join(kept) + "\n", "utf-8")
    told = refused(f"{ANNOTATION} --reference {project} -o {tmp_path}/x")
    assert "001_talk2" in told
    assert "sentences:" in told


@pytest.mark.parametrize("command", ["build", "score", "review"])
def test_help(command):
    assert outcome(f"{command} --help").code == 0


def parse_of(path):
    """A parse in which the fourth word of a line, or its last, governs the others."""
    blocks = []
    for line in path.read_text("utf-8").splitlines():
        words = line.split()
        top = min(4, len(words))
        rows = [
            f"{at}\t{word}\t_\tNOUN\t_\t_\t{top if at != top else 0}\tdep\t_\t_\n"
            for at, word in enumerate(words, start=1)
        ]
        blocks.append("".join(rows) + "\n")
    return "".join(blocks)


def test_heads_come_from_a_parse(suite, tmp_path):
    parse, built = tmp_path / "text.conllu", tmp_path / "parsed.jsonl"
    parse.write_text(parse_of(FOLDER / "text.en"), "utf-8")
    protest(f"{BUILD} --source-parse {parse} -o {built}")

    def heads(path):
        records = map(json.loads, path.read_text("utf-8").splitlines())
        return {r["token"]: r["antecedent"]["at"] for r in records if r.get("antecedent")}

    rules, parsed = heads(suite), heads(built)
    assert rules["talk1:word_6"] == parsed["talk1:word_6"] == [3]  # a bicycle
    assert rules["talk2:word_7"] == [4]  # the old house
    assert parsed["talk2:word_7"] == [3]  # as the parse says
    assert read_suite(built).settings["heads"] == "parse"
    assert "heads" not in read_suite(suite).settings
    parse.write_text(parse_of(REFERENCE), "utf-8")
    told = refused(f"{BUILD} --source-parse {parse} -o {tmp_path}/x.jsonl")
    assert told.count("text.conllu") > 5
