"""Charts are well-formed and show every value."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from crosspro.evaluation.output.plots import (
    MarkedPlace,
    Panel,
    axis_ticks,
    line_chart,
    panel_chart,
)

SPACE = "{http://www.w3.org/2000/svg}"


def test_a_chart_has_a_line_and_markers_for_each_series():
    text = line_chart("a < b", "x", "y", [0, 1, 2], {"one": [1, 2, 3], "two": [50, 60, 70]})
    root = ElementTree.fromstring(text)  # noqa: S314 - our own text
    assert len(root.findall(f"{SPACE}polyline")) == 2
    assert len(root.findall(f".//{SPACE}circle")) == 6
    assert "a < b" in "".join(root.itertext())


def test_equal_values_are_no_problem():
    ElementTree.fromstring(line_chart("t", "x", "y", [1], {"one": [5]}))  # noqa: S314
    ElementTree.fromstring(line_chart("t", "x", "y", [1], {"one": [0.0]}))  # noqa: S314


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.31, 1.78, [0, 0.5, 1, 1.5, 2]),
        (0.012, 0.019, [0.012, 0.014, 0.016, 0.018, 0.02]),
        (61.2, 64.9, [61, 62, 63, 64, 65]),
        (0, 100, [0, 20, 40, 60, 80, 100]),
        (-3, -1, [-3, -2.5, -2, -1.5, -1]),
    ],
)
def test_an_axis_comes_from_the_data(low, high, ticks):
    assert axis_ticks(low, high) == pytest.approx(ticks)


@pytest.mark.parametrize("value", [0, 5, -7.3, 1e-9, 1e12])
def test_an_axis_has_room_for_one_value(value):
    ticks = axis_ticks(value, value)
    assert ticks[0] <= value <= ticks[-1]
    assert ticks[0] < ticks[-1]


def test_panels_share_x_and_values_may_be_missing():
    panels = [Panel("per cent", {"a": [10, 20, 30]}), Panel("loss", {"b": [None, 0.2, 0.1]})]
    root = ElementTree.fromstring(  # noqa: S314
        panel_chart("t", "epoch", [0, 1, 2], panels, MarkedPlace(1, "best"))
    )
    first, second = root.findall(f"{SPACE}polyline")
    places = [
        [point.split(",")[0] for point in one.get("points").split()] for one in (first, second)
    ]
    assert places[1] == places[0][1:]
    marked = next(line for line in root.findall(f"{SPACE}line") if line.get("class") == "marked")
    assert marked.get("x1") == places[0][1]
    assert "best" in "".join(root.itertext())
