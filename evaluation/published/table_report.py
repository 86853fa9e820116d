"""Tables of the papers for people, and their records as JSON and CSV for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import csv_text
from crosspro.evaluation.published.tables import PublishedTable

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
    rows = [{"name": one.name, "title": one.title, "source": one.source} for one in tables]
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
