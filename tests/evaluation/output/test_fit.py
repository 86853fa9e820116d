"""Tables that keep to a width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.output.tables import text_table

NAMES = ("rank", "submission", "macro recall", "accuracy")
ROWS = [
    ("1", "a_name_that_is_long_and_has_no_spaces_at_all", "45.06 [43.00, 47.10]", "64.43 (1)"),
    ("2", "two words and more of them than go on a line", "44.00 [42.00, 46.00]", "63.00 (2)"),
]


def test_a_table_that_fits_is_as_it_is():
    whole = text_table(NAMES, ROWS, 2)
    widest = max(map(len, whole.splitlines()))
    assert text_table(NAMES, ROWS, 2, widest) == whole
    assert text_table(NAMES, ROWS, 2, widest - 1) != whole


def test_names_are_wrapped_and_figures_whole():
    lines = text_table(NAMES, ROWS, 2, 60).splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0].split() == ["rank", "submission", "macro", "recall", "accuracy"]
    assert "45.06 [43.00, 47.10]" in lines[2]
    column = [line[6:26] for line in lines]
    assert "a_name_that_is_long" in "".join(column).replace(" ", "")


def test_numbers_of_many_columns_are_never_cut():
    heading = ("class", *(f"system {number}" for number in range(12)))
    rows = [("elle", *(f"{number}.00 [1.00, 2.00]" for number in range(12)))]
    text = text_table(heading, rows, 1, 80)
    assert all(cell in text.splitlines()[-1] for cell in rows[0])


def test_wide_and_combining_characters_have_their_columns():
    lines = text_table(("a", "b"), [("日本", "1"), ("e\u0301", "2")]).splitlines()
    assert lines[2:] == ["日本  1", "e\u0301     2"]


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
        assert row[2] in text
        assert row[3] in text
        assert all(character in text for character in (*row[0], *row[1]))
