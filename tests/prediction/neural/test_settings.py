"""Settings of networks and their training: what is refused, and what a processor cannot do."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.settings import check_settings
from crosspro.prediction.neural.training.settings import (
    NeuralSettings,
    Optimisation,
    TrainerSettings,
    Training,
)
from crosspro.prediction.neural.training.trainer import NetworkTrainer
from tests.prediction.neural.small import QUIET, SMALL, TASK, neural


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"network": {"name": "perceptron"}}, "network"),
        ({"network": {"name": "turku_gru", "layers": 0}}, "network"),
        ({"network": {"name": "turku_gru", "depth": 3}}, "network"),
        ({"network": {"name": "nyu_nmt"}, "pretraining": {"epochs": 1}}, "file"),
        ({"training": {"sampling": "some"}}, "training.sampling"),
        ({"training": 5}, "training"),
        ({"trainer": {"precision": "8"}}, "trainer.precision"),
        ({"trainer": {"accelerator": "abacus"}}, "trainer.accelerator"),
        ({"trainer": None}, "trainer"),
    ],
)
def test_settings_that_no_network_can_have_are_refused(settings, key):
    with pytest.raises(InputError) as refused:
        check_settings(NeuralSettings, {"network": {"name": "turku_gru"}, **settings}, "settings")
    assert [problem.field for problem in refused.value.problems] == [key]


@pytest.mark.parametrize(("key", "value"), [("strategy", "none"), ("devices", "many")])
def test_what_lightning_refuses_is_a_fault_of_the_settings(key, value, train, dev):
    made = neural("turku_gru", SMALL["turku_gru"], trainer={**QUIET, key: value})
    with pytest.raises(CrossproError, match="settings"):
        made.fit(TASK, train, dev)


@pytest.mark.parametrize("precision", ["bf16-mixed", "16-mixed"])
@pytest.mark.parametrize(("instructions", "expected"), [(False, "32-true"), (True, "bf16-mixed")])
def test_a_processor_without_bfloat16_trains_in_32_bits(
    instructions, expected, precision, monkeypatch
):
    monkeypatch.setattr(
        "crosspro.prediction.neural.training.trainer.has_bfloat16", lambda: instructions
    )
    settings = TrainerSettings(accelerator="cpu", precision=precision, progress_bar=False)
    made = NetworkTrainer(settings, Optimisation(), Training(), None)
    assert made.lightning.precision == expected
    made.scratch.close()
