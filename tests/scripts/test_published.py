"""`crosspro published`: results by year and task, figures of the papers by name."""

from __future__ import annotations

import pytest

from crosspro.evaluation.published.results import figure_names, read_figures
from tests.scripts.run import crosspro


@pytest.mark.parametrize("name", figure_names())
def test_every_table_is_shown(name):
    shown = crosspro("published", name).stdout.decode()
    for row in read_figures(name)[:3]:
        for cell in row.values():
            assert cell.split()[:1] == [] or cell.split()[0] in shown


def test_the_list_has_every_table():
    assert {*figure_names()} <= {*crosspro("published", "list").stdout.decode().split()}


def test_a_table_that_is_not_there_is_refused():
    result = crosspro("published", "wmt-2017-1")
    assert result.code == 2
    assert b"wmt-2017-1" in result.stderr
