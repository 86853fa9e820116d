"""The models that come with the package: found by their names, listed, and used on typed text."""

from __future__ import annotations

import json
import shutil

import pytest

import crosspro
from crosspro.data_prep.annotate.bitext import Segment
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.prediction import registry
from tests.prediction.test_predictor import HOUSE, MAISON, WHOLE, archive, prior  # noqa: F401
from tests.scripts.run import crosspro as command


@pytest.fixture
def box(tmp_path, monkeypatch, archive):  # noqa: F811
    folder = tmp_path / "models"
    folder.mkdir()
    shutil.copyfile(archive, folder / "en-fr.zip")
    monkeypatch.setattr(registry, "_BUNDLED", folder)
    return folder


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_BUNDLED", tmp_path / "none")


def said(result, code=0):
    assert result.code == code, result.stderr
    return (result.stderr if code else result.stdout).decode()


def test_the_box_is_listed_first(box):
    result = command("models", "list")
    row = said(result).splitlines()[2].split()
    assert row[:4] == ["en-fr", "bundled", "en-fr-text", "majority"]
    (row,) = json.loads(said(command("models", "list", "--layout", "json")))
    assert (row["path"], row["kind"], row["task"]) == ("en-fr", "bundled", "en-fr-text")
    listed = said(command("models", "list", box))
    assert "archive" in listed
    assert "bundled" not in listed.splitlines()[2].split()
    assert "archive" in said(command("models", "list", "en-fr"))


def test_an_empty_box_is_no_error(empty):
    result = command("models", "list")
    assert len(said(result).splitlines()) == 2
    told = said(command("predict", "en-fr", "--text", HOUSE, MAISON), 2)
    assert told.startswith("en-fr: model")


def test_a_wrong_name_is_told_the_choices(box):
    told = said(command("predict", "en-ru", "--text", HOUSE, MAISON), 2)
    assert told.startswith("en-ru: model: ")
    assert "en-fr" in told


def test_commands_take_names_where_they_take_runs(box, tmp_path):
    task = load_task("en-fr-text")
    pair = crosspro.load("en-fr").pipeline.prepare(Segment(HOUSE, WHOLE))
    write_examples(tmp_path / "blind.data", pair.examples)
    out = tmp_path / "out.data"
    said(command("predict", "en-fr", tmp_path / "blind.data", "-o", out))
    assert out.read_text("utf-8").startswith("OTHER\t")
    gold = [one.with_labels(["elle"]) for one in pair.examples]
    write_examples(tmp_path / "gold.data", gold)
    shown = said(command("evaluate", tmp_path / "gold.data", "en-fr", "-t", task.name,
                         "--resamples", 0))  # fmt: skip
    assert "en-fr" in shown
    said(command("models", "export", "en-fr", "-o", tmp_path / "copy.zip"))


def test_a_typed_sentence_is_filled(box, tmp_path):
    shown = said(command("predict", "en-fr", "--text", HOUSE, MAISON))
    assert shown.startswith(MAISON.replace("REPLACE", "…") + "\n1. it\n   OTHER")
    assert said(command("predict", "en-fr", "--text", HOUSE, WHOLE, "--hide", "elle")).startswith(
        MAISON.replace("REPLACE", "…") + "\n1. it, hidden: elle\n"
    )
    out = tmp_path / "out.txt"
    assert said(command("predict", "en-fr", "--text", HOUSE, MAISON, "-o", out)) == ""
    assert out.read_text("utf-8") == shown


def test_a_typed_sentence_as_json(box):
    given = ("predict", "en-fr", "--text", HOUSE, MAISON, "--context", "Yes. ||| Oui.",
             "--context", "The house fell. ||| La maison est tombée.")  # fmt: skip
    found = json.loads(said(command(*given, "--layout", "json")))
    assert found["model"] == "en-fr"
    assert found["gaps"][0]["source"] == "it"
    assert found["gaps"][0]["label"] == next(iter(found["gaps"][0]["probabilities"]))
    assert {*found["gaps"][0]["probabilities"]} == {*load_task("en-fr-text").classes}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("en-fr", "--text", "Rain falls.", "La pluie tombe."), "REPLACE"),
        (("en-fr", "--text", HOUSE, WHOLE, "--hide", "lui"), "a word of the target, found 'lui'"),
        (("en-fr", "--text", HOUSE), "--text"),
        (("en-fr",), "expected RUN FILE"),
        (("en-fr", "f.data", "--text", HOUSE, MAISON), "--text"),
        (("en-fr", "f.data", "--hide", "elle", "-o", "x"), "go with --text"),
        (("en-fr", "--text", HOUSE, MAISON, "--probabilities", "x"), "--text goes with"),
        (("en-fr", "f.data"), "--text"),
    ],
)
def test_wrong_uses_of_text_are_told(box, arguments, told):
    assert told in said(command("predict", *arguments), 2)
