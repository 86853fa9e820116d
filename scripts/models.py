"""List and pack trained systems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.report.records import json_text
from crosspro.prediction.models import (
    bundled_summaries,
    export_run,
    summary,
)
from crosspro.prediction.stored_tensors import Weights
from crosspro.scripts.common import (
    App,
    RunPath,
    TableOrJson,
    one_run,
    output_file,
    show_table,
    tell,
    warn,
)

_MEGABYTE = 1e6

app = App()


@app.callback()
def models() -> None:
    """List and pack trained systems."""


@app.command("list", epilog="Example: crosspro models list en-fr runs/mine")
def list_command(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Runs or archives; without any, the bundled models."),
    ] = None,
    layout: TableOrJson = "table",
) -> None:
    """List trained systems: task, system, size, scores on dev and digest.

    Without arguments the bundled models, which every command takes by their names. Copies of one
    system have one digest.
    """
    summaries = [] if runs else bundled_summaries()
    for path in [one_run(run) for run in runs or ()]:
        try:
            summaries.append(summary(path))
        except InputError as error:
            warn([str(error)])
    if layout == "json":
        print(json_text(summaries), end="")
        return
    heading = ("model", "kind", "task", "system", "MB", "dev official", "dev accuracy", "digest")
    rows = []
    for model in summaries:
        scores = model.dev.get(model.official), model.dev.get("accuracy")
        cells = ("" if score is None else f"{score:.2f}" for score in scores)
        names = (model.path, model.kind, model.task, model.system)
        rows.append((*names, f"{model.size / _MEGABYTE:,.1f}", *cells, model.digest))
    print(show_table(heading, rows, 4), end="")


@app.command(
    "export",
    epilog="Example: crosspro models export runs/en-fr -o en-fr.zip --weights int8 --prior "
    "en-fr.npz",
)
def export_command(
    run: RunPath,
    output: Annotated[Path, output_file("--output", "-o", help="The archive, as en-fr.zip.")],
    weights: Annotated[
        Weights | None, typer.Option(help="How matrices are stored; else as they are.")
    ] = None,
    prior: Annotated[
        Path | None,
        typer.Option(help="The file of crosspro align --save-prior for its training text."),
    ] = None,
) -> None:
    """Pack a trained system into one file, with the checksum of every file in it.

    Commands take the archive wherever they take a run. With --prior the words of typed sentences
    are linked by what the training text taught. In 8 bits the matrices of tensors are
    rounded; vocabularies, language models and lexicons stay as they are. The same run gives the
    same bytes.
    """
    system = export_run(one_run(run), output, weights, prior)
    size = f"{output.stat().st_size / _MEGABYTE:,.1f} MB"
    tell(f"{output}: {system.shown_name} for {system.task.name}, {size}")
