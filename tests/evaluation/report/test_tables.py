"""Tables: widths, wrapping, matrices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.report.tables import markdown_table, matrix_table, text_table

NAMES = ("rank", "submission", "macro recall", "accuracy")
ROWS = [
    ("1", "a_name_that_is_long_and_has_no_spaces_at_all", "45.06 [43.00, 47.10]", "64.43 (1)"),
    ("2", "two words and more of them than go on a line", "44.00 [42.00, 46.00]", "63.00 (2)"),
]


def test_tables_align():
    rows = [("x", "1"), ("long", "22")]
    assert text_table(("a", "b"), rows) == "a      b\n────  ──\nx      1\nlong  22\n"
    text = "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"
    assert markdown_table(("a", "b"), [("x|y", "1")]) == text
    lines = text_table(("a", "b"), [("日本", "1"), ("e\u0301", "2")]).splitlines()
    assert lines[2:] == ["日本  1", "e\u0301     2"]


def test_headings_are_wrapped_and_figures_whole():
    whole = text_table(NAMES, ROWS, 2)
    widest = max(map(len, whole.splitlines()))
    assert text_table(NAMES, ROWS, 2, widest) == whole
    many = [("elle", *(f"{number}.00 [1.00, 2.00]" for number in range(12)))]
    heading = ("class", *(f"system of number {number} in two lines" for number in range(12)))
    lines = text_table(heading, many, 1, 80).splitlines()
    assert all(cell in lines[-1] for cell in many[0])
    assert lines[0].split()[:4] == ["class", "system", "of", "number"]
    assert len(lines) > 3 and len({len(line) for line in lines[-2:]}) == 1


def test_a_matrix_leaves_out_what_does_not_occur():
    counts = np.array([[2, 0, 1], [0, 0, 0], [0, 0, 4]])
    table = matrix_table(("il", "elle", "NONE"), counts, "m", 1)
    assert table.heading == ("", "il", "NONE", "sum")
    assert [[str(cell) for cell in row] for row in table.rows] == [
        ["il", "2", "1", "3"], ["NONE", "·", "4", "4"], ["sum", "2", "5", "7"],
    ]  # fmt: skip
    assert [cell.kind for row in table.rows[:2] for cell in row[1:3]] == ["hit", "", "", "hit"]
    assert table.rows[0][2].filters == {"candidate": 1, "reference": "il", "word": "NONE"}


cells = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z", "M")), min_size=1, max_size=60
)


@given(
    st.lists(st.tuples(cells, cells, st.integers(), st.floats(0, 1)), min_size=1, max_size=4),
    st.integers(20, 200),
)
def test_every_figure_and_every_letter_is_there(rows, width):
    shown = [(a, b, f"{n}", f"{x:.3f}") for a, b, n, x in rows]
    text = text_table(("first", "second", "whole number", "a share"), shown, 2, width)
    for row in shown:
        assert row[2] in text and row[3] in text
        assert all(character in text for character in (*row[0], *row[1]))
