"""The learning curve of a training: a chart of what Lightning logs about each epoch."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

from crosspro.data_prep.core.files import write_text
from crosspro.evaluation.report.plots import line_panels

NAME = "learning_curve.svg"
Epochs = dict[int, dict[str, float]]


def read_metrics(folder: Path) -> Epochs:
    """The metrics of all epochs; a resumed training has a file for each start, the last counts."""
    epochs: Epochs = {}
    files = folder.glob("logs/version_*/metrics.csv")
    for path in sorted(files, key=lambda path: int(path.parent.name.removeprefix("version_"))):
        with path.open(encoding="utf-8", newline="") as handle:
            for row in csv.DictReader(handle):
                metrics = {name: float(value) for name, value in row.items() if value}
                epochs.setdefault(int(row["epoch"]), {}).update(metrics)
    return dict(sorted(epochs.items()))


def write_learning_curve(folder: Path, monitor: str) -> None:
    """Draw dev scores and losses, with the best epoch, if matplotlib is installed."""
    epochs = read_metrics(folder)
    if not epochs or find_spec("matplotlib") is None:
        return
    scores = {epoch: metrics[f"dev_{monitor}"] for epoch, metrics in epochs.items()}
    best = max(scores, key=scores.__getitem__)
    panels = {
        "per cent": dict.fromkeys(("dev_macro_recall", "dev_accuracy", f"dev_{monitor}")),
        "loss": dict.fromkeys(("loss", "dev_loss")),
    }
    lines = {
        label: {name: [metrics[name] for metrics in epochs.values()] for name in names}
        for label, names in panels.items()
    }
    title = f"best epoch {best}: {monitor} {scores[best]:.2f}"
    write_text(folder / NAME, line_panels(title, "epoch", list(epochs), lines, best))
