"""`crosspro contrastive`: files of scores, translations, and trained systems."""

from __future__ import annotations

import json

import pytest

from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from tests.conftest import GOLDEN
from tests.evaluation.metrics.contrastive_instances import french_instance, written_set
from tests.examples import example_of
from tests.scripts.run import crosspro

CASE = GOLDEN / "contrastive" / "small_set"
SCORED = (CASE / "test.json", CASE / "scores")
CTXPRO = GOLDEN / "ctxpro" / "fr"


def as_json(tmp_path, *call):
    """What --json writes."""
    path = tmp_path / "out.json"
    result = crosspro("contrastive", *call, "--json", path)
    assert result.code == 0, result.stderr
    return json.loads(path.read_text("utf-8"))


def accuracies(content):
    return {one["name"]: one["scores"]["accuracy"]["value"] for one in content["candidates"]}


def test_files_of_scores(tmp_path):
    content = as_json(tmp_path, *SCORED, "--resamples", 20)
    assert accuracies(content) == {"scores": 32.5}
    assert sum(one["verdict"] == "right" for one in content["instances"]) == 13
    assert len(content["instances"]) == 40
    assert b"32.50" in crosspro("contrastive", *SCORED).stdout


@pytest.mark.parametrize(("match", "right"), [("released", 65), ("words", 70)])
def test_translations(tmp_path, match, right):
    call = (CTXPRO / "set.json", "--candidate", CTXPRO / "parts.fr", "--match", match)
    content = as_json(tmp_path, *call, "--resamples", 0)
    assert accuracies(content) == {"parts": pytest.approx(100 * right / 120)}


def test_wrong_input_is_named_and_nothing_is_written(tmp_path):
    (tmp_path / "short.fr").write_text("1\n2\n")
    (tmp_path / "bad.fr").write_bytes(b"\xff\n")
    written = tmp_path / "out.json"
    for line in (
        (CASE / "test.json", CASE / "scores", tmp_path / "short.fr"),
        (CASE / "test.json", "--candidate", tmp_path / "short.fr"),
        (CASE / "test.json", "--candidate", tmp_path / "bad.fr"),
        (tmp_path / "bad.fr", CASE / "scores"),
        (CASE / "test.json", "--candidate", CASE / "scores"),  # of no language
        (CASE / "test.json", CASE / "scores", "--candidate", tmp_path / "short.fr"),
        (CASE / "test.json",),
    ):
        result = crosspro("contrastive", *line, "--json", written)
        assert (result.code, result.stdout) == (2, b""), line
        assert not written.exists()
        if b"fr:" in result.stderr:
            assert b"short.fr:3" in result.stderr or b"bad.fr:" in result.stderr


# Trained systems --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A language model of an inflected task (no lemmas needed): cats eat, doors sleep."""
    task = load_task("en-fr-2015")
    lines = [("il", "mange"), ("elle", "dort"), ("ils", "mangent"), ("elles", "dorment")] * 5
    examples = [
        example_of(
            ("it", "."), ("REPLACE_0", verb, "."), ((0, 0),), (Gap(0, 0, word, word),), None, False
        )
        for word, verb in lines
    ]
    system = NGramSystem(order=3, none_penalty=0.0)
    system.fit(task, examples, [])
    folder = tmp_path_factory.mktemp("run") / "small"
    system.save(folder / "model")
    return folder


def test_a_trained_system_scores_by_its_probabilities(trained, tmp_path):
    content = [
        french_instance("Elle dort .", "Il dort ."),
        french_instance("Il dort .", "Elle dort ."),
        french_instance("Il mange .", "Elle mange .", "Ils mange ."),
        french_instance("Rien dort .", "Tout dort ."),
        french_instance("Il mange .", "Rien ."),
    ]
    content = as_json(tmp_path, written_set(tmp_path, content), "--model", trained)
    verdicts = [one["verdict"] for one in content["instances"]]
    assert verdicts == ["right", "wrong", "right", "undecidable", "right"]
    assert accuracies(content) == {"small": 60}
    assert "run:" in content["signature"]
    assert "task:en-fr-2015" in content["signature"]


def test_a_system_that_can_decide_nothing_is_an_error(trained, tmp_path):
    content = [french_instance("Er schläft .", "Sie schläft .", "Es schläft .")] * 2
    result = crosspro("contrastive", written_set(tmp_path, content), "--model", trained)
    assert (result.code, result.stdout) == (2, b"")
