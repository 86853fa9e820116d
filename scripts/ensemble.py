"""Join trained systems into one that averages them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from crosspro.data_prep.annotate.layers import layers_beside, layers_in, read_layered
from crosspro.data_prep.core.errors import counted, input_error, quoted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import atomic_folder, check_new_folder
from crosspro.data_prep.formats.shared_task import refuse_other_forms
from crosspro.data_prep.pipeline.sets.splits import Contents, file_contents
from crosspro.prediction.dev_score import Monitor, class_shares, dev_score
from crosspro.prediction.ensemble import Average, Ensemble
from crosspro.prediction.runs import (
    Configuration,
    Run,
    Times,
    checkout_commit,
    now,
    versions,
    write_run,
)
from crosspro.prediction.system import System, load_system
from crosspro.scripts.common import App, one_run, output_folder, show_table, tell

app = App()


@app.command(epilog="Example: crosspro ensemble runs/a runs/b -o both")
def ensemble(
    output: Annotated[Path, output_folder("Folder of the ensemble.")],
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Runs of train.py, or archives, of any systems."),
    ],
    tune: Annotated[
        list[Path] | None,
        typer.Option(help="Development file (repeatable); without one all weights are equal."),
    ] = None,
    monitor: Annotated[Monitor, typer.Option(help="Score to tune.")] = "macro_recall",
    choose: Annotated[
        Literal["weights", "prior"],
        typer.Option(
            help="What to choose on the file: weights, or the prior (how far rare classes are "
            "favoured, instead of how far each system does so)."
        ),
    ] = "weights",
    average: Annotated[
        Average,
        typer.Option(
            help="How probabilities are averaged: arithmetic, or geometric (a class needs some "
            "probability from every system)."
        ),
    ] = "arithmetic",
) -> None:
    """Join trained systems into one that averages them.

    The ensemble is a system like any other: `crosspro predict` works on its folder, whose
    run.json says what was joined and how. Never tune on a test set.
    """
    files = tune or []
    if choose == "prior" and not files:
        raise typer.BadParameter("--choose prior needs a file to choose on (--tune)")
    if len(set(files)) < len(files) or Path("-") in files:
        shown = " ".join(quoted(str(path)) for path in files)
        raise input_error("settings", "--tune", "files, which run.json names, each once", shown)
    check_new_folder(output)
    started = now()
    runs = [one_run(path) for path in runs]
    joined = Ensemble.of([load_system(run) for run in runs], average=average)
    examples, data = _read_tuning_files(files, joined)
    monitored = monitor if files else None
    report = dict(joined.weigh(examples, monitored, search=choose == "weights").figures)
    if choose == "prior":
        joined.correct_prior(examples, monitor, class_shares(joined.task, examples))
        report["tau"] = joined.adjustment and joined.adjustment.tau
        report["score"] = dev_score(joined.task, examples, monitor)(joined.predict(examples))
    if files:
        rows = [
            (str(run), part["system"], f"{part['weight']:.3f}", f"{part['score']:.2f}")
            for run, part in zip(runs, report["members"], strict=True)
        ]
        name = f"ensemble, tau {report['tau']:.1f}" if "tau" in report else "ensemble"
        rows.append((str(output), name, "", f"{report['score']:.2f}"))
        print(show_table(("run", "system", "weight", monitor), rows, 2), end="")
    settings = {
        "members": [str(run) for run in runs],
        "tune": monitored,
        "choose": choose,
        "average": average,
    }
    record = Run(
        status="complete",
        task=joined.task.name,
        system=joined.name,
        seed=None,
        versions=versions(),
        commit=checkout_commit(),
        times=Times(started, now()),
        fit=report,
        data=tuple(data),
        configuration=Configuration(settings=settings),
    )
    with atomic_folder(output) as folder:
        joined.save(folder)
        write_run(folder, record)
    tell(f"{output}: an ensemble of {counted(len(runs), 'system')}")


def _read_tuning_files(files: list[Path], system: System) -> tuple[list[Example], list[Contents]]:
    """The examples of development files, each gap with a label, and the records of the files."""
    refuse_other_forms((path, system.task) for path in files)
    examples: list[Example] = []
    data: list[Contents] = []
    for path in files:
        layers = layers_beside(path)
        lines = list(read_layered(path, system.task, layers))
        labels = [gap.label for example in lines for gap in example.gaps]
        if not labels or None in labels:
            missing = f"{labels.count(None)} without" if labels else "no gap"
            raise input_error(path, "file", "a label for every gap", missing)
        data.append(file_contents("dev", path, lines, layers.files().values()))
        for note in system.layer_warnings(str(path), layers_in(lines)):
            tell(note)
        examples += lines
    return examples, data
