"""Bars of shares in per cent, one or more for each row, as panels of a figure."""

from __future__ import annotations

from collections.abc import Sequence

from crosspro.evaluation.core.tables import BarChart
from crosspro.evaluation.output.figure import (
    ACCENT,
    SOFT,
    FigurePanel,
    grid_line,
    label,
    shortened,
    xml_text,
)
from crosspro.evaluation.output.plot import axis_ticks

_WIDTH = 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 104, 48, 48, 24
_BAR, _BETWEEN = 13, 10
_LONGEST_TITLE = 38
_COLOURS = (ACCENT, SOFT)
_KEY_LETTER = 6.2
"""About so wide is a letter of the key."""


def bar_panels(charts: Sequence[BarChart]) -> list[FigurePanel]:
    """A panel for each chart; all have the same scale."""
    largest = max(
        share for chart in charts for name in chart.counts for share in chart.shares(name)
    )
    ticks = axis_ticks(0, largest or 1)
    return [_panel(chart, ticks) for chart in charts]


def _panel(chart: BarChart, ticks: Sequence[float]) -> FigurePanel:
    step = _BAR * len(chart.counts) + _BETWEEN
    bottom = _TOP + step * len(chart.rows)
    right = _WIDTH - _RIGHT

    def across(share: float) -> float:
        return _LEFT + share / ticks[-1] * (right - _LEFT)

    parts = [label(12, 18, shortened(chart.title, _LONGEST_TITLE), size=13, weight=600)]
    place = 12.0
    for number, name in enumerate(chart.counts):
        parts.append(_bar(place, 28, 10, 10, number, name))
        parts.append(label(place + 15, 37, name))
        place += 32 + _KEY_LETTER * len(name)
    for tick in ticks:
        parts.append(grid_line(across(tick), _TOP, across(tick), bottom))
        parts.append(label(across(tick), bottom + 15, f"{tick:g}%", "middle", "soft", 10))
    for row, title in enumerate(chart.rows):
        top = _TOP + row * step + _BETWEEN / 2
        middle = top + _BAR * len(chart.counts) / 2
        parts.append(label(_LEFT - 8, middle + 4, title, "end"))
        for number, name in enumerate(chart.counts):
            share, count = chart.shares(name)[row], chart.counts[name][row]
            y = top + number * _BAR
            said = f"{title}, {name}: {count:,} ({share:.1f}%)"
            parts.append(_bar(_LEFT, y, across(share) - _LEFT, _BAR - 2, number, said))
            parts.append(label(across(share) + 4, y + _BAR - 3, f"{share:.1f}", size=10))
    return FigurePanel(_WIDTH, bottom + _BOTTOM, "".join(parts), _about(chart))


def _bar(x: float, y: float, width: float, height: float, number: int, said: str) -> str:
    return (
        f'<rect class="bar-{number}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" fill="{_COLOURS[number]}"><title>{xml_text(said)}</title></rect>'
    )


def _about(chart: BarChart) -> str:
    series = (
        f"{name}: "
        + ", ".join(
            f"{row} {share:.1f}%" for row, share in zip(chart.rows, chart.shares(name), strict=True)
        )
        for name in chart.counts
    )
    return f"{chart.title}; {'; '.join(series)}"
