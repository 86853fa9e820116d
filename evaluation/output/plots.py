"""Charts as SVG text: panels of bars and points side by side, and lines; nothing to install.

Colours are attributes of the elements, which any program shows; the style sheet of a page overrides
them, so that a figure there is light or dark as the page is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, dist, floor, isfinite, log10
from typing import TypeGuard

from crosspro.data_prep.core.errors import printable
from crosspro.evaluation.core.tables import BarChart

INK, SOFT, LINE = "#1d2330", "#667085", "#d9dee7"
ACCENT, WARM = "#0b6bcb", "#c0392b"
"""The colours of a light page, by what they are for."""

_GAP, _TITLE, _NOTE = 16, 36, 18
_PANEL_WIDTH = 330
"""How wide a panel is, and a figure without one."""
_LONGEST_TITLE = 38
_NOTE_WIDTH = 5.6
"""About so wide is a letter of a note."""


@dataclass(frozen=True)
class FigurePanel:
    """A picture of its own: its size, its elements, and what it shows, for those who cannot see."""

    width: int
    height: int
    body: str
    about: str


def figure_file(
    title: str, panels: Sequence[FigurePanel], notes: Sequence[str] = (), columns: int = 3
) -> str:
    """An SVG file with all panels in rows, under a title and above some notes."""
    columns = max(1, min(columns, len(panels)))
    cell_width = max((panel.width for panel in panels), default=_PANEL_WIDTH)
    cell_height = max((panel.height for panel in panels), default=0)
    rows = -(-len(panels) // columns)
    width = columns * (cell_width + _GAP) - _GAP
    lines = [line for note in notes for line in _wrapped(note, int(width / _NOTE_WIDTH))]
    under = _TITLE + rows * (cell_height + _GAP)
    height = under + _NOTE * len(lines) + _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, sans-serif">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        label(12, 22, title, size=15, weight=600),
    ]
    for number, panel in enumerate(panels):
        x = number % columns * (cell_width + _GAP)
        y = _TITLE + number // columns * (cell_height + _GAP)
        parts.append(f'<g transform="translate({x} {y})">{panel.body}</g>')
    for number, line in enumerate(lines):
        parts.append(label(12, under + _NOTE * (number + 1) - 6, line, kind="soft"))
    return "\n".join(parts) + "\n</svg>\n"


def figure_html(panels: Sequence[FigurePanel]) -> str:
    """The panels for a page, which wraps them to its width."""
    drawn = (
        f'<svg class="plot" viewBox="0 0 {panel.width} {panel.height}" width="{panel.width}" '
        f'role="img" aria-label="{xml_text(panel.about)}">{panel.body}</svg>'
        for panel in panels
    )
    return f'<div class="figures">{"".join(drawn)}</div>'


def label(
    x: float,
    y: float,
    text: str,
    anchor: str = "start",
    kind: str = "ink",
    size: float = 11,
    weight: int = 400,
) -> str:
    """A piece of text; its kind is ink, or soft where it only explains."""
    fill = SOFT if kind == "soft" else INK
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}" '
        f'fill="{fill}"{bold}>{xml_text(text)}</text>'
    )


def grid_line(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line behind what is shown."""
    return (
        f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{LINE}"/>'
    )


def xml_text(text: str) -> str:
    """Text of an element or an attribute; names come from files and may hold anything."""
    return html.escape(printable(text))


