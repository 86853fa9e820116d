"""`python train.py task=en-fr` learns the demo corpus nearly as well as can be (slow)."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_corpus
from crosspro.prediction.system import load_system
from tests.integration.training import train


@pytest.mark.slow
def test_the_default_network_beats_the_language_model(tmp_path):
    scores = {}
    for system in ("turku_gru_words_inward", "ngram"):
        result = train(tmp_path / system, "task=en-fr", f"system={system}", "resamples=0")
        assert result.returncode == 0, result.stderr
        content = json.loads((tmp_path / system / "test.scores.json").read_text("utf-8"))
        scores[system] = content["candidates"][0]["scores"]["macro_recall"]["value"]
    assert scores["turku_gru_words_inward"] > scores["ngram"] + 10
    task = load_task("en-fr")
    corpus = demo_corpus(task, "test")
    system = load_system(tmp_path / "turku_gru_words_inward" / "model")
    probabilities = system.predict([example for example, _ in corpus])
    predicted = iter(probabilities.argmax(axis=1).tolist())
    right = []
    for example, origins in corpus:
        for gap, origin in zip(example.gaps, origins, strict=True):
            hit = task.classes[next(predicted)] == gap.label
            if origin.back == 0:  # decided by the sentence itself
                right.append(hit)
    assert sum(right) / len(right) > 0.94  # at most 0.992, because some translators are free
