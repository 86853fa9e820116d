"""Print what decided the class of a gap."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import layers_beside, read_layered
from crosspro.data_prep.formats.shared_task import check_languages
from crosspro.evaluation.report.records import json_text
from crosspro.prediction.explanation import explained_gap
from crosspro.prediction.system import load_system
from crosspro.scripts.common import App, RunPath, TableOrJson, one_run, tell, write_output

app = App()


@app.command(epilog="Example: crosspro explain runs/en-fr test.data --line 12")
def explain(
    run: RunPath,
    file: Annotated[Path, typer.Argument(help="Five-column file, blind or not (also .gz, .xz).")],
    line: Annotated[
        int | None,
        typer.Option(min=1, help="The line of the gap, from 1; else the first with a gap."),
    ] = None,
    gap: Annotated[int, typer.Option(min=1, help="Which gap of the line, from 1.")] = 1,
    layout: TableOrJson = "table",
) -> None:
    """Print what decided the class of a gap.

    Features with their contributions, the path through a chain, or the fillings of a language
    model; of an ensemble, the probabilities and explanations of its members. Networks have no
    explanation. Layers beside the file (documents, parses, chains) are read, as by crosspro
    predict.
    """
    system = load_system(one_run(run))
    check_languages(file, system.task)
    layers = layers_beside(file)
    examples = read_layered(file, system.task, layers)
    for note in system.layer_warnings(str(file), frozenset(layers.files())):
        tell(note)
    explained = explained_gap(system, examples, file, line, gap)
    write_output(json_text(explained.to_dict()) if layout == "json" else explained.text())
