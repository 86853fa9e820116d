"""`crosspro protest review`: what people judge counts in scores, and their work is never lost."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.scripts.protest.conftest import FOLDER, OWN_LINKS, protest


@pytest.fixture
def filled(suite, wrong, tmp_path):
    """A review file in which somebody has judged the first of three rows, with a spreadsheet."""
    review = tmp_path / "review.tsv"
    assert protest("score", suite, "--candidate", wrong, *OWN_LINKS, "--review", review).code == 0
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
    result = protest("review", "import", suite, filled, "--verdicts", path, "--judge", "Anna")
    assert result.code == 0, result.stderr
    return path


def keys(review):
    return [line.split("\t")[0] for line in review.read_text("utf-8").splitlines()[1:]]


def test_score_review_import_score(suite, wrong, tmp_path):
    review, store = tmp_path / "review.tsv", tmp_path / "verdicts.sqlite"
    both = ("score", suite, "--candidate", FOLDER / "text.fr", wrong, *OWN_LINKS, *OWN_LINKS)
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
            "--judge",
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
        "review",
        "export",
        suite,
        "--candidate",
        wrong,
        *OWN_LINKS,
        "--verdicts",
        store,
        "--conflicts",
        "-o",
        export,
    )
    assert b"1 to judge" in result.stderr
    rows = export.read_text("utf-8").splitlines()
    cells = rows[1].split("\t")
    cells[-4] = "wrong"
    export.write_text("\n".join([rows[0], "\t".join(cells)]) + "\n", "utf-8")
    result = protest(
        "review", "import", suite, export, "--verdicts", store, "--judge", "Chris", "--resolve"
    )
    assert b"0 conflicts" in result.stderr
    silver = tmp_path / "silver.tsv"
    assert (
        b"2 alternatives"
        in protest("review", "silver", suite, "--verdicts", store, "-o", silver).stderr
    )
    scored = protest(
        "score", suite, "--candidate", wrong, *OWN_LINKS, "--silver", silver, "--layout", "json"
    ).stdout
    (system,) = json.loads(scored)["systems"]
    assert system["counts"]["silver"] == 2


def test_matches_go_out_on_demand_and_count_as_people_say(suite, tmp_path):
    review, store = tmp_path / "all.tsv", tmp_path / "v.sqlite"
    export = (
        "review",
        "export",
        suite,
        "--candidate",
        FOLDER / "text.fr",
        *OWN_LINKS,
        "-o",
        review,
    )
    assert b"0 to judge" in protest(*export).stderr
    assert b"14 to judge" in protest(*export, "--matches").stderr
    lines = review.read_text("utf-8").splitlines()
    cells = next(line for line in lines if line.startswith("talk1:word_29")).split("\t")
    cells[-4] = "wrong"
    review.write_text("\n".join([lines[0], "\t".join(cells)]) + "\n", "utf-8")
    result = protest("review", "import", suite, review, "--verdicts", store, "--judge", "Anna")
    assert result.code == 0, result.stderr
    scored = protest(
        "score",
        suite,
        "--candidate",
        FOLDER / "text.fr",
        *OWN_LINKS,
        "--verdicts",
        store,
        "--layout",
        "json",
    )
    scores = json.loads(scored.stdout)["systems"][0]["scores"]
    assert scores["automatic"]["value"] == 1
    assert scores["semi-automatic"]["value"] == pytest.approx(13 / 14)


def test_a_review_file_with_a_byte_order_mark(suite, wrong, tmp_path):
    review, store = tmp_path / "r.tsv", tmp_path / "v.sqlite"
    assert protest("score", suite, "--candidate", wrong, *OWN_LINKS, "--review", review).code == 0
    lines = review.read_text("utf-8").splitlines()
    cells = lines[1].split("\t")
    cells[-4] = "right"
    cells[-3] = "right" if cells[3].startswith("anaphoric") else ""
    text = "\r\n".join([lines[0], "\t".join(cells)]) + "\r\n"
    review.write_bytes(b"\xef\xbb\xbf" + text.encode("utf-8"))
    result = protest("review", "import", suite, review, "--verdicts", store, "--judge", "Anna")
    assert result.code == 0, result.stderr
    assert b"1 verdicts by Anna" in result.stderr


@pytest.mark.parametrize(
    "command", [("score", "--resamples", "0", "--review"), ("review", "export", "-o")]
)
def test_new_rows_are_merged_into_a_review_file(suite, wrong, filled, command):
    *words, option = command
    result = protest(*words, suite, "--candidate", wrong, *OWN_LINKS, option, filled)
    assert result.code == 0, result.stderr
    assert b"review.tsv: 2 to judge" in result.stderr
    text = filled.read_text("utf-8")
    assert "as people say it" in text
    assert len(set(keys(filled))) == len(keys(filled)) == 3
    again = protest(*words, suite, "--candidate", FOLDER / "text.fr", *OWN_LINKS, option, filled)
    assert b"0 to judge" in again.stderr
    assert len(keys(filled)) == 1  # only what nobody has filled in was replaced
    assert "as people say it" in filled.read_text("utf-8")


def test_a_review_file_that_is_no_table_any_more_is_not_replaced(suite, wrong, filled):
    text = filled.read_text("utf-8") + "a row\tby hand\n"
    filled.write_text(text, "utf-8")
    result = protest("review", "export", suite, "--candidate", wrong, *OWN_LINKS, "-o", filled)
    assert result.code == 2
    assert b"to keep the verdicts of the file" in result.stderr
    assert filled.read_text("utf-8") == text


def test_no_output_replaces_verdicts(suite, wrong, filled, store, tmp_path):
    other = tmp_path / "other.sqlite"
    shutil.copy(store, other)
    before = {path: path.read_bytes() for path in (filled, store, other)}
    silver = ("review", "silver", suite, "--verdicts", store, "-o")
    scores = ("score", suite, "--candidate", wrong, *OWN_LINKS, "--resamples", 0)
    for line in (
        (*silver, store),
        (*silver, other),
        (*silver, filled),
        (*scores, "-o", filled),
        (*scores, "--detail", filled),
        (*scores, "--html", other),
        (*scores, "--review", other),
        ("review", "export", suite, "--candidate", wrong, *OWN_LINKS, "-o", other),
    ):
        result = protest(*line)
        assert result.code == 2, line
        assert b"output: expected" in result.stderr
        assert {path: path.read_bytes() for path in before} == before


def test_an_empty_review_file_is_replaced(suite, wrong, tmp_path):
    review = tmp_path / "review.tsv"
    for system in (wrong, FOLDER / "text.fr"):
        assert (
            protest("review", "export", suite, "--candidate", system, *OWN_LINKS, "-o", review).code
            == 0
        )
    assert keys(review) == []
