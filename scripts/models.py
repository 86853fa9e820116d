"""List, pack, check and unpack trained systems."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.evaluation.output.tables import Style, csv_number, csv_text
from crosspro.prediction.models import (
    ModelSummary,
    export_run,
    found_models,
    import_archive,
    summary,
)
from crosspro.prediction.stored_tensors import FULL, WEIGHTS
from crosspro.prediction.system import load_run
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import (
    LayoutOption,
    Model,
    Output,
    RunOrModel,
    TableLayout,
    all_runs,
    write_report,
)

app = command_app()

_MEGABYTE = 1e6
_HEADING = ("model", "kind", "task", "system", "weights", "MB", "dev official", "dev accuracy")

Places = Annotated[
    list[Path], typer.Argument(help="Runs, archives, or folders in which they are looked for.")
]


@app.callback()
def models() -> None:
    """List, pack, check and unpack trained systems."""


@app.command("list")
def list_command(
    runs: Places, layout: LayoutOption = TableLayout.TABLE, output: Output = None
) -> None:
    """List trained systems: task, system, size, scores on dev and digest.

    Copies of one system have one digest. Archives are found in folders if their names end in .zip.
    """
    found = []
    for path in found_models(runs):
        try:
            found.append(summary(path))
        except InputError as error:
            print(f"warning: {error}", file=sys.stderr)
    write_report(found, _as_json, _as_csv, _as_text, output, layout)


@app.command("export")
def export_command(
    output: Annotated[Path, typer.Option("--output", "-o", help="The archive, as en-fr.zip.")],
    run_dir: RunOrModel = None,
    model: Model = None,
    weights: Annotated[
        str | None,
        typer.Option(help=f"How matrices are stored: {', '.join(WEIGHTS)}; else as they are."),
    ] = None,
) -> None:
    """Pack a trained system into one file, with the checksum of every file in it.

    Commands take the archive wherever they take a run. In 16 or 8 bits the matrices of tensors are
    rounded; vocabularies, language models and lexicons stay as they are. Paths of this machine are
    left out: folders and files go by their names, other runs by name and digest. The same run gives
    the same bytes; a MODEL that was packed before is packed again so.
    """
    if weights not in (None, *WEIGHTS):
        found = quoted(str(weights))
        raise typer.BadParameter(f"--weights: expected {choices(WEIGHTS)}, found {found}")
    given = all_runs([path for path in (run_dir, model) if path is not None], None)
    if len(given) > 1:
        raise typer.BadParameter("expected RUN, or --model MODEL, found both")
    packed = export_run(given[0], output, weights)
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


@app.command("check")
def check_command(runs: Places) -> None:
    """Check that trained systems are whole and can be loaded.

    Every checksum, the versions of the formats, the content of every file and the range of every
    number. No code in them is run. The exit status is 2 if anything is wrong.
    """
    problems: list[Problem] = []
    for path in found_models(runs):
        try:
            system = load_run(path)
        except InputError as error:
            problems += error.problems
        else:
            print(f"{path}: {system.shown_name} for {system.task.name}, whole", file=sys.stderr)
    if problems:
        raise InputError(problems)


@app.command("import")
def import_command(
    file: Annotated[Path, typer.Argument(help="An archive of crosspro models export.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="A new folder for the run.")],
) -> None:
    """Unpack an archive into a folder, which can then be used as that of a run.

    There is no need to: commands take archives too. A folder is loaded sooner.
    """
    system = import_archive(file, output)
    print(f"{output}: {system.shown_name} for {system.task.name}", file=sys.stderr)


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


if __name__ == "__main__":
    run(app)
