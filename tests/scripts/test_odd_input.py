"""Input that nobody writes on purpose: each is refused with a message, never with a traceback."""

from __future__ import annotations

import os

import pytest

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.files import parse_json, read_bytes
from crosspro.data_prep.core.yaml_files import read_yaml
from tests.scripts.run import crosspro

LONG = "9" * 5000


@pytest.fixture
def model(tmp_path):
    text = tmp_path / "text"
    text.write_text("it rains .\nce pleut .\n")
    path = tmp_path / "model.lm"
    result = crosspro("lm", "train", text, "-o", path, "--order", 2, "--discount-fallback")
    assert result.code == 0, result.stderr
    return path


def refused(*arguments: object) -> str:
    result = crosspro(*arguments)
    assert result.code == 2, result
    return result.stderr.decode()


@pytest.mark.parametrize(
    "text",
    [
        "a: !!timestamp x",
        "a: !!int x",
        "a: !!float x",
        "a: !!bool x",
        "a: 2020-13-45",
        f"a: {LONG}",
        "? [a, b]\n: 1",
        "? {a: b}\n: 1",
        "a: !!python/object:os.system x",
        "[" * 3000,
    ],
)
def test_odd_yaml(text, tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(text + "\n")
    with pytest.raises(CrossproError, match="expected valid YAML"):
        read_yaml(path)


@pytest.mark.parametrize("text", ["2020-01-01: 1", "null: 1", "true: 1", "a: .nan", "- 1", "~"])
def test_yaml_that_is_no_task(text, tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(text + "\n")
    refused("stats", tmp_path / "none", "-t", path)


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        "1e999",
        '{"x": -1.5e400}',
        "1" * 400,
        "NaN",
        "[-Infinity]",
        '"\\ud800"',
        '{"\\udfff": 1}',
        "[" * 100_000,
        "{",
        "",
    ],
)
def test_odd_json(text, tmp_path):
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)
    path = tmp_path / "set.json"
    path.write_text(text)
    assert "expected JSON in UTF-8" in refused("contrastive", path, path)
    assert (
        "JSON: expected an object" in refused("protest", "score", path, "--candidate", path)
        or not text
    )


def test_a_number_that_is_too_large_is_named():
    with pytest.raises(ValueError, match="a number that is too large: 1e999"):
        parse_json('{"tau": 1e999}')
    assert parse_json("[1e308, -12, 5e-324, 1.0]") == [1e308, -12, 5e-324, 1.0]


def test_whole_characters_in_json():
    assert parse_json('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize("ending", ["xz", "gz"])
def test_text_that_is_called_compressed(ending, model, tmp_path):
    path = tmp_path / f"text.{ending}"
    path.write_text("plain text\n")
    with pytest.raises(CrossproError, match=r"a readable (xz|gzip) file"):
        read_bytes(path)
    for line in (
        ("contrastive", path, path),
        ("stats", path, "-t", "en-fr"),
        ("tokenise", path, "-l", "en"),
        ("fill", path, "-t", "en-fr", "--lm", model),
        ("fill", path, "-t", "en-fr", "--lm", path),
        ("correlate", path, "--human", "a"),
        ("protest", "score", path, "--candidate", path),
        ("lexicon", "convert", path, "-o", tmp_path / "out"),
    ):
        assert "file: expected a readable" in refused(*line) or line[0] == "lexicon"


def test_more_labels_than_gaps(model, tmp_path):
    path = tmp_path / "two.data"
    path.write_text("ce\tce\tit\tREPLACE_0 x\t0-0\nce elle\tce elle\tit\tREPLACE_0 x\t0-0\n")
    line = ("fill", path, "-t", "en-fr", "--lm", model, "--layout", "compare")
    assert "two.data:2: classes: expected one for each gap, 1" in refused(*line)
    path.write_text("\t\tit it\tREPLACE_0 REPLACE_1\t0-0 1-1\n")
    assert len(crosspro(*line).stdout.splitlines()) == 2  # blind: nothing to compare with


def test_numbers_without_end(tmp_path, model):
    assert "memory" in refused("lm", "train", model, "-o", tmp_path / "x", "--memory", LONG)
    assert "seed" in refused("train", f"seed={LONG}")
    links = tmp_path / "links"
    links.write_text(f"0-{LONG}\n")
    text = tmp_path / "one"
    text.write_text("it\n")
    line = ("align", "--source", text, "--target", text, "--evaluate", links, "--links", links)
    assert "links:1" in refused(*line)


def test_numbers_that_are_none(tmp_path):
    table = tmp_path / "urls.tsv"
    columns = ["name", "task", "year", "split", "url", "size", "sha256", "evidence", "source"]
    for year in ("²", LONG):
        row = ("x.gz", "en-fr", year, "train", "http://x", "", "", "", "")
        table.write_text("\t".join(columns) + "\n" + "\t".join(row) + "\n", "utf-8")
        message = refused("fetch-official", "--dry-run", "--table", table)
        assert "urls.tsv:2: year: expected a number" in message
    blocks = tmp_path / "set.json"
    blocks.write_text(f'{{"{LONG}": {{}}}}')
    assert "block: expected a number as its key" in refused("contrastive", blocks, blocks)
    for number in ("²", LONG):
        line = ("protest", "build", "--annotation", "x", "--reference", "x", "-o", tmp_path / "s")
        assert crosspro(*line, "--size", f"pleonastic={number}").code == 2


def test_no_task_at_all():
    assert "settings: task: expected one of" in refused("train", "task=null")


def test_empty_paths():
    for line in (
        ("stats", "", "-t", "en-fr"),
        ("check", "", "-t", "en-fr"),
        ("published", "-t", "en-fr", "-o", ""),
        ("tokenise", "", "-l", "en"),
    ):
        assert "expected" in refused(*line)


@pytest.mark.parametrize("layout", ["table", "markdown", "json", "csv"])
@pytest.mark.parametrize("command", [("pronoun-f1", "-l", "fr"), ("mt-metrics",)])
def test_names_of_files_that_are_no_text(command, layout, tmp_path):
    if command == ("mt-metrics",):
        pytest.importorskip("sacrebleu")
    reference, candidate = tmp_path / "reference", tmp_path / os.fsdecode(b"\xff.fr")
    for path in (reference, candidate):
        path.write_text("elle est là .\n", encoding="utf-8")
    result = crosspro(
        *command, "--reference", reference, "--candidate", candidate, "--layout", layout
    )
    assert result.code == 0, result.stderr
    assert b"\\udcff.fr" in result.stdout
