"""Options of apt and autoprf: none is ignored, all outputs are checked, signatures tell all."""

from __future__ import annotations

import json
import lzma
import shutil
import unicodedata

import pytest

from crosspro.evaluation.correlation.score_table import read_score_table
from tests.conftest import GOLDEN
from tests.scripts.apt_files import APT, FILES, options
from tests.scripts.run import crosspro

CONFIG = APT / "basic" / "config"
AUTOPRF = GOLDEN / "autoprf" / "case_and_clipping"
STEMS = tuple(AUTOPRF / name for name in ("ref", "cand", "docs"))


@pytest.fixture
def ids(tmp_path):
    path = tmp_path / "ids"
    path.write_text("a\n" * 8 + "b\n" * 7, "utf-8")
    return path


def refused(*arguments):
    result = crosspro(*arguments)
    assert result.code == 2
    assert result.stdout == b""
    return result.stderr.decode()


def scored(*arguments):
    result = crosspro(*arguments, "--layout", "json", "--resamples", 0)
    assert result.code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    "more",
    [
        ["--no-repair"],
        ["--weights", "1,1,1,1,1,1"],
        ["--discard", "5"],
        ["--tokens", APT / "positions"],
        ["--other", "equal"],
        ["--pronouns", "en-de"],
        ["--weigh-equivalents"],
        ["--links", "nonexist"],
        ["--source", "x"],
        ["--align-with", "a", "b"],
    ],
)
def test_a_config_refuses_what_it_says_itself(more):
    assert f"goes without {more[0].replace('no-', '')}" in refused("apt", "--config", CONFIG, *more)


@pytest.mark.parametrize(
    "more", [["--layout", "json"], ["--weights", "1,1,1,1,1,1"], ["--detail", "x.tsv"]]
)
def test_a_config_with_legacy_refuses_all_but_the_stem(more):
    assert more[0] in refused("apt", "--config", CONFIG, "--legacy", *more)


def test_a_config_with_legacy_writes_under_another_stem(tmp_path):
    result = crosspro("apt", "--config", CONFIG, "--legacy", "-o", tmp_path / "mine")
    assert result.code == 0, result.stderr
    for kind in ("score", "detail"):
        expected = (APT / "basic" / f"out.{kind}").read_bytes()
        assert (tmp_path / f"mine.{kind}").read_bytes() == expected


def test_a_config_takes_documents(ids):
    call = ("apt", "--config", CONFIG, "--doc-ids", ids, "--resamples", 20)
    result = crosspro(*call, "--signatures")
    assert "|by:document|" in result.stdout.decode()
    assert "no dictionary" in refused("apt", "--config", CONFIG, "--repair-rule", "ties=right")


def test_an_empty_output_file_is_the_whole_name(tmp_path, monkeypatch):
    shutil.copytree(APT, tmp_path / "apt")
    folder = tmp_path / "apt" / "basic"
    path = folder / "config"
    path.write_text(path.read_text("utf-8").replace("output_file: out", "output_file:"), "utf-8")
    for place in (folder, tmp_path):
        monkeypatch.chdir(place)
        (folder / ".score").unlink(missing_ok=True)
        assert crosspro("apt", "--config", path, "--legacy").code == 0
        assert (folder / ".score").read_bytes() == (APT / "basic" / "out.score").read_bytes()


@pytest.mark.parametrize(
    "more",
    [
        ["--layout", "json"],
        ["--weigh-equivalents"],
        ["--detail", "x.tsv"],
        ["--repair-rule", "ties=right"],
        ["--lenient"],
        ["--align-with", "a", "b"],
        ["--doc-ids", "nope"],
        ["--resamples", "3"],
    ],
)
def test_legacy_refuses_what_the_tool_does_not_have(more):
    assert f"--legacy goes without {more[0]}" in refused("apt", *options(), "--legacy", *more)


def test_legacy_and_other_words():
    assert "different or equal" in refused("apt", *options(), "--legacy", "--other", "missing")
    equal = crosspro("apt", *options(), "--legacy", "--other", "equal")
    assert equal.stdout != crosspro("apt", *options(), "--legacy").stdout


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("apt", "--from reference --repair-rule ties=right"),
        ("apt", "--from reference --repair"),
        ("apt", "--from reference --tokens x"),
        ("apt", "--no-repair --repair-rule ties=right"),
        ("apt", "--no-matrix --layout csv"),
        ("autoprf", "--by-document"),
        ("autoprf", "-v 2"),
        ("autoprf", "--languages en-de"),
        ("autoprf", "--clipped --one-pronoun"),
        ("autoprf", "--clipped --layout json"),
        *(
            (command, more)
            for command in ("apt", "autoprf")
            for more in ("--doc-ids a --doc-starts b", "--max-examples 3", "--detail x.txt")
        ),
    ],
)
def test_options_without_effect(command, more):
    refused(command, *options(), *more.split())


@pytest.mark.parametrize("more", [["--layout", "json"], ["--ignore-case"], ["--source", "x"]])
def test_autoprf_legacy_refuses_what_the_tool_does_not_have(more):
    assert more[0] in refused("autoprf", "--legacy", *STEMS, *more)


