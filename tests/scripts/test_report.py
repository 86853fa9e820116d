"""`crosspro report`: one page and one JSON file of a folder."""

from __future__ import annotations

import json
import re

import pytest

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
    assert written == {"report/report.html", "report/report.json"}
    shown = result.stdout.decode()
    assert re.search(r"^people .* 100\.00 \[100\.00, 100\.00\] \*", shown, re.MULTILINE)
    assert "[95% interval by document].\n" in shown
    again = crosspro("report", folder, "--resamples", 20, "-o", tmp_path / "elsewhere")
    assert again.stdout == result.stdout
    for name in ("report.html", "report.json"):
        content = (folder / "report" / name).read_bytes()
        assert (tmp_path / "elsewhere" / name).read_bytes() == content
    assert json.loads((folder / "report/report.json").read_bytes())["unused"] == []


def test_the_overview_says_by_what_each_interval_is(folder):
    (folder / "doc-ids").unlink()
    shown = crosspro("report", folder, "--resamples", 20).stdout.decode()
    assert (
        "[95% interval: BLEU, chrF, pronoun F1, in doubt per 100 by line; "
        "APT, AutoPRF F1 by sentence].\n" in shown
    )
    assert "APT, AutoPRF F1 by sentence" in (folder / "report/report.html").read_text("utf-8")


def test_wrong_files_are_told_at_once_and_nothing_is_written(folder):
    (folder / "outputs/mt.fr").write_bytes(b"\xe9\n")
    (folder / "doc-ids").write_text("a\n", "utf-8")
    before = files_in(folder)
    result = crosspro("report", folder)
    assert result.code == 2
    assert b"mt.fr:1: encoding" in result.stderr
    assert b"doc-ids:2: doc-ids" in result.stderr
    assert files_in(folder) == before


@pytest.mark.parametrize(
    "options", [("--pair", "enfr"), ("--baseline", "x"), ("--pronouns", "xx"), ("--tokenise", "xx")]
)
def test_options_that_make_no_sense(folder, options):
    result = crosspro("report", folder, *options)
    assert result.code == 2
    assert not (folder / "report").exists()


def test_where_no_report_can_be_written(folder, tmp_path):
    (tmp_path / "file").write_text("x", "utf-8")
    assert crosspro("report", folder, "-o", tmp_path / "file").code == 2
    assert crosspro("report", folder, "-o", tmp_path / "none" / "report").code == 2


def test_a_report_does_not_lie_among_what_the_next_one_reads(folder):
    before = files_in(folder)
    assert crosspro("report", folder, "-o", folder / "outputs").code == 2
    assert files_in(folder) == before


def test_a_folder_that_is_not_there_is_named_itself(folder, tmp_path):
    missing = crosspro("report", tmp_path / "none")
    assert missing.code == 2
    assert missing.stderr.decode().startswith(f"{tmp_path / 'none'}: ")
    assert crosspro("report", folder / "source.en").code == 2


def test_an_input_is_not_written_over(folder, tmp_path):
    taken = tmp_path / "out"
    taken.mkdir()
    (folder / "doc-ids").rename(taken / "report.json")
    (folder / "doc-ids").symlink_to(taken / "report.json")
    result = crosspro("report", folder, "-o", taken)
    assert result.code == 2


def test_pronouns_are_judged_by_a_model_of_the_box(folder):
    result = crosspro("report", folder, "--resamples", 20)
    assert "in doubt per 100" in result.stdout.decode()
    content = json.loads((folder / "report/report.json").read_bytes())
    own = content["metrics"]["pronoun_doubt"]
    assert re.search(r"\|model:en-fr\.[0-9a-f]{8}\|calibration:[0-9a-f]{8}\|", own["signature"])
    for system in own["systems"]:
        assert 0 < system["scores"]["per_100"]["value"] < 100
        assert 5 < system["counts"]["pronouns"] < 25
    left_out = crosspro("report", folder, "--resamples", 20, "--no-proofread")
    assert "in doubt per 100" not in left_out.stdout.decode().partition("Not computed")[0]
    for name in ("source.en", "reference.fr", "outputs/mt.fr", "outputs/people.fr"):
        (folder / name).rename(folder / name.replace(".en", ".xx"))
    other = crosspro("report", folder, "--resamples", 20)
    assert "doubt" not in other.stdout.decode()
    assert b"doubt" not in (folder / "report/report.json").read_bytes()
