"""How far a training is: bars, the log of epochs, and a chart that marks the chosen one."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from crosspro.data_prep.core.processes import Step
from crosspro.prediction.neural.training.progress import learning_curve, read_metrics, step_bar
from tests.prediction.neural.small import TASK, system


def test_the_dev_loss_of_each_epoch_is_that_of_its_probabilities(train, dev, tmp_path):
    made = system("turku_gru", epochs=3, class_weight_power=0.0)
    made.fit(TASK, train, dev, tmp_path)
    epochs = read_metrics(tmp_path)
    assert list(epochs) == [0, 1, 2]
    gold = [TASK.class_index[gap.label] for example in dev for gap in example.gaps]
    chances = torch.from_numpy(made.predict(dev))[range(len(gold)), gold]
    chosen = epochs[made.report.chosen_epoch]
    assert chosen["dev_loss"] == pytest.approx(-chances.log().mean().item(), rel=1e-3)
    assert all(math.isfinite(row["dev_loss"]) for row in epochs.values())
    pytest.importorskip("matplotlib")
    chart = (tmp_path / "learning_curve.svg").read_text("utf-8")
    assert "training loss" in chart
    assert "dev loss" in chart
    assert f"best epoch {made.report.chosen_epoch}" in chart


def test_the_epoch_with_the_best_monitored_score_is_marked():
    pytest.importorskip("matplotlib")
    names = "loss", "dev_loss", "dev_macro_recall", "dev_accuracy", "dev_mean"
    values = (
        (1.5, 1.2, 40.0, 70.0, 55.0),
        (1.0, 1.1, 50.0, 62.0, 56.0),
        (0.8, 1.3, 50.0, 60.0, 55.0),
    )
    rows = {epoch: dict(zip(names, row, strict=True)) for epoch, row in enumerate(values)}
    assert "best epoch 1: macro recall 50.00" in learning_curve(rows, "macro_recall")
    assert "best epoch 0: accuracy 70.00" in learning_curve(rows, "accuracy")
    del rows[0]["dev_loss"]  # of an older log
    chart = learning_curve(rows, "mean")
    assert "best epoch 1: mean 56.00" in chart
    assert "dev mean" in chart


@pytest.mark.parametrize("shown", [True, False])
def test_off_a_terminal_an_epoch_is_a_line_of_standard_error(shown, train, dev, capsys):
    made = system("turku_gru", epochs=2)
    trainer = replace(made.settings.trainer, progress_bar=shown)
    made.settings = replace(made.settings, trainer=trainer)
    made.fit(TASK, train, dev)
    said = capsys.readouterr()
    assert said.out == ""
    lines = [line.partition(":")[0] for line in said.err.splitlines()]
    assert lines == (["epoch 0", "epoch 1"] if shown else [])


def test_each_step_has_a_bar_on_standard_error(capsys):
    with step_bar(shown=True) as report:
        for name in ("one", "two"):
            for done in (1, 2):
                report(Step(name, done=done, total=2))
    said = capsys.readouterr()
    assert said.out == ""
    for name in ("one", "two"):
        assert f"{name}: 100%" in said.err
        assert "2/2" in said.err


def test_nothing_is_written_where_bars_are_not_wanted(capsys):
    with step_bar(shown=False) as report:
        report(Step("one", done=1, total=2))
    assert capsys.readouterr() == ("", "")
