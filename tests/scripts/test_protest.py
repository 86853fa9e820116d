"""`crosspro protest` as a user calls it."""

from __future__ import annotations

import io
import json
import shutil
import sys
from unittest import mock

import pytest

from crosspro.conf import CONF_DIR
from crosspro.evaluation.protest.suite_reader import read_suite
from crosspro.scripts.main import run
from crosspro.scripts.protest import app
from tests.conftest import GOLDEN
from tests.scripts.run import Outcome

FOLDER = GOLDEN / "protest"
TEXT = (
    "--source",
    FOLDER / "text.en",
    "--reference",
    FOLDER / "text.fr",
    "--doc-ids",
    FOLDER / "text.doc-ids",
)
LINKS = ("--links", FOLDER / "text.links")


def protest(*arguments: object) -> Outcome:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with mock.patch.multiple(sys, stdout=out, stderr=err):
        try:
            run(app, [str(argument) for argument in arguments], "crosspro protest")
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return Outcome(code, out.buffer.getvalue(), err.buffer.getvalue())


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.jsonl"
    result = protest("build", "--annotation", FOLDER / "en", *TEXT, *LINKS, "-o", path)
    assert result.code == 0, result.stderr
    return path


@pytest.fixture
def wrong(tmp_path):
    """An output with three mismatches."""
    text = (FOLDER / "text.fr").read_text("utf-8")
    for old, new in (("Il pleut", "Ça pleut"), ("maison", "manoir")):
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "wrong.fr"
    path.write_text(text, "utf-8")
    return path


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


def test_links_are_repaired_only_on_demand(suite, tmp_path):
    repaired = tmp_path / "repaired.jsonl"
    line = ("build", "--annotation", FOLDER / "en", *TEXT, *LINKS)
    result = protest(*line, "--repair", "-o", repaired)
    assert b"15 tokens" in result.stderr
    found = [len(read_suite(path).tokens) for path in (suite, repaired)]
    assert found == [14, 15]  # a clitic has no link
    for option, automatic in (("--repair", 1.0), ("--no-repair", 14 / 15)):
        scored = protest("score", repaired, FOLDER / "text.fr", *LINKS, option, "--layout", "json")
        (system,) = json.loads(scored.stdout)["systems"]
        assert system["scores"]["automatic"]["value"] == pytest.approx(automatic)
    assert "|repair:no|" in signatures(repaired, FOLDER / "text.fr", *LINKS)[0]


def test_matches_go_out_on_demand_and_count_as_people_say(suite, tmp_path):
    review, store = tmp_path / "all.tsv", tmp_path / "v.sqlite"
    export = ("review", "export", suite, FOLDER / "text.fr", *LINKS, "-o", review)
    assert b"0 to judge" in protest(*export).stderr
    assert b"14 to judge" in protest(*export, "--matches").stderr
    lines = review.read_text("utf-8").splitlines()
    cells = next(line for line in lines if line.startswith("talk1:word_29")).split("\t")
    cells[-4] = "wrong"
    review.write_text("\n".join([lines[0], "\t".join(cells)]) + "\n", "utf-8")
    result = protest("review", "import", suite, review, "--verdicts", store, "--annotator", "Anna")
    assert result.code == 0, result.stderr
    scored = protest(
        "score", suite, FOLDER / "text.fr", *LINKS, "--verdicts", store, "--layout", "json"
    )
    scores = json.loads(scored.stdout)["systems"][0]["scores"]
    assert scores["automatic"]["value"] == 1
    assert scores["semi-automatic"]["value"] == pytest.approx(13 / 14)


def test_build_from_mmax_on_both_sides_makes_links(tmp_path):
    path = tmp_path / "suite.jsonl"
    result = protest(
        "build", "--annotation", FOLDER / "en", "--reference", FOLDER / "fr", "-o", path
    )
    assert result.code == 0, result.stderr
    suite = read_suite(path)
    assert suite.references[0][0] == ("J'", "ai", "un", "vélo", ".")
    assert suite.settings["links"] == "aligned"


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


def test_score_of_the_reference(suite):
    result = protest("score", suite, FOLDER / "text.fr", *LINKS)
    assert result.code == 0
    assert "100.0" in result.stdout.decode()


def test_score_makes_links_and_tokenises(suite, tmp_path):
    raw = (FOLDER / "text.fr").read_text("utf-8").replace(" .", ".").replace("' ", "'")
    (tmp_path / "raw.fr").write_text(raw, "utf-8")
    result = protest("score", suite, tmp_path / "raw.fr", "--layout", "json", "--resamples", 0)
    assert result.code == 0, result.stderr
    (system,) = json.loads(result.stdout)["systems"]
    assert system["name"] == "raw"
    assert system["scores"]["automatic"]["value"] > 0


