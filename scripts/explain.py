"""Say what decided the class of a gap."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import read_layered
from crosspro.prediction.explanation import as_json, as_text, explained_gap
from crosspro.prediction.output import layer_notes
from crosspro.prediction.system import load_system
from crosspro.scripts.common import (
    App,
    DocIdsBeside,
    Output,
    RunPath,
    layers_of,
    one_run,
    write_output,
)

ROWS = 15
"""Rows of a table, at most."""

app = App()


class ExplanationLayout(StrEnum):
    """How an explanation is shown."""

    TABLE = "table"
    JSON = "json"


@app.command(epilog="Example: crosspro explain runs/en-fr test.data --line 12")
def explain(
    run: RunPath,
    file: Annotated[Path, typer.Argument(help="Five-column file, blind or not (also .gz, .xz).")],
    line: Annotated[
        int | None,
        typer.Option(min=1, help="The line of the gap, from 1; else the first."),
    ] = None,
    gap: Annotated[int, typer.Option(min=1, help="Which gap of the line, from 1.")] = 1,
    doc_ids: DocIdsBeside = None,
    layout: Annotated[
        ExplanationLayout, typer.Option(help="Tables, or JSON with all rows.")
    ] = ExplanationLayout.TABLE,
    output: Output = None,
) -> None:
    """Say what decided the class of a gap.

    Features with their contributions, the path through a chain, or the fillings of a language
    model; of an ensemble, the probabilities and explanations of its members. Networks have no
    explanation. Layers beside the file (documents, parses, chains) are found there, as by crosspro
    predict.
    """
    layers = layers_of(file, doc_ids)
    system = load_system(one_run(run))
    examples = read_layered(file, system.task, layers)
    for note in layer_notes(system, str(file), layers.present()):
        print(note, file=sys.stderr)
    explained = explained_gap(system, examples, file, line, gap, ("--line", "--gap"))
    shown = as_json(explained) if layout is ExplanationLayout.JSON else as_text(explained, ROWS)
    write_output(shown.encode("utf-8"), output)