def test_starting_from_the_reference_says_that_nothing_is_repaired(tmp_path):
    result = crosspro("apt", *options(), "--from", "reference", "--resamples", 0)
    assert "Links are not repaired" in result.stdout.decode()
    legacy = (*options(), "--from", "reference", "--legacy")
    assert crosspro("apt", *legacy, "-o", tmp_path / "stem").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["stem.score"]
    assert (tmp_path / "stem.score").read_bytes() == crosspro("apt", *legacy).stdout


@pytest.mark.parametrize("command", ["apt", "autoprf"])
def test_nothing_is_written_if_one_output_cannot_be(command, tmp_path):
    detail = tmp_path / "detail.tsv"
    shown = refused(command, *options(), "--detail", detail, "-o", tmp_path / "no" / "x")
    assert "x: output: expected" in shown
    assert not detail.exists()
    assert "another output" in refused(command, *options(), "--detail", detail, "-o", detail)
    assert not detail.exists()


def test_legacy_checks_its_outputs_first(tmp_path):
    (tmp_path / "stem.score").mkdir()
    assert "stem.score: output" in refused("apt", *options(), "--legacy", "-o", tmp_path / "stem")
    assert not (tmp_path / "stem.detail").exists()


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
        "--candidate",
        *texts,
        "--candidate-links",
        *links,
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
    corpus = ("--align-with", APT / "src.en", APT / "ref.fr")
    calls = [
        options(),
        [*options(), "--lenient"],
        without,
        [*without, *corpus],
        [*without, "--align-with", APT / "src.en", APT / "mt.fr"],
        [*without, "--candidate", FILES["reference"]],
        options(reference=APT / "mt.fr", links=APT / "mt.align"),
    ]
    signatures = [scored(command, *call)["signature"] for call in calls]
    assert len(set(signatures)) == len(calls)
    assert all("|crosspro:" in one and "version:" not in one for one in signatures)
    dropped = crosspro(command, *options(candidate_links=tmp_path / "links"), "--lenient")
    assert b"links: links that lead to no word, which were dropped: 1" in dropped.stderr


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
    assert b"mt.fr: no target pronoun of the lists own" in result.stderr
    result = crosspro("autoprf", *options(), "--pronouns", lists, "--one-pronoun")
    assert b"ref.fr: no target pronoun of the lists own" in result.stderr
    assert b"no target pronoun" not in crosspro("apt", *options()).stderr


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
    shown = refused(command, *options(source=tmp_path / "s.it"))
    assert "found none, and files of it-fr, for which there are no lists" in shown
    shutil.copy(FILES["source"], tmp_path / "source")
    shown = refused(command, *options(source=tmp_path / "source"))
    assert shown.startswith("--pronouns: lists: expected one of de-en, ")
    assert "names of files that do not end in their languages (X.en, X.fr)" in shown


def test_every_missing_file_of_legacy_modes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = dict.fromkeys(FILES, "nope")
    names = {key: f"nope-{key}" for key in names}
    shown = refused(
        "apt",
        "--legacy",
        *(x for k, v in names.items() for x in (f"--{k}", v)),
        "--pronouns",
        "none.yaml",
    )
    assert all(f"{name}: file: expected a readable file" in shown for name in names.values())
    assert "none.yaml: file" in shown
    result = crosspro("autoprf", "--legacy", "a", "b", "c")
    assert result.code == 1
    names = [line.split(":")[0] for line in result.stderr.decode().splitlines()]
    assert names == ["a.en", "a.fr", "a.en-fr.alig", "b.en", "b.fr", "b.en-fr.alig", "c"]


def test_every_bad_byte_of_legacy_texts(tmp_path):
    for name in ("ref.fr", "mt.fr"):
        lines = (APT / name).read_bytes().split(b"\n")
        lines[1], lines[3] = b"\xff", b"\xfe"
        (tmp_path / name).write_bytes(b"\n".join(lines))
    changed = options(reference=tmp_path / "ref.fr", candidate=tmp_path / "mt.fr")
    shown = refused("apt", *changed, "--legacy")
    places = ("ref.fr:2", "ref.fr:4", "mt.fr:2", "mt.fr:4")
    assert all(f"{place}: encoding: expected UTF-8" in shown for place in places)


def test_equivalents_check_their_output_first(tmp_path):
    sheet = tmp_path / "sheet.tsv"
    sheet.write_text("reference\tcandidate\tcorrect\nil\tce\t1\nOTHER\til\t\nil\tNONE\t\n", "utf-8")
    estimate = ("apt-equivalents", "estimate", sheet)
    refused(*estimate, "-o", tmp_path / "no" / "x.yaml")
    assert "ends in .yaml" in refused(*estimate, "-o", tmp_path / "my.txt")
    assert crosspro(*estimate, "-o", tmp_path / "my.yaml").code == 0
    refused("apt-equivalents", "draw", *options(), "-o", tmp_path / "no" / "x.tsv")


def test_correlate_reads_the_table(tmp_path):
    shutil.copy(APT / "ref.fr", tmp_path / "other.fr")
    systems = (APT / "mt.fr", APT / "ref.fr", tmp_path / "other.fr")
    links = (APT / "mt.align", APT / "ref.align", APT / "ref.align")
    files = options(candidate=None, candidate_links=None)
    files += ["--candidate", *systems, "--candidate-links", *links, "--lenient"]
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