def test_score_review_import_score(suite, wrong, tmp_path):
    review, store = tmp_path / "review.tsv", tmp_path / "verdicts.sqlite"
    both = ("score", suite, FOLDER / "text.fr", wrong, *LINKS, *LINKS)
    result = protest(*both, "--review", review, "--detail", tmp_path / "details.tsv")
    assert result.code == 0, result.stderr
    text = result.stdout.decode()
    assert "78.6 to 100.0" in text
    assert "p (bootstrap)" in text
    assert b"3 to judge" in result.stderr
    assert len((tmp_path / "details.tsv").read_text("utf-8").splitlines()) == 29
    lines = review.read_text("utf-8").splitlines()
    for name, opinions in (("Anna", "right"), ("Ben", "wrong")):
        filled = [lines[0]]
        for line in lines[1:]:
            cells = line.split("\t")
            cells[-4] = opinions if cells[0] == "talk1:word_29" else "right"
            cells[-3] = "right" if cells[3].startswith("anaphoric") else ""
            filled.append("\t".join(cells))
        (tmp_path / f"{name}.tsv").write_text("\n".join(filled) + "\n", "utf-8")
        result = protest(
            "review",
            "import",
            suite,
            tmp_path / f"{name}.tsv",
            "--verdicts",
            store,
            "--annotator",
            name,
        )
        assert result.code == 0, result.stderr
    assert b"3 verdicts by Ben, 1 conflicts" in result.stderr
    assert b"talk1:word_29" in protest("review", "conflicts", suite, "--verdicts", store).stdout
    scored = protest(*both, "--verdicts", store, "--layout", "json", "--resamples", 50).stdout
    second = json.loads(scored)["systems"][1]
    assert second["scores"]["semi-automatic"]["value"] == pytest.approx(13 / 14)
    assert second["at_most"] == pytest.approx(1)
    export = tmp_path / "conflicts.tsv"
    result = protest(
        "review", "export", suite, wrong, *LINKS, "--verdicts", store, "--conflicts", "-o", export
    )
    assert b"1 to judge" in result.stderr
    rows = export.read_text("utf-8").splitlines()
    cells = rows[1].split("\t")
    cells[-4] = "wrong"
    export.write_text("\n".join([rows[0], "\t".join(cells)]) + "\n", "utf-8")
    result = protest(
        "review", "import", suite, export, "--verdicts", store, "--annotator", "Chris", "--resolve"
    )
    assert b"0 conflicts" in result.stderr
    silver = tmp_path / "silver.tsv"
    assert (
        b"2 alternatives"
        in protest("review", "silver", suite, "--verdicts", store, "-o", silver).stderr
    )
    scored = protest("score", suite, wrong, *LINKS, "--silver", silver, "--layout", "json").stdout
    (system,) = json.loads(scored)["systems"]
    assert sum(counts["silver"] for counts in system["categories"].values()) == 2


def test_score_lists_every_problem_before_any_score(suite, tmp_path):
    (tmp_path / "short").write_text("x\n", "utf-8")
    links = (FOLDER / "text.links").read_text("utf-8").splitlines()
    links[5] += " 99-99"
    (tmp_path / "links").write_text("\n".join(links) + "\n", "utf-8")
    result = protest(
        "score",
        suite,
        tmp_path / "short",
        FOLDER / "text.fr",
        "--links",
        tmp_path / "links",
        "--links",
        tmp_path / "links",
        "-o",
        tmp_path / "report",
    )
    assert (result.code, result.stdout) == (2, b"")
    assert b"short:2: lines: expected 19 lines as in the suite, found 1" in result.stderr
    assert b"links:6: links: expected links inside 5 source and 6 target tokens" in result.stderr
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(
    "options",
    [
        ("--links", "a", "--links", "b"),
        ("--name", "a", "--name", "b"),
        ("--source", "a", "--source", "b"),
        ("--max-examples", "3"),
    ],
)
def test_options_must_fit_the_outputs(suite, options):
    assert protest("score", suite, FOLDER / "text.fr", *options).code == 2


def test_systems_need_different_names(suite):
    result = protest("score", suite, FOLDER / "text.fr", FOLDER / "text.fr", *LINKS, *LINKS)
    assert result.code == 2
    result = protest(
        "score",
        suite,
        FOLDER / "text.fr",
        FOLDER / "text.fr",
        *LINKS,
        *LINKS,
        "--name",
        "a",
        "--name",
        "b",
        "--resamples",
        20,
    )
    assert result.code == 0


