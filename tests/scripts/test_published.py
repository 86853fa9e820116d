"""`crosspro published`: results by year and task, tables of the papers by name."""

from __future__ import annotations

import csv
import json
import re

import pytest

from crosspro.evaluation.published.tables import published_table, table_names
from tests.conftest import ROOT
from tests.scripts.run import crosspro


def test_the_list_of_tables_is_that_of_the_docs():
    text = crosspro("published", "--list-tables").stdout.decode()
    found = {line.split()[0]: line.split(maxsplit=1)[1] for line in text.splitlines()
             if re.match(r"[a-z]+-20\d\d-(\d+|text) ", line)}  # fmt: skip
    assert list(found) == table_names()
    page = (ROOT / "docs" / "results" / "published.md").read_text("utf-8")
    documented = dict(
        re.findall(r"^\| `([a-z]+-20\d\d-(?:\d+|text))` \| (.*) \|$", page, re.MULTILINE)
    )
    assert documented == found
    listed = json.loads(crosspro("published", "--list-tables", "--layout", "json").stdout)
    assert [one["name"] for one in listed] == table_names()
    rows = crosspro("published", "--list-tables", "--layout", "csv").stdout.decode().splitlines()
    assert len(rows) == len(table_names()) + 1


def test_a_table_for_people():
    text = crosspro("published", "discomt-2017-4").stdout.decode()
    assert re.search(r"^total +729 +12,455 +13,439$", text, re.MULTILINE)
    assert "\nes-en\n" in text
    assert "\nNote: The printed total of Spanish tokens, 12,455, is a misprint" in text
    assert text.endswith("Cross-lingual Pronoun Prediction, Table 4.\n")


@pytest.mark.parametrize("name", table_names())
def test_every_table_in_every_layout(name):
    table = published_table(name)
    shown = {
        layout: crosspro("published", name, "--layout", layout).stdout.decode()
        for layout in ("table", "markdown", "json", "csv")
    }
    assert shown["table"].startswith(f"{name}: {table.title}\n")
    assert shown["markdown"].startswith(f"## {name}: {table.title}\n")
    for text in (shown["table"], shown["markdown"]):
        assert f"Source: {table.source}." in text
        assert all(f"Note: {note}" in text for note in table.notes)
    assert list(csv.DictReader(shown["csv"].splitlines())) == list(table.records)
    (found,) = json.loads(shown["json"])
    assert (found["name"], found["notes"]) == (name, list(table.notes))
    for mine, theirs in zip(found["records"], table.records, strict=True):
        for key, value in mine.items():
            number = isinstance(value, int | float)
            assert float(theirs[key]) == value if number else theirs[key] == (value or "")


def test_a_paper_stands_for_its_tables(tmp_path):
    output = tmp_path / "tables.txt"
    assert crosspro("published", "protest-2016", "-o", output).code == 0
    headings = re.findall(r"^(protest-2016-\d): ", output.read_text("utf-8"), re.MULTILINE)
    assert headings == ["protest-2016-1", "protest-2016-2", "protest-2016-3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("wmt-2017-1",), "expected one of apt-2017, protest-2016"),
        (("apt-2017", "--year", 2016), "a table goes without --year"),
        (("--list-tables", "--task", "en-fr"), "--list-tables goes without --task"),
        (("--list-tables", "apt-2017"), "--list-tables goes without tables"),
        (("apt-2017", "--layout", "csv"), "--layout csv: one table at a time"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments, message):
    result = crosspro("published", *arguments)
    assert result.code == 2
    assert message in " ".join(result.stderr.decode().split())


def test_a_task_has_the_results_of_its_years():
    shown = crosspro("published", "--task", "en-fr-2015").stdout
    assert shown == crosspro("published", "--task", "en-fr", "--year", 2015).stdout
    refused = crosspro("published", "--task", "en-fr-2015", "--year", 2016)
    assert refused.code == 2 and b"found 2016 en-fr-2015" in refused.stderr


def test_corrected_figures_stand_beside_the_ranked_ones():
    text = crosspro("published", "--year", 2016, "--task", "en-de").stdout.decode()
    assert "corrected macro recall" in text
    assert re.search(r"^9 +CUNI-primary +28\.26 +42\.04 \(9\) +54\.37$", text, re.MULTILINE)
    others = crosspro("published", "--year", 2016, "--task", "de-en").stdout.decode()
    assert "corrected" not in others
