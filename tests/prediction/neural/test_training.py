"""Training: batches, settings, dev scores, snapshots, in-domain data, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from omegaconf import OmegaConf

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.settings import check_settings
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.ensemble import Ensemble, mix
from crosspro.prediction.neural.training.data import bucketed_batches, gaps_of_epoch, sorted_batches
from crosspro.prediction.neural.training.learning_curve import read_metrics
from crosspro.prediction.neural.training.module import GapClassifier
from crosspro.prediction.neural.training.settings import (
    Distillation,
    Optimisation,
    TrainerSettings,
    Training,
)
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import TASK, prepared, system


def test_samplers_follow_their_policy():
    """Uppsala 2017 (004 §5.2): equal classes, or those of dev; a fresh share of all gaps."""
    labels = np.array([0] * 900 + [1] * 90 + [2] * 10, dtype=np.int32)
    generator = np.random.default_rng(1)
    dev = np.array([0.5, 0.4, 0.1])
    equal = gaps_of_epoch(labels, "equal", 0.1, dev, generator)
    counts = np.bincount(labels[equal], minlength=3)
    assert counts[2] == 10
    assert counts[0] == pytest.approx(33, abs=16)
    shares = gaps_of_epoch(labels, "proportional", 0.1, dev, generator)
    assert np.bincount(labels[shares], minlength=3)[0] == pytest.approx(50, abs=20)
    assert sorted(gaps_of_epoch(labels, "all", 1.0, dev, generator)) == list(range(1000))


def test_batches_hold_every_gap_once_and_similar_ones_together():
    generator = np.random.default_rng(1)
    widths = generator.integers(1, 50, 1000)
    batches = bucketed_batches(np.arange(1000), widths, 64, generator)
    assert sorted(np.concatenate(batches).tolist()) == list(range(1000))
    assert np.mean([np.ptp(widths[batch]) for batch in batches]) < 10
    fixed = list(sorted_batches(widths, 64))
    assert sorted(np.concatenate(fixed).tolist()) == list(range(1000))


def test_an_epoch_is_decided_by_its_number_and_the_seed(train):
    made, _ = prepared("turku_gru", train, share=0.5)
    data = made._encode(train, train, learn=False)
    first, again = (GapClassifier(made.network, data, made.settings, 8) for _ in range(2))
    epochs = [[batch.tolist() for batch in first.epoch_batches(n)] for n in range(2)]
    assert [batch.tolist() for batch in again.epoch_batches(1)] == epochs[1] != epochs[0]


@pytest.mark.parametrize(
    ("optimisation", "trainer"),
    [
        ({"gradient_clipping": 0.01}, {}),
        ({"warmup_steps": 20}, {}),
        ({"decay": "linear"}, {}),
        ({"decay": "cosine"}, {}),
        ({"weight_decay": 0.5}, {}),
        ({"label_smoothing": 0.2}, {}),
        ({"gradient_clipping": 0.01}, {"precision": "bf16-mixed"}),
    ],
)
def test_settings_of_the_training_have_an_effect(optimisation, trainer, train, dev):
    plain = system("turku_gru")
    changed = system("turku_gru", optimisation=optimisation, trainer=trainer)
    for made in (plain, changed):
        made.fit(TASK, train, dev)
    assert (changed.predict(dev) != plain.predict(dev)).any()
    assert changed.predict(dev).sum(axis=1) == pytest.approx(1)


def test_defaults_in_python_are_those_of_conf():
    defaults = OmegaConf.to_container(OmegaConf.load(CONF_DIR / "system/_network.yaml"))
    defaults["trainer"] = OmegaConf.to_container(OmegaConf.load(CONF_DIR / "trainer/default.yaml"))
    kinds = {"training": Training, "optimisation": Optimisation, "distillation": Distillation,
             "trainer": TrainerSettings}  # fmt: skip
    for section, kind in kinds.items():
        values = {key: value for key, value in defaults[section].items() if key != "_target_"}
        assert kind(**values) == kind()


@pytest.mark.parametrize(
    "wrong",
    [
        {"network": {"layers": 0}},
        {"network": {"depth": 2}},
        {"sampling": "some"},
        {"trainer": {"precision": "8"}},
        {"trainer": {"accelerator": "abacus"}},
        {"distillation": {"temperature": 0.0}},
        {"distillation": {"teacher": ""}},
    ],
)
def test_settings_that_no_network_can_have_are_refused(wrong):
    with pytest.raises(InputError):
        system("turku_gru", **wrong)


def test_data_that_cannot_be_learnt_from_is_refused(train, dev):
    def labelled(examples, label):
        return [replace(e, gaps=tuple(replace(g, label=label) for g in e.gaps)) for e in examples]

    made = system("turku_gru", epochs=1)
    with pytest.raises(CrossproError, match="train"):
        made.fit(TASK, labelled(train, None), dev)
    with pytest.raises(CrossproError, match="dev"):
        made.fit(TASK, train, [*dev, *labelled(dev, None)])
    with pytest.raises(CrossproError, match="context"):
        system("turku_gru", context=3).fit(TASK, [replace(e, document=None) for e in train], dev)
    with pytest.raises(CrossproError):
        system("turku_gru", sampling="equal", share=0.00001).fit(TASK, train, dev)
    with pytest.raises(CrossproError, match="loss"):
        system("turku_gru", optimisation={"learning_rate": 1e30}).fit(TASK, train, dev)
    made.fit(TASK, train, dev)
    assert (made.predict(labelled(dev, "nonsense")) == made.predict(dev)).all()


def test_logit_adjustment_is_tuned_on_dev_and_saved(train, dev, tmp_path):
    made = system("turku_gru", seed=4, epochs=4, tune_adjustment=True, class_weight_power=0.0)
    made.fit(TASK, train, dev)
    score = dev_score(TASK, dev, "macro_recall")
    assert made.adjustment.tau > 0
    assert score(made.predict(dev)) >= score(made.unadjusted(dev))
    made.save(tmp_path)
    assert load_system(tmp_path).adjustment.tau == made.adjustment.tau


def test_the_log_has_the_scores_of_every_epoch_and_the_best_one_is_kept(train, dev, tmp_path):
    made = system("turku_gru", epochs=3, class_weight_power=0.0)
    made.fit(TASK, train, dev, tmp_path)
    epochs = read_metrics(tmp_path)
    assert list(epochs) == [0, 1, 2]
    gold = [TASK.class_index[gap.label] for example in dev for gap in example.gaps]
    probabilities = torch.from_numpy(made.predict(dev))[range(len(gold)), gold]
    chosen = epochs[made.report.figures["chosen_epoch"]]
    assert chosen["dev_loss"] == pytest.approx(-probabilities.log().mean().item(), rel=1e-3)
    assert all(math.isfinite(row["dev_loss"]) for row in epochs.values())
    best = max(row["dev_macro_recall"] for row in epochs.values())
    assert made.report.figures["score"] == pytest.approx(best, abs=1e-3)
    if find_spec("matplotlib"):
        curve = (tmp_path / "learning_curve.svg").read_text("utf-8")
        assert f"best epoch {made.report.figures['chosen_epoch']}" in curve
    without = system("turku_gru", epochs=3, class_weight_power=0.0)
    without.fit(TASK, train, dev)
    assert (without.predict(dev) == made.predict(dev)).all()


@pytest.mark.parametrize(
    ("settings", "share", "steps", "epochs"),
    [
        ({"patience": 3}, 1.0, 500, 3),
        ({"patience": 3}, 0.1, 500, 30),  # an epoch is a tenth of the data
        ({"patience": 3, "patience_steps": 300}, 1.0, 500, 3),
        ({"patience": 3, "patience_steps": 300}, 1.0, 1, 300),
        ({"patience": 3, "patience_steps": 300}, 0.1, 7, 43),
        ({"patience": 0, "patience_steps": 0}, 1.0, 1, 1),
    ],
)
def test_patience_means_the_same_at_every_size_of_data(settings, share, steps, epochs):
    made = check_settings(TrainerSettings, settings, "trainer")
    assert made.patience_in_epochs(share, steps) == epochs


def test_the_best_epochs_are_snapshots_best_first_and_can_be_joined(train, dev, tmp_path):
    """As UU-Hardmeier averaged epochs of one training (004 §5.4)."""
    made = system("turku_gru", epochs=4, snapshots=2, tune_adjustment=True)
    made.fit(TASK, train, dev, tmp_path)
    snapshots = made.snapshots()
    assert snapshots[0] is made
    scores = {epoch: row["dev_macro_recall"] for epoch, row in read_metrics(tmp_path).items()}
    best = [kept.report.figures["chosen_epoch"] for kept in snapshots]
    assert [scores[epoch] for epoch in best] == sorted(scores.values(), reverse=True)[:2]
    score = dev_score(TASK, dev, "macro_recall")
    for kept in snapshots:
        assert score(kept.unadjusted(dev)) == pytest.approx(kept.report.figures["score"], abs=1e-3)
        assert score(kept.predict(dev)) >= score(kept.unadjusted(dev))
        assert kept is made or kept.snapshots() == [kept]
    joined = Ensemble.of(snapshots)
    mean = mix([kept.predict(dev) for kept in snapshots], [1, 1])
    assert joined.predict(dev) == pytest.approx(mean)
    joined.save(tmp_path / "joined")
    assert load_system(tmp_path / "joined").predict(dev) == pytest.approx(mean)
