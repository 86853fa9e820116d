"""Print what decided the class of a gap."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import read_layered
from crosspro.prediction.explanation import explained_gap
from crosspro.prediction.system import load_system
from crosspro.scripts.common import (
    App,
    DocIdsBeside,
    Output,
    RunPath,
    layers_of,
    one_run,
    tell,
    write_output,
)

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
        typer.Option(min=1, help="The line of the gap, from 1; else the first with a gap."),
    ] = None,
    gap: Annotated[int, typer.Option(min=1, help="Which gap of the line, from 1.")] = 1,
    doc_ids: DocIdsBeside = None,
    layout: Annotated[
        ExplanationLayout, typer.Option(help="Tables, or JSON with all rows.")
    ] = ExplanationLayout.TABLE,
    output: Output = None,
) -> None:
    """Print what decided the class of a gap.

    Features with their contributions, the path through a chain, or the fillings of a language
    model; of an ensemble, the probabilities and explanations of its members. Networks have no
    explanation. Layers beside the file (documents, parses, chains) are read, as by crosspro
    predict.
    """
    layers = layers_of(file, doc_ids)
    system = load_system(one_run(run))
    examples = read_layered(file, system.task, layers)
    for note in system.layer_warnings(str(file), frozenset(layers.files())):
        tell(note)
    explained = explained_gap(system, examples, file, line, gap)
    text = explained.text()
    if layout is ExplanationLayout.JSON:
        text = json.dumps(explained.to_dict(), ensure_ascii=False, indent=2) + "\n"
    write_output(text.encode("utf-8"), output)
