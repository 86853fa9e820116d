"""Options of apt and autoprf: outputs are checked, signatures tell what is comparable."""

from __future__ import annotations

import json
import lzma
import shutil
import unicodedata

import pytest

from crosspro.evaluation.correlation.score_table import read_score_table
from tests.scripts.apt_files import APT, FILES, options
from tests.scripts.run import crosspro, each


def refused(*arguments):
    result = crosspro(*arguments)
    assert result.code == 2
    assert result.stdout == b""
    return result.stderr.decode()


def scored(*arguments):
    result = crosspro(*arguments, "--layout", "json", "--resamples", 0)
    assert result.code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("command", ["apt", "autoprf"])
def test_nothing_is_written_if_one_output_cannot_be(command, tmp_path):
    detail = tmp_path / "detail.tsv"
    shown = refused(command, *options(), "--detail", detail, "-o", tmp_path / "no" / "x")
    assert str(tmp_path / "no" / "x") in shown
    assert not detail.exists()
    refused(command, *options(), "--detail", detail, "-o", detail)
    assert not detail.exists()


def test_details_name_the_system(tmp_path):
    for command in ("apt", "autoprf"):
        path = tmp_path / f"{command}.json"
        assert crosspro(command, *options(), "--resamples", 0, "--detail", path).code == 0
        rows = json.loads(path.read_text("utf-8"))
        assert {row["system"] for row in rows} == {"mt.fr"}
        assert len(rows) == 20
        assert rows[0]["sentences"]["source"].split()[rows[0]["position"]] == rows[0]["source"]


def test_one_text_under_two_suffixes_and_the_reference_as_candidate(tmp_path):
    shutil.copy(APT / "mt.fr", tmp_path / "mt.fr")
    (tmp_path / "mt.fr.xz").write_bytes(lzma.compress((APT / "mt.fr").read_bytes()))
    texts = (tmp_path / "mt.fr", tmp_path / "mt.fr.xz", FILES["reference"])
    links = (FILES["candidate-links"],) * 2 + (FILES["links"],)
    files = (
        *options(candidate=None, candidate_links=None),
        *each("--candidate", *texts),
        *each("--candidate-links", *links),
    )
    for command in ("apt", "autoprf"):
        names = [one["name"] for one in scored(command, *files)["systems"]]
        assert [name.split("/")[-1] for name in names] == ["mt.fr", "mt.fr.xz", "ref.fr"]


@pytest.mark.parametrize("command", ["apt", "autoprf"])
def test_tables_for_correlation(command):
    result = crosspro(command, *options(), "--layout", "csv", "--resamples", 0)
    assert result.code == 0, result.stderr
    heading, row = result.stdout.decode().splitlines()
    assert heading == {"apt": "system,apt", "autoprf": "system,precision,recall,f1"}[command]
    assert row.startswith("mt.fr,0.")
    assert b"Signature: metric:" in result.stderr


@pytest.mark.parametrize("command", ["apt", "autoprf"])
def test_signatures_differ_where_scores_are_not_comparable(command, tmp_path):
    (tmp_path / "links").write_text("9-9\n" + "\n" * 14, "utf-8")
    without = options(links=None, candidate_links=None)
    calls = [
        options(),
        [*options(), "--lenient"],
        without,
        [*without, "--prior", "en-fr"],
        [*without, "--candidate", FILES["reference"]],
        options(reference=APT / "mt.fr", links=APT / "mt.align"),
    ]
    signatures = [scored(command, *call)["signature"] for call in calls]
    assert len(set(signatures)) == len(calls)
    assert all("|crosspro:" in one and "version:" not in one for one in signatures)
    dropped = crosspro(command, *options(candidate_links=tmp_path / "links"), "--lenient")
    assert b"dropped: 1" in dropped.stderr


