"""Plots: SVG whose texts are texts, and a word on what to install where matplotlib is missing."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from crosspro.evaluation.report import plots

HOSTILE = "<b>&'\" $x_1$ \x1b"


def texts(svg):
    tree = ElementTree.fromstring(svg)  # noqa: S314
    return [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]


def test_lines_may_have_gaps_and_a_place_is_marked():
    pytest.importorskip("matplotlib")
    panels = {"per cent": {"a": [1.0, None, 3.0]}, "loss": {"b": [math.nan, 2.0, 1.0]}}
    svgs = [plots.line_panels("title", "epoch", [0, 1, 2], panels, (2, "best")) for _ in range(2)]
    assert {"title", "epoch", "best", "a", "b", "per cent", "loss"} <= set(texts(svgs[0]))
    assert svgs[0] == svgs[1]


def test_a_point_for_each_system():
    pytest.importorskip("matplotlib")
    panels = [plots.ScatterPanel("r = 0.832", "apt", [1.0, 3.0], 1.0, 0.0)]
    shown = texts(plots.scatter_panels(["A", HOSTILE], "human", [1.0, 2.0], panels))
    assert {"A", "<b>&'\" $x_1$ \\x1b", "human", "apt", "r = 0.832"} <= set(shown)
