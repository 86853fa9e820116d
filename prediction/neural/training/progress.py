"""How far a training is: bars on standard error; losses and dev scores of each epoch in files."""

from __future__ import annotations

import csv
import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytorch_lightning as pl
from tqdm import tqdm

from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.core.processes import Report, Step
from crosspro.evaluation.output.plots import MarkedPlace, Panel, panel_chart
from crosspro.prediction.dev_score import MONITORS
from crosspro.prediction.fit_report import LOG_FILE


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


COLUMNS = ("epoch", "step", "loss", "dev_loss", *(f"dev_{name}" for name in MONITORS))


class EpochLog(pl.Callback):
    """Writes `logs/metrics.csv` and `learning_curve.svg` of a run folder after every epoch."""

    def __init__(self, folder: Path, monitor: str) -> None:
        self.folder = folder
        self.monitor = monitor
        self.path = folder / "logs" / "metrics.csv"
        self.rows: list[dict[str, str]] = []

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Keep the epochs before the one that begins, if the run goes on."""
        if self.path.is_file():
            with self.path.open(encoding="utf-8", newline="") as handle:
                rows = [row for row in csv.DictReader(handle) if {"epoch", "step"} <= set(row)]
            self.rows = [
                {name: row.get(name, "") for name in COLUMNS}  # an older version had fewer
                for row in rows
                if int(row["epoch"]) < trainer.current_epoch
            ]

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Add the row of an epoch and draw the chart again."""
        found = {name: f"{float(value):.6g}" for name, value in trainer.callback_metrics.items()}
        found |= {"epoch": str(trainer.current_epoch), "step": str(trainer.global_step)}
        self.rows.append({name: found.get(name, "") for name in COLUMNS})
        if trainer.is_global_zero:
            scores = ", ".join(f"{name} {value}" for name, value in self.rows[-1].items())
            logging.getLogger(LOG_FILE).info(scores)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_text(self.path, _csv(self.rows))
            write_text(self.folder / "learning_curve.svg", learning_curve(self.rows, self.monitor))


def learning_curve(rows: list[dict[str, str]], monitor: str) -> str:
    """The dev scores and both losses of all epochs as a chart, with the epoch that is chosen."""
    shown = dict.fromkeys(("macro_recall", "accuracy", monitor))
    scores = {f"dev {name.replace('_', ' ')}": _values(rows, f"dev_{name}") for name in shown}
    losses = {"training loss": _values(rows, "loss"), "dev loss": _values(rows, "dev_loss")}
    epochs = [float(row["epoch"]) for row in rows]
    chosen = _values(rows, f"dev_{monitor}")
    marked = None
    if any(value is not None for value in chosen):
        best = max(value for value in chosen if value is not None)
        epoch = epochs[chosen.index(best)]  # of equal ones the first
        marked = MarkedPlace(epoch, f"best epoch {epoch:g}: {monitor.replace('_', ' ')} {best:.2f}")
    panels = [Panel("per cent", scores), Panel("loss", losses)]
    return panel_chart("Learning curve", "epoch", epochs, panels, marked)


def _values(rows: list[dict[str, str]], name: str) -> list[float | None]:
    return [float(row[name]) if row[name] else None for row in rows]


def _csv(rows: list[dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
