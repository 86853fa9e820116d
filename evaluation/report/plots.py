"""Plots as SVG text, by matplotlib, which the extra `mt` installs."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, NamedTuple

from crosspro.data_prep.core.errors import CrossproError, how_to_install, printable

_COLOURS = ("#0b6bcb", "#c0392b")
_COLUMNS = 3


class ScatterPanel(NamedTuple):
    """The points of a panel with their line of regression."""

    title: str
    x_label: str
    x: Sequence[float]
    slope: float
    intercept: float


def require_matplotlib() -> None:
    """Raise an error that says what to install, for commands to call before they compute."""
    if find_spec("matplotlib") is None:
        raise CrossproError(f"plots need matplotlib: {how_to_install('mt')}")


@contextmanager
def _settings() -> Iterator[None]:
    """Names come from files, so none is read as a formula; the same plot has the same bytes."""
    require_matplotlib()
    from matplotlib import rc_context

    texts = {"text.parse_math": False, "font.size": 9}
    with rc_context({**texts, "svg.fonttype": "none", "svg.hashsalt": "crosspro"}):
        yield


def _panels(number: int, columns: int, width: float, height: float, **options: Any) -> Any:
    """A figure with so many axes in rows, each of this size in inches, and the axes."""
    from matplotlib.figure import Figure as Canvas

    columns = max(1, min(columns, number))
    rows = max(1, -(-number // columns))
    canvas = Canvas(figsize=(width * columns, height * rows), layout="constrained")
    axes = canvas.subplots(rows, columns, squeeze=False, **options)
    for unused in axes.flat[number:]:
        unused.set_visible(False)
    return canvas, list(axes.flat[:number])


def _svg(canvas: Any) -> str:
    text = io.StringIO()
    canvas.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


@_settings()
def line_panels(
    title: str,
    x_label: str,
    x: Sequence[float],
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    marked: float,
) -> str:
    """Panels below each other over the same x, by label of y; lines by name; one x is marked."""
    canvas, axes = _panels(len(panels), 1, 7, 3, sharex=True)
    for axis, (y_label, lines) in zip(axes, panels.items(), strict=True):
        for name, values in lines.items():
            axis.plot(x, values, "o-", ms=3, label=printable(name))
        axis.axvline(marked, color="#566573", linestyle="--", linewidth=1)
        axis.set_ylabel(y_label)
        axis.legend(fontsize=8)
    axes[0].set_title(printable(title))
    axes[-1].set_xlabel(x_label)
    return _svg(canvas)


@_settings()
def scatter_panels(
    names: Sequence[str], y_label: str, y: Sequence[float], panels: Sequence[ScatterPanel]
) -> str:
    """Panels side by side over the same y, with a named point for each value (000 Figure 1)."""
    canvas, axes = _panels(len(panels), _COLUMNS, 3.6, 3.2, sharey=True)
    for panel, axis in zip(panels, axes, strict=True):
        axis.scatter(panel.x, y, color=_COLOURS[0], s=16)
        for name, place in zip(names, zip(panel.x, y, strict=True), strict=True):
            axis.annotate(printable(name), place, (3, 3), fontsize=7, textcoords="offset points")
        ends = [min(panel.x), max(panel.x)]
        line = [panel.slope * x + panel.intercept for x in ends]
        axis.plot(ends, line, color=_COLOURS[1], lw=1)
        axis.set_title(printable(panel.title), fontsize=9)
        axis.set_xlabel(printable(panel.x_label))
    axes[0].set_ylabel(printable(y_label))
    return _svg(canvas)


@_settings()
def bar_panels(
    y_label: str, names: Sequence[str], panels: Mapping[str, Mapping[str, Sequence[float]]]
) -> str:
    """Panels side by side over the same y: by title, bars by their name (000 Figure 2)."""
    canvas, axes = _panels(len(panels), len(panels), 4, 3.5, sharey=True)
    places = range(len(names))
    for axis, (title, bars) in zip(axes, panels.items(), strict=True):
        width = 0.8 / len(bars)
        for number, (label, heights) in enumerate(bars.items()):
            shift = (number - (len(bars) - 1) / 2) * width
            axis.bar([place + shift for place in places], heights, width, label=printable(label))
        axis.set_title(printable(title))
        axis.set_xticks(places, names, rotation=40, ha="right")
    axes[0].set_ylabel(y_label)
    axes[-1].legend()
    return _svg(canvas)
