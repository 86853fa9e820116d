"""Show the published results of the shared tasks."""

from __future__ import annotations

from typing import Annotated

import typer

from crosspro.data_prep.errors import CrossproError
from crosspro.evaluation.published.report import published_csv, published_json, published_tables
from crosspro.evaluation.published.results import published_results
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import LayoutOption, Output, TableLayout, write_report

app = command_app()


@app.command()
def published(
    year: Annotated[int | None, typer.Option(help="2015, 2016 or 2017; all if left out.")] = None,
    task: Annotated[
        str | None, typer.Option("--task", "-t", help="A language pair such as en-fr.")
    ] = None,
    layout: LayoutOption = TableLayout.TABLE,
    output: Output = None,
) -> None:
    """Show the published results of the shared tasks.

    Ranks, macro-averaged recall and accuracy as in the findings papers, and the recall of each
    class where it is known (2017, and 2015, of which there is the one submission that the official
    files contain).
    """
    rows = published_results(year, task)
    if not rows:
        known = sorted({f"{row.year} {row.pair}" for row in published_results()})
        raise CrossproError(
            f"published: expected one of {', '.join(known)}, found {year or 'any year'} "
            f"{task or 'any task'}"
        )
    write_report(rows, published_json, published_csv, published_tables, output, layout)


if __name__ == "__main__":
    run(app)
