"""The learning curve of a training: a chart of what Lightning logs about each epoch."""

from __future__ import annotations

import csv
import io
from importlib.util import find_spec
from pathlib import Path

from crosspro.data_prep.core.files import write_text

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
    from matplotlib.figure import Figure

    monitored = f"dev_{monitor}"
    best = max(epochs, key=lambda epoch: epochs[epoch][monitored])
    panels = {
        "per cent": dict.fromkeys(("dev_macro_recall", "dev_accuracy", monitored)),
        "loss": dict.fromkeys(("loss", "dev_loss")),
    }
    figure = Figure(figsize=(7, 6), layout="constrained")
    figure.suptitle(f"best epoch {best}: {monitor} {epochs[best][monitored]:.2f}")
    axes = figure.subplots(len(panels), 1, sharex=True)
    for axis, (label, names) in zip(axes, panels.items(), strict=True):
        for name in names:
            values = [metrics[name] for metrics in epochs.values()]
            axis.plot(list(epochs), values, "o-", label=name)
        axis.axvline(best, color="grey", linestyle="--")
        axis.set_ylabel(label)
        axis.legend()
    axes[-1].set_xlabel("epoch")
    text = io.StringIO()
    figure.savefig(text, format="svg")
    write_text(folder / "learning_curve.svg", text.getvalue())