@pytest.mark.parametrize("command", ["build", "score", "review"])
def test_help(command):
    assert protest(command, "--help").code == 0


# What users get wrong, and what signatures must tell apart --------------------------------------


def test_an_output_that_cannot_be_written_stops_everything(suite, wrong, tmp_path):
    review, detail = tmp_path / "r.tsv", tmp_path / "d.tsv"
    result = protest(
        *("score", suite, wrong, *LINKS, "--review", review, "--detail", detail),
        *("-o", tmp_path / "none" / "x"),
    )
    assert (result.code, result.stdout) == (2, b"")
    assert b"output: expected a file of its own in an existing folder" in result.stderr
    assert not review.exists()
    assert not detail.exists()
    result = protest("score", suite, wrong, *LINKS, "--review", review, "--detail", review)
    assert result.code == 2


def test_names_of_systems_keep_their_dots(suite, wrong, tmp_path):
    for name in ("sys.v1.fr", "sys.v2.fr"):
        shutil.copy(wrong, tmp_path / name)
    both = (tmp_path / "sys.v1.fr", tmp_path / "sys.v2.fr")
    result = protest("score", suite, *both, *LINKS, *LINKS, "--layout", "csv", "--resamples", 0)
    assert result.stdout.decode().splitlines() == [
        "system,automatic,semi-automatic",
        "sys.v1,0.785714,0.785714",
        "sys.v2,0.785714,0.785714",
    ]


def test_a_review_file_with_a_byte_order_mark(suite, wrong, tmp_path):
    review, store = tmp_path / "r.tsv", tmp_path / "v.sqlite"
    assert protest("score", suite, wrong, *LINKS, "--review", review).code == 0
    lines = review.read_text("utf-8").splitlines()
    cells = lines[1].split("\t")
    cells[-4] = "right"
    cells[-3] = "right" if cells[3].startswith("anaphoric") else ""
    text = "\r\n".join([lines[0], "\t".join(cells)]) + "\r\n"
    review.write_bytes(b"\xef\xbb\xbf" + text.encode("utf-8"))
    result = protest("review", "import", suite, review, "--verdicts", store, "--annotator", "Anna")
    assert result.code == 0, result.stderr
    assert b"1 verdicts by Anna" in result.stderr


def signatures(*arguments):
    result = protest("score", *arguments, "--layout", "json", "--resamples", 0)
    assert result.code == 0, result.stderr
    scores = json.loads(result.stdout)["systems"][0]["scores"]
    return [score["signature"] for score in scores.values()]


def test_signatures_say_where_links_come_from(suite, wrong, tmp_path):
    corpus = [tmp_path / "c.en", tmp_path / "c.fr"]
    for path in corpus:
        path.write_text("It rains .\n", "utf-8")
    given = signatures(suite, wrong, *LINKS)
    alone = signatures(suite, wrong)
    helped = signatures(suite, wrong, "--align-with", *corpus)
    corpus[1].write_text("Il pleut .\n", "utf-8")
    other = signatures(suite, wrong, "--align-with", *corpus)
    own = signatures(suite, wrong, *LINKS, "--source", FOLDER / "text.en")
    found = [one[0] for one in (given, alone, helped, other, own)]
    assert len(set(found)) == 5
    assert "|links:given|source:suite|" in given[0]
    assert "|links:aligned|" in alone[0]
    assert "|links:aligned+1." in helped[0]
    refused = protest("score", suite, wrong, *LINKS, "--align-with", *corpus)
    assert refused.code == 2


def test_signatures_say_which_verdicts_silver_and_lists(suite, wrong, tmp_path):
    silver = tmp_path / "silver.tsv"
    found = set()
    for word in ("ça", "ceci"):
        silver.write_text(f"token\tpronoun\thead\tremark\ntalk1:word_29\t{word}\t\t\n", "utf-8")
        automatic, both = signatures(suite, wrong, *LINKS, "--silver", silver)
        found.add(both)
        assert "|silver:1." in both
        assert "silver" not in automatic
    assert len(found) == 2
    lists = tmp_path / "fr.yaml"
    shipped = CONF_DIR / "words" / "protest" / "fr.yaml"
    lists.write_text(shipped.read_text("utf-8").replace("ceci", "ceça"), "utf-8")
    assert signatures(suite, wrong, *LINKS, "--lists", lists) != signatures(suite, wrong, *LINKS)


