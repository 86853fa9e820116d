"""`crosspro.evaluate`: lists, examples, files and systems are scored alike."""

from __future__ import annotations

import json
import shutil

import pytest

import crosspro
from tests.conftest import GOLDEN
from tests.scripts.run import crosspro as command

CASE = GOLDEN / "scorer" / "en-fr_basic"
MODELS = GOLDEN / "models"
LABELS = ["il", "elle", "OTHER", "il"]


def scores_of(result):
    return [
        (score.value, score.low, score.high)
        for scores in result.scores.values()
        for score in scores.values()
    ]


def test_labels_examples_and_files_score_alike(tmp_path):
    gold = crosspro.demo("en-fr", "test", 6)
    labels = [gap.label for example in gold for gap in example.gaps]
    guessed = ["il" if number % 3 else label for number, label in enumerate(labels)]
    each = iter(guessed)
    filled = [one.with_labels([next(each) for _ in one.gaps]) for one in gold]
    crosspro.write_examples(tmp_path / "gold.data", gold)
    crosspro.write_examples(tmp_path / "x.data", filled)
    ids = "".join(f"{one.document}\n" for one in gold)
    (tmp_path / "gold.doc-ids").write_text(ids, "utf-8")
    files = crosspro.evaluate(tmp_path / "gold.data", tmp_path / "x.data", "en-fr", resamples=50)
    assert files.names == ["x"] and "|by:document|" in files.signature
    both = crosspro.evaluate(gold, {"x": filled, "y": guessed}, "en-fr", resamples=50)
    assert scores_of(both) == scores_of(files) * 2
    assert both.signature == files.signature
    documents = [one.document for one in gold for _ in one.gaps]
    lists = crosspro.evaluate(labels, {"x": guessed}, "en-fr", documents=documents, resamples=50)
    assert scores_of(lists) == scores_of(files)
    alone = crosspro.evaluate(labels, guessed, "en-fr", resamples=0)
    assert alone.scores["system"]["accuracy"].value == files.scores["x"]["accuracy"].value
    assert all(len(result.html()) > 5_000 for result in (files, both, lists, alone))


def test_the_function_is_the_command(tmp_path):
    gold = MODELS / "input.data"
    for run in ("ngram", "majority"):
        shutil.copytree(MODELS / run, tmp_path / run)
    filled = crosspro.predict(crosspro.load_system(tmp_path / "ngram"),
                              crosspro.read_examples(gold, "en-fr"))  # fmt: skip
    crosspro.write_examples(tmp_path / "filled.data", filled)
    paths = [tmp_path / name for name in ("ngram", "filled.data", "majority")]
    systems = {path.name: path for path in paths}
    result = crosspro.evaluate(gold, systems, "en-fr", resamples=50)
    call = command("evaluate", gold, *paths, "-t", "en-fr", "--layout", "json", "--resamples", 50)
    printed = json.loads(call.stdout)["candidates"]
    for own, candidate in zip(result.candidates, printed, strict=True):
        for measure, score in own.scores.items():
            assert candidate["scores"][measure]["value"] == score.value
            assert candidate["scores"][measure]["low"] == score.low
    first, second, _ = result.candidates
    assert first.scores == second.scores


@pytest.mark.parametrize(
    ("gold", "predictions", "more"),
    [
        (LABELS, LABELS, {"resamples": -5}),
        (LABELS, LABELS, {"resamples": True}),
        (LABELS, LABELS, {"seed": "x"}),
        (LABELS, LABELS, {"task": 3}),
        (LABELS, LABELS, {"documents": ["a"]}),
        (LABELS, ["il", None, float("nan"), "a b"], {}),
        (LABELS, {"A": LABELS[:3]}, {}),
        (LABELS, ["er", *LABELS[1:]], {}),
        (LABELS, {}, {}),
        (LABELS, 3, {}),
        ([], LABELS, {}),
        (CASE / "gold.tsv", LABELS, {"task": None}),
        (CASE / "gold.tsv", CASE / "no such file", {}),
    ],
)
def test_wrong_input_is_an_input_error(gold, predictions, more):
    with pytest.raises(crosspro.InputError):
        crosspro.evaluate(gold, predictions, **{"task": "en-fr", **more})


def test_a_system_that_is_not_there_cannot_be_compared():
    result = crosspro.evaluate(LABELS, {"A": LABELS, "B": LABELS}, "en-fr")
    for pair in (("A", "C"), ("A", "B", "no measure")):
        with pytest.raises(crosspro.InputError):
            result.compare(*pair)