def shortened(text: str, length: int) -> str:
    """A name that has to fit: its beginning and an ellipsis if it is too long."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _wrapped(text: str, length: int) -> list[str]:
    """Lines of a note, broken at spaces and between the parts of a signature."""
    lines = [""]
    for piece in re.split(r"(?<=[ |])", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > length:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


# Line charts --------------------------------------------------------------------------------------

_CHART_WIDTH, _CHART_HEIGHT = 640, 274
_CHART_LEFT, _CHART_RIGHT, _CHART_TOP, _CHART_BOTTOM = 60, 150, 40, 46
_CHART_BETWEEN = 24
_LINE_COLOURS = ("#0b6bcb", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#566573")
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
    height = (
        _CHART_TOP + len(panels) * (_CHART_HEIGHT + _CHART_BETWEEN) - _CHART_BETWEEN + _CHART_BOTTOM
    )
    left, right = min(x), max(x)

    def across(value: float) -> float:
        share = (value - left) / (right - left or 1)
        return _CHART_LEFT + share * (_CHART_WIDTH - _CHART_LEFT - _CHART_RIGHT)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_CHART_WIDTH} {height}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{_CHART_WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{_CHART_LEFT}" y="22" font-size="15" font-weight="600">'
        f"{html.escape(title)}</text>",
    ]
    if marked is not None:
        place = f"{across(marked.x):.1f}"
        label = min(max(across(marked.x), _CHART_LEFT + 60), _CHART_WIDTH - _CHART_RIGHT)
        parts.append(
            f'<line class="marked" x1="{place}" x2="{place}" y1="{_CHART_TOP - 4}" '
            f'y2="{height - _CHART_BOTTOM}" stroke="#566573" stroke-dasharray="4 3"/>'
            f'<text x="{label:.1f}" y="{_CHART_TOP - 7}" text-anchor="middle" fill="#566573">'
            f"{html.escape(marked.label)}</text>"
        )
    colour = 0
    for number, panel in enumerate(panels):
        top = _CHART_TOP + number * (_CHART_HEIGHT + _CHART_BETWEEN)
        points = [across(value) for value in x]
        parts += _line_panel(panel, points, top, colour)
        colour += len(panel.series)
    shown = x if len(x) <= 12 else [x[round(i * (len(x) - 1) / 10)] for i in range(11)]
    for value in shown:
        place = f'x="{across(value):.1f}" y="{height - _CHART_BOTTOM + 18}"'
        parts.append(f'<text {place} text-anchor="middle">{value:g}</text>')
    middle = (_CHART_LEFT + _CHART_WIDTH - _CHART_RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{height - 8}" text-anchor="middle">{html.escape(x_label)}</text>'
    )
    return "\n".join(parts) + "\n</svg>\n"


def _line_panel(panel: Panel, x: Sequence[float], top: float, colour: int) -> list[str]:
    """The grid, the lines and the legend of a panel; `x` are places, not values."""
    values = [one for line in panel.series.values() for one in line if _known(one)]
    ticks = axis_ticks(min(values, default=0), max(values, default=1))

    def up(value: float) -> float:
        return top + _CHART_HEIGHT - (value - ticks[0]) / (ticks[-1] - ticks[0]) * _CHART_HEIGHT

    parts = [
        f'<line x1="{_CHART_LEFT}" x2="{_CHART_WIDTH - _CHART_RIGHT}" '
        f'y1="{up(tick):.1f}" y2="{up(tick):.1f}" '
        f'stroke="#ddd"/><text x="{_CHART_LEFT - 8}" y="{up(tick) + 4:.1f}" text-anchor="end">'
        f"{tick:g}</text>"
        for tick in ticks
    ]
    middle = top + _CHART_HEIGHT / 2
    parts.append(
        f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">'
        f"{html.escape(panel.y_label)}</text>"
    )
    for number, (name, line) in enumerate(panel.series.items()):
        ink = _LINE_COLOURS[(colour + number) % len(_LINE_COLOURS)]
        points = [(a, up(b)) for a, b in zip(x, line, strict=True) if _known(b)]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5"/>' for a, b in points)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="2"/>'
            f'<g fill="{ink}">{dots}'
            f'<text x="{_CHART_WIDTH - _CHART_RIGHT + 12}" y="{top + 16 * number + 8}">'
            f"{html.escape(name)}</text></g>"
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


# Bars ---------------------------------------------------------------------------------------------

_BARS_LEFT, _BARS_RIGHT, _BARS_TOP, _BARS_BOTTOM = 104, 48, 48, 24
_BAR, _BETWEEN = 13, 10
_COLOURS = (ACCENT, SOFT)
_KEY_LETTER = 6.2
"""About so wide is a letter of the key."""


def bar_panels(charts: Sequence[BarChart]) -> list[FigurePanel]:
    """A panel for each chart; all have the same scale."""
    largest = max(
        share for chart in charts for name in chart.counts for share in chart.shares(name)
    )
    ticks = axis_ticks(0, largest or 1)
    return [_bar_panel(chart, ticks) for chart in charts]


def _bar_panel(chart: BarChart, ticks: Sequence[float]) -> FigurePanel:
    step = _BAR * len(chart.counts) + _BETWEEN
    bottom = _BARS_TOP + step * len(chart.rows)
    right = _PANEL_WIDTH - _BARS_RIGHT

    def across(share: float) -> float:
        return _BARS_LEFT + share / ticks[-1] * (right - _BARS_LEFT)

    parts = [label(12, 18, shortened(chart.title, _LONGEST_TITLE), size=13, weight=600)]
    place = 12.0
    for number, name in enumerate(chart.counts):
        parts.append(_bar(place, 28, 10, 10, number, name))
        parts.append(label(place + 15, 37, name))
        place += 32 + _KEY_LETTER * len(name)
    for tick in ticks:
        parts.append(grid_line(across(tick), _BARS_TOP, across(tick), bottom))
        parts.append(label(across(tick), bottom + 15, f"{tick:g}%", "middle", "soft", 10))
    for row, title in enumerate(chart.rows):
        top = _BARS_TOP + row * step + _BETWEEN / 2
        middle = top + _BAR * len(chart.counts) / 2
        parts.append(label(_BARS_LEFT - 8, middle + 4, title, "end"))
        for number, name in enumerate(chart.counts):
            share, count = chart.shares(name)[row], chart.counts[name][row]
            y = top + number * _BAR
            said = f"{title}, {name}: {count:,} ({share:.1f}%)"
            parts.append(_bar(_BARS_LEFT, y, across(share) - _BARS_LEFT, _BAR - 2, number, said))
            parts.append(label(across(share) + 4, y + _BAR - 3, f"{share:.1f}", size=10))
    return FigurePanel(_PANEL_WIDTH, bottom + _BARS_BOTTOM, "".join(parts), _about(chart))


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


# Scatter plots ------------------------------------------------------------------------------------

_PLOT_HEIGHT = 290
_PLOT_LEFT, _PLOT_RIGHT, _PLOT_TOP, _PLOT_BOTTOM = 54, 16, 46, 42
_RADIUS = 4
_DIGIT_WIDTH, _DIGIT_HEIGHT = 6, 10
"""About so wide and so high is a number beside a point."""

_MISTAKEN = 30
"""What it costs, in units of covered area, to stand nearer to another point."""

_PlacedBox = tuple[float, float, float, float]


@dataclass(frozen=True)
class ScatterPlot:
    """Points with names and numbers, and the line of a regression: `slope` and `intercept`."""

    title: str
    subtitle: str
    x_label: str
    y_label: str
    names: Sequence[str]
    x: Sequence[float]
    y: Sequence[float]
    slope: float
    intercept: float

    @property
    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The line from the first to the last point."""
        left, right = min(self.x), max(self.x)
        return (left, self.at(left)), (right, self.at(right))

    def at(self, x: float) -> float:
        """The height of the line."""
        return self.intercept + self.slope * x


