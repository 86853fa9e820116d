"""`crosspro published`: results by year and task, figures of the papers by name."""

from __future__ import annotations

import csv
import json

import pytest

from crosspro.evaluation.published.results import figure_names, read_figures
from tests.scripts.run import crosspro


@pytest.mark.parametrize("name", figure_names())
def test_every_table_in_every_layout(name):
    rows = read_figures(name)
    shown = {
        layout: crosspro("published", name, "--layout", layout).stdout.decode()
        for layout in ("table", "json", "csv")
    }
    assert json.loads(shown["json"]) == rows
    assert list(csv.DictReader(shown["csv"].splitlines())) == rows
    for row in rows[:3]:
        for cell in row.values():
            assert cell.split()[:1] == [] or cell.split()[0] in shown["table"]


def test_the_list_has_every_table():
    listed = json.loads(crosspro("published", "list", "--layout", "json").stdout)
    assert [row["table"] for row in listed] == figure_names()


def test_a_table_that_is_not_there_is_refused():
    result = crosspro("published", "wmt-2017-1")
    assert result.code == 2
    assert b"wmt-2017-1" in result.stderr


def test_a_task_has_the_results_of_its_years():
    shown = crosspro("published", "--task", "en-fr-2015").stdout
    assert shown == crosspro("published", "--task", "en-fr", "--year", 2015).stdout
    refused = crosspro("published", "--task", "en-fr-2015", "--year", 2016)
    assert refused.code == 2 and b"en-fr-2015" in refused.stderr
