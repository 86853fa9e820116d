"""Published results as tables for people, and as JSON and CSV for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import csv_text
from crosspro.evaluation.published.results import (
    SOURCES,
    PublishedResult,
    published_instances,
    published_test_set,
)

_OPTIONAL = ("macro_f1", "coarse_macro_f1", "coarse_accuracy", "corrected_macro_recall")
"""Scores that only some years or submissions have."""


def published_tables(rows: Sequence[PublishedResult], style: Style = PLAIN) -> str:
    """A table for each year and language pair, with recalls of classes where they are known."""
    table = style.table
    mark = "## " if style.markdown else ""
    parts = []
    for year, pair in dict.fromkeys((row.year, row.pair) for row in rows):
        group = [row for row in rows if (row.year, row.pair) == (year, pair)]
        size = published_test_set(year, pair)
        shown = [name for name in _OPTIONAL if any(getattr(row, name) is not None for row in group)]
        titles = [name.replace("_", " ").replace(" f1", " F1") for name in shown]
        penalised = any(row.none_penalty is not None for row in group)
        heading = ("rank", "submission", "macro recall", "accuracy", *titles)
        heading += ("NONE penalty",) if penalised else ()
        parts += [
            f"{mark}{year} {pair}: {size.instances} gaps ({size.instances_basis}) in "
            f"{size.segments:,} segments; random or majority {size.random_macro_recall:.2f}",
            table(heading, [_row(row, shown)[: len(heading)] for row in group], 2),
        ]
        instances = published_instances(year, pair)
        if instances:
            recalls = [
                (name, str(number), *(f"{row.class_recall[name]:.2f}" for row in group))
                for name, number in instances.items()
            ]
            names = (row.submission for row in group)
            parts.append(table(("class", "instances", *names), recalls, 1))
    parts += [f"Source: {SOURCES[year]}." for year in sorted({row.year for row in rows})]
    return "\n".join(parts) + "\n"


def _row(row: PublishedResult, optional: Sequence[str]) -> tuple[str, ...]:
    place = f" ({row.accuracy_rank})" if row.accuracy_rank else ""
    return (
        str(row.rank or ""),
        row.submission,
        f"{row.macro_recall:.2f}",
        f"{row.accuracy:.2f}{place:5}".rstrip(),
        *("" if (score := getattr(row, name)) is None else f"{score:.2f}" for name in optional),
        "" if row.none_penalty is None else f"{row.none_penalty:g}",
    )


def published_json(rows: Sequence[PublishedResult]) -> str:
    """Everything, for other programs."""
    return json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False) + "\n"


def published_csv(rows: Sequence[PublishedResult]) -> str:
    """One line per result, without the recalls of classes."""
    records = [asdict(row) for row in rows]
    names = [name for name in records[0] if name != "class_recall"]
    return csv_text([names, *([record[name] for name in names] for record in records)])
