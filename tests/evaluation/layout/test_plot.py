"""Charts are well-formed and show every value."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from crosspro.evaluation.layout.plot import line_chart


def test_a_chart_has_a_line_and_markers_for_each_series():
    text = line_chart("a < b", "x", "y", [0, 1, 2], {"one": [1, 2, 3], "two": [50, 60, 70]})
    root = ElementTree.fromstring(text)  # noqa: S314 - our own text
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}polyline")) == 2
    assert len(root.findall(f".//{space}circle")) == 6
    assert "a < b" in "".join(root.itertext())


def test_equal_values_are_no_problem():
    ElementTree.fromstring(line_chart("t", "x", "y", [1], {"one": [5]}))  # noqa: S314