def test_tokens_are_in_the_signature(tmp_path):
    (tmp_path / "positions").write_text("0 0\n", "utf-8")
    first, second = (
        scored("apt", *options(), "--tokens", path)["signature"]
        for path in (APT / "positions", tmp_path / "positions")
    )
    assert "|from:tokens-" in first
    assert first.split("from:")[1].split("|")[0] != second.split("from:")[1].split("|")[0]


@pytest.mark.parametrize("command", ["apt", "autoprf"])
def test_decomposed_text_scores_the_same(command, tmp_path):
    for name in ("ref.fr", "mt.fr"):
        text = (APT / name).read_text("utf-8")
        (tmp_path / name).write_text(unicodedata.normalize("NFD", text), "utf-8")
        assert (tmp_path / name).read_bytes() != (APT / name).read_bytes()
    plain = scored(command, *options())
    assert scored(command, *options(candidate=tmp_path / "mt.fr")) == plain
    changed = options(candidate=tmp_path / "mt.fr", reference=tmp_path / "ref.fr")
    assert scored(command, *changed) == plain


def test_lists_of_another_language_are_noticed(tmp_path):
    lists = tmp_path / "own.yaml"
    lists.write_text("source_pronouns: [it, they]\ntarget_pronouns: [er, sie]\n", "utf-8")
    result = crosspro("apt", *options(), "--pronouns", lists, "--resamples", 0)
    assert b"mt.fr" in result.stderr
    result = crosspro("autoprf", *options(), "--pronouns", lists, "--one-pronoun")
    assert b"ref.fr" in result.stderr
    assert b"ref.fr" not in crosspro("apt", *options()).stderr


@pytest.mark.parametrize("command", ["apt", "autoprf"])
def test_the_names_of_files_tell_the_lists(tmp_path, command):
    """English and Spanish are not scored with lists of English and French."""
    shutil.copy(FILES["source"], tmp_path / "s.en")
    for name in ("r.es", "c.es"):
        (tmp_path / name).write_text("Ella no es lo que era . \n" * 15, "utf-8")
    named = {"source": "s.en", "reference": "r.es", "candidate": "c.es"}
    files = options(**{option: tmp_path / name for option, name in named.items()})
    files.append("--lenient")
    found = json.loads(crosspro(command, *files, "--layout", "json").stdout)
    assert "|pronouns:en-es-" in found["signature"]
    shutil.copy(FILES["source"], tmp_path / "s.it")
    refused(command, *options(source=tmp_path / "s.it"))
    shutil.copy(FILES["source"], tmp_path / "source")
    assert "--pronouns" in refused(command, *options(source=tmp_path / "source"))


def test_correlate_reads_the_table(tmp_path):
    shutil.copy(APT / "ref.fr", tmp_path / "other.fr")
    systems = (APT / "mt.fr", APT / "ref.fr", tmp_path / "other.fr")
    links = (APT / "mt.align", APT / "ref.align", APT / "ref.align")
    files = options(candidate=None, candidate_links=None)
    files += [*each("--candidate", *systems), *each("--candidate-links", *links), "--lenient"]
    table = crosspro("apt", *files, "--layout", "csv", "--resamples", 0).stdout.decode()
    heading, *rows = table.splitlines()
    lines = [f"{heading},human", *(f"{row},{n}" for n, row in enumerate(rows))]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n", "utf-8")
    scores = read_score_table(tmp_path / "scores.csv", "human")
    assert scores.systems == ("mt.fr", "ref.fr", "other.fr")
    assert scores.metrics == ("apt",)


def test_a_page_of_scores_that_are_not_defined(tmp_path):
    (tmp_path / "links").write_text("\n" * 15, "utf-8")
    page = tmp_path / "page.html"
    files = options(candidate_links=tmp_path / "links")
    result = crosspro("autoprf", *files, "--html", page, "--resamples", 20)
    assert result.code == 0, result.stderr
    assert "0/0" in result.stdout.decode()
    assert "nan" not in result.stdout.decode()
    assert "–" in result.stdout.decode()
    assert "nan" not in page.read_text("utf-8").partition("<script")[0]
