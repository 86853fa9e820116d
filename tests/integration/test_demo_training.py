"""`python train.py task=en-fr` learns the demo corpus nearly as well as can be (slow)."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_corpus
from crosspro.prediction.system import load_system
from tests.integration.training import SMALL, train


@pytest.mark.slow
def test_the_default_network_beats_the_language_model(tmp_path):
    scores = {}
    for system in ("turku_gru_2016", "ngram"):
        result = train(tmp_path / system, "task=en-fr", f"system={system}", "resamples=0")
        assert result.returncode == 0, result.stderr
        content = json.loads((tmp_path / system / "test.scores.json").read_text("utf-8"))
        scores[system] = content["systems"][0]["scores"]["macro_recall"]["value"]
    assert scores["turku_gru_2016"] > scores["ngram"] + 10
    task = load_task("en-fr")
    corpus = demo_corpus(task, "test")
    found = load_system(tmp_path / "turku_gru_2016" / "model").predict([s.example for s in corpus])
    predicted = iter(found.argmax(axis=1).tolist())
    right = []
    for sentence in corpus:
        for gap, origin in zip(sentence.example.gaps, sentence.origins, strict=True):
            hit = task.classes[next(predicted)] == gap.label
            if origin.back == 0:  # decided by the sentence itself
                right.append(hit)
    assert sum(right) / len(right) > 0.94  # at most 0.992, because some translators are free


@pytest.mark.slow
def test_a_network_and_a_language_model_are_one_configuration(tmp_path):
    network = "++system.members.network.network"
    result = train(
        tmp_path, "task=en-fr", "system=turku_gru_with_lm", *SMALL, "trainer.accelerator=cpu",
        "trainer.max_epochs=2", "trainer.progress_bar=false", "seed=4",
        f"{network}={{embedding: 8, hidden: 8, dense: 12, window: 20}}",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    rows = json.loads((tmp_path / "ensemble_weights.json").read_text("utf-8"))
    assert [row["member"] for row in rows] == ["network", "language_model"]
    assert (tmp_path / "members" / "network" / "checkpoints" / "last.ckpt").is_file()
    loaded = load_system(tmp_path)
    assert [part.name for part in loaded.parts] == ["turku_gru", "source_aware_lm"]
    assert loaded.parts[0].seed == 4
    assert loaded.weights == pytest.approx([row["weight"] for row in rows], abs=1e-6)
