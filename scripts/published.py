"""Show published results and the tables of the papers."""

from __future__ import annotations

from typing import Annotated

import typer

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.task import load_task, task_names
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import refuse_others
from crosspro.scripts.options import LayoutOption, Output, TableLayout, write_report

app = command_app()

_OF_TABLES = ("layout", "output")
"""Options that go with the tables of the papers."""


@app.command()
def published(
    call: typer.Context,
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TABLE]…",
            help="Tables of the papers: wmt-2016-5, or wmt-2016 for all of a paper; see "
            "--list-tables. Without any: the results of the shared tasks.",
        ),
    ] = None,
    year: Annotated[int | None, typer.Option(help="2015, 2016 or 2017; all if left out.")] = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task", "-t", help="A language pair such as en-fr, or a task such as en-fr-2015."
        ),
    ] = None,
    list_tables: Annotated[
        bool, typer.Option("--list-tables", help="The names of the tables, and what is in them.")
    ] = False,
    layout: LayoutOption = TableLayout.TABLE,
    output: Output = None,
) -> None:
    """Show published results and the tables of the papers.

    Ranks, macro-averaged recall and accuracy as in the findings papers, and the recall of each
    class where it is known (2017, and 2015, of which there is the one submission that the official
    files contain). Tables of the papers by name, with notes where a paper contradicts itself.
    """
    if tables or list_tables:
        what = "list_tables" if list_tables else "tables"
        refuse_others(call, (what, *_OF_TABLES), "--list-tables" if list_tables else "a table")
        _show_tables(tables, layout, output)
        return
    from crosspro.evaluation.published.results import (
        published_csv,
        published_json,
        published_results,
        published_tables,
    )

    rows = published_results(year, task)
    if task in task_names() and not published_results(pair=task):  # a task that is not a pair
        rules = load_task(task)
        pair = f"{rules.source_language}-{rules.target_language}"
        rows = [row for row in published_results(year, pair) if row.year in rules.years]
    if not rows:
        known = sorted({f"{row.year} {row.pair}" for row in published_results()})
        raise CrossproError(
            f"published: expected one of {', '.join(known)}, found {year or 'any year'} "
            f"{task or 'any task'}"
        )
    write_report(rows, published_json, published_csv, published_tables, output, layout)


def _show_tables(names: list[str] | None, layout: TableLayout, output: Output) -> None:
    """Tables by name, or what there is."""
    from crosspro.evaluation.published import tables as report
    from crosspro.evaluation.published.tables import published_tables_of, table_names

    tables = published_tables_of(names or table_names())
    if names is None:
        shown = (report.listing_json, report.listing_csv, report.listing_text)
    elif layout is TableLayout.CSV and len(tables) > 1:
        raise typer.BadParameter("--layout csv: one table at a time")
    else:
        shown = (report.tables_json, report.table_csv, report.tables_text)
    write_report(tables, *shown, output, layout)


if __name__ == "__main__":
    run(app)
