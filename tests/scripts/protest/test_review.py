"""`crosspro protest review`: what people judge counts in scores, and their work is never lost."""

from __future__ import annotations

import csv
import importlib.util
import io
import shutil
import socket

import pytest

from crosspro.evaluation.human.items import items_text, read_items
from tests.evaluation.human.sets import make_set
from tests.scripts.protest.conftest import OWN_LINKS, REFERENCE, protest, refused, scores

HAS_EXTRA = all(map(importlib.util.find_spec, ("fastapi", "uvicorn", "python_multipart")))
served = pytest.mark.skipif(
    not HAS_EXTRA, reason="needs the extra `review`: make extras EXTRAS=review"
)


def fill_in(review, said, path=None, remark=""):
    """Fill in rows of a review file as a spreadsheet does, by token; None leaves a row empty."""
    rows = list(csv.DictReader(io.StringIO(review.read_text("utf-8-sig")), delimiter="\t"))
    for row in rows:
        if (pronoun := said(row["token"])) is not None:
            row["pronoun"] = pronoun
            row["antecedent"] = "right" if row["category"].startswith("anaphoric") else ""
            row["remark"] = remark
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], delimiter="\t", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    (path or review).write_bytes(b"\xef\xbb\xbf" + text.getvalue().encode("utf-8"))
    return path or review


def take_in(suite, review, store, name):
    return protest(f"review import {suite} {review} --verdicts {store} --judge {name}")[1]


def export(suite, output, review, options=""):
    line = f"review export {suite} --candidate {output} {OWN_LINKS} {options} -o {review}"
    return protest(line)[1]


@pytest.fixture
def filled(suite, wrong, tmp_path):
    """A review file in which somebody has judged the first of three rows, with a spreadsheet."""
    review = tmp_path / "review.tsv"
    protest(f"score {suite} --candidate {wrong} {OWN_LINKS} --review {review}")
    first = keys(review)[0]
    return fill_in(review, lambda token: "right" if token == first else None,
                   remark="as people say it")  # fmt: skip


@pytest.fixture
def store(suite, filled, tmp_path):
    path = tmp_path / "verdicts.sqlite"
    assert "1 verdicts by Anna" in take_in(suite, filled, path, "Anna")
    return path


def keys(review):
    return [line.split("\t")[0] for line in review.read_text("utf-8").splitlines()[1:]]


def test_score_review_import_score(suite, wrong, tmp_path):
    review, store = tmp_path / "review.tsv", tmp_path / "verdicts.sqlite"
    both = f"score {suite} --candidate {REFERENCE} {wrong} {OWN_LINKS} {OWN_LINKS}"
    text, told = protest(f"{both} --review {review} --detail {tmp_path}/details.tsv")
    assert "78.6 to 100.0" in text
    assert "p (bootstrap)" in text
    assert "3 to judge" in told
    assert len((tmp_path / "details.tsv").read_text("utf-8").splitlines()) == 29
    for name, rain in (("Anna", "right"), ("Ben", "wrong")):
        said = {"talk1:word_29": rain}
        own = fill_in(review, lambda token: said.get(token, "right"), tmp_path / f"{name}.tsv")  # noqa: B023
        told = take_in(suite, own, store, name)
    assert "3 verdicts by Ben, 1 conflicts" in told
    assert "talk1:word_29" in protest(f"review conflicts {suite} --verdicts {store}")[0]
    options = f"--verdicts {store} --resamples 50"
    _, second = scores(suite, REFERENCE, wrong, options=options)
    assert second["scores"]["semi-automatic"]["value"] == pytest.approx(13 / 14)
    assert second["at_most"] == pytest.approx(1)
    disputed, silver = tmp_path / "conflicts.tsv", tmp_path / "silver.tsv"
    told = export(suite, wrong, disputed, f"--verdicts {store} --conflicts")
    assert "1 to judge" in told
    fill_in(disputed, lambda token: "wrong")
    assert "0 conflicts" in take_in(suite, disputed, store, "Chris --resolve")
    told = protest(f"review silver {suite} --verdicts {store} -o {silver}")[1]
    assert "2 alternatives" in told
    (system,) = scores(suite, wrong, options=f"--silver {silver}")
    assert system["counts"]["silver"] == 2


