"""Link files: reading, writing, and everything that can be wrong with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.formats.links import read_links, write_links

numbers = st.integers(0, 10**6)
lines = st.lists(st.lists(st.tuples(numbers, numbers), max_size=6).map(tuple), max_size=5)
TEXT = ([["a"], ["b", "c"]], [["x"], ["y"]])


@given(lines, st.sampled_from(["", ".gz", ".xz"]))
def test_writing_and_reading_gives_the_same_links(tmp_path_factory, lines, suffix):
    path = tmp_path_factory.mktemp("links") / f"x{suffix}"
    write_links(path, lines)
    assert list(read_links(path)) == lines


@pytest.mark.parametrize(
    "written", ["0:1", "1", "-1", "1-", "0-1-2", "１-1", "+1-2", "01-2", "1-9999999999999999999"]
)
def test_what_is_no_link_is_named(tmp_path, written):
    path = tmp_path / "x"
    path.write_text(f"0-0\n0-0 {written}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read_links(path))
    (problem,) = caught.value.problems
    assert (problem.line, problem.found) == (2, repr(written))


@pytest.mark.parametrize(
    ("text", "line"), [("0-0\n0-9\n", 2), ("0-0\n1-0\n0-0\n", 3), ("0-0\n", None)]
)
def test_links_outside_the_text_and_missing_lines_are_faults(tmp_path, text, line):
    path = tmp_path / "x"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read_links(path, *TEXT))
    assert [problem.line for problem in caught.value.problems] == [line]
