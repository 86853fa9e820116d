"""Line charts as SVG text: readable in any browser, with nothing to install."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 150, 40, 46
_COLOURS = ("#0b6bcb", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#566573")


def line_chart(
    title: str,
    x_label: str,
    y_label: str,
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
) -> str:
    """A chart with a line for each series, markers at the values and a legend."""
    values = [value for line in series.values() for value in line]
    low, high = _nice(min(values), max(values))
    left, right = min(x), max(x)

    def across(value: float) -> float:
        share = (value - left) / (right - left or 1)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def up(value: float) -> float:
        return _HEIGHT - _BOTTOM - (value - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="15" font-weight="600">{html.escape(title)}</text>',
    ]
    for step in range(6):
        value = low + (high - low) * step / 5
        y = up(value)
        parts.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
        )
    shown = x if len(x) <= 12 else [x[round(i * (len(x) - 1) / 10)] for i in range(11)]
    for value in shown:
        place = f'x="{across(value):.1f}" y="{_HEIGHT - _BOTTOM + 18}"'
        parts.append(f'<text {place} text-anchor="middle">{value:g}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{_HEIGHT - 8}" text-anchor="middle">{html.escape(x_label)}</text>'
        f'<text x="16" y="{_HEIGHT / 2}" text-anchor="middle" '
        f'transform="rotate(-90 16 {_HEIGHT / 2})">{html.escape(y_label)}</text>'
    )
    for number, (name, line) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        points = [(across(a), up(b)) for a, b in zip(x, line, strict=True)]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5"/>' for a, b in points)
        y = _TOP + 16 * number + 8
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<g fill="{colour}">{dots}'
            f'<text x="{_WIDTH - _RIGHT + 12}" y="{y}">{html.escape(name)}</text></g>'
        )
    return "\n".join(parts) + "\n</svg>\n"


def _nice(low: float, high: float) -> tuple[float, float]:
    """Bounds at multiples of five around the values."""
    bottom = 5 * int(low // 5)
    top = 5 * int(-(-high // 5))
    return float(bottom), float(top if top > bottom else bottom + 5)
