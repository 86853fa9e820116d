"""How far a training is: bars, the log of epochs, and a chart that marks the chosen one."""

from __future__ import annotations

import csv
import math

import pytest
import torch

from crosspro.data_prep.core.processes import Step
from crosspro.prediction.neural.training.progress import COLUMNS, learning_curve, step_bar
from tests.prediction.neural.small import TASK, system


def row(epoch, **values):
    return {name: str(values.get(name, "")) for name in COLUMNS} | {"epoch": str(epoch)}


def test_the_dev_loss_of_each_epoch_is_that_of_its_probabilities(train, dev, tmp_path):
    made = system("turku_gru", epochs=3, class_weight_power=0.0)
    made.fit(TASK, train, dev, tmp_path)
    with (tmp_path / "logs/metrics.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 3
    gold = [TASK.class_index[gap.label] for example in dev for gap in example.gaps]
    chances = torch.from_numpy(made.predict(dev))[range(len(gold)), gold]
    chosen = rows[made.report.chosen_epoch]
    assert float(chosen["dev_loss"]) == pytest.approx(-chances.log().mean().item(), rel=1e-3)
    assert all(math.isfinite(float(one["dev_loss"])) for one in rows)
    chart = (tmp_path / "learning_curve.svg").read_text("utf-8")
    assert "training loss" in chart
    assert "dev loss" in chart
    assert f"best epoch {made.report.chosen_epoch}" in chart


def test_the_epoch_with_the_best_monitored_score_is_marked():
    rows = [
        row(0, loss=1.5, dev_loss=1.2, dev_macro_recall=40, dev_accuracy=70, dev_mean=55),
        row(1, loss=1.0, dev_loss=1.1, dev_macro_recall=50, dev_accuracy=62, dev_mean=56),
        row(2, loss=0.8, dev_loss=1.3, dev_macro_recall=50, dev_accuracy=60, dev_mean=55),
    ]
    assert "best epoch 1: macro recall 50.00" in learning_curve(rows, "macro_recall")
    assert "best epoch 0: accuracy 70.00" in learning_curve(rows, "accuracy")
    del rows[0]["dev_loss"]  # of an older log
    chart = learning_curve([{**row(0), **rows[0]}, *rows[1:]], "mean")
    assert "best epoch 1: mean 56.00" in chart
    assert "dev mean" in chart


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