def test_a_single_system_has_intervals_in_every_category(tmp_path, wrong):
    suite = tmp_path / "suite.jsonl"
    line = ("build", "--annotation", FOLDER / "en", *TEXT, *LINKS, "--repair", "-o", suite)
    assert protest(*line).code == 0
    result = protest("score", suite, wrong, *LINKS, "--repair")
    rows = [line.rstrip() for line in result.stdout.decode().splitlines()]
    total = [row for row in rows if row.startswith("all ")][-1]
    assert "80.0 to 100.0 [" in total
    assert any("inter non-subject it" in row and row.endswith("]") for row in rows)


def test_an_empty_suite_and_texts_that_are_not_there(tmp_path):
    (tmp_path / "empty").write_text("")
    result = protest("score", tmp_path / "empty", tmp_path / "none", FOLDER / "text.fr")
    assert result.code == 2
    lines = result.stderr.decode().splitlines()
    assert [line.rpartition("/")[2] for line in lines] == [
        "empty: file: expected a suite from `protest build`, found an empty file",
        "none: file: expected a readable file, found No such file or directory",
    ]


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


def test_several_documents_need_doc_ids(tmp_path):
    result = protest("build", "--annotation", FOLDER / "en", *TEXT[:4], "-o", tmp_path / "x")
    assert result.code == 2
    assert result.stderr.count(b"--doc-ids") == 2


# Work of people is never lost -------------------------------------------------------------------


@pytest.fixture
def filled(suite, wrong, tmp_path):
    """A review file in which somebody has judged the first of three rows, with a spreadsheet."""
    review = tmp_path / "review.tsv"
    assert protest("score", suite, wrong, *LINKS, "--review", review).code == 0
    lines = review.read_text("utf-8").splitlines()
    cells = lines[1].split("\t")
    cells[-4] = "right"
    cells[-3] = "right" if cells[3].startswith("anaphoric") else ""
    cells[-1] = "as people say it"
    lines[1] = "\t".join(cells)
    review.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode("utf-8") + b"\r\n")
    return review


@pytest.fixture
def store(suite, filled, tmp_path):
    path = tmp_path / "verdicts.sqlite"
    result = protest("review", "import", suite, filled, "--verdicts", path, "--annotator", "Anna")
    assert result.code == 0, result.stderr
    return path


def keys(review):
    return [line.split("\t")[0] for line in review.read_text("utf-8").splitlines()[1:]]


@pytest.mark.parametrize(
    "command", [("score", "--resamples", "0", "--review"), ("review", "export", "-o")]
)
def test_new_rows_are_merged_into_a_review_file(suite, wrong, filled, command):
    *words, option = command
    result = protest(*words, suite, wrong, *LINKS, option, filled)
    assert result.code == 0, result.stderr
    assert b"review.tsv: 2 to judge" in result.stderr
    text = filled.read_text("utf-8")
    assert "as people say it" in text
    assert len(set(keys(filled))) == len(keys(filled)) == 3
    again = protest(*words, suite, FOLDER / "text.fr", *LINKS, option, filled)
    assert b"0 to judge" in again.stderr
    assert len(keys(filled)) == 1  # only what nobody has filled in was replaced
    assert "as people say it" in filled.read_text("utf-8")


def test_a_review_file_that_is_no_table_any_more_is_not_replaced(suite, wrong, filled):
    text = filled.read_text("utf-8") + "a row\tby hand\n"
    filled.write_text(text, "utf-8")
    result = protest("review", "export", suite, wrong, *LINKS, "-o", filled)
    assert result.code == 2
    assert b"to keep the verdicts of the file" in result.stderr
    assert filled.read_text("utf-8") == text


def test_no_output_replaces_verdicts(suite, wrong, filled, store, tmp_path):
    other = tmp_path / "other.sqlite"
    shutil.copy(store, other)
    before = {path: path.read_bytes() for path in (filled, store, other)}
    silver = ("review", "silver", suite, "--verdicts", store, "-o")
    scores = ("score", suite, wrong, *LINKS, "--resamples", 0)
    for line in (
        (*silver, store),
        (*silver, other),
        (*silver, filled),
        (*scores, "-o", filled),
        (*scores, "--detail", filled),
        (*scores, "--html", other),
        (*scores, "--review", other),
        ("review", "export", suite, wrong, *LINKS, "-o", other),
    ):
        result = protest(*line)
        assert result.code == 2, line
        assert b"output: expected" in result.stderr
        assert {path: path.read_bytes() for path in before} == before


def test_an_empty_review_file_is_replaced(suite, wrong, tmp_path):
    review = tmp_path / "review.tsv"
    for system in (wrong, FOLDER / "text.fr"):
        assert protest("review", "export", suite, system, *LINKS, "-o", review).code == 0
    assert keys(review) == []
