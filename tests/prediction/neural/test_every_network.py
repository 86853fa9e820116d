"""What every network can do: learn, on any task, in bf16, from another run, and be joined."""

from __future__ import annotations

import numpy as np
import pytest

from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.demo.language import PROFILES
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.neural.network_settings import SETTINGS
from crosspro.prediction.system import load_system
from tests.conftest import ROOT, mostly_slow
from tests.prediction.neural.small import QUIET, SMALL, TASK, neural, system

TASKS = sorted(PROFILES)


def test_every_network_is_among_the_small_ones():
    own = {path.stem for path in (ROOT / "prediction/neural/networks").glob("[a-z]*.py")}
    assert own == set(SMALL)
    assert own <= set(SETTINGS)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_network_beats_the_majority(name):
    train, dev = demo_examples(TASK, "train", 60), demo_examples(TASK, "dev", 15)
    made, majority = system(name, epochs=6, class_weight_power=0.0), Majority()
    for one in (made, majority):
        one.fit(TASK, train, dev)
    for monitor in ("macro_recall", "accuracy"):
        score = dev_score(TASK, dev, monitor)
        assert score(made.predict(dev)) > score(majority.predict(dev)) + 10


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", SMALL)
def test_a_network_learns_every_task(name, task):
    task = load_task(task)
    train, dev = demo_examples(task, "train", 4), demo_examples(task, "dev", 2)
    made = system(name, epochs=1)
    made.fit(task, train, dev)
    chances = made.predict(dev)
    assert chances.shape == (sum(len(e.gaps) for e in dev), len(task.classes))
    assert chances.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("name", mostly_slow(SMALL, "turku_gru"))
def test_a_network_learns_in_bf16(name, train, dev, any_precision):
    plain = system(name)
    mixed = neural(
        name, SMALL[name], {"batch_size": 32}, {"learning_rate": 0.01},
        trainer={**QUIET, "max_epochs": 2, "precision": "bf16-mixed"},
    )  # fmt: skip
    for made in (plain, mixed):
        made.fit(TASK, train, dev)
    found = mixed.predict(dev)
    assert np.isfinite(found).all()
    assert (found != plain.predict(dev)).any()


@pytest.mark.parametrize("name", mostly_slow(SMALL, "turku_gru"))
def test_a_network_goes_on_from_another_run(name, train, dev, tmp_path):
    first = system(name)
    first.fit(TASK, train, dev)
    first.save(tmp_path / "model")
    tuned = neural(
        name, {**SMALL[name], "dropout": 0.1}, {"batch_size": 32}, {"learning_rate": 0.0},
        trainer={**QUIET, "max_epochs": 1}, init_from=str(tmp_path),
    )  # fmt: skip
    tuned.fit(TASK, dev, dev)
    assert tuned.predict(dev) == pytest.approx(first.predict(dev), abs=1e-5)


def test_networks_of_all_kinds_are_joined(train, dev, tmp_path):
    members = [system(name, epochs=1) for name in SMALL]
    for member in members:
        member.fit(TASK, train, dev)
    joined = Ensemble.of(members)
    found = joined.predict(dev)
    assert found == pytest.approx(np.mean([one.predict(dev) for one in members], axis=0))
    joined.save(tmp_path)
    assert load_system(tmp_path).predict(dev) == pytest.approx(found, abs=1e-6)
