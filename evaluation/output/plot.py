"""Line charts as SVG text: readable in any browser, with nothing to install."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import TypeGuard

_WIDTH, _PANEL = 640, 274
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 150, 40, 46
_BETWEEN = 24
_COLOURS = ("#0b6bcb", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#566573")
_INTERVALS = 5
"""About so many lines across a panel."""

Values = Sequence[float | None]
"""The values of a line; None where there is none."""


@dataclass(frozen=True)
class Panel:
    """Lines that share a vertical axis."""

    y_label: str
    series: Mapping[str, Values]


@dataclass(frozen=True)
class MarkedPlace:
    """A place of the horizontal axis that an upright line shows."""

    x: float
    label: str


def line_chart(
    title: str, x_label: str, y_label: str, x: Sequence[float], series: Mapping[str, Values]
) -> str:
    """A chart with a line for each series, markers at the values and a legend."""
    return panel_chart(title, x_label, x, [Panel(y_label, series)])


def panel_chart(
    title: str,
    x_label: str,
    x: Sequence[float],
    panels: Sequence[Panel],
    marked: MarkedPlace | None = None,
) -> str:
    """Panels one below the other with the same horizontal axis, each with an axis of its own."""
    height = _TOP + len(panels) * (_PANEL + _BETWEEN) - _BETWEEN + _BOTTOM
    left, right = min(x), max(x)

    def across(value: float) -> float:
        share = (value - left) / (right - left or 1)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="15" font-weight="600">{html.escape(title)}</text>',
    ]
    if marked is not None:
        place = f"{across(marked.x):.1f}"
        label = min(max(across(marked.x), _LEFT + 60), _WIDTH - _RIGHT)
        parts.append(
            f'<line class="marked" x1="{place}" x2="{place}" y1="{_TOP - 4}" '
            f'y2="{height - _BOTTOM}" stroke="#566573" stroke-dasharray="4 3"/>'
            f'<text x="{label:.1f}" y="{_TOP - 7}" text-anchor="middle" fill="#566573">'
            f"{html.escape(marked.label)}</text>"
        )
    colour = 0
    for number, panel in enumerate(panels):
        top = _TOP + number * (_PANEL + _BETWEEN)
        points = [across(value) for value in x]
        parts += _panel(panel, points, top, colour)
        colour += len(panel.series)
    shown = x if len(x) <= 12 else [x[round(i * (len(x) - 1) / 10)] for i in range(11)]
    for value in shown:
        place = f'x="{across(value):.1f}" y="{height - _BOTTOM + 18}"'
        parts.append(f'<text {place} text-anchor="middle">{value:g}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{height - 8}" text-anchor="middle">{html.escape(x_label)}</text>'
    )
    return "\n".join(parts) + "\n</svg>\n"


def _panel(panel: Panel, x: Sequence[float], top: float, colour: int) -> list[str]:
    """The grid, the lines and the legend of a panel; `x` are places, not values."""
    values = [one for line in panel.series.values() for one in line if _known(one)]
    ticks = axis_ticks(min(values, default=0), max(values, default=1))

    def up(value: float) -> float:
        return top + _PANEL - (value - ticks[0]) / (ticks[-1] - ticks[0]) * _PANEL

    parts = [
        f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up(tick):.1f}" y2="{up(tick):.1f}" '
        f'stroke="#ddd"/><text x="{_LEFT - 8}" y="{up(tick) + 4:.1f}" text-anchor="end">'
        f"{tick:g}</text>"
        for tick in ticks
    ]
    middle = top + _PANEL / 2
    parts.append(
        f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">'
        f"{html.escape(panel.y_label)}</text>"
    )
    for number, (name, line) in enumerate(panel.series.items()):
        ink = _COLOURS[(colour + number) % len(_COLOURS)]
        points = [(a, up(b)) for a, b in zip(x, line, strict=True) if _known(b)]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5"/>' for a, b in points)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="2"/>'
            f'<g fill="{ink}">{dots}'
            f'<text x="{_WIDTH - _RIGHT + 12}" y="{top + 16 * number + 8}">{html.escape(name)}'
            "</text></g>"
        )
    return parts


def _known(value: float | None) -> TypeGuard[float]:
    return value is not None and isfinite(value)


def axis_ticks(low: float, high: float) -> list[float]:
    """Round numbers, evenly spaced, around all values: steps of 1, 2 or 5 times a power of ten."""
    span = (high - low) or abs(high) or 1.0
    exponent = floor(log10(span / _INTERVALS))
    power = 10.0**exponent
    step = next(one * power for one in (1, 2, 5, 10) if one * power * _INTERVALS >= span * 0.999)
    first = floor(low / step + 1e-9)
    last = max(ceil(high / step - 1e-9), first + 1)
    digits = max(12, 2 - exponent)
    return [round(number * step, digits) for number in range(first, last + 1)]
