"""`crosspro protest score` as a user calls it: scores, what signatures tell apart, wrong input."""

from __future__ import annotations

import json
import shutil

import pytest

from crosspro.conf import CONF_DIR
from tests.scripts.protest.conftest import FOLDER, LINKS, OWN_LINKS, TEXT, protest, signatures


def test_score_of_the_reference(suite):
    result = protest("score", suite, "--candidate", FOLDER / "text.fr", *OWN_LINKS)
    assert result.code == 0
    assert "100.0" in result.stdout.decode()


def test_score_makes_links_and_tokenises(suite, tmp_path):
    raw = (FOLDER / "text.fr").read_text("utf-8").replace(" .", ".").replace("' ", "'")
    (tmp_path / "raw.fr").write_text(raw, "utf-8")
    result = protest(
        "score", suite, "--candidate", tmp_path / "raw.fr", "--layout", "json", "--resamples", 0
    )
    assert result.code == 0, result.stderr
    (system,) = json.loads(result.stdout)["systems"]
    assert system["name"] == "raw"
    assert system["scores"]["automatic"]["value"] > 0


def test_names_of_systems_keep_their_dots(suite, wrong, tmp_path):
    for name in ("sys.v1.fr", "sys.v2.fr"):
        shutil.copy(wrong, tmp_path / name)
    both = (tmp_path / "sys.v1.fr", tmp_path / "sys.v2.fr")
    result = protest(
        "score",
        suite,
        "--candidate",
        *both,
        *OWN_LINKS,
        *OWN_LINKS,
        "--layout",
        "csv",
        "--resamples",
        0,
    )
    assert result.stdout.decode().splitlines() == [
        "system,automatic,semi-automatic",
        "sys.v1,0.785714,0.785714",
        "sys.v2,0.785714,0.785714",
    ]


def test_systems_need_different_names(suite):
    result = protest(
        "score",
        suite,
        "--candidate",
        FOLDER / "text.fr",
        FOLDER / "text.fr",
        *OWN_LINKS,
        *OWN_LINKS,
    )
    assert result.code == 2
    result = protest(
        "score",
        suite,
        "--candidate",
        FOLDER / "text.fr",
        FOLDER / "text.fr",
        *OWN_LINKS,
        *OWN_LINKS,
        "--name",
        "a",
        "--name",
        "b",
        "--resamples",
        20,
    )
    assert result.code == 0


def test_a_single_system_has_intervals_in_every_category(tmp_path, wrong):
    suite = tmp_path / "suite.jsonl"
    line = ("build", "--annotation", FOLDER / "en", *TEXT, *LINKS, "--repair", "-o", suite)
    assert protest(*line).code == 0
    result = protest("score", suite, "--candidate", wrong, *OWN_LINKS, "--repair")
    rows = [line.rstrip() for line in result.stdout.decode().splitlines()]
    total = [row for row in rows if row.startswith("all ")][-1]
    assert "80.0 to 100.0 [" in total
    assert any("inter non-subject it" in row and row.endswith("]") for row in rows)


def test_signatures_say_where_links_come_from(suite, wrong, tmp_path):
    corpus = [tmp_path / "c.en", tmp_path / "c.fr"]
    for path in corpus:
        path.write_text("It rains .\n", "utf-8")
    given = signatures(suite, "--candidate", wrong, *OWN_LINKS)
    alone = signatures(suite, "--candidate", wrong)
    helped = signatures(suite, "--candidate", wrong, "--align-with", *corpus)
    corpus[1].write_text("Il pleut .\n", "utf-8")
    other = signatures(suite, "--candidate", wrong, "--align-with", *corpus)
    own = signatures(suite, "--candidate", wrong, *OWN_LINKS, "--source", FOLDER / "text.en")
    found = [one[0] for one in (given, alone, helped, other, own)]
    assert len(set(found)) == 5
    assert "|links:given|source:suite|" in given[0]
    assert "|links:aligned|" in alone[0]
    assert "|links:aligned+1." in helped[0]
    refused = protest("score", suite, "--candidate", wrong, *OWN_LINKS, "--align-with", *corpus)
    assert refused.code == 2


def test_signatures_say_which_verdicts_silver_and_lists(suite, wrong, tmp_path):
    silver = tmp_path / "silver.tsv"
    found = set()
    for word in ("ça", "ceci"):
        silver.write_text(f"token\tpronoun\thead\tremark\ntalk1:word_29\t{word}\t\t\n", "utf-8")
        automatic, both = signatures(suite, "--candidate", wrong, *OWN_LINKS, "--silver", silver)
        found.add(both)
        assert "|silver:1." in both
        assert "silver" not in automatic
    assert len(found) == 2
    lists = tmp_path / "fr.yaml"
    shipped = CONF_DIR / "words" / "protest" / "fr.yaml"
    lists.write_text(shipped.read_text("utf-8").replace("ceci", "ceça"), "utf-8")
    assert signatures(
        suite, "--candidate", wrong, *OWN_LINKS, "--target-language", lists
    ) != signatures(suite, "--candidate", wrong, *OWN_LINKS)


@pytest.mark.parametrize(
    "options",
    [
        ("--candidate-links", "a", "--candidate-links", "b"),
        ("--name", "a", "--name", "b"),
        ("--source", "a", "--source", "b"),
        ("--max-examples", "3"),
    ],
)
def test_options_must_fit_the_outputs(suite, options):
    assert protest("score", suite, "--candidate", FOLDER / "text.fr", *options).code == 2


def test_score_lists_every_problem_before_any_score(suite, tmp_path):
    (tmp_path / "short").write_text("x\n", "utf-8")
    links = (FOLDER / "text.links").read_text("utf-8").splitlines()
    links[5] += " 99-99"
    (tmp_path / "links").write_text("\n".join(links) + "\n", "utf-8")
    result = protest(
        "score",
        suite,
        "--candidate",
        tmp_path / "short",
        FOLDER / "text.fr",
        "--candidate-links",
        tmp_path / "links",
        "--candidate-links",
        tmp_path / "links",
        "-o",
        tmp_path / "report",
    )
    assert (result.code, result.stdout) == (2, b"")
    assert b"short:2: lines: expected 19 lines as in the suite, found 1" in result.stderr
    assert b"links:6: links: expected links inside 5 source and 6 target tokens" in result.stderr
    assert not (tmp_path / "report").exists()


def test_an_empty_suite_and_texts_that_are_not_there(tmp_path):
    (tmp_path / "empty").write_text("")
    result = protest(
        "score", tmp_path / "empty", "--candidate", tmp_path / "none", FOLDER / "text.fr"
    )
    assert result.code == 2
    lines = result.stderr.decode().splitlines()
    assert [line.rpartition("/")[2] for line in lines] == [
        "empty: file: expected a suite from `protest build`, found an empty file",
        "none: file: expected a readable file, found No such file or directory",
    ]


def test_an_output_that_cannot_be_written_stops_everything(suite, wrong, tmp_path):
    review, detail = tmp_path / "r.tsv", tmp_path / "d.tsv"
    result = protest(
        *("score", suite, "--candidate", wrong, *OWN_LINKS, "--review", review, "--detail", detail),
        *("-o", tmp_path / "none" / "x"),
    )
    assert (result.code, result.stdout) == (2, b"")
    assert b"output: expected a file of its own in an existing folder" in result.stderr
    assert not review.exists()
    assert not detail.exists()
    result = protest(
        "score", suite, "--candidate", wrong, *OWN_LINKS, "--review", review, "--detail", review
    )
    assert result.code == 2
