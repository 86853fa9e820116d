"""Trained systems in Python: train, pack, proofread; examples as streams."""

from __future__ import annotations

import json

import pytest

import crosspro
from crosspro.prediction.pair_prediction import Predictor


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    sets = {name: crosspro.demo("en-fr", name, 20) for name in ("train", "dev", "test")}
    folder = tmp_path_factory.mktemp("run")
    return crosspro.train("en-fr", "ngram", data=sets, folder=folder, settings={"resamples": 20})


def test_train_is_the_command(run):
    assert set(run.evaluations) == {"dev", "test"}
    assert (run.folder / "run.json").is_file()
    assert run.run.configuration.choices["system"] == "ngram"
    assert "baseline-tuned seed 1, task en-fr" in str(run) and str(run.folder) in str(run)
    test = crosspro.demo("en-fr", "test", 20)
    found = crosspro.evaluate(test, {"A": run, "B": run.folder, "C": run.predict(test)}, "en-fr",
                              resamples=0)  # fmt: skip
    values = {one["macro_recall"].value for one in found.scores.values()}
    assert values == {run.evaluations["test"].candidates[0].scores["macro_recall"].value}


def test_a_run_is_packed(run, tmp_path):
    test = crosspro.demo("en-fr", "test", 2)
    crosspro.export(run, tmp_path / "x.zip")
    assert crosspro.predict(tmp_path / "x.zip", test) == run.predict(test)
    with pytest.raises(crosspro.InputError, match="weights"):
        crosspro.export(run, tmp_path / "y.zip", weights="int4")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"task": "en-xx"}, "task"),
        ({"system": "ngramm"}, "system/ngramm"),
        ({"system": "ngram,majority"}, "system"),
        ({"system": "majority", "settings": {"no.such": 1}}, "'no'"),
        ({"system": "ngram", "settings": {"system.order": "x"}}, "system.order"),
        ({"data": "no/such"}, "data.dir"),
        ({"data": {"train": []}}, "data['train']"),
        ({"data": {"train": [3], "dev": []}}, "data['train']:1: example"),
    ],
)
def test_wrong_settings_are_told(arguments, told, tmp_path):
    with pytest.raises(crosspro.InputError) as caught:
        crosspro.train(**{"system": "majority", "folder": tmp_path / "x", **arguments})
    assert told in str(caught.value)
    assert not (tmp_path / "x").exists()


def test_examples_are_read_with_and_without_a_task(tmp_path):
    written = crosspro.demo("en-fr", "dev", 5)
    crosspro.write_examples(tmp_path / "x.data.xz", written)
    (tmp_path / "x.doc-ids").write_text("".join(f"{one.document}\n" for one in written), "utf-8")
    for task in ("en-fr", None):
        assert crosspro.read_examples(tmp_path / "x.data.xz", task) == written
    inflected = crosspro.demo("en-fr-2015", "dev", 5)
    crosspro.write_examples(tmp_path / "y.data", inflected)
    assert crosspro.read_examples(tmp_path / "y.data")[0].tags is None
    with pytest.raises(crosspro.InputError, match="no: file"):
        crosspro.read_examples("no", "en-fr")


SLEPT = (["The dog slept.", "It snored."], ["Der Hund schlief.", "Es schnarchte."])


def test_proofread_knows_the_model_of_files(tmp_path):
    for language, own in zip(("en", "de"), SLEPT, strict=True):
        (tmp_path / f"x.{language}").write_text("".join(f"{one}\n" for one in own), "utf-8")
    found = crosspro.proofread(tmp_path / "x.en", tmp_path / "x.de")
    assert [(one.word, one.suggestion) for one in found.doubtful] == [("Es", "Er")]
    assert "masculine" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["signature"] == found.signature
    assert "<html" in found.html()


@pytest.mark.slow
def test_proofread_takes_lines_as_files(tmp_path):
    (tmp_path / "de").write_text("".join(f"{one}\n" for one in SLEPT[1]), "utf-8")
    model = crosspro.load("en-de")
    assert isinstance(model, Predictor)
    files = crosspro.proofread(SLEPT[0], tmp_path / "de", ["a", "a"], model)
    lines = crosspro.proofread(*SLEPT, model=model)
    chances = [[pronoun.wrong for pronoun in result] for result in (files, lines)]
    assert chances[0] == chances[1]
    assert len(chances[0]) == 1
