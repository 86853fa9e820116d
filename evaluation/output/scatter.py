"""Scatter plots with a straight line through them, as panels of a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import dist

from crosspro.evaluation.output.figure import (
    ACCENT,
    WARM,
    FigurePanel,
    grid_line,
    label,
    shortened,
    xml_text,
)
from crosspro.evaluation.output.plot import axis_ticks

_WIDTH, _HEIGHT = 330, 290
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 16, 46, 42
_LONGEST_TITLE = 38
_RADIUS = 4
_DIGIT, _LINE = 6, 10
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
    return [_panel(plot, ticks) for plot in plots]


def _panel(plot: ScatterPlot, y_ticks: Sequence[float]) -> FigurePanel:
    x_ticks = axis_ticks(min(plot.x), max(plot.x))
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def across(value: float) -> float:
        return _LEFT + (value - x_ticks[0]) / (x_ticks[-1] - x_ticks[0]) * (right - _LEFT)

    def up(value: float) -> float:
        return bottom - (value - y_ticks[0]) / (y_ticks[-1] - y_ticks[0]) * (bottom - _TOP)

    title = shortened(plot.title, _LONGEST_TITLE)
    parts = [label(_LEFT, 18, title, size=13, weight=600), label(_LEFT, 35, plot.subtitle)]
    for tick in y_ticks:
        parts.append(grid_line(_LEFT, up(tick), right, up(tick)))
        parts.append(label(_LEFT - 7, up(tick) + 4, f"{tick:g}", "end", "soft"))
    for tick in x_ticks:
        parts.append(grid_line(across(tick), _TOP, across(tick), bottom))
        parts.append(label(across(tick), bottom + 16, f"{tick:g}", "middle", "soft"))
    parts.append(label((_LEFT + right) / 2, _HEIGHT - 8, plot.x_label, "middle"))
    middle = (_TOP + bottom) / 2
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
    frame = (_LEFT, _TOP, right, bottom)
    for number, (x, y) in enumerate(_number_places(points, frame), start=1):
        parts.append(label(x, y, str(number), "middle", size=10))
    about = f"{plot.title}: {plot.x_label} against {plot.y_label}, {plot.subtitle}"
    return FigurePanel(_WIDTH, _HEIGHT, "".join(parts), about)


def _number_places(
    points: Sequence[tuple[float, float]], frame: _PlacedBox
) -> list[tuple[float, float]]:
    """Where the numbers of points stand: each where it covers least of points and other numbers.

    A number that is nearer to another point than to its own would be taken for that one's.
    """
    taken = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in points]
    places = []
    for number, own in enumerate(points, start=1):
        width = _DIGIT * len(str(number))
        tried: list[tuple[float, int, _PlacedBox]] = []
        for x, y in _around(own, width):
            box = (x - width / 2, y - _LINE / 2, x + width / 2, y + _LINE / 2)
            cost = sum(_overlap(box, other) for other in taken)
            cost += width * _LINE - _overlap(box, frame)
            cost += _MISTAKEN * any(dist((x, y), one) < dist((x, y), own) for one in points)
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
