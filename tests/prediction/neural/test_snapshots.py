"""Snapshots of one training: the epochs with the best dev scores, each a system of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.ensemble import Ensemble, mix
from crosspro.prediction.neural.training.progress import read_metrics
from crosspro.prediction.neural.training.settings import TrainerSettings
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import TASK, system


def fitted(train, dev, folder=None, epochs=6, **training):
    made = system("turku_gru", epochs=epochs, **training)
    made.fit(TASK, train, dev, folder)
    return made


def dev_scores(folder):
    return {epoch: row["dev_macro_recall"] for epoch, row in read_metrics(folder).items()}


def weights_on_disk(folder):
    return sorted(p.stem for p in (folder / "checkpoints").glob("*.ckpt") if p.stem != "last")


def test_the_best_epochs_are_kept_best_first_and_can_be_joined(train, dev, tmp_path):
    made = fitted(train, dev, tmp_path, epochs=4, snapshots=2, tune_adjustment=True)
    snapshots = made.snapshots()
    assert snapshots[0] is made
    scores = dev_scores(tmp_path)
    best = [one.report.chosen_epoch for one in snapshots]
    assert [scores[epoch] for epoch in best] == sorted(scores.values(), reverse=True)[:2]
    assert best[0] == max(scores, key=scores.__getitem__)
    assert len(set(best)) == 2
    score = dev_score(TASK, dev, "macro_recall")
    for one in snapshots:
        assert score(one.unadjusted(dev)) == pytest.approx(one.report.score, abs=1e-3)
        assert score(one.predict(dev)) >= score(one.unadjusted(dev))
        assert one.report.score == pytest.approx(scores[one.report.chosen_epoch], abs=1e-3)
        assert one is made or one.snapshots() == [one]
    assert weights_on_disk(tmp_path) == sorted(f"best-{epoch}" for epoch in best)
    joined = Ensemble.of(snapshots)
    chances = mix([one.predict(dev) for one in snapshots], [1, 1])
    assert joined.predict(dev) == pytest.approx(chances)
    joined.save(tmp_path / "joined")
    assert load_system(tmp_path / "joined").predict(dev) == pytest.approx(chances)


def test_a_system_has_one_snapshot_unless_told_and_no_more_than_epochs(train, dev, tmp_path):
    made = fitted(train, dev, tmp_path, epochs=2)
    assert made.snapshots() == [made]
    assert weights_on_disk(tmp_path) == ["best"]
    assert (made.report.epochs, made.report.stopped_by) == (2, "max_epochs")
    assert made.report.monitor == "macro_recall"
    several = fitted(train, dev, epochs=2, snapshots=5)
    assert len(several.snapshots()) == 2
    assert (several.predict(dev) == made.predict(dev)).all()


@pytest.mark.slow
def test_a_resumed_run_keeps_its_snapshots(train, dev, tmp_path):
    expected = [one.predict(dev) for one in fitted(train, dev, snapshots=3).snapshots()]
    fitted(train, dev, tmp_path / "old", epochs=3, snapshots=3)
    (tmp_path / "old").rename(tmp_path / "run")
    resumed = fitted(train, dev, tmp_path / "run", snapshots=3)
    ended = fitted(train, dev, tmp_path / "run", snapshots=3)
    for made in (resumed, ended):
        found = [one.predict(dev) for one in made.snapshots()]
        assert len(found) == 3
        assert all((one == other).all() for one, other in zip(found, expected, strict=True))
    assert resumed.report == ended.report
    assert len(weights_on_disk(tmp_path / "run")) == 3


def test_the_report_says_that_patience_ended_a_training(train, dev, tmp_path):
    impatient = system("turku_gru", epochs=40, patience=2)
    impatient.fit(TASK, train, dev, tmp_path)
    scores = dev_scores(tmp_path)
    assert impatient.report.epochs == len(scores) < 40
    assert impatient.report.stopped_by == "patience"
    assert impatient.report.chosen_epoch == len(scores) - 3
    assert impatient.report.score == pytest.approx(max(scores.values()), abs=1e-3)


@pytest.mark.parametrize(
    ("settings", "share", "steps", "epochs"),
    [
        ({"patience": 3}, 1.0, 500, 3),
        ({"patience": 3}, 0.1, 500, 30),  # an epoch is a tenth of the data
        ({"patience": 3, "patience_steps": 300}, 1.0, 500, 3),
        ({"patience": 3, "patience_steps": 300}, 1.0, 1, 300),
        ({"patience": 3, "patience_steps": 300}, 0.1, 7, 43),
        ({"patience": 0}, 1.0, 1, 1),
    ],
)
def test_patience_means_the_same_at_every_size_of_data(settings, share, steps, epochs):
    assert TrainerSettings(**settings).patience_in_epochs(share, steps) == epochs


@pytest.mark.slow
def test_a_training_of_few_steps_an_epoch_goes_on(train, dev):
    """One step an epoch: patience in epochs alone would end it after a few of them."""
    made = system("uppsala_bilstm", epochs=400, batch_size=10_000, share=0.5)
    trainer = TrainerSettings(
        progress_bar=False, accelerator="cpu", max_epochs=60, patience=2, patience_steps=40
    )
    made.settings = replace(made.settings, trainer=trainer)
    made.fit(TASK, train, dev)
    assert made.report.steps == made.report.epochs > 40
    assert made.report.chosen_epoch > 4