def test_matches_go_out_on_demand_and_count_as_people_say(suite, tmp_path):
    review, store = tmp_path / "all.tsv", tmp_path / "v.sqlite"
    assert "0 to judge" in export(suite, REFERENCE, review)
    assert "14 to judge" in export(suite, REFERENCE, review, "--matches")
    fill_in(review, lambda token: "wrong" if token == "talk1:word_29" else None)
    take_in(suite, review, store, "Anna")
    (system,) = scores(suite, REFERENCE, options=f"--verdicts {store}")
    values = [score["value"] for score in system["scores"].values()]
    assert values == pytest.approx([1, 13 / 14])


@pytest.mark.parametrize("command", ["score --resamples 0 --review", "review export -o"])
def test_new_rows_are_merged_into_a_review_file(suite, wrong, filled, command):
    words, option = command.rsplit(" ", 1)
    line = f"{words} {suite} {option} {filled} {OWN_LINKS} --candidate"
    assert "review.tsv: 2 to judge" in protest(f"{line} {wrong}")[1]
    assert "as people say it" in filled.read_text("utf-8")
    assert len(set(keys(filled))) == len(keys(filled)) == 3
    assert "0 to judge" in protest(f"{line} {REFERENCE}")[1]
    assert len(keys(filled)) == 1  # only what nobody has filled in was replaced
    assert "as people say it" in filled.read_text("utf-8")


def test_a_review_file_that_is_no_table_any_more_is_not_replaced(suite, wrong, filled):
    text = filled.read_text("utf-8") + "a row\tby hand\n"
    filled.write_text(text, "utf-8")
    told = refused(f"review export {suite} --candidate {wrong} {OWN_LINKS} -o {filled}")
    assert "to keep the verdicts of the file" in told
    assert filled.read_text("utf-8") == text


def test_no_output_replaces_verdicts(suite, wrong, filled, store, tmp_path):
    other = shutil.copy(store, tmp_path / "other.sqlite")
    table = shutil.copy(filled, tmp_path / "table.tsv")
    before = {path: path.read_bytes() for path in (filled, store, other, table)}
    silver = f"review silver {suite} --verdicts {store} -o"
    system = f"{suite} --candidate {wrong} {OWN_LINKS}"
    for line in (
        f"{silver} {store}",
        f"{silver} {other}",
        f"{silver} {filled}",
        f"score {system} --resamples 0 -o {filled}",
        f"score {system} --resamples 0 --detail {table}",
        f"score {system} --resamples 0 --html {other}",
        f"score {system} --resamples 0 --review {other}",
        f"review export {system} -o {other}",
    ):
        assert "output: expected" in refused(line)
        assert {path: path.read_bytes() for path in before} == before


def test_an_empty_review_file_is_replaced(suite, wrong, tmp_path):
    for system in (wrong, REFERENCE):
        export(suite, system, tmp_path / "review.tsv")
    assert keys(tmp_path / "review.tsv") == []


# The server, before any page is shown -------------------------------------------------------------


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text(items_text(make_set(2)), "utf-8")
    return path


def test_items_of_a_suite(suite, tmp_path):
    protest(f"review items {suite} --candidate {REFERENCE} {OWN_LINKS} -o {tmp_path}/items.jsonl")
    found = read_items(tmp_path / "items.jsonl")
    assert len(found.items) == len(found.questions)
    assert all(one.matches for one in found.items)


@pytest.mark.skipif(HAS_EXTRA, reason="the extra `review` is installed")
def test_without_the_extra_it_says_what_to_install(items, tmp_path):
    told = refused(f"review serve --items {items} --verdicts {tmp_path}/v.sqlite")
    assert "make extras EXTRAS=review" in told


@served
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "give a SUITE and --candidate, or --items"),
        ("--items {} --host 0.0.0.0", "say how the server is reached"),
        ("--items {} --url ftp://x", "expected https://NAME"),
        ("--items {} --url https://x/path", "expected https://NAME"),
        ("--items {} --judge=", "an annotator needs a name"),
        ("--items {} --tutorial {}", "answer: expected an object"),
        ("--items {} --overlap 2", "overlap"),
    ],
)
def test_options_that_cannot_be(items, tmp_path, options, message):
    options = options.replace("{}", str(items))
    assert message in refused(f"review serve --verdicts {tmp_path}/v.sqlite {options}")


@served
def test_a_port_that_is_taken(items, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = f"--items {items} --verdicts {tmp_path}/v.sqlite --port {port}"
        told = refused(f"review serve {line}")
    assert "--host, --port: expected a free address of this machine" in told
