"""Train the systems of the shared tasks, and write a row of results for each published submission.

    python -m crosspro.scripts.reproduce.shared_tasks --data DIR --task en-fr --year 2016 --jobs 4

Every submission of `evaluation/published` has a configuration in conf/experiment. It is trained on
the official files of its year where they lie in DIR, as `crosspro fetch-official` leaves them
(DIR/2016/IWSLT15.en-fr.data.filtered.gz …), else on DIR/PAIR/{train,dev,test}*.data, which
`--corpora` makes; submissions that are one experiment share one training. The rows are
`results/YEAR/PAIR/SUBMISSION.json`; the task of 2015 has all systems of en-fr by the names of their
experiments, and ours are `results/ours/PAIR/NAME.json`. Seed 1 of every row comes first, then
further seeds of networks. What was made before from the same data is not made again, and a training
that was stopped goes on. Networks are trained `--networks` at a time, on a GPU if there is one,
beside `--jobs` other systems. With `--ensembles` the seeds of each network, ours and the papers'
alike, are averaged with a prior chosen on dev (`results/references/TASK`), and so are the best
systems of the papers. In the end RESULTS.md is written, and for each test set a page of the primary
submissions and ours, WORK/pages/TASK.SET.html.

DIR/PAIR/notes.txt says what data is not as published, a remark a line: `SHORT: LONG`, of which
RESULTS.md shows the short words beside each row, or a line without a colon, which it shows once. A
line that begins with `source.conllu ` is only for systems that read a parse of the source.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from crosspro.scripts.cli import run
from crosspro.scripts.common import App, Jobs, tell
from crosspro.scripts.reproduce.real_data import real_data
from crosspro.scripts.reproduce.results import FOLDER, write_row
from crosspro.scripts.reproduce.results_page import write_page
from crosspro.scripts.reproduce.rows import (
    average_row,
    planned_averages,
    rows_of,
    seeds_made,
    write_pages,
)
from crosspro.scripts.reproduce.running import check_needs
from crosspro.scripts.reproduce.submissions import planned_submissions
from crosspro.scripts.reproduce.trainings import Training, planned_trainings

app = App()

FREE_MB = 100
"""Free disk space that each training must have."""


@app.command(epilog="Example: shared_tasks --data DIR --task en-fr --year 2016 --jobs 4")
def shared_tasks(
    data: Annotated[Path, typer.Option(help="Folder of official files, or of PAIR/train*.data.")],
    task: Annotated[list[str] | None, typer.Option("--task", "-t", help="Tasks; all six.")] = None,
    year: Annotated[list[int] | None, typer.Option(help="2015, 2016 or 2017; all.")] = None,
    systems: Annotated[
        list[str] | None, typer.Option(help="Rows, as 'TurkuNLP-*', '2016/*/UU-*' or 'ours/*'.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds of each network.")] = 1,
    ensembles: Annotated[
        bool, typer.Option("--ensembles", help="Average the seeds of each network, too.")
    ] = False,
    work: Annotated[Path, typer.Option(help="Folder of the trainings.")] = Path("runs/shared"),
    results: Annotated[Path, typer.Option(help="Folder of the rows.")] = FOLDER,
    corpora: Annotated[
        Path | None, typer.Option(help="Make PAIR/*.data where it is missing from these corpora.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Setting of all trainings, or as 'turku_*:trainer.patience=5' of some (repeat).",
        ),
    ] = None,
    networks: Annotated[int, typer.Option(min=1, help="Networks trained at a time.")] = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the commands.")] = False,
    jobs: Jobs = 1,
) -> None:
    """Train systems of the shared tasks, and write a row of results for each submission."""
    rows = planned_submissions(task or (), year or (), systems or ())
    data, work = data.absolute(), work.absolute()
    check_needs(work, FREE_MB)
    absent = sorted({row.task for row in rows if not (data / row.task).is_dir()})
    if corpora and absent:
        real_data(data, corpora, absent, jobs)
    planned = planned_trainings(rows, data, work, seeds, settings or ())
    lacking = without_made_rows(planned, results)
    if dry_run:
        for training in lacking:
            print(shlex.join(["crosspro", "train", *training.arguments]))
        return
    check_needs(work, FREE_MB * len(lacking))
    places = {str(work): "WORK", str(data): "CORPORA"}
    failed = train_all(lacking, results, places, networks, jobs)
    if ensembles:
        with ThreadPoolExecutor(jobs) as pool:
            joined = pool.map(
                lambda experiments: average_row(experiments, results, places),
                planned_averages(planned),
            )
            for row in joined:
                failed += row is None
                if row:
                    tell(str(write_row(row, results)))
    write_pages(planned, work / "pages", jobs)
    if results == FOLDER:
        write_page(results)
    if failed:
        raise typer.Exit(1)


def without_made_rows(trainings: Sequence[Training], results: Path) -> list[Training]:
    """The trainings whose seed some row lacks, for those rows."""
    lacking = []
    for training in trainings:
        rows = [
            row for row in training.rows if training.seed not in seeds_made(training, row, results)
        ]
        lacking += [replace(training, rows=tuple(rows))] if rows else []
    return lacking


def train_all(
    trainings: Sequence[Training],
    results: Path,
    places: Mapping[str, str],
    networks: int,
    others: int,
) -> int:
    """Train, and write the rows of each training as it ends; the number of failures."""
    started, failed = time.monotonic(), 0
    with ThreadPoolExecutor(networks) as gpu, ThreadPoolExecutor(others) as cpu:
        trained = {
            (gpu if training.is_network else cpu).submit(training.train): training
            for training in trainings
        }
        for number, future in enumerate(as_completed(trained), start=1):
            minutes = (time.monotonic() - started) / 60
            tell(f"{number} of {len(trainings)}, {minutes:.1f} min")
            if future.result():
                for row in rows_of(trained[future], results, places):
                    tell(str(write_row(row, results)))
            else:
                failed += 1
    return failed


if __name__ == "__main__":
    run(app)
