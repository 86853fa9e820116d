"""Boards for other programs: everything as JSON, and every figure as a line of CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crosspro.evaluation.leaderboard.boards import (
    BoardRow,
    Leaderboard,
    OverviewRow,
    TaskTable,
    TestTable,
)
from crosspro.evaluation.leaderboard.record import Record
from crosspro.evaluation.output.records import json_text
from crosspro.evaluation.output.tables import csv_number, csv_text

FORMAT = 1
"""The version of the schema; it grows when a key changes its meaning or goes."""
_COLUMNS = (
    *("board", "task", "record", "title", "system", "origin", "ensemble", "year", "text", "seeds"),
    *("set", "class", "measure", "value", "low", "high"),
)
_OF_CLASSES = ("gold", "predicted", "recall", "precision")


def leaderboard_json(boards: Leaderboard) -> str:
    """The overview, the tables by the names of their records, and all records."""
    content = {
        "format": FORMAT,
        "overview": [_overview(row) for row in boards.overview],
        "tasks": [_task(table) for table in boards.tasks],
        **{
            name: [_test(table) for table in tables]
            for name, tables in (
                ("translations", boards.translations),
                ("metrics", boards.metrics),
            )
        },
        "not_measured": boards.not_measured,
        "records": boards.records,
    }
    return json_text(content)


def _overview(row: OverviewRow) -> dict[str, Any]:
    best = {
        name: None if one is None else one.record.name
        for name, one in (
            ("single", row.single),
            ("ensemble", row.ensemble),
            ("papers", row.papers),
            ("published", row.published),
        )
    }
    return {"task": row.task, **best, "difference": row.difference}


def _task(table: TaskTable) -> dict[str, Any]:
    return {
        "task": table.task,
        "headline": table.headline,
        "sets": table.tests,
        "reference": table.reference or None,
        "rows": [_row(row) for row in table.rows],
    }


def _test(table: TestTable) -> dict[str, Any]:
    return {
        "test": table.test,
        "ranked_by": table.columns[0] if table.columns else None,
        "best": table.best or None,
        "rows": [
            {
                "record": row.record.name,
                "rank": None if row.rank is None else list(row.rank),
                "difference": row.difference,
            }
            for row in table.rows
        ],
        "same": [[one.name for one in own] for own in table.twins],
    }


def _row(row: BoardRow) -> dict[str, Any]:
    return {"record": row.record.name, "ranked": row.ranked, "difference": row.difference}


def leaderboard_csv(boards: Leaderboard) -> str:
    """A line for each score of a record, for each number of its classes, and for ranks.

    A rank has its range in `low` and `high`; `MEASURE less the best` is followed by its p.
    """
    lines = [line for record in boards.records for line in _lines(record)]
    for table in (*boards.translations, *boards.metrics):
        lines += _rank_lines(table)
    return csv_text([_COLUMNS, *lines])


def _rank_lines(table: TestTable) -> Iterator[list[str]]:
    for row in table.rows:
        test, measure = table.columns[0] if table.columns else ("", "")
        about = [*_about(row.record), test, ""]
        if row.rank is not None:
            yield [*about, "rank", "", *map(str, row.rank)]
        one = row.difference
        if one is not None:
            numbers = map(csv_number, (one.value, one.low, one.high))
            yield [*about, f"{measure} less the best", *numbers]
            yield [*about, f"{measure} less the best, p", csv_number(one.corrected), "", ""]


def _about(record: Record) -> list[str]:
    return [
        str(record.board),
        record.task,
        record.name,
        record.title,
        record.system,
        str(record.origin),
        str(int(record.ensemble)),
        "" if record.year is None else str(record.year),
        "" if record.text is None else record.text.name,
        str(len(record.seeds)),
    ]


def _lines(record: Record) -> Iterator[list[str]]:
    about = _about(record)
    for test, scores in record.scores.items():
        for measure, one in scores.items():
            numbers = map(csv_number, (one.value, one.low, one.high))
            yield [*about, test, "", measure, *numbers]
    for test, classes in record.classes.items():
        for name, own in classes.items():
            for measure in _OF_CLASSES:
                bounds = (own.low, own.high) if measure == "recall" else (None, None)
                numbers = map(csv_number, (getattr(own, measure), *bounds))
                yield [*about, test, name, measure, *numbers]
