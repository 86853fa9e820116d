"""`crosspro protest review serve` and `items` before any page is shown."""

from __future__ import annotations

import importlib.util
import socket

import pytest

from crosspro.evaluation.human.items import items_text, read_items
from tests.conftest import GOLDEN
from tests.evaluation.human.sets import make_set
from tests.scripts.run import crosspro

PROTEST = GOLDEN / "protest"
HAS_EXTRA = all(map(importlib.util.find_spec, ("fastapi", "uvicorn", "python_multipart")))


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text(items_text(make_set(2)), "utf-8")
    return path


def test_items_of_a_suite(tmp_path):
    suite, output = tmp_path / "suite.jsonl", tmp_path / "items.jsonl"
    text = ("--source", PROTEST / "text.en", "--reference", PROTEST / "text.fr")
    more = ("--doc-ids", PROTEST / "text.doc-ids", "--links", PROTEST / "text.links")
    built = crosspro("protest", "build", "--annotation", PROTEST / "en", *text, *more, "-o", suite)
    assert built.code == 0, built.stderr
    links = ("--candidate-links", PROTEST / "text.links")
    line = (
        "protest",
        "review",
        "items",
        suite,
        "--candidate",
        PROTEST / "text.fr",
        *links,
        "-o",
        output,
    )
    result = crosspro(*line)
    assert result.code == 0, result.stderr
    found = read_items(output)
    assert len(found.items) == len(found.questions)
    assert all(one.matches for one in found.items)


@pytest.mark.skipif(HAS_EXTRA, reason="the extra `review` is installed")
def test_without_the_extra_it_says_what_to_install(items, tmp_path):
    line = ("protest", "review", "serve", "--items", items, "--verdicts", tmp_path / "v.sqlite")
    result = crosspro(*line)
    assert result.code == 2
    assert b"make extras EXTRAS=review" in result.stderr


@pytest.mark.skipif(not HAS_EXTRA, reason="needs the extra `review`: make extras EXTRAS=review")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), b"give a SUITE and --candidate, or --items"),
        (("--items", "ITEMS", "--host", "0.0.0.0"), b"say how the server is reached"),  # noqa: S104
        (("--items", "ITEMS", "--url", "ftp://x"), b"expected https://NAME"),
        (("--items", "ITEMS", "--url", "https://x/path"), b"expected https://NAME"),
        (("--items", "ITEMS", "--judge", " "), b"an annotator needs a name"),
        (("--items", "ITEMS", "--tutorial", "ITEMS"), b"answer: expected an object"),
        (("--items", "ITEMS", "--overlap", "2"), b"overlap"),
    ],
)
def test_options_that_cannot_be(items, tmp_path, options, message):
    options = [items if one == "ITEMS" else one for one in options]
    result = crosspro("protest", "review", "serve", "--verdicts", tmp_path / "v.sqlite", *options)
    assert result.code == 2
    assert message in result.stderr


@pytest.mark.skipif(not HAS_EXTRA, reason="needs the extra `review`: make extras EXTRAS=review")
def test_a_port_that_is_taken(items, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = ("--items", items, "--verdicts", tmp_path / "v.sqlite", "--port", port)
        result = crosspro("protest", "review", "serve", *line)
    assert result.code == 2
    assert b"--host, --port: expected a free address of this machine" in result.stderr
