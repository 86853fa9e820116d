"""How far a training is: a line an epoch where there is no bar, and the learning curve of a run."""

from __future__ import annotations

import csv
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytorch_lightning as pl
from tqdm import tqdm

from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.core.processes import Report, Step
from crosspro.evaluation.report.plots import has_matplotlib, line_panels
from crosspro.prediction.dev_score import MONITORS
from crosspro.prediction.fit_report import LOG_FILE

METRICS = ("loss", "dev_loss", *(f"dev_{name}" for name in MONITORS))

Epochs = dict[int, dict[str, float]]
"""The metrics of each epoch by their names."""


@contextmanager
def step_bar(shown: bool) -> Iterator[Report]:
    """What steps are reported to; each has a bar. Nothing is written unless they are `shown`."""
    bars: dict[str, tqdm] = {}

    def report(step: Step) -> None:
        if step.name not in bars:
            close()
            bars[step.name] = tqdm(
                total=step.total, desc=step.name, file=sys.stderr, mininterval=0.5
            )
        bar = bars[step.name]
        bar.update(step.done - bar.n)

    def close() -> None:
        for bar in bars.values():
            bar.close()

    try:
        yield report if shown else lambda _: None
    finally:
        close()


class EpochLog(pl.Callback):
    """Tells the scores of every epoch in a line of standard error, if wanted, and of `train.log`.

    At the end it draws `learning_curve.svg` from what Lightning's CSVLogger wrote into `folder`.
    """

    def __init__(self, folder: Path | None, monitor: str, shown: bool) -> None:
        self.folder = folder
        self.monitor = monitor
        self.shown = shown

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """An epoch takes from here to the end of its validation."""
        self.start = time.monotonic()

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Say how the epoch went."""
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
        """Draw the learning curve, where matplotlib is installed."""
        if self.folder is not None and trainer.is_global_zero and has_matplotlib():
            if trainer.logger is not None:
                trainer.logger.save()
            epochs = read_metrics(self.folder)
            if epochs:
                chart = learning_curve(epochs, self.monitor)
                write_text(self.folder / "learning_curve.svg", chart)


def read_metrics(folder: Path) -> Epochs:
    """The metrics of all epochs of a run: each start of it has a file, and the last one counts."""
    epochs: Epochs = {}
    starts = folder.glob("logs/version_*/metrics.csv")
    for path in sorted(starts, key=lambda path: int(path.parent.name.removeprefix("version_"))):
        written: Epochs = {}
        with path.open(encoding="utf-8", newline="") as handle:
            for row in csv.DictReader(handle):
                numbers = {name: float(row[name]) for name in METRICS if row.get(name)}
                written.setdefault(int(row["epoch"]), {}).update(numbers)
        epochs |= written
    return dict(sorted(epochs.items()))


def learning_curve(epochs: Epochs, monitor: str) -> str:
    """The dev scores and both losses of all epochs as a chart, with the epoch that is chosen."""

    def values(name: str) -> list[float | None]:
        return [metrics.get(name) for metrics in epochs.values()]

    shown = dict.fromkeys(("macro_recall", "accuracy", monitor))
    scores = {f"dev {name.replace('_', ' ')}": values(f"dev_{name}") for name in shown}
    losses = {"training loss": values("loss"), "dev loss": values("dev_loss")}
    monitored = {epoch: row[f"dev_{monitor}"] for epoch, row in epochs.items()
                 if f"dev_{monitor}" in row}  # fmt: skip
    marked = None
    if monitored:
        best = max(monitored, key=lambda epoch: (monitored[epoch], -epoch))
        words = f"best epoch {best}: {monitor.replace('_', ' ')} {monitored[best]:.2f}"
        marked = (float(best), words)
    panels = {"per cent": scores, "loss": losses}
    places = [float(epoch) for epoch in epochs]
    return line_panels("Learning curve", "epoch", places, panels, marked)
