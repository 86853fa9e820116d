"""The contract of networks: learn, on any task, in bf16, from another run; padding never counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.demo.language import PROFILES
from crosspro.prediction.neural.network_settings import NETWORKS, network_settings
from crosspro.prediction.system import load_system
from tests.conftest import ROOT, mostly_slow
from tests.prediction.neural.small import (
    JOINT,
    TASK,
    all_gaps,
    class_loss,
    prepared,
    system,
)

VARIANTS = [
    ("turku_gru", {}, {}),
    ("turku_gru", {"inward": True}, {"units": "sentencepiece", "unit_vocabulary": 90}),
    ("uppsala_bilstm", {}, {}),
    ("nyu_nmt", {}, {}),
    ("nyu_nmt", {"previous": "concatenated"}, {"context": 1}),
    ("nyu_nmt", {"previous": "second_encoder"}, {"context": 1}),
    ("ukyoto_attention", {}, {}),
    ("ukyoto_attention", {"tags": 4}, {}),
    ("hardmeier_cnn", {}, {"context": 1}),
    ("hardmeier_cnn", {"filter_width": 4, "window": 3, "tags": 0}, {"context": 1}),
    ("hardmeier_anaphora", {}, {"context": 2}),
    ("hardmeier_anaphora", {"candidates": 2, "window": 9}, {"context": 2}),
    ("document_encoder", {}, JOINT),
    ("document_encoder", {"pointer": True, "tags": True}, JOINT),
]
LONG = [
    pytest.param(*variant, marks=[pytest.mark.slow] if variant[1] else []) for variant in VARIANTS
]
"""For tests that train long: each network as it is, and its variants where there is time."""


def test_every_network_has_a_settings_class_of_its_name_and_a_configuration():
    configured = [path.read_text("utf-8") for path in (ROOT / "conf/system").glob("*.yaml")]
    for name in NETWORKS:
        kind = type(network_settings({"name": name}))
        assert any(f"networks.{name}.{kind.__name__}\n" in text for text in configured), name


@pytest.mark.parametrize(("name", "network", "training"), VARIANTS)
def test_padding_never_changes_a_prediction_or_a_loss(name, network, training, train):
    made, text = prepared(name, train, network, **training)
    gaps, loss = all_gaps(text), class_loss(0.1)
    with torch.inference_mode():
        together = made.network(text, gaps)
        alone = torch.cat([made.network(text, gap[None]) for gap in gaps])
        losses = made.network.loss(text, gaps, loss)
        single = torch.cat([made.network.loss(text, gap[None], loss) for gap in gaps])
    assert together.shape == (len(gaps), len(TASK.classes))
    assert torch.allclose(together, alone, atol=1e-5)
    assert torch.allclose(losses, single, atol=1e-5)


@pytest.mark.parametrize(("name", "network", "training"), VARIANTS)
def test_gradients_reach_every_parameter(name, network, training, train):
    made, text = prepared(name, train, network, **training)
    made.network.train()
    made.network.loss(text, all_gaps(text), class_loss()).mean().backward()
    for key, parameter in made.network.named_parameters():
        if parameter.requires_grad and key != "no_pronoun":  # all of these gaps have a source
            assert parameter.grad is not None and parameter.grad.abs().sum() > 0, key


@pytest.mark.parametrize(
    ("name", "network", "training"), mostly_slow(LONG, "hardmeier_cnn", "hardmeier_anaphora")
)
def test_a_few_examples_are_learnt_by_heart(name, network, training):
    different = {(e.source, e.target): e for e in demo_examples(TASK, "train", 20) if e.gaps}
    few = list(different.values())[:50]
    training = {"min_count": 1, "class_weight_power": 0.0, **training}
    made = system(name, epochs=80, network=network, trainer={"patience": 15}, **training)
    made.fit(TASK, few, few)
    gold = [TASK.class_index[gap.label] for example in few for gap in example.gaps]
    assert len(gold) >= 50
    assert (made.predict(few).argmax(axis=1) == gold).mean() > 0.98


@pytest.mark.parametrize("task", sorted(PROFILES))
@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_learns_every_task(name, task):
    task = load_task(task)
    train, dev = demo_examples(task, "train", 4), demo_examples(task, "dev", 2)
    made = system(name, epochs=1)
    made.fit(task, train, dev)
    probabilities = made.predict(dev)
    assert probabilities.shape == (sum(len(e.gaps) for e in dev), len(task.classes))
    assert probabilities.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("name", mostly_slow(NETWORKS, "turku_gru"))
def test_a_network_learns_in_bf16(name, train, dev):
    plain, mixed = system(name), system(name, trainer={"precision": "bf16-mixed"})
    for made in (plain, mixed):
        made.fit(TASK, train, dev)
    assert np.isfinite(mixed.predict(dev)).all()
    assert (mixed.predict(dev) != plain.predict(dev)).any()


@pytest.mark.parametrize("name", mostly_slow(NETWORKS, "turku_gru"))
def test_the_seed_decides_and_a_saved_system_predicts_the_same(name, train, dev, tmp_path):
    first, again, other = system(name), system(name), system(name, seed=2)
    for made in (first, again, other):
        made.fit(TASK, train, dev)
    assert (first.predict(dev) == again.predict(dev)).all()
    assert (first.predict(dev) != other.predict(dev)).any()
    first.save(tmp_path)
    loaded = load_system(tmp_path)
    assert loaded.predict(dev) == pytest.approx(first.predict(dev), abs=1e-4)
    assert loaded.settings == first.settings


@pytest.mark.parametrize("name", mostly_slow(NETWORKS, "turku_gru"))
def test_a_network_goes_on_from_another_run(name, train, dev, tmp_path):
    first = system(name, context=2)
    first.fit(TASK, train, dev)
    first.save(tmp_path / "model")
    tuned = system(
        name, epochs=1, network={"dropout": 0.1}, optimisation={"learning_rate": 0.0},
        init_from=str(tmp_path),
    )  # fmt: skip
    tuned.fit(TASK, train, dev)
    assert tuned.context == 2
    assert tuned.predict(dev) == pytest.approx(first.predict(dev), abs=1e-5)


def test_only_a_run_of_the_same_network_is_gone_on_from_with_its_settings(train, dev, tmp_path):
    first = system("turku_gru", epochs=1)
    first.fit(TASK, train, dev)
    first.save(tmp_path / "model")
    with pytest.raises(InputError):
        system("uppsala_bilstm", init_from=str(tmp_path)).fit(TASK, train, dev)
    sizes = {"hidden": 13, "inward": True, "dropout": 0.1}
    tuned = system("turku_gru", epochs=1, network=sizes, init_from=str(tmp_path))
    tuned.fit(TASK, train, dev)
    assert tuned.settings.network == replace(first.settings.network, dropout=0.1)
