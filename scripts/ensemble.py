"""Join trained systems into one that averages them."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.errors import input_error
from crosspro.data_prep.example import Example
from crosspro.data_prep.layers import layers_in, read_layered
from crosspro.data_prep.sets.contents import Contents, file_contents
from crosspro.prediction.dev_score import MONITORS
from crosspro.prediction.ensemble import AVERAGES, CHOICES, Ensemble
from crosspro.prediction.output import layer_notes
from crosspro.prediction.runs import Configuration, Run, Times, now, versions, write_run
from crosspro.prediction.system import load_systems
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import DocIdsBeside, layers_of, show_table

app = command_app()


@app.command()
def ensemble(
    runs: Annotated[
        list[Path], typer.Argument(help="Runs of train.py, or archives, of any systems.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the ensemble.")],
    tune: Annotated[
        list[Path] | None,
        typer.Option(
            help="Development file to choose on (repeat for several); without one all weights are "
            "equal."
        ),
    ] = None,
    doc_ids: DocIdsBeside = None,
    monitor: Annotated[
        str, typer.Option(help="Score to tune: macro_recall, accuracy, mean or macro_f1.")
    ] = "macro_recall",
    choose: Annotated[
        str,
        typer.Option(
            help="What to choose on the file: weights, prior (how far rare classes are favoured, "
            "instead of how far each system does so; weights are equal), or both."
        ),
    ] = "weights",
    average: Annotated[
        str,
        typer.Option(
            help="How probabilities are averaged: arithmetic, or geometric (a class needs some "
            "probability from every system)."
        ),
    ] = AVERAGES[0],
) -> None:
    """Join trained systems into one that averages them.

    The ensemble is a system like any other: `crosspro predict` works on its folder, whose
    run.json says what was joined and how. Never tune on a test set.
    """
    if monitor not in MONITORS:
        raise typer.BadParameter(f"expected one of {', '.join(MONITORS)}, found {monitor}")
    if choose not in CHOICES:
        raise typer.BadParameter(f"expected one of {', '.join(CHOICES)}, found {choose}")
    if average not in AVERAGES:
        raise typer.BadParameter(f"expected one of {', '.join(AVERAGES)}, found {average}")
    if choose != "weights" and not tune:
        raise typer.BadParameter(f"--choose {choose} needs a file to choose on (--tune)")
    if doc_ids is not None and len(tune or ()) > 1:
        expected = "one file of --tune; of several they stand beside each"
        raise input_error("settings", "--doc-ids", expected, f"{len(tune or ())} files")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise input_error(output, "output", "a new or an empty folder", "one with files")
    started = now()
    joined = Ensemble.of(load_systems(runs), average=average)
    examples: list[Example] = []
    data: list[Contents] = []
    for path in tune or ():
        layers = layers_of(path, doc_ids)
        read = list(read_layered(path, joined.task, layers))
        data.append(file_contents("dev", path, read, layers.files().values()))
        for note in layer_notes(joined, str(path), layers_in(read)):
            print(note, file=sys.stderr)
        examples += read
    report = joined.weigh(examples, monitor if tune else None, choose)
    if tune:
        parts = zip(runs, joined.parts, report.members, strict=True)
        rows = [
            (str(run), part.shown_name, f"{one.weight:.3f}", f"{one.score:.2f}")
            for run, part, one in parts
        ]
        name = "ensemble" if report.tau is None else f"ensemble, tau {report.tau:.1f}"
        rows.append((str(output), name, "", f"{report.score:.2f}"))
        names = ", ".join(path.name for path in tune)
        print(show_table(("run", "system", "weight", f"{monitor} on {names}"), rows, 2), end="")
    joined.save(output)
    asked: dict[str, object] = {"members": [str(run) for run in runs], "tune": report.monitor}
    if report.tau is not None:
        asked["choose"] = choose
    if average != AVERAGES[0]:
        asked["average"] = average
    record = Run(
        status="complete",
        task=joined.task.name,
        system=joined.name,
        seed=None,
        versions=versions(),
        times=Times(started, now()),
        fit=asdict(report),
        data=tuple(data),
        configuration=Configuration(settings=asked),
    )
    write_run(output, record)
    count = "1 system" if len(runs) == 1 else f"{len(runs)} systems"
    print(f"{output}: an ensemble of {count}", file=sys.stderr)


if __name__ == "__main__":
    run(app)
