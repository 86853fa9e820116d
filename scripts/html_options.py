"""Options of the commands that write examples beside their tables: a page, items for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.evaluation.output import MOST_EXAMPLES

__all__ = ["MOST_EXAMPLES", "Html", "ItemsFile", "MaxExamples", "Plot", "check_html", "check_plot"]

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Also write one self-contained HTML page."),
]
Plot = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Also write a figure (SVG).")
]
MaxExamples = Annotated[
    int, typer.Option(min=0, help="Examples in the HTML page, at most; the page says if it cuts.")
]
ItemsFile = Annotated[
    Path | None,
    typer.Option(
        "--items", metavar="FILE", help="Also write items for `protest review serve` (JSONL)."
    ),
]


def check_html(html: Path | None, legacy: bool = False) -> None:
    """Raise before anything is computed if there can be no page."""
    if html is None:
        return
    if legacy:
        raise typer.BadParameter("--html: there is no page of --legacy output")
    if not html.parent.is_dir():
        raise typer.BadParameter(f"--html: no folder {html.parent}")


def check_plot(plot: Path | None) -> None:
    """Raise if the name of a figure does not say what kind of file it is."""
    if plot is not None and plot.suffix != ".svg":
        raise typer.BadParameter("--plot: a file whose name ends in .svg")