def scatter_panels(plots: Sequence[ScatterPlot]) -> list[FigurePanel]:
    """A panel for each plot; all have the same vertical axis."""
    heights = [y for plot in plots for y in (*plot.y, *(height for _, height in plot.ends))]
    ticks = axis_ticks(min(heights), max(heights))
    return [_scatter_panel(plot, ticks) for plot in plots]


def _scatter_panel(plot: ScatterPlot, y_ticks: Sequence[float]) -> FigurePanel:
    x_ticks = axis_ticks(min(plot.x), max(plot.x))
    right, bottom = _PANEL_WIDTH - _PLOT_RIGHT, _PLOT_HEIGHT - _PLOT_BOTTOM

    def across(value: float) -> float:
        return _PLOT_LEFT + (value - x_ticks[0]) / (x_ticks[-1] - x_ticks[0]) * (right - _PLOT_LEFT)

    def up(value: float) -> float:
        return bottom - (value - y_ticks[0]) / (y_ticks[-1] - y_ticks[0]) * (bottom - _PLOT_TOP)

    title = shortened(plot.title, _LONGEST_TITLE)
    parts = [
        label(_PLOT_LEFT, 18, title, size=13, weight=600),
        label(_PLOT_LEFT, 35, plot.subtitle),
    ]
    for tick in y_ticks:
        parts.append(grid_line(_PLOT_LEFT, up(tick), right, up(tick)))
        parts.append(label(_PLOT_LEFT - 7, up(tick) + 4, f"{tick:g}", "end", "soft"))
    for tick in x_ticks:
        parts.append(grid_line(across(tick), _PLOT_TOP, across(tick), bottom))
        parts.append(label(across(tick), bottom + 16, f"{tick:g}", "middle", "soft"))
    parts.append(label((_PLOT_LEFT + right) / 2, _PLOT_HEIGHT - 8, plot.x_label, "middle"))
    middle = (_PLOT_TOP + bottom) / 2
    upright = label(0, 0, shortened(plot.y_label, _LONGEST_TITLE), "middle")
    parts.append(f'<g transform="translate(14 {middle:.1f}) rotate(-90)">{upright}</g>')
    (x1, y1), (x2, y2) = plot.ends
    parts.append(
        f'<line class="fit" x1="{across(x1):.1f}" y1="{up(y1):.1f}" x2="{across(x2):.1f}" '
        f'y2="{up(y2):.1f}" stroke="{WARM}" stroke-width="1.5"/>'
    )
    points = [(across(x), up(y)) for x, y in zip(plot.x, plot.y, strict=True)]
    for number, (name, x, y) in enumerate(zip(plot.names, plot.x, plot.y, strict=True), start=1):
        said = xml_text(f"{number} {name}: {plot.x_label} {x:g}, {plot.y_label} {y:g}")
        place = points[number - 1]
        parts.append(
            f'<circle class="point" cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{_RADIUS}" '
            f'fill="{ACCENT}"><title>{said}</title></circle>'
        )
    frame = (_PLOT_LEFT, _PLOT_TOP, right, bottom)
    for number, (x, y) in enumerate(_number_places(points, frame), start=1):
        parts.append(label(x, y, str(number), "middle", size=10))
    about = f"{plot.title}: {plot.x_label} against {plot.y_label}, {plot.subtitle}"
    return FigurePanel(_PANEL_WIDTH, _PLOT_HEIGHT, "".join(parts), about)


