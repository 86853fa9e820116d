"""List and pack trained systems."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.report.records import csv_number, csv_text
from crosspro.evaluation.report.tables import Style
from crosspro.prediction.models import (
    PRIOR_BYTES,
    ModelSummary,
    bundled_summaries,
    export_run,
    found_models,
    summary,
)
from crosspro.scripts.common import (
    App,
    Layout,
    Output,
    RunPath,
    TableLayout,
    one_run,
    tell,
    write_report,
)

app = App()

_MEGABYTE = 1e6


class WeightsChoice(StrEnum):
    """How matrices are stored."""

    FLOAT32 = "float32"
    INT8 = "int8"


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
    summaries = [] if runs else bundled_summaries()
    for path in found_models(runs or ()):
        try:
            summaries.append(summary(path))
        except InputError as error:
            tell(f"warning: {error}")
    write_report(summaries, _as_json, _as_csv, _as_text, output, layout)


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
        WeightsChoice | None, typer.Option(help="How matrices are stored; else as they are.")
    ] = None,
    prior: Annotated[
        Path | None,
        typer.Option(help="The file of crosspro align --save-prior for its training text."),
    ] = None,
    max_prior: Annotated[
        float, typer.Option(min=0.01, help="Megabytes of the prior in the archive, at most.")
    ] = PRIOR_BYTES / _MEGABYTE,
) -> None:
    """Pack a trained system into one file, with the checksum of every file in it.

    Commands take the archive wherever they take a run. With --prior the words of typed sentences
    are linked by what the training text taught. In 16 or 8 bits the matrices of tensors are
    rounded; vocabularies, language models and lexicons stay as they are. The same run gives the
    same bytes.
    """
    kind = None if weights is None else weights.value
    packed = export_run(one_run(run), output, kind, prior, round(max_prior * _MEGABYTE))  # type: ignore[arg-type]
    stored = f"matrices as {kind}, narrowed in" if kind else "matrices as they are, narrowed in"
    tell(
        f"{output}: {packed.system.shown_name} for {packed.system.task.name}, "
        f"{packed.size / _MEGABYTE:,.1f} MB, {stored} {packed.narrowed} of {packed.files} files"
    )


def _scores(model: ModelSummary) -> tuple[float | None, float | None]:
    return model.dev.get(model.official), model.dev.get("accuracy")


def _as_text(models: Sequence[ModelSummary], style: Style) -> str:
    heading = ("model", "kind", "task", "system", "weights", "MB", "dev official", "dev accuracy")
    rows = [
        (
            *(model.path, model.kind, model.task, model.system, model.weights),
            f"{model.size / _MEGABYTE:,.1f}",
            *("" if value is None else f"{value:.2f}" for value in _scores(model)),
            model.digest,
        )
        for model in models
    ]
    return style.table((*heading, "digest"), rows, 5)


def _as_json(models: Sequence[ModelSummary]) -> str:
    return json.dumps([asdict(model) for model in models], ensure_ascii=False, indent=2) + "\n"


def _as_csv(models: Sequence[ModelSummary]) -> str:
    names = ("model", "kind", "task", "system", "weights", "bytes", "dev_official", "dev_accuracy")
    rows = [
        (
            *(model.path, model.kind, model.task, model.system, model.weights, model.size),
            *map(csv_number, _scores(model)),
            model.digest,
        )
        for model in models
    ]
    return csv_text([(*names, "digest"), *rows])
