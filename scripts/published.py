"""Show published results and the other figures of the papers."""

from __future__ import annotations

from typing import Annotated

import typer

from crosspro.scripts.common import App, style_of

app = App()


@app.command(epilog="Example: crosspro published --year 2017 --task en-fr")
def published(
    table: Annotated[
        str,
        typer.Argument(help="A table of figures, such as protest_matches_2015; `list` names all."),
    ] = "results",
    year: Annotated[int | None, typer.Option(help="2015, 2016 or 2017; all if left out.")] = None,
    task: Annotated[
        str | None, typer.Option("--task", "-t", help="A language pair, such as en-fr.")
    ] = None,
) -> None:
    """Show published results and the other figures of the papers.

    Without a table: ranks, macro-averaged recall and accuracy of the shared tasks, as in the
    findings papers. `class_recall_2017` has the recall of each class. The tables are CSV files in
    evaluation/published/figures.
    """
    from crosspro.evaluation.published.results import figure_names, figure_rows, figure_table

    if table == "list":
        rows = [
            {"table": name, "columns": ", ".join(figure_rows(name)[0])} for name in figure_names()
        ]
    else:
        rows = figure_rows(table, year, task)
    print(style_of().shown(figure_table(table, rows)), end="")
