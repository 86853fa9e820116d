"""Join trained systems into one that averages them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from crosspro.data_prep.annotate.layers import layers_in, read_layered
from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import atomic_folder, check_new_folder
from crosspro.data_prep.formats.shared_task import refuse_other_forms
from crosspro.data_prep.pipeline.sets.splits import Contents, file_contents
from crosspro.prediction.dev_score import MONITORS, class_shares, dev_score
from crosspro.prediction.ensemble import AVERAGES, Ensemble
from crosspro.prediction.prior_correction import PriorCorrected
from crosspro.prediction.runs import (
    Configuration,
    Run,
    Times,
    checkout_commit,
    now,
    versions,
    write_run,
)
from crosspro.prediction.system import System, load_systems
from crosspro.scripts.common import App, DocIdsBeside, layers_of, one_run, show_table

app = App()

CHOICES = ("weights", "prior", "both")
_FEW_GAPS = 10
"""A prior that rests on fewer gaps of a class is warned of."""


@app.command(epilog="Example: crosspro ensemble runs/a runs/b -o both")
def ensemble(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", writable=True, file_okay=False, help="Folder of the ensemble."
        ),
    ],
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Runs of train.py, or archives, of any systems."),
    ],
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
    files = tune or []
    known = {"--monitor": (monitor, MONITORS), "--choose": (choose, CHOICES)}
    for option, (found, expected) in {**known, "--average": (average, AVERAGES)}.items():
        if found not in expected:
            told = f"expected one of {', '.join(expected)}, found {found}"
            raise typer.BadParameter(told, param_hint=option)
    if choose != "weights" and not files:
        raise typer.BadParameter(f"--choose {choose} needs a file to choose on (--tune)")
    _check_files(files, doc_ids)
    check_new_folder(output)
    started = now()
    runs = [one_run(path) for path in runs]
    joined = Ensemble.of(load_systems(runs), average=average)
    examples: list[Example] = []
    data: list[Contents] = []
    refuse_other_forms((path, joined.task) for path in files)
    for path in files:
        layers = layers_of(path, doc_ids)
        read = list(read_layered(path, joined.task, layers))
        labels = [gap.label for example in read for gap in example.gaps]
        if not labels or None in labels:
            found = f"{labels.count(None)} without" if labels else "no gap"
            raise input_error(path, "file", "a label for every gap", found)
        data.append(file_contents("dev", path, read, layers.files().values()))
        for note in joined.layer_warnings(str(path), layers_in(read)):
            print(note, file=sys.stderr)
        examples += read
    report: dict[str, Any] = {
        "tau": None,
        **joined.weigh(
            examples,
            monitor if files else None,
            search=choose != "prior",
            corrected=choose == "weights",
        ).figures,
    }
    system: System = joined
    if choose != "weights":
        system = corrected = PriorCorrected(joined, monitor=monitor)
        corrected.tune(examples, class_shares(joined.task, examples))
        report["tau"] = corrected.adjustment.tau
        report["score"] = dev_score(joined.task, examples, monitor)(corrected.predict(examples))
    tau = report["tau"]
    rare = _rare_classes(examples, joined.task.classes) if choose != "weights" else ""
    if rare:
        print(f"warning: the prior rests on few gaps of some classes: {rare}", file=sys.stderr)
    if files:
        members = zip(runs, report["members"], strict=True)
        rows = [
            (str(run), part["system"], f"{part['weight']:.3f}", f"{part['score']:.2f}")
            for run, part in members
        ]
        name = "ensemble" if tau is None else f"ensemble, tau {tau:.1f}"
        rows.append((str(output), name, "", f"{report['score']:.2f}"))
        score = f"{monitor} on {', '.join(path.name for path in files)}"
        if tau is not None:
            score += " (of members without their own prior)"
        print(show_table(("run", "system", "weight", score), rows, 2), end="")
    settings = {
        "members": [str(run) for run in runs],
        "tune": report["monitor"],
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
    with atomic_folder(output) as new:
        system.save(new)
        write_run(new, record)
    count = "1 system" if len(runs) == 1 else f"{len(runs)} systems"
    print(f"{output}: an ensemble of {count}", file=sys.stderr)


def _rare_classes(examples: Sequence[Example], classes: Iterable[str]) -> str:
    """The classes of which there is so little that a prior for them is rather chance."""
    numbers = Counter(gap.label for example in examples for gap in example.gaps)
    return ", ".join(f"{name} {numbers[name]}" for name in classes if numbers[name] < _FEW_GAPS)


def _check_files(files: Sequence[Path], doc_ids: Path | None) -> None:
    """Files to choose on: each once, none of them standard input, and one with given documents."""
    twice = [path for number, path in enumerate(files) if path in files[:number]]
    if twice:
        raise input_error("settings", "--tune", "each file once", quoted(str(twice[0])))
    if Path("-") in files:
        raise input_error("settings", "--tune", "files, which run.json names", "'-'")
    if doc_ids is not None and str(doc_ids) != "none" and len(files) != 1:
        expected = "one file of --tune; of several X.doc-ids stands beside each X.data"
        raise input_error("settings", "--doc-ids", expected, str(len(files)))
