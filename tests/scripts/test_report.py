"""`crosspro report`: one page and one JSON file of a folder."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from tests.conftest import GOLDEN
from tests.evaluation.folder_report.folders import make_folder
from tests.scripts.run import crosspro


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("sacrebleu")
    return make_folder(tmp_path / "folder")


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_both_files_and_the_overview(folder, tmp_path):
    before = files_in(folder)
    result = crosspro("report", folder, "--resamples", 20)
    assert result.code == 0, result.stderr
    written = set(files_in(folder)) - set(before)
    kept = {path for path in written if path.startswith("report.cache/judged.")}
    assert written - kept == {"report/report.html", "report/report.json"}
    shown = result.stdout.decode()
    assert re.search(r"^people .* 100\.00 \[100\.00, 100\.00\] \*", shown, re.MULTILINE)
    assert "[95% interval by document].\n" in shown
    told = result.stderr.decode()
    for step in ("reading", "pronoun F1", "APT", "AutoPRF", "chrF", "BLEU", "set ctx"):
        assert f"{step}: done in" in told
    assert "aligning" not in told
    assert "forgot to detokenize" not in told
    again = crosspro("report", folder, "--resamples", 20, "-o", tmp_path / "elsewhere")
    assert again.stdout == result.stdout
    for name in ("report.html", "report.json"):
        content = (folder / "report" / name).read_bytes()
        assert (tmp_path / "elsewhere" / name).read_bytes() == content
    assert json.loads((folder / "report/report.json").read_bytes())["unused"] == []


def test_a_second_run_takes_links_and_judgements_of_the_first(folder, tmp_path, monkeypatch):
    for path in folder.rglob("*.links"):
        path.unlink()
    asked = ("report", folder, "--resamples", 20, "--cache", tmp_path / "kept")
    assert crosspro(*asked, "-o", tmp_path / "1").code == 0
    kept = {path.name.partition(".")[0] for path in (tmp_path / "kept").iterdir()}
    assert kept == {"links", "judged"}
    without = ("report", folder, "--resamples", 20, "--cache", "none", "-o", tmp_path / "2")
    assert crosspro(*without).code == 0
    assert not (tmp_path / "2.cache").exists()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("made again")

    with monkeypatch.context() as changed:
        changed.setattr("crosspro.data_prep.align.backends.align_corpus", refuse)
        changed.setattr("crosspro.prediction.proofread.box_judge.BoxJudge.judged", refuse)
        assert crosspro(*asked, "-o", tmp_path / "3").code == 0
    written = [(tmp_path / name / "report.json").read_bytes() for name in "123"]
    assert written[0] == written[1] == written[2]
    text = (folder / "source.en").read_text("utf-8")
    (folder / "source.en").write_text(text.replace("it", "that", 1), "utf-8")
    assert crosspro(*asked, "-o", tmp_path / "4").code == 0
    assert len(list((tmp_path / "kept").glob("links.*"))) == 2


def test_the_overview_says_by_what_each_interval_is(folder):
    (folder / "doc-ids").unlink()
    shown = crosspro("report", folder, "--resamples", 20).stdout.decode()
    assert (
        "[95% interval: BLEU, chrF, pronoun F1, in doubt per 100 by line; "
        "APT, AutoPRF F1 by sentence; ctx (generated), pro (scores) by document].\n" in shown
    )
    assert "APT, AutoPRF F1 by sentence" in (folder / "report/report.html").read_text("utf-8")


def test_the_number_of_processes_changes_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("crosspro.evaluation.folder_report.compute.SMALL", 0)
    written = []
    for jobs in (1, 2):
        output = tmp_path / str(jobs)
        result = crosspro("report", folder, "--resamples", 20, "-j", jobs, "-o", output)
        assert result.code == 0, result.stderr
        written.append((output / "report.json").read_bytes())
    assert written[0] == written[1]


def test_wrong_files_are_told_at_once_and_nothing_is_written(folder):
    (folder / "outputs/mt.fr").write_bytes(b"\xe9\n")
    (folder / "doc-ids").write_text("a\n", "utf-8")
    before = files_in(folder)
    result = crosspro("report", folder)
    assert result.code == 2
    assert b"mt.fr:1: encoding: expected UTF-8" in result.stderr
    assert b"doc-ids:2: doc-ids: expected 15 lines" in result.stderr
    assert files_in(folder) == before


def test_files_by_option(folder, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    named = {
        "--source": "source.en",
        "--reference": "reference.fr",
        "--candidate": "outputs/mt.fr",
        "--links": "reference.links",
        "--candidate-links": "outputs/mt.links",
        "--doc-ids": "doc-ids",
    }
    options = [one for name, path in named.items() for one in (name, folder / path)]
    result = crosspro("report", empty, *options, "--name", "ours", "--resamples", 0)
    assert result.code == 0, result.stderr
    content = json.loads((empty / "report/report.json").read_bytes())
    assert (content["systems"], content["documents"]) == (["ours"], 3)
    assert content["metrics"]["apt"]["systems"][0]["name"] == "ours"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pair", "enfr"), "pair: expected two languages such as en-fr, found 'enfr'"),
        (("--doc-ids", "a", "--doc-starts", "b"), "do not go together"),
        (("--no-align", "--prior", "x"), "do not go together"),
        (("--baseline", "x"), "--baseline: name: expected one of mt, people"),
        (("--pronouns", "xx"), "pronouns: name: expected one of"),
        (("--tokenise", "xx", "--baseline", "x"), "settings: tokenise: expected one of"),
    ],
)
def test_options_that_make_no_sense(folder, options, message):
    result = crosspro("report", folder, *options)
    assert result.code == 2
    assert message in re.sub(r"\s*│?\n│?\s*", " ", result.stderr.decode())
    assert not (folder / "report").exists()


def test_where_no_report_can_be_written(folder, tmp_path):
    (tmp_path / "file").write_text("x", "utf-8")
    assert (
        b"expected a folder, found a file"
        in crosspro("report", folder, "-o", tmp_path / "file").stderr
    )
    missing = crosspro("report", folder, "-o", tmp_path / "none" / "report")
    assert missing.code == 2
    assert b"no folder" in missing.stderr


def test_a_report_does_not_lie_among_what_the_next_one_reads(folder):
    for name in ("outputs", "contrastive", "contrastive/ctx"):
        before = files_in(folder)
        result = crosspro("report", folder, "-o", folder / name)
        assert result.code == 2
        assert b"expected another folder: all files of" in result.stderr
        assert files_in(folder) == before


def test_a_folder_that_is_not_there_is_named_itself(folder, tmp_path):
    expected = "folder: expected a folder, or a file of WMT (.xml, .jsonl), found"
    missing = crosspro("report", tmp_path / "none")
    assert missing.stderr.decode() == f"{tmp_path / 'none'}: {expected} nothing\n"
    file = crosspro("report", folder / "source.en")
    assert f"source.en: {expected} a file" in file.stderr.decode()


WMT = GOLDEN / "wmt"


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("metrics-eval", []),
        ("pair", []),
        ("test.xml", []),
        ("annotations.jsonl", ["--pair", "en-de"]),
        ("segments.jsonl", []),
        ("documents/test.jsonl", []),
    ],
)
def test_folders_and_files_of_wmt_are_taken_as_they_are(form, options, tmp_path):
    pytest.importorskip("sacrebleu")
    given = ("--resamples", 20, "--no-proofread", "-o", tmp_path / "report", *options)
    result = crosspro("report", WMT / form, *given)
    assert result.code == 0, result.stderr
    found = json.loads((tmp_path / "report/report.json").read_bytes())
    assert (found["systems"], found["documents"]) == (["alpha", "beta"], 2)
    assert (found["source_language"], found["target_language"]) == ("en", "de")
    assert "[95% interval by document]" in result.stdout.decode()
    wanted = {("alpha", "BLEU"): 69.06, ("beta", "BLEU"): 53.08}
    scores = {(one["system"], one["metric"]): one["value"] for one in found["scores"]}
    assert {key: round(scores[key], 2) for key in wanted} == wanted
    if form.endswith(("xml", "jsonl")):
        first = found["data"][0]
        assert (first["role"], first["path"]) == ("MT test", form.rpartition("/")[2])
        assert found["folder"] == first["path"]


def test_a_report_of_a_file_lies_beside_it(tmp_path):
    shutil.copy(WMT / "test.xml", tmp_path / "news.xml")
    text = (tmp_path / "news.xml").read_text("utf-8").replace("Es war", "")
    (tmp_path / "news.xml").write_text(text.replace('<seg id="2">Er war', '<seg id="3">'), "utf-8")
    wrong = crosspro("report", tmp_path / "news.xml")
    assert b"news.xml:26: seg: expected the id of a segment" in wrong.stderr
    assert files_in(tmp_path) == ["news.xml"]
    (tmp_path / "news.xml").write_text(text, "utf-8")
    asked = ("--resamples", 20, "--no-proofread", "--cache", "none")
    crosspro("report", tmp_path / "news.xml", *asked)
    assert files_in(tmp_path) == ["news.report/report.html", "news.report/report.json", "news.xml"]


def test_problems_of_what_is_in_a_file_are_told_by_its_name(tmp_path):
    result = crosspro("report", WMT / "test.xml", "-o", tmp_path / "report", "--limit", 0.0025)
    assert result.code == 2
    assert b"golden/wmt/test.xml/source.txt:1: words: expected" in result.stderr


def test_an_input_is_not_written_over(folder, tmp_path):
    taken = tmp_path / "out"
    taken.mkdir()
    (folder / "source.en").rename(taken / "report.json")
    result = crosspro("report", folder, "--source", taken / "report.json", "-o", taken)
    assert result.code == 2
    assert b"an input of this command" in result.stderr


def test_help_names_the_files():
    text = " ".join(crosspro("report", "--help").stdout.decode().split())
    for name in ("source.en", "reference.fr", "outputs/NAME.fr", "doc-ids", "X.links",
                 "contrastive/SET.json", "pronouns.yaml"):  # fmt: skip
        assert name in text


def test_pronouns_are_judged_by_a_model_of_the_box(folder):
    result = crosspro("report", folder, "--resamples", 20)
    assert "proofreading: done in" in result.stderr.decode()
    assert "in doubt per 100" in result.stdout.decode()
    content = json.loads((folder / "report/report.json").read_bytes())
    own = content["metrics"]["pronoun_doubt"]
    assert re.search(r"\|model:en-fr\.[0-9a-f]{8}\|calibration:[0-9a-f]{8}\|", own["signature"])
    for system in own["systems"]:
        assert 0 < system["scores"]["per_100"]["value"] < 100
        assert 5 < system["counts"]["pronouns"] < 25
    left_out = crosspro("report", folder, "--resamples", 20, "--no-proofread")
    assert "in doubt per 100" not in left_out.stdout.decode().partition("Not computed")[0]
    assert "pronouns in doubt per 100: --no-proofread says so" in left_out.stdout.decode()
    for name in ("source.en", "reference.fr", "outputs/mt.fr", "outputs/people.fr"):
        (folder / name).rename(folder / name.replace(".en", ".xx"))
    other = crosspro("report", folder, "--resamples", 20)
    assert "doubt" not in other.stdout.decode()
    assert b"doubt" not in (folder / "report/report.json").read_bytes()
