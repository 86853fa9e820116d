"""List and pack trained systems."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import InputError, choices, quoted
from crosspro.evaluation.report.records import csv_number, csv_text
from crosspro.evaluation.report.tables import Style
from crosspro.prediction.models import (
    PRIOR_BYTES,
    ModelSummary,
    box_summaries,
    export_run,
    found_models,
    summary,
)
from crosspro.prediction.stored_tensors import FULL, WEIGHTS
from crosspro.scripts.common import (
    App,
    Layout,
    Output,
    RunPath,
    TableLayout,
    one_run,
    write_report,
)

app = App()

_MEGABYTE = 1e6
_HEADING = ("model", "kind", "task", "system", "weights", "MB", "dev official", "dev accuracy")


@app.callback()
def models() -> None:
    """List and pack trained systems."""


@app.command("list", epilog="Example: crosspro models list runs")
def list_command(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Runs, archives, or folders of them; without any, the bundled models."),
    ] = None,
    layout: Layout = TableLayout.TABLE,
    output: Output = None,
) -> None:
    """List trained systems: task, system, size, scores on dev and digest.

    Without arguments the bundled models, which every command takes by their names. Copies of one
    system have one digest. Archives are found in folders if their names end in .zip.
    """
    found = [] if runs else box_summaries()
    if not runs:
        told = "" if found else "there are no bundled models; "
        print(f"{told}`crosspro models list runs` lists those of a folder", file=sys.stderr)
    for path in found_models(runs or ()):
        try:
            found.append(summary(path))
        except InputError as error:
            print(f"warning: {error}", file=sys.stderr)
    if found or runs:
        write_report(found, _as_json, _as_csv, _as_text, output, layout)


@app.command(
    "export",
    epilog="Example: crosspro models export runs/en-fr -o en-fr.zip --weights int8 --prior "
    "en-fr.npz",
)
def export_command(
    run: RunPath,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", writable=True, dir_okay=False, help="The archive, as en-fr.zip."
        ),
    ],
    weights: Annotated[
        str | None,
        typer.Option(help=f"How matrices are stored: {', '.join(WEIGHTS)}; else as they are."),
    ] = None,
    prior: Annotated[
        Path | None,
        typer.Option(help="What crosspro align --save-prior learnt from its training text."),
    ] = None,
    max_prior: Annotated[
        float, typer.Option(min=0.01, help="Megabytes of the archive for it, at most.")
    ] = PRIOR_BYTES / _MEGABYTE,
) -> None:
    """Pack a trained system into one file, with the checksum of every file in it.

    Commands take the archive wherever they take a run. With --prior the words of typed sentences
    are linked by what the training text taught; as much of it is packed as --max-prior allows. In
    16 or 8 bits the matrices of tensors are rounded; vocabularies, language models and lexicons
    stay as they are. The same run gives the same bytes; a MODEL that was packed before is packed
    again so. The record of the run has its paths as they were.
    """
    if weights not in (None, *WEIGHTS):
        found = quoted(str(weights))
        raise typer.BadParameter(f"--weights: expected {choices(WEIGHTS)}, found {found}")
    packed = export_run(one_run(run), output, weights, prior, round(max_prior * _MEGABYTE))
    what = f"{packed.system.shown_name} for {packed.system.task.name}"
    tensors = f"weights {weights} in {packed.narrowed} of {packed.files} files"
    if weights is None:
        tensors = "weights as they are"
    elif weights == FULL:
        tensors = f"weights {FULL}"
    elif not packed.narrowed:
        tensors = f"weights as they are, since it has no large matrices to store as {weights}"
    size = f"{packed.size / _MEGABYTE:,.1f} MB"
    print(f"{output}: {what}, {size}, {tensors}", file=sys.stderr)


def _figures(one: ModelSummary) -> tuple[float | None, float | None]:
    return one.dev.get(one.official), one.dev.get("accuracy")


def _as_text(found: Sequence[ModelSummary], style: Style) -> str:
    rows = [
        (
            *(one.path, one.kind, one.task, one.system, one.weights),
            f"{one.size / _MEGABYTE:,.1f}",
            *("" if value is None else f"{value:.2f}" for value in _figures(one)),
            one.digest,
        )
        for one in found
    ]
    return style.table((*_HEADING, "digest"), rows, 5)


def _as_json(found: Sequence[ModelSummary]) -> str:
    return json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=2) + "\n"


def _as_csv(found: Sequence[ModelSummary]) -> str:
    rows = [
        (
            *(one.path, one.kind, one.task, one.system, one.weights, one.size),
            *map(csv_number, _figures(one)),
            one.digest,
        )
        for one in found
    ]
    names = ("model", "kind", "task", "system", "weights", "bytes", "dev_official", "dev_accuracy")
    return csv_text([(*names, "digest"), *rows])
