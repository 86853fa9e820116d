"""Text files that belong together: every fault of every file, with its line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.inputs.plain_text import (
    check_lengths,
    lines_of,
    unequal_lines,
)


def test_every_bad_line_of_a_file_is_a_problem(tmp_path):
    (tmp_path / "bad").write_bytes(b"a\n\xff\nb\n\xe9c\n")
    problems = []
    assert lines_of(tmp_path / "bad", problems) is None
    assert lines_of(tmp_path / "none", problems) is None
    assert [(problem.line, problem.field) for problem in problems] == [
        (2, "encoding"),
        (4, "encoding"),
        (None, "file"),
    ]


def test_unreadable_files_say_nothing_about_lengths(tmp_path):
    problems = []
    check_lengths([tmp_path / name for name in "abc"], [None, ["x", "y"], ["x"]], problems)
    (problem,) = problems
    assert (problem.path, problem.line, problem.field) == (str(tmp_path / "c"), 2, "lines")


@given(st.integers(0, 9), st.integers(0, 9))
def test_the_first_odd_line_is_named(found, expected):
    problems = unequal_lines("x", found, expected, "y")
    assert bool(problems) == (found != expected)
    for problem in problems:
        assert problem.line == min(found, expected) + 1
