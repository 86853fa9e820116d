"""The commands apt and autoprf as a user calls them."""

from __future__ import annotations

import json

from tests.scripts.apt_files import APT, options
from tests.scripts.run import crosspro, each


def test_tables_details_and_signature(tmp_path):
    detail = tmp_path / "detail.tsv"
    result = crosspro("apt", *options(), "--detail", detail, "--resamples", 50)
    assert result.code == 0, result.stderr
    text = result.stdout.decode()
    assert "1 same" in text
    assert "reference in rows" in text
    assert "metric:APT|pronouns:en-fr-" in text
    assert len(detail.read_text("utf-8").splitlines()) == 21
    crosspro("apt", *options(), "--detail", tmp_path / "detail.json", "--resamples", 0)
    assert len(json.loads((tmp_path / "detail.json").read_text("utf-8"))) == 20


def test_several_candidates():
    """The reference as a candidate: 001 Table 1."""
    result = crosspro(
        "apt", *options(candidate=None, candidate_links=None), "--resamples", 50,
        *each("--candidate", APT / "mt.fr", APT / "ref.fr"),
        *each("--candidate-links", APT / "mt.align", APT / "ref.align"),
    )  # fmt: skip
    assert result.code == 0, result.stderr
    assert "mt.fr - ref.fr" in result.stdout.decode()


def test_weights_and_cases():
    result = crosspro(
        *("apt", *options(), "--weights", "1,0,0,0,0,1", "--discard", "5"),
        *("--layout", "json", "--resamples", 0),
    )
    signature = json.loads(result.stdout)["signature"]
    assert "|cases:12346|weights:1,0,0,0,0,1|" in signature
    for wrong in (
        ["--weights", "1,x"],
        ["--weights", "1,2"],
        ["--heuristics", "mine"],
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
    assert b"tokens:1" in wrong.stderr


def test_links_are_made_when_they_are_not_given():
    result = crosspro(
        *("apt", *options(links=None, candidate_links=None), "--layout", "json", "--resamples", 0),
    )
    assert result.code == 0, result.stderr
    content = json.loads(result.stdout)
    assert "|links:aligned(2-texts,grow-diag-final)" in content["signature"]
    assert content["systems"][0]["counts"]["case_1"] > 0


def test_links_by_the_prior_of_a_model_do_not_depend_on_other_systems():
    files = options(links=None, candidate_links=None)
    call = ("--resamples", 0, "--layout", "json", "--prior", "en-fr")
    (single,) = json.loads(crosspro("apt", *files, *call).stdout)["systems"]
    result = crosspro("apt", *files, "--candidate", APT / "ref.fr", *call)
    found = json.loads(result.stdout)
    assert "links:aligned(one-by-one,grow-diag-final,prior-" in found["signature"]
    assert found["systems"][0] == single


def test_the_repair_is_chosen():
    def scored_with(*more):
        result = crosspro("apt", *options(), *more, "--layout", "json", "--resamples", 0)
        return json.loads(result.stdout)

    for more, repair in (
        ((), "paper"),
        (("--heuristics", "released"), "released"),
        (("--no-repair",), "none"),
    ):
        assert f"|repair:{repair}|" in scored_with(*more)["signature"]


def test_faults_of_all_files_come_before_any_score(tmp_path):
    (tmp_path / "short.fr").write_text("il\n", "utf-8")
    (tmp_path / "links").write_text("0-99\nx\n", "utf-8")
    (tmp_path / "lists.yaml").write_text("source_pronouns: [it]\n", "utf-8")
    detail = tmp_path / "detail.tsv"
    files = options(candidate=tmp_path / "short.fr", links=tmp_path / "links")
    lists = ("--pronouns", tmp_path / "lists.yaml")
    result = crosspro("apt", *files, *lists, "--detail", detail)
    assert (result.code, result.stdout) == (2, b"")
    assert not detail.exists()
    shown = result.stderr.decode()
    for place in ("lists.yaml: target_pronouns", "short.fr:2", "links:1", "links:2", "links:3"):
        assert place in shown


def test_autoprf(tmp_path):
    detail = tmp_path / "detail.tsv"
    result = crosspro("autoprf", *options(), "--resamples", 50, "--detail", detail)
    assert result.code == 0, result.stderr
    assert "TOTAL" in result.stdout.decode()
    assert len(detail.read_text("utf-8").splitlines()) == 21
    pooled = crosspro(
        "autoprf", *options(), "--clipping", "corpus", "--layout", "json", "--resamples", 0
    )
    assert "clipping:corpus" in json.loads(pooled.stdout)["signature"]
    assert crosspro("autoprf").code == crosspro("apt").code == 2
