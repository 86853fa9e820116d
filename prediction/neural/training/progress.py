"""A line for every epoch of a training, and the learning curve of a run."""

from __future__ import annotations

import csv
import logging
import sys
import time
from pathlib import Path

import pytorch_lightning as pl

from crosspro.data_prep.core.files import write_text
from crosspro.evaluation.report.plots import has_matplotlib, line_panels
from crosspro.prediction.dev_score import MONITORS
from crosspro.prediction.fit_report import LOG_FILE

METRICS = ("loss", "dev_loss", *(f"dev_{name}" for name in MONITORS))

Epochs = dict[int, dict[str, float]]
"""The metrics of each epoch by their names."""


class EpochLog(pl.Callback):
    """Writes the scores of every epoch to `train.log` and, if `shown`, to standard error.

    At the end it draws `learning_curve.svg` from what Lightning's CSVLogger wrote into `folder`.
    """

    def __init__(self, folder: Path | None, monitor: str, shown: bool) -> None:
        self.folder, self.monitor, self.shown = folder, monitor, shown

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.start = time.monotonic()

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if not trainer.is_global_zero:
            return
        values = trainer.callback_metrics
        scores = (f"{name} {float(values[name]):.4g}" for name in METRICS if name in values)
        seconds = time.monotonic() - self.start
        line = f"epoch {trainer.current_epoch}: {', '.join(scores)} ({seconds:.1f} s)"
        logging.getLogger(LOG_FILE).info(line)
        if self.shown:
            print(line, file=sys.stderr)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if self.folder is None or not trainer.is_global_zero or not has_matplotlib():
            return
        if trainer.logger is not None:
            trainer.logger.save()
        if epochs := read_metrics(self.folder):
            write_text(self.folder / "learning_curve.svg", learning_curve(epochs, self.monitor))


def read_metrics(folder: Path) -> Epochs:
    """The metrics of all epochs of a run; each start has a file, of which later ones count."""
    epochs: Epochs = {}
    files = folder.glob("logs/version_*/metrics.csv")
    for path in sorted(files, key=lambda path: int(path.parent.name.removeprefix("version_"))):
        of_file: Epochs = {}
        with path.open(encoding="utf-8", newline="") as handle:
            for row in csv.DictReader(handle):
                numbers = {name: float(row[name]) for name in METRICS if row.get(name)}
                of_file.setdefault(int(row["epoch"]), {}).update(numbers)
        epochs |= of_file
    return dict(sorted(epochs.items()))


def learning_curve(epochs: Epochs, monitor: str) -> str:
    """The dev scores and both losses of all epochs as a chart, with the epoch that is chosen."""

    def values(name: str) -> list[float | None]:
        return [metrics.get(name) for metrics in epochs.values()]

    shown = dict.fromkeys(("macro_recall", "accuracy", monitor))
    panels = {
        "per cent": {f"dev {name.replace('_', ' ')}": values(f"dev_{name}") for name in shown},
        "loss": {"training loss": values("loss"), "dev loss": values("dev_loss")},
    }
    scores = {epoch: row[f"dev_{monitor}"] for epoch, row in epochs.items()}
    best = max(scores, key=lambda epoch: (scores[epoch], -epoch))
    label = f"best epoch {best}: {monitor.replace('_', ' ')} {scores[best]:.2f}"
    numbers = [float(epoch) for epoch in epochs]
    return line_panels("Learning curve", "epoch", numbers, panels, (float(best), label))
