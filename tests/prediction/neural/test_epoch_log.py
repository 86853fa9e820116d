"""The log of epochs: both losses, and a chart that marks the chosen epoch."""

from __future__ import annotations

import csv
import math

import pytest
import torch

from crosspro.prediction.neural.training.progress import COLUMNS, learning_curve
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
    chart = learning_curve(rows, "mean")
    assert "best epoch 1: mean 56.00" in chart
    assert "dev mean" in chart


def test_epochs_of_an_older_log_have_no_dev_loss():
    rows = [row(0, loss=1.5, dev_macro_recall=40, dev_accuracy=70),
            row(1, loss=1.4, dev_loss=1.1, dev_macro_recall=41, dev_accuracy=71)]  # fmt: skip
    assert "dev loss" in learning_curve(rows, "macro_recall")
