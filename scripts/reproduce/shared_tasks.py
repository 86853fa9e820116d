"""Train the systems of the shared tasks, and write a row of results for each published submission.

    python -m crosspro.scripts.reproduce.shared_tasks --data DIR --task en-fr --year 2016 --jobs 4

Every submission of `evaluation/published` has a configuration in conf/experiment. It is trained on
the official files of its year where they lie in DIR, as `crosspro fetch-official` leaves them
(DIR/2016/IWSLT15.en-fr.data.filtered.gz …), else on DIR/PAIR/{train,dev,test}*.data, where
submissions that are one experiment share one training; `--corpora` makes these from corpora
(real_data). The rows are `results/YEAR/PAIR/SUBMISSION.json`; the task of 2015 has all systems of
en-fr by the names of their experiments, and ours are `results/ours/PAIR/NAME.json`. Seed 1 of every
row comes first, then further seeds of networks. What was made before from the same data is not made
again, and a training that was stopped goes on. Networks are trained `--networks` at a time, on a
GPU if there is one, beside `--jobs` other systems. With `--ensembles` the seeds of each network,
ours and the papers' alike, are averaged with a prior chosen on dev (`results/references/TASK`), and
so are the best systems of the papers. In the end RESULTS.md is written, and for each test set
WORK/pages/TASK.SET.html with all primary submissions.

DIR/PAIR/notes.txt says what data is not as published, a remark a line: `SHORT: LONG`, of which
RESULTS.md shows the short words beside each row, or a line without a colon, which it shows once. A
line that begins with `source.conllu ` is only for systems that read a parse of the source.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Any

import typer

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.files import make_folder
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.lexicon.load import PACKAGES
from crosspro.scripts.cli import run
from crosspro.scripts.common import App, Jobs, tell
from crosspro.scripts.reproduce.jobs import SPLITS, Job, Setup, data_files, data_folder
from crosspro.scripts.reproduce.real_data import annotate_sources, real_data
from crosspro.scripts.reproduce.results import (
    FOLDER,
    write_row,
)
from crosspro.scripts.reproduce.results_page import write_page
from crosspro.scripts.reproduce.rows import averages, rows_of, seeds_made, write_pages
from crosspro.scripts.reproduce.running import (
    missing_disk_space,
    missing_lexicons,
    missing_training_packages,
)
from crosspro.scripts.reproduce.submissions import (
    TASKS,
    Submission,
    planned_submissions,
)

app = App()

FREE_MB = 100
"""Free disk space that each training must have."""


# Training -----------------------------------------------------------------------------------------


def _checked(settings: Sequence[str], data: Path, task: str) -> Setup:
    """The configuration of a training; raises what is wrong with it, or missing from the data."""
    from hydra import compose, initialize_config_dir

    from crosspro.prediction.configuration import training_setup

    with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
        config = compose("train", [*settings, f"data.dir={data}"])
    setup = training_setup(config, {"task": task})
    system, content = setup.system, setup.values
    is_network = _has_trainer(content["system"])
    problems = [
        Problem(str(data), None, split, f"a file {content['data'][split]}", "none")
        for split in SPLITS
        if not data_files(data, content["data"][split])
    ]
    # Other systems leave such features out.
    if is_network and system.reads_source_parse and not any(data.glob("train*.source.conllu*")):
        expected = "X.source.conllu beside each X.data (--source-layer makes them)"
        problems.append(Problem(str(data), None, settings[0].partition("=")[2], expected, "none"))
    if problems:
        raise InputError(problems)
    reads_parse = system.reads_source_parse or "source_parse" in system.layers_read
    patterns = [str(content["data"][split]) for split in SPLITS]
    return Setup(is_network, reads_parse, *patterns)


def _has_trainer(system: Mapping[str, Any]) -> bool:
    return "trainer" in system or any(map(_has_trainer, system.get("members", {}).values()))


def planned_jobs(
    rows: Sequence[Submission],
    data: Path,
    work: Path,
    seeds: int = 1,
    settings: tuple[str, ...] = (),
    minutes: float = 0,
    leave_out: bool = False,
) -> list[Job]:
    """All trainings of these rows, seed 1 of every row first.

    Raises what rows lack, or with `leave_out` only says it.
    """
    problems: list[Problem] = []
    first: dict[tuple[Path, tuple[str, ...]], Job] = {}
    for row in rows:
        try:
            folder = data_folder(row, data, work)
            official = folder.is_relative_to(work)
            group = f"{row.year}/{row.pair}" if official else row.task
            place = work / group / row.experiment / "seed1"
            lenient = f"data.lenient={str(official).lower()}"  # as the official scorer
            chosen = (*row.settings, f"task={row.task}", "data=shared_task", lenient)
            chosen += ("resamples=0", *_settings_of(row.experiment, settings))
            if (folder, chosen) in first:
                job = first[folder, chosen]
                first[folder, chosen] = replace(job, rows=(*job.rows, row))
                continue
            setup = _checked(chosen, folder, row.task)
            limited = (*chosen, f"trainer.max_minutes={minutes:g}") if minutes else chosen
            arguments = limited if setup.is_network else chosen
            first[folder, chosen] = Job((row,), 1, arguments, folder, place, setup)
        except InputError as error:
            problems += error.problems
    if problems and not (leave_out and first):
        raise InputError(dict.fromkeys(problems))
    for problem in dict.fromkeys(problems):
        tell(f"left out: {problem}")
    by_seed = [
        replace(job, seed=seed, folder=job.folder.with_name(f"seed{seed}"))
        for seed in range(1, seeds + 1)
        for job in first.values()
        if seed == 1 or job.setup.is_network
    ]
    return sorted(by_seed, key=lambda job: (job.seed > 1, _importance(job), job.seed))


def _settings_of(experiment: str, settings: Iterable[str]) -> Iterator[str]:
    """The settings for an experiment: NAME=VALUE, or PATTERN:NAME=VALUE for those it matches."""
    for text in settings:
        pattern, colon, setting = text.partition(":")
        if not colon or "=" in pattern:
            yield text
        elif fnmatch(experiment, pattern):
            yield setting


def lacking(jobs: Sequence[Job], results: Path) -> list[Job]:
    """The trainings whose seed some row lacks, for those rows."""
    reduced = [
        replace(job, rows=tuple(r for r in job.rows if job.seed not in seeds_made(job, r, results)))
        for job in jobs
    ]
    return [job for job in reduced if job.rows]


def _importance(job: Job) -> tuple[int, int]:
    """Primary submissions and baselines go first, then by task."""
    kinds = {row.kind for row in job.rows}
    return 0 if kinds & {"primary", "baseline"} else 1, TASKS.index(job.rows[0].task)


@app.command(epilog="Example: shared_tasks --data DIR --task en-fr --year 2016 --jobs 4")
def shared_tasks(
    data: Annotated[Path, typer.Option(help="Folder of official files, or of PAIR/train*.data.")],
    task: Annotated[list[str] | None, typer.Option("--task", "-t", help="Tasks; all six.")] = None,
    year: Annotated[
        list[int] | None, typer.Option(help="2015, 2016 or 2017, 0 for our own rows; all.")
    ] = None,
    systems: Annotated[
        list[str] | None, typer.Option(help="Submissions, as 'TurkuNLP-*' or '2016/*/UU-*'; all.")
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
    source_layer: Annotated[
        bool, typer.Option("--source-layer", help="Annotate the sources that have no layer.")
    ] = False,
    it_data: Annotated[
        list[Path] | None, typer.Option(help="Text that says what *it* is, for UPPSALA 2016.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Setting of all trainings, or as 'turku_*:trainer.patience=5' of some (repeat).",
        ),
    ] = None,
    minutes: Annotated[
        float, typer.Option(min=0, help="End each network's training after so many; 0: never.")
    ] = 0,
    networks: Annotated[int, typer.Option(min=1, help="Networks trained at a time.")] = 1,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each training.")] = 1,
    leave_out: Annotated[
        bool, typer.Option("--leave-out", help="Leave out rows whose data lacks something.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the commands.")] = False,
    jobs: Jobs = 1,
) -> None:
    """Train systems of the shared tasks, and write a row of results for each submission."""
    rows = planned_submissions(task or (), year or (), systems or (), it_data or ())
    if problems := [*missing_training_packages(), *_absent_files(it_data or ())]:
        raise InputError(problems)
    data, work = data.absolute(), work.absolute()
    absent = sorted({row.task for row in rows if not (data / row.task).is_dir()})
    if corpora and absent:
        make_folder(data)
        inflected = corpora / "official_discomt2015"
        official = inflected if inflected.is_dir() else None
        real_data(data, corpora / "bitext", absent, official, jobs=jobs)
    if source_layer:
        for row in rows:
            language = load_task(row.task).source_language
            annotate_sources(data_folder(row, data, work), language, jobs)
    chosen = tuple(settings or ())
    planned = planned_jobs(rows, data, work, seeds, chosen, minutes, leave_out)
    wanted = lacking(planned, results)
    if dry_run:
        for job in wanted:
            print(shlex.join(["crosspro", "train", *job.arguments]))
        return
    for problem in missing_lexicons(PACKAGES):
        tell(f"warning: without the lexicon {problem.expected}")
    if problems := list(missing_disk_space(work, FREE_MB * len(wanted))):
        raise InputError(problems)
    places = {str(work): "WORK", str(data): "CORPORA"}
    failed = train_all(wanted, results, places, networks, jobs, threads)
    if ensembles:
        with ThreadPoolExecutor(jobs) as pool:
            joined = list(pool.map(lambda each: each.row(results, places), averages(planned)))
        failed += joined.count(None)
        for row in filter(None, joined):
            tell(str(write_row(row, results)))
    write_pages(planned, work / "pages", jobs)
    if results == FOLDER:
        write_page(results)
    if failed:
        raise typer.Exit(1)


def _absent_files(paths: Iterable[Path]) -> Iterator[Problem]:
    for path in paths:
        if not path.exists():
            yield Problem(str(path), None, "--it-data", "a folder or a file", "none")


def train_all(
    jobs: Sequence[Job],
    results: Path,
    places: Mapping[str, str],
    networks: int,
    others: int,
    threads: int,
) -> int:
    """Train, and write the rows of each training as it ends; the number of failures."""
    started, failed = time.monotonic(), 0
    with ThreadPoolExecutor(networks) as gpu, ThreadPoolExecutor(others) as cpu:
        trained = {
            (gpu if job.setup.is_network else cpu).submit(job.train, threads): job for job in jobs
        }
        for number, future in enumerate(as_completed(trained), start=1):
            job = trained[future]
            progress = f"{number} of {len(jobs)}, {(time.monotonic() - started) / 60:.1f} min"
            if future.result():
                for row in rows_of(job, results, places):
                    tell(f"{progress}: {write_row(row, results)}")
            else:
                failed += 1
                tell(f"{progress}: failed: {job.folder / 'log'}")
    return failed


if __name__ == "__main__":
    run(app)
