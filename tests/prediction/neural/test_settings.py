"""Settings of networks and their training: what is refused, and what a processor cannot do."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.prediction.neural.layers.network import network_names
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.neural.training.settings import Optimisation, TrainerSettings, Training
from crosspro.prediction.neural.training.trainer import NetworkTrainer
from tests.prediction.neural.small import QUIET, SMALL, TASK


def test_unknown_settings_list_the_choices():
    with pytest.raises(InputError, match=", ".join(network_names())):
        NeuralSystem("perceptron")
    with pytest.raises(InputError, match="all, equal, proportional"):
        NeuralSystem("turku_gru", training={"sampling": "some"})


@pytest.mark.parametrize("network", ["turku_gru", "uppsala_bilstm"])
def test_what_is_no_section_is_refused(network):
    sections = ("network_settings", "training", "optimisation", "pretraining", "trainer")
    for wrong in (5, "x", [], 0):
        with pytest.raises(InputError) as refused:
            NeuralSystem(network, **dict.fromkeys(sections, wrong))
        assert {(problem.field, problem.expected) for problem in refused.value.problems} == {
            (f"system.{name}", "a section of settings") for name in sections
        }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"network_settings": {"layers": 0}}, "layers"),
        ({"network_settings": {"window": 0}}, "window"),
        ({"trainer": {"precision": "8"}}, "trainer.precision"),
        ({"trainer": {"accelerator": "abacus"}}, "trainer.accelerator"),
    ],
)
def test_settings_that_no_network_can_have_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        NeuralSystem("turku_gru", **settings)


@pytest.mark.parametrize(("key", "value"), [("strategy", "none"), ("devices", "many")])
def test_what_lightning_refuses_is_a_fault_of_the_settings(key, value, train, dev):
    made = NeuralSystem("turku_gru", SMALL["turku_gru"], trainer={**QUIET, key: value})
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