def _number_places(
    points: Sequence[tuple[float, float]], frame: _PlacedBox
) -> list[tuple[float, float]]:
    """Where the numbers of points stand: each where it covers least of points and other numbers.

    A number that is nearer to another point than to its own would be taken for that one's.
    """
    taken = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in points]
    places = []
    for number, own in enumerate(points, start=1):
        width = _DIGIT_WIDTH * len(str(number))
        tried: list[tuple[float, int, _PlacedBox]] = []
        for x, y in _around(own, width):
            box = (x - width / 2, y - _DIGIT_HEIGHT / 2, x + width / 2, y + _DIGIT_HEIGHT / 2)
            cost = sum(_overlap(box, other) for other in taken)
            cost += width * _DIGIT_HEIGHT - _overlap(box, frame)
            cost += _MISTAKEN * any(dist((x, y), point) < dist((x, y), own) for point in points)
            tried.append((cost, len(tried), box))
        _, _, best = min(tried)
        taken.append(best)
        places.append(((best[0] + best[2]) / 2, best[3] - 1))
    return places


def _around(point: tuple[float, float], width: float) -> Iterator[tuple[float, float]]:
    """Places beside a point, the nearest first."""
    for far in (6, 12, 18):
        aside = far + width / 2
        corners = ((aside, -far), (aside, far), (-aside, -far), (-aside, far))
        for dx, dy in (*corners, (0, -far - 3), (0, far + 3), (aside, 0), (-aside, 0)):
            yield point[0] + dx, point[1] + dy


def _overlap(one: _PlacedBox, other: _PlacedBox) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0) * max(height, 0)
