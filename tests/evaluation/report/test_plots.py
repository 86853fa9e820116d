"""Plots: SVG whose texts are texts, and a word on what to install where matplotlib is missing."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from crosspro.evaluation.report import plots

HOSTILE = "<b>&'\" $x_1$ \x1b"


def texts(svg):
    tree = ElementTree.fromstring(svg)  # noqa: S314
    return [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]


def test_a_point_for_each_system():
    pytest.importorskip("matplotlib")
    panels = [plots.ScatterPanel("r = 0.832", "apt", [1.0, 3.0], 1.0, 0.0)]
    shown = texts(plots.scatter_panels(["A", HOSTILE], "human", [1.0, 2.0], panels))
    assert {"A", "<b>&'\" $x_1$ \\x1b", "human", "apt", "r = 0.832"} <= set(shown)
