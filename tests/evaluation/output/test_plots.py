"""Charts, scatter plots and bars: every value is where it belongs, in files and in pages."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.output.plots import (
    BarChart,
    MarkedPlace,
    Panel,
    ScatterPlot,
    axis_ticks,
    bar_panels,
    figure_file,
    figure_html,
    line_chart,
    panel_chart,
    scatter_panels,
)

SPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = 'a<b & "c"\x1b[31m'


def read(text):
    return ElementTree.fromstring(text)  # noqa: S314 - our own text


def scatter(x, y, slope=1.0, intercept=0.0, title="metric"):
    names = [f"system {number}" for number in range(len(x))]
    return ScatterPlot(title, "r 1", title, "human", names, x, y, slope, intercept)


def test_points_lie_on_the_line_that_goes_through_them():
    plot = scatter([0.0, 1.0, 4.0], [1.0, 1.5, 3.0], 0.5, 1.0)
    root = read(figure_file("t", scatter_panels([plot])))
    points = [(float(one.get("cx")), float(one.get("cy"))) for one in root.iter(f"{SPACE}circle")]
    (line,) = (one for one in root.iter(f"{SPACE}line") if one.get("class") == "fit")
    ends = [(float(line.get(f"x{n}")), float(line.get(f"y{n}"))) for n in (1, 2)]
    assert ends == [points[0], points[2]]
    (x0, y0), (x1, y1), (x2, y2) = points
    assert (y1 - y0) * (x2 - x0) == pytest.approx((y2 - y0) * (x1 - x0), abs=30)
    assert y2 < y1 < y0  # upwards on the page
    assert "2 system 1: metric 1, human 1.5" in "".join(root.itertext())


values = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


@given(values, values)
def test_everything_stays_in_the_frame(x, y):
    size = min(len(x), len(y))
    x, y = x[:size], y[:size]
    (panel,) = scatter_panels([scatter(x, y, 0.0, sum(y) / size)])
    root = read(f'<svg xmlns="http://www.w3.org/2000/svg">{panel.body}</svg>')
    places = [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter(f"{SPACE}circle")]
    assert len(places) == size
    assert all(50 <= left <= panel.width - 15 for left, _ in places)
    assert all(45 <= top <= panel.height - 41 for _, top in places)


def test_plots_have_the_same_upright_axis():
    first, second = scatter_panels([scatter([1, 2], [0, 1]), scatter([5, 9], [0, 100])])
    ticks = [re.findall(r'text-anchor="end"[^>]*>([-\d.]+)<', one.body) for one in (first, second)]
    assert ticks[0] == ticks[1]


def test_numbers_do_not_cover_each_other():
    (panel,) = scatter_panels([scatter([1.0, 1.001, 1.002, 5.0], [1.0, 1.001, 1.0, 5.0])])
    found = re.findall(r'x="([\d.]+)" y="([\d.]+)" text-anchor="middle" font-size="10"', panel.body)
    places = [(float(x), float(y)) for x, y in found]
    assert len(places) == 4
    for number, one in enumerate(places):
        assert all(abs(one[0] - x) >= 6 or abs(one[1] - y) >= 10 for x, y in places[:number])


def test_bars_are_as_long_as_their_shares():
    chart = BarChart("c", ["1 same", "2 other"], {"with": (30, 10), "without": (20, 20)})
    (panel,) = bar_panels([chart])
    root = read(f'<svg xmlns="http://www.w3.org/2000/svg">{panel.body}</svg>')
    bars = {
        one.find(f"{SPACE}title").text: float(one.get("width"))
        for one in root.iter(f"{SPACE}rect")
        if one.get("height") != "10.0"
    }
    assert bars["1 same, with: 30 (75.0%)"] == pytest.approx(
        3 * bars["2 other, with: 10 (25.0%)"], abs=0.2
    )
    assert bars["1 same, without: 20 (50.0%)"] == bars["2 other, without: 20 (50.0%)"]
    assert "with: 1 same 75.0%, 2 other 25.0%" in panel.about


def test_bars_of_nothing():
    (panel,) = bar_panels([BarChart("c", ["1 same"], {"pronouns": (0,)})])
    assert "0.0" in panel.body


def test_names_may_hold_anything():
    panels = [
        *scatter_panels([scatter([1, 2], [1, 2], title=HOSTILE)]),
        *bar_panels([BarChart(HOSTILE, [HOSTILE], {HOSTILE: (1,)})]),
    ]
    text = figure_file(HOSTILE, panels, [HOSTILE])
    read(text)
    page = figure_html(panels)
    assert 'a<b & "c"' not in page
    assert "\x1b" not in page + text


def test_a_file_wraps_panels_and_notes():
    panels = scatter_panels([scatter([1, 2], [1, 2])] * 4)
    signature = "|".join(["part:value"] * 40)
    root = read(figure_file("t", panels, [signature]))
    places = {one.get("transform") for one in root.findall(f"{SPACE}g")}
    assert len(places) == 4
    assert len({place.split()[-1] for place in places}) == 2  # two rows
    notes = [one.text for one in root.findall(f"{SPACE}text") if one.get("class") == "soft"]
    assert "".join(notes) == signature
    assert max(map(len, notes)) < 200
    width, height = (float(root.get(name)) for name in ("width", "height"))
    assert all(float(one.get("y")) <= height for one in root.findall(f"{SPACE}text"))
    assert width > 3 * panels[0].width


def test_a_figure_without_a_panel():
    assert "nothing" in figure_file("nothing", [])


# Line charts and their axes ---------------------------------------------------------------------


def test_a_chart_has_a_line_and_markers_for_each_series():
    text = line_chart("a < b", "x", "y", [0, 1, 2], {"one": [1, 2, 3], "two": [50, 60, 70]})
    root = read(text)
    assert len(root.findall(f"{SPACE}polyline")) == 2
    assert len(root.findall(f".//{SPACE}circle")) == 6
    assert "a < b" in "".join(root.itertext())


@pytest.mark.parametrize("value", [5, 0.0])
def test_equal_values_are_no_problem(value):
    read(line_chart("t", "x", "y", [1], {"one": [value]}))


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
    root = read(panel_chart("t", "epoch", [0, 1, 2], panels, MarkedPlace(1, "best")))
    first, second = root.findall(f"{SPACE}polyline")
    places = [
        [point.split(",")[0] for point in one.get("points").split()] for one in (first, second)
    ]
    assert places[1] == places[0][1:]
    marked = next(line for line in root.findall(f"{SPACE}line") if line.get("class") == "marked")
    assert marked.get("x1") == places[0][1]
    assert "best" in "".join(root.itertext())
