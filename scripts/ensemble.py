"""Join trained systems into one that averages them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.errors import input_error
from crosspro.data_prep.layers import read_layered
from crosspro.evaluation.layout.tables import text_table
from crosspro.prediction.dev_score import MONITORS, dev_score
from crosspro.prediction.ensemble import Ensemble, mix, tune_weights
from crosspro.prediction.output import lacks_context, without_context
from crosspro.prediction.system import load_systems
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import DocIdsBeside, layers_of

app = command_app()


@app.command()
def ensemble(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs of train.py, of any systems.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the ensemble.")],
    tune: Annotated[
        Path | None,
        typer.Option(help="Development file to choose weights on; without it all are equal."),
    ] = None,
    doc_ids: DocIdsBeside = None,
    monitor: Annotated[
        str, typer.Option(help="Score to tune: macro_recall, accuracy, mean or macro_f1.")
    ] = "macro_recall",
) -> None:
    """Join trained systems into one that averages them.

    The ensemble is a system like any other: `crosspro predict` works on its folder. Never tune on
    a test set.
    """
    if monitor not in MONITORS:
        raise typer.BadParameter(f"expected one of {', '.join(MONITORS)}, found {monitor}")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise input_error(output, "output", "a new or an empty folder", "one with files")
    members = load_systems(runs)
    joined = Ensemble.of(members)
    if tune is not None:
        examples = list(read_layered(tune, joined.task, layers_of(tune, doc_ids)))
        if lacks_context(joined, examples):
            print(without_context(str(tune), joined), file=sys.stderr)
        score = dev_score(joined.task, examples, monitor)
        chances = [member.predict(examples) for member in members]
        joined.weights = tune_weights(chances, score)
        rows = [
            (str(one), member.name, f"{weight:.3f}", f"{score(part):.2f}")
            for one, member, weight, part in zip(
                runs, members, joined.weights, chances, strict=True
            )
        ]
        rows.append((str(output), "ensemble", "", f"{score(mix(chances, joined.weights)):.2f}"))
        print(text_table(("run", "system", "weight", f"{monitor} on {tune.name}"), rows, 2), end="")
    joined.save(output)
    print(f"{output}: an ensemble of {len(members)} systems", file=sys.stderr)


if __name__ == "__main__":
    run(app)
