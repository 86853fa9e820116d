"""Show the published results of the shared tasks."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from crosspro.data_prep.errors import CrossproError
from crosspro.evaluation.layout.tables import Row, markdown_table, text_table
from crosspro.evaluation.published.results import (
    SOURCES,
    PublishedResult,
    published_instances,
    published_results,
    published_test_set,
)
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import Output, write_output


class Layout(StrEnum):
    """How the results are shown."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"


app = command_app()


@app.command()
def published(
    year: Annotated[int | None, typer.Option(help="2016 or 2017; both if left out.")] = None,
    task: Annotated[
        str | None, typer.Option("--task", "-t", help="A language pair such as en-fr.")
    ] = None,
    layout: Annotated[Layout, typer.Option(help="How to show the results.")] = Layout.TABLE,
    output: Output = None,
) -> None:
    """Show the published results of the shared tasks.

    Ranks, macro-averaged recall and accuracy as in the findings papers, and the recall of each
    class where it is published (2017).
    """
    rows = published_results(year, task)
    if not rows:
        known = sorted({f"{row.year} {row.pair}" for row in published_results()})
        raise CrossproError(
            f"published: expected one of {', '.join(known)}, found {year or 'any year'} "
            f"{task or 'any task'}"
        )
    if layout is Layout.JSON:
        text = json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False) + "\n"
    elif layout is Layout.CSV:
        text = _csv(rows)
    else:
        text = _tables(rows, layout)
    write_output(text.encode("utf-8"), output)


def _tables(rows: list[PublishedResult], layout: Layout) -> str:
    table = markdown_table if layout is Layout.MARKDOWN else text_table
    mark = "## " if layout is Layout.MARKDOWN else ""
    parts = []
    for year, pair in dict.fromkeys((row.year, row.pair) for row in rows):
        group = [row for row in rows if (row.year, row.pair) == (year, pair)]
        size = published_test_set(year, pair)
        parts += [
            f"{mark}{year} {pair}: {size.instances} gaps ({size.instances_basis}) in "
            f"{size.segments:,} segments; random or majority {size.random_macro_recall:.2f}",
            table(("rank", "submission", "macro recall", "accuracy", "NONE penalty"),
                  [_row(row) for row in group], 2),
        ]  # fmt: skip
        instances = published_instances(year, pair)
        if instances:
            heading = ("class", "instances", *(row.submission for row in group))
            recalls = [
                (name, str(number), *(f"{row.class_recall[name]:.2f}" for row in group))
                for name, number in instances.items()
            ]
            parts.append(table(heading, recalls, 1))
    parts += [f"Source: {SOURCES[year]}." for year in sorted({row.year for row in rows})]
    return "\n".join(parts) + "\n"


def _row(row: PublishedResult) -> Row:
    place = f" ({row.accuracy_rank})" if row.accuracy_rank else ""
    return (
        str(row.rank or ""),
        row.submission,
        f"{row.macro_recall:.2f}",
        f"{row.accuracy:.2f}{place:5}".rstrip(),
        "" if row.none_penalty is None else f"{row.none_penalty:g}",
    )


def _csv(rows: list[PublishedResult]) -> str:
    output = io.StringIO()
    names = [name for name in asdict(rows[0]) if name != "class_recall"]
    writer = csv.DictWriter(output, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return output.getvalue()


if __name__ == "__main__":
    run(app)
