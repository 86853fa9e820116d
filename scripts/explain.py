"""Say what decided the class of a gap."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import read_layered
from crosspro.data_prep.core.files import write_text
from crosspro.prediction.explanation import (
    as_json,
    as_text,
    explained_gap,
    explanation_page,
)
from crosspro.prediction.output import layer_notes
from crosspro.prediction.system import load_system
from crosspro.scripts.html_options import Html, check_html
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import (
    DocIdsBeside,
    Model,
    Output,
    RunOrModel,
    layers_of,
    one_run,
    run_and_file,
    write_output,
)

app = command_app()


class ExplanationLayout(StrEnum):
    """How an explanation is shown."""

    TABLE = "table"
    JSON = "json"


@app.command()
def explain(
    run_dir: RunOrModel = None,
    file: Annotated[
        Path | None, typer.Argument(help="Five-column file, blind or not (also .gz, .xz).")
    ] = None,
    model: Model = None,
    line: Annotated[
        int | None,
        typer.Option(min=1, help="The line of the gap, from 1; else the first."),
    ] = None,
    gap: Annotated[int, typer.Option(min=1, help="Which gap of the line, from 1.")] = 1,
    doc_ids: DocIdsBeside = None,
    source_parse: Annotated[
        Path | None, typer.Option(help="CoNLL-U of the source, for systems trained with one.")
    ] = None,
    html: Html = None,
    layout: Annotated[
        ExplanationLayout, typer.Option(help="Tables, or JSON with all rows.")
    ] = ExplanationLayout.TABLE,
    rows: Annotated[int, typer.Option(min=1, help="Rows of a table, at most.")] = 15,
    output: Output = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Accept what the official scorer accepts.")
    ] = False,
) -> None:
    """Say what decided the class of a gap.

    Features with their contributions, the path through a chain, the fillings of a language model
    or, for networks, how much each token spoke for the class; of an ensemble all of its members.
    Layers beside the file (documents, parses, chains) are found there, as by crosspro predict.
    """
    check_html(html)
    run_dir, file = run_and_file(run_dir, file, model)
    layers = layers_of(file, doc_ids)
    layers = replace(layers, source_parse=source_parse or layers.source_parse)
    run_dir = one_run(run_dir)
    system = load_system(run_dir)
    examples = read_layered(file, system.task, layers, lenient=lenient)
    for note in layer_notes(system, str(file), layers.present()):
        print(note, file=sys.stderr)
    explained = explained_gap(system, examples, file, line, gap, ("--line", "--gap"))
    shown = as_json(explained) if layout is ExplanationLayout.JSON else as_text(explained, rows)
    write_output(shown.encode("utf-8"), output)
    if html is not None:
        write_text(html, explanation_page(explained, f"{file.name}, run {run_dir}", rows))


if __name__ == "__main__":
    run(app)
