"""Show published results and the figures of the papers."""

from __future__ import annotations

from typing import Annotated

import typer

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.task import load_task, task_names
from crosspro.scripts.common import App, Layout, Output, TableLayout, write_report

app = App()


@app.command(epilog="Example: crosspro published --year 2017 --task en-fr")
def published(
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]",
            help="Figures of a paper, such as protest_matches_2015; `list` has all names. Without "
            "it: the results of the shared tasks.",
        ),
    ] = None,
    year: Annotated[int | None, typer.Option(help="2015, 2016 or 2017; all if left out.")] = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task", "-t", help="A language pair such as en-fr, or a task such as en-fr-2015."
        ),
    ] = None,
    layout: Layout = TableLayout.TABLE,
    output: Output = None,
) -> None:
    """Show published results and the figures of the papers.

    Ranks, macro-averaged recall and accuracy as in the findings papers, and the recall of each
    class where it is known (2017, and 2015, of which there is the one submission that the official
    files contain). All other figures of the papers by the name of their table.
    """
    from crosspro.evaluation.published import results as report

    if table is not None:
        if year is not None or task is not None:
            raise typer.BadParameter("a table goes without --year and --task")
        rows = report.table_list() if table == "list" else report.figures(table)
        write_report(
            rows, report.figures_json, report.figures_csv, report.figures_text, output, layout
        )
        return
    results = report.published_results(year, task)
    if task in task_names() and not report.published_results(pair=task):  # more than a pair
        rules = load_task(task)
        pair = f"{rules.source_language}-{rules.target_language}"
        of_pair = report.published_results(year, pair)
        results = [row for row in of_pair if row.year in rules.years]
    if not results:
        known = sorted({f"{row.year} {row.pair}" for row in report.published_results()})
        raise CrossproError(
            f"published: expected one of {', '.join(known)}, found {year or 'any year'} "
            f"{task or 'any task'}"
        )
    write_report(
        results,
        report.published_json,
        report.published_csv,
        report.published_tables,
        output,
        layout,
    )
