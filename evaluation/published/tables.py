"""The tables of the papers by name: `tables.yaml` says what is in each, `figures/` has the rows.

Every figure is the printed one. Where a paper contradicts itself, a note of the table says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.evaluation.output.tables import PLAIN, Style, csv_text
from crosspro.evaluation.published.results import read_figures

_CATALOGUE = Path(__file__).resolve().parent / "tables.yaml"


@dataclass(frozen=True)
class TableBlock:
    """A heading and its rows; a title where a table has several such blocks."""

    title: str
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper: where it is from, its records as they are stored, and as they are shown.

    The first `left` columns of a block are names, the others are figures. What stands in the
    running text of a paper is a table, too.
    """

    name: str
    source: str
    title: str
    records: tuple[Mapping[str, str], ...]
    blocks: tuple[TableBlock, ...]
    left: int
    notes: tuple[str, ...]


def table_names() -> list[str]:
    """The names of all tables, in the order of the papers."""
    return list(_catalogue()["tables"])


def paper_names() -> list[str]:
    """The names of the papers, each of which stands for all of its tables."""
    return list(_catalogue()["papers"])


def published_tables_of(names: Iterable[str]) -> list[PublishedTable]:
    """The tables that were asked for, by their names or by those of their papers."""
    found: dict[str, PublishedTable] = {}
    for name in names:
        chosen = [one for one in table_names() if name in (one, _paper(one))]
        if not chosen:
            expected = choices([*paper_names(), *table_names()])
            raise input_error("published", "table", expected, quoted(name))
        found |= {one: published_table(one) for one in chosen}
    return list(found.values())


@cache
def published_table(name: str) -> PublishedTable:
    """A table by its name."""
    entry = _catalogue()["tables"][name]
    records = tuple(_records(entry["figures"], entry.get("where", {})))
    paper, number = _paper(name), name.rpartition("-")[2]
    return PublishedTable(
        name=name,
        source=f"{_catalogue()['papers'][paper]}, {_place(number)}",
        title=entry["title"],
        records=records,
        blocks=tuple(_blocks(entry, records)),
        left=entry.get("left", 1),
        notes=tuple(entry.get("notes", ())),
    )


@cache
def _catalogue() -> dict[str, dict[str, Any]]:
    content: dict[str, dict[str, Any]] = yaml.safe_load(_CATALOGUE.read_text("utf-8"))
    return content


def _paper(name: str) -> str:
    return name.rpartition("-")[0]


def _place(number: str) -> str:
    return "running text" if number == "text" else f"Table {number}"


def _records(figures: str, where: Mapping[str, Any]) -> Iterable[dict[str, str]]:
    wanted = {
        column: [str(value) for value in (values if isinstance(values, list) else [values])]
        for column, values in where.items()
    }
    for row in read_figures(figures):
        if all(row[column] in values for column, values in wanted.items()):
            yield row


def _blocks(
    entry: Mapping[str, Any], records: tuple[Mapping[str, str], ...]
) -> Iterable[TableBlock]:
    if "across" in entry:
        yield _across(entry["across"], records)
        return
    columns: Mapping[str, str] = entry["columns"]
    by = entry.get("blocks")
    for title in dict.fromkeys(row[by] for row in records) if by else ("",):
        rows = (row for row in records if not by or row[by] == title)
        shown = tuple(tuple(row[column] for column in columns) for row in rows)
        yield TableBlock(title, tuple(columns.values()), shown)


def _across(layout: Mapping[str, str], records: tuple[Mapping[str, str], ...]) -> TableBlock:
    """A line of the file for each cell becomes a table with rows and columns."""
    names, columns, values = (layout[key] for key in ("rows", "columns", "values"))
    heading = {names: names.replace("_", " ")}
    cells: dict[str, dict[str, str]] = {}
    if "above" in layout:
        cells[""] = {names: layout["above"]}
    if "beside" in layout:
        heading[layout["beside"]] = layout["beside"]
    for record in records:
        row = cells.setdefault(record[names], {names: record[names].replace("_", " ")})
        if "above" in layout:
            cells[""][record[columns]] = record[layout["above"]]
        if "beside" in layout:
            row[layout["beside"]] = record[layout["beside"]]
        row[record[columns]] = record[values]
        heading[record[columns]] = record[columns]
    shown = tuple(tuple(row[name] for name in heading) for row in cells.values())
    return TableBlock("", tuple(heading.values()), shown)


# The report --------------------------------------------------------------------------------------

_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def tables_text(tables: Sequence[PublishedTable], style: Style = PLAIN) -> str:
    """Each table under its name, with its notes and where it is from."""
    parts = []
    for table in tables:
        parts.append(style.title(f"{table.name}: {table.title}"))
        for block in table.blocks:
            rows = [
                (*row[: table.left], *(_with_commas(cell) for cell in row[table.left :]))
                for row in block.rows
            ]
            parts += [f"{block.title}\n{style.after}"] if block.title else []
            parts.append(style.table(block.heading, rows, table.left) + "\n")
        parts += [f"Note: {note}\n{style.after}" for note in table.notes]
        parts.append(f"Source: {table.source}.\n\n")
    return "".join(parts).rstrip("\n") + "\n"


def tables_json(tables: Sequence[PublishedTable]) -> str:
    """Everything, figures as numbers."""
    return json.dumps([_plain(table) for table in tables], indent=2, ensure_ascii=False) + "\n"


def table_csv(tables: Sequence[PublishedTable]) -> str:
    """The records of a table; tables of different columns do not go into one file."""
    (table,) = tables
    names = list(table.records[0])
    return csv_text([names, *([row[name] for name in names] for row in table.records)])


def listing_text(tables: Sequence[PublishedTable], style: Style = PLAIN) -> str:
    """The names of tables and what is in them."""
    rows = [(table.name, table.title) for table in tables]
    sources = dict.fromkeys(
        (table.name.rpartition("-")[0], table.source.rpartition(", ")[0]) for table in tables
    )
    return (
        style.table(("table", "what is in it"), rows, 2)
        + "\n"
        + "".join(f"{name}: {source}.\n{style.after}" for name, source in sources)
    )


def listing_json(tables: Sequence[PublishedTable]) -> str:
    """The same for programs."""
    rows = [{"name": table.name, "title": table.title, "source": table.source} for table in tables]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def listing_csv(tables: Sequence[PublishedTable]) -> str:
    """The same for programs."""
    rows = [(table.name, table.title, table.source) for table in tables]
    return csv_text([("name", "title", "source"), *rows])


def _with_commas(cell: str) -> str:
    return f"{int(cell):,}" if cell.isdigit() else cell


def _plain(table: PublishedTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "source": table.source,
        "notes": list(table.notes),
        "records": [
            {name: _value(cell) for name, cell in record.items()} for record in table.records
        ],
    }


def _value(cell: str) -> str | int | float | None:
    if not _NUMBER.fullmatch(cell):
        return cell or None
    return float(cell) if "." in cell else int(cell)
