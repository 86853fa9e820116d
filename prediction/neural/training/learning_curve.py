"""The learning curve of a training: a chart of what Lightning logs about each epoch."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from crosspro.data_prep.core.errors import printable
from crosspro.data_prep.core.files import write_text

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
    write_text(folder / NAME, _draw(title, list(epochs), lines, best))


def _draw(
    title: str,
    epochs: Sequence[int],
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    best: int,
) -> str:
    """Panels below each other as SVG, by label of y; lines by name; the best epoch is marked.

    No name is read as a formula, and the same curve has the same bytes.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    settings = {"text.parse_math": False, "font.size": 9, "svg.fonttype": "none"}
    with rc_context({**settings, "svg.hashsalt": "crosspro"}):
        figure = Figure(figsize=(7, 3 * len(panels)), layout="constrained")
        axes = figure.subplots(len(panels), 1, squeeze=False, sharex=True)[:, 0]
        for axis, (y_label, lines) in zip(axes, panels.items(), strict=True):
            for name, values in lines.items():
                axis.plot(epochs, values, "o-", ms=3, label=printable(name))
            axis.axvline(best, color="#566573", linestyle="--", linewidth=1)
            axis.set_ylabel(y_label)
            axis.legend(fontsize=8)
        axes[0].set_title(printable(title))
        axes[-1].set_xlabel("epoch")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
