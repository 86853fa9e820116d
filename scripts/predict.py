"""Fill the gaps of a file with a trained system."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from crosspro.data_prep.annotate.layers import read_layered
from crosspro.data_prep.core.errors import InputError, counted, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.formats.pointed_nouns import HEADER, table_rows
from crosspro.data_prep.formats.shared_task import format_example, other_form
from crosspro.prediction.output import layer_notes, predict_stream
from crosspro.prediction.runs import find_run
from crosspro.prediction.system import Probabilities, System, load_system
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import (
    DocIdsBeside,
    Model,
    RunOrModel,
    layers_of,
    one_run,
    run_and_file,
)

app = command_app()


@app.command()
def predict(
    output: Annotated[Path, typer.Option("--output", "-o", help="The submission to write.")],
    run_dir: RunOrModel = None,
    file: Annotated[
        Path | None, typer.Argument(help="Five-column file, blind or not (also .gz, .xz, -).")
    ] = None,
    model: Model = None,
    doc_ids: DocIdsBeside = None,
    source_parse: Annotated[
        Path | None,
        typer.Option(help="CoNLL-U of the source, for systems trained with one."),
    ] = None,
    probabilities: Annotated[
        Path | None, typer.Option(help="Write the probability of every class here (TSV).")
    ] = None,
    antecedents: Annotated[
        Path | None,
        typer.Option(help="Write the nouns that gaps stand for here (TSV), of systems that point."),
    ] = None,
    max_antecedents: Annotated[
        int, typer.Option(min=1, help="Rows of a gap in that table, at most.")
    ] = 5,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Accept what the official scorer accepts.")
    ] = False,
) -> None:
    """Fill the gaps of a file with a trained system.

    The submission has the five columns of the file with the predicted classes in the first. Labels
    that the file may have must be of the task, but do not influence the predictions. Document ids
    (X.doc-ids), parses (X.source.conllu, X.target.conllu) and coreference chains (X.chains.tsv)
    that lie beside X.data are found there. --antecedents has rows for each gap: the nouns that it
    may stand for, and none, the best first.
    """
    run_dir, file = run_and_file(run_dir, file, model)
    run_dir = one_run(run_dir)
    layers = layers_of(file, doc_ids)
    layers = replace(layers, source_parse=source_parse or layers.source_parse)
    system = load_system(run_dir)
    if antecedents and not system.points:
        from crosspro.prediction.neural.layers.network import pointing_networks

        expected = f"a system that points at antecedents: {', '.join(pointing_networks())}"
        expected += ", or an ensemble with one of them"
        raise input_error(run_dir, "--antecedents", expected, system.shown_name)
    form = other_form(file, system.task)
    if form is not None:
        print(f"warning: {form}", file=sys.stderr)
    examples = read_layered(file, system.task, layers, lenient=lenient)
    for note in layer_notes(system, str(file), layers.present()):
        print(note, file=sys.stderr)
    lines = gaps = 0
    columns = (TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True)
    with ExitStack() as stack:
        submission = stack.enter_context(atomic_output(output))
        table = stack.enter_context(atomic_output(probabilities)) if probabilities else None
        nouns = stack.enter_context(atomic_output(antecedents)) if antecedents else None
        progress = stack.enter_context(
            Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        )
        bar = progress.add_task("reading")
        if table:
            heading = ("line", "position", *system.task.classes)
            table.write(("\t".join(heading) + "\n").encode("utf-8"))
        if nouns:
            nouns.write(HEADER.encode("utf-8"))
        for found in predict_stream(system, examples):
            group, chances = found.labelled(), found.probabilities
            for example in group:
                submission.write(format_example(example).encode("utf-8") + b"\n")
            if table:
                table.write(_rows(group, chances, lines).encode("utf-8"))
            if nouns:
                rows = table_rows(group, found.antecedents(), lines + 1, max_antecedents)
                nouns.write(rows.encode("utf-8"))
            lines += len(group)
            gaps += len(chances)
            progress.update(bar, description=f"{counted(lines, 'line')}, {counted(gaps, 'gap')}")
        if not lines:
            raise input_error(file, "file", "at least one line", "none")
    name = _name(run_dir, system)
    print(
        f"{output}: {counted(lines, 'line')}, {counted(gaps, 'gap')} predicted by {name}",
        file=sys.stderr,
    )


def _name(run_dir: Path, system: System) -> str:
    """What the run is called; a record that cannot be read does not stop a good model."""
    try:
        record = find_run(run_dir)
    except InputError as error:
        print(f"warning: {error}", file=sys.stderr)
        return system.shown_name
    return record.name if record else system.shown_name


def _rows(examples: Sequence[Example], probabilities: Probabilities, first_line: int) -> str:
    rows = iter(probabilities.tolist())
    lines = []
    for line, example in enumerate(examples, start=first_line + 1):
        for gap in example.gaps:
            chances = "\t".join(f"{chance:.6f}" for chance in next(rows))
            lines.append(f"{line}\t{gap.position}\t{chances}\n")
    return "".join(lines)


if __name__ == "__main__":
    run(app)
