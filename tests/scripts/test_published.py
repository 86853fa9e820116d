"""`crosspro published`: results by year and task, figures of the papers by name."""

from __future__ import annotations

import pytest

from crosspro.evaluation.published.results import figure_names, read_figures
from tests.scripts.run import crosspro


@pytest.mark.parametrize("name", figure_names())
def test_every_table_has_its_cells(name):
    shown = crosspro("published", name).stdout.decode()
    for row in read_figures(name)[:3]:
        for cell in row.values():
            assert cell.split()[:1] == [] or cell.split()[0] in shown


def test_the_list_has_every_table():
    listed = crosspro("published", "list").stdout.decode().splitlines()[4:]
    assert [line.split()[0] for line in listed] == figure_names()


@pytest.mark.parametrize(
    "arguments", [("wmt-2017-1",), ("--task", "xx-yy"), ("--year", 2017, "--task", "fr-en")]
)
def test_what_is_not_there_is_refused(arguments):
    result = crosspro("published", *arguments)
    assert result.code == 2
    assert str(arguments[-1]).encode() in result.stderr
