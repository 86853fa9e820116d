"""The commands apt, apt-equivalents and autoprf as a user calls them."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml

from crosspro.scripts.mt_options import spread
from tests.conftest import GOLDEN
from tests.scripts.apt_files import APT, options
from tests.scripts.run import crosspro

CASES = sorted(path.name for path in APT.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", CASES)
def test_legacy_writes_the_tools_files(name, tmp_path, monkeypatch):
    shutil.copytree(APT, tmp_path / "apt")
    folder = tmp_path / "apt" / name
    for output in ("out.score", "out.detail"):
        (folder / output).unlink()
    monkeypatch.chdir(folder)
    result = crosspro("apt", "--config", "config", "--legacy")
    assert result.code == 0, result.stderr
    for output in ("out.score", "out.detail"):
        assert (folder / output).read_bytes() == (APT / name / output).read_bytes()
    assert result.stdout == (APT / name / "stdout.txt").read_bytes()


def test_a_config_without_legacy_repairs_as_the_paper_does(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    plain = crosspro("apt", "--config", APT / "basic" / "config", "--layout", "json")
    assert plain.code == 0, plain.stderr
    counts = json.loads(plain.stdout)["systems"][0]["counts"]
    assert [counts[f"case_{n}"] for n in range(1, 7)] == [4, 2, 11, 1, 1, 1]
    repaired = crosspro("apt", "--config", APT / "heur" / "config", "--layout", "json")
    content = json.loads(repaired.stdout)
    assert content["systems"][0]["counts"]["repaired_in_reference"] > 0
    assert "repair:paper" in content["signature"]
    positions = crosspro("apt", "--config", APT / "position" / "config", "--layout", "json")
    assert json.loads(positions.stdout)["data"]["items"] == 4


def test_tables_details_and_signature(tmp_path):
    detail = tmp_path / "detail.tsv"
    result = crosspro("apt", *options(), "--detail", detail, "--resamples", 50, "--signatures")
    assert result.code == 0, result.stderr
    text = result.stdout.decode()
    assert "1 same" in text
    assert "reference in rows" in text
    assert "metric:APT|pronouns:en-fr-" in text
    assert len(detail.read_text("utf-8").splitlines()) == 21
    crosspro("apt", *options(), "--detail", tmp_path / "detail.json", "--resamples", 0)
    assert len(json.loads((tmp_path / "detail.json").read_text("utf-8"))) == 20


def test_several_candidates_after_one_option():
    """The reference as a candidate: 001 Table 1."""
    result = crosspro(
        "apt", *options(candidate=None, candidate_links=None), "--resamples", 50,
        "--candidate", APT / "mt.fr", APT / "ref.fr",
        "--candidate-links", APT / "mt.align", APT / "ref.align",
    )  # fmt: skip
    assert result.code == 0, result.stderr
    assert "mt.fr - ref.fr" in result.stdout.decode()


def test_weights_cases_and_rules():
    result = crosspro(
        *("apt", *options(), "--weights", "1,0,0,0,0,1", "--discard", "5"),
        *("--repair-rule", "ties=right", "--layout", "json", "--resamples", 0),
    )
    signature = json.loads(result.stdout)["signature"]
    assert "|cases:12346|weights:1,0,0,0,0,1|" in signature
    assert "right" in signature
    for wrong in (
        ["--weights", "1,x"],
        ["--weights", "1,2"],
        ["--repair-rule", "a=b"],
        ["--detail", "x.csv"],
        ["--discard", "9"],
    ):
        assert crosspro("apt", *options(), *wrong).code == 2


def test_tokens(tmp_path):
    result = crosspro(
        "apt", *options(), "--tokens", APT / "positions", "--layout", "json", "--resamples", 0
    )
    assert json.loads(result.stdout)["data"]["items"] == 4
    (tmp_path / "tokens").write_text("0 1\n", "utf-8")
    wrong = crosspro("apt", *options(), "--tokens", tmp_path / "tokens")
    assert wrong.code == 2
    assert b"tokens:1: word: expected one of it, they, found 'works'" in wrong.stderr


def test_released_from_options_prints_the_score_file(tmp_path):
    (tmp_path / "lists.yaml").write_text(
        "source_pronouns: [it, they]\n"
        "target_pronouns: [il, elle, ils, elles, ce, \"c'\", ça, \"ç'\", cela, 'on']\n"
        'identical: [[ce, "c\'"], [ça, "ç\'", cela]]\n'
        "equivalent: [[ce, il], [ce, ça]]\n",
        "utf-8",
    )
    lists = tmp_path / "lists.yaml"
    plain = crosspro("apt", *options(), "--pronouns", lists, "--legacy", "--no-repair")
    assert plain.stdout == (APT / "basic" / "out.score").read_bytes()
    result = crosspro("apt", *options(), "--pronouns", lists, "--legacy", "-o", tmp_path / "out")
    assert result.code == 0
    for name in ("out.score", "out.detail"):
        assert (tmp_path / name).read_bytes() == (APT / "heur" / name).read_bytes()


def test_problems_of_all_files_come_before_any_score(tmp_path):
    (tmp_path / "short.fr").write_text("il\n", "utf-8")
    (tmp_path / "links").write_text("0-99\nx\n", "utf-8")
    (tmp_path / "lists.yaml").write_text("source_pronouns: [it]\n", "utf-8")
    detail = tmp_path / "detail.tsv"
    files = options(candidate=tmp_path / "short.fr", links=tmp_path / "links")
    lists = ("--pronouns", tmp_path / "lists.yaml")
    result = crosspro("apt", *files, *lists, "--detail", detail)
    assert result.code == 2
    assert result.stdout == b""
    assert not detail.exists()
    shown = result.stderr.decode()
    for expected in (
        "lists.yaml: target_pronouns: expected this key",
        "short.fr:2: lines: expected 15 lines",
        "links:1: links: expected links inside 3 source and 3 target words, found 0-99",
        "links:2: links: expected links s-t",
        "links:3: lines: expected 15 lines",
    ):
        assert expected in shown
    assert shown.endswith("--lenient drops links that lead to no word\n")


def test_links_are_made_when_they_are_not_given():
    result = crosspro(
        *("apt", *options(links=None, candidate_links=None), "--layout", "json"),
        *("--align-with", APT / "src.en", APT / "ref.fr", "--resamples", 0),
    )
    assert result.code == 0, result.stderr
    content = json.loads(result.stdout)
    assert "|links:aligned(2-texts,grow-diag-final,corpus-" in content["signature"]
    assert content["systems"][0]["counts"]["case_1"] > 0


def test_options_that_do_not_go_together(tmp_path):
    assert crosspro("apt").code == 2
    assert crosspro("apt", *options(), "--config", APT / "basic" / "config").code == 2
    assert crosspro("apt", *options(candidate_links=None), "--legacy").code == 2
    assert crosspro("apt", *options(), "--align-with", APT / "src.en", APT / "ref.fr").code == 2


def test_equivalents_from_a_judged_sheet(tmp_path):
    sheet = tmp_path / "sheet.tsv"
    drawn = crosspro("apt-equivalents", "draw", *options(), "-o", sheet, "--seed", 3)
    assert drawn.code == 0, drawn.stderr
    rows = [line.split("\t") for line in sheet.read_text("utf-8").splitlines()]
    for row in rows[1:]:
        row[5] = "1"
    sheet.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    lists = tmp_path / "lists.yaml"
    result = crosspro("apt-equivalents", "estimate", sheet, "--min-share", 0.01, "-o", lists)
    assert result.code == 0, result.stderr
    assert "equivalent" in result.stdout.decode()
    pairs = [set(one["pronouns"]) for one in yaml.safe_load(lists.read_text("utf-8"))["equivalent"]]
    assert {"il", "ce"} in pairs
    used = crosspro("apt", *options(), "--pronouns", lists, "--resamples", 0)
    assert used.code == 0, used.stderr


def test_autoprf_in_both_modes(tmp_path, monkeypatch):
    folder = GOLDEN / "autoprf" / "case_and_clipping"
    for verbosity in (0, 1, 2):
        result = crosspro(
            "autoprf", "--legacy", folder / "ref", folder / "cand", folder / "docs", "-v", verbosity
        )
        assert result.code == 0
        assert result.stdout == (folder / f"expected_v{verbosity}.txt").read_bytes()
    stopped = GOLDEN / "autoprf" / "unequal_sources"
    result = crosspro("autoprf", "--legacy", *(stopped / n for n in ("ref", "cand", "docs")))
    assert (result.code, result.stdout) == (1, b"")
    assert result.stderr == (stopped / "stderr.txt").read_bytes()
    detail = tmp_path / "detail.tsv"
    result = crosspro("autoprf", *options(), "--resamples", 50, "--detail", detail)
    assert result.code == 0, result.stderr
    assert "TOTAL" in result.stdout.decode()
    assert len(detail.read_text("utf-8").splitlines()) == 21
    pooled = crosspro(
        "autoprf", *options(), "--clipping", "corpus", "--layout", "json", "--resamples", 0
    )
    assert "clipping:corpus" in json.loads(pooled.stdout)["signature"]
    assert crosspro("autoprf", "--legacy").code == 2
    assert crosspro("autoprf", "x", *options()).code == 2
    assert crosspro("autoprf").code == 2


def test_values_of_an_option_are_spread():
    found = list(spread(["--a", "1", "2", "--b", "3", "4", "--a", "5"], ["--a"]))
    assert found == ["--a", "1", "--a", "2", "--b", "3", "4", "--a", "5"]


def test_links_by_the_prior_of_a_model_do_not_depend_on_other_systems():
    files = options(links=None, candidate_links=None)
    call = ("--resamples", 0, "--layout", "json", "--prior", "en-fr")
    (single,) = json.loads(crosspro("apt", *files, *call).stdout)["systems"]
    result = crosspro("apt", *files, "--candidate", APT / "ref.fr", *call)
    found = json.loads(result.stdout)
    assert "links:aligned(one-by-one,grow-diag-final,prior-" in found["signature"]
    assert found["systems"][0] == single
    assert b"few to learn" not in result.stderr


@pytest.mark.parametrize("command", ["apt", "autoprf"])
def test_links_that_are_learnt_from_few_lines_are_told(command):
    few = b"warning: 15 lines are few to learn links from (fewer than 20,000)"
    made = crosspro(command, *options(links=None, candidate_links=None), "--resamples", 0)
    assert few in made.stderr
    assert few not in crosspro(command, *options(), "--resamples", 0).stderr
