"""Show published results and the other figures of the papers."""

from __future__ import annotations

from typing import Annotated

import typer

from crosspro.data_prep.core.task import load_task, task_names
from crosspro.scripts.common import App, Layout, style_of

app = App()


@app.command(epilog="Example: crosspro published --year 2017 --task en-fr")
def published(
    table: Annotated[
        str,
        typer.Argument(help="A table of figures, such as protest_matches_2015; `list` names all."),
    ] = "results",
    year: Annotated[int | None, typer.Option(help="2015, 2016 or 2017; all if left out.")] = None,
    task: Annotated[
        str | None, typer.Option("--task", "-t", help="A language pair or a task, such as en-fr.")
    ] = None,
    layout: Layout = "table",
) -> None:
    """Show published results and the other figures of the papers.

    Without a table: ranks, macro-averaged recall and accuracy of the shared tasks, as in the
    findings papers. `class_recall_2017` has the recall of each class.
    """
    from crosspro.evaluation.published.results import figure_names, figure_rows, figure_table
    from crosspro.evaluation.report.records import csv_text, json_text

    if table == "list":
        rows = [
            {"table": name, "columns": ", ".join(figure_rows(name)[0])} for name in figure_names()
        ]
    else:
        pairs = [task] if task else []
        if task in task_names() and task.count("-") > 1:  # en-fr-2015: of its years alone
            rules = load_task(task)
            pairs = [f"{rules.source_language}-{rules.target_language}"]
            if year is not None and year not in rules.years:
                raise typer.BadParameter(f"{task} has no results of {year}")
            year = year or next(iter(rules.years), None)
        rows = figure_rows(table, year, pairs)
    if layout == "json":
        text = json_text(rows)
    elif layout == "csv":
        text = csv_text([list(rows[0]), *(list(row.values()) for row in rows)])
    else:
        text = style_of().shown(figure_table(table, rows))
    print(text, end="")
