"""Train the systems of the shared tasks, and write a row of results for each published submission.

    python -m crosspro.scripts.reproduce.shared_tasks --data DIR --task en-fr --year 2016 --jobs 4

Every submission of `evaluation/published` has a configuration in conf/experiment. It is trained on
the official files of its year where they lie in DIR, as `crosspro fetch-official` leaves them
(DIR/2016/IWSLT15.en-fr.data.filtered.gz …), else on DIR/PAIR/{train,dev,test}*.data, where
submissions that are one experiment share one training. The rows are
`results/YEAR/PAIR/SUBMISSION.json`; the task of 2015 has all systems of en-fr by the names of their
experiments, and ours are `results/ours/PAIR/NAME.json`. Seed 1 of every row comes first, then
further seeds of networks. What was made before is not made again, and a training that was stopped
goes on. Networks are trained `--networks` at a time, on a GPU if there is one, beside `--jobs`
other systems.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

from crosspro.conf import CONF_DIR
from crosspro.data_prep.annotate.layers import COMPRESSED, data_stem, read_layered
from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import make_folder
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.evaluation.published.results import PublishedResult, published_results
from crosspro.prediction.model_archive import RECORD
from crosspro.prediction.runs import Run, read_run
from crosspro.scripts.cli import run
from crosspro.scripts.common import App, Jobs, tell
from crosspro.scripts.reproduce.results import (
    FOLDER,
    GoldLabels,
    GoldSet,
    MakingCommand,
    Row,
    TrainingText,
    gold_file,
    read_gold,
    read_row,
    row_file,
    scores_of,
    write_gold,
    write_row,
)

app = App()

TEAMS = {
    "CUNI": "cuni",
    "IDIAP": "idiap",
    "LIMSI": "limsi",
    "NYU": "nyu",
    "TurkuNLP": "turku",
    "UEDIN": "uedin",
    "UHELSINKI": "helsinki",
    "UKYOTO": "ukyoto",
    "UPPSALA": "uppsala",
    "UU-Cap": "uu_cap",
    "UU-Hardmeier": "hardmeier",
    "UU-Stymne": "stymne",
    "UU-Stymne16": "stymne",
    "Uppsala": "uppsala",
}
"""The beginning of the files in conf/experiment of each team."""
LM_ALONE = "uppsala_2016_contrastive"
"""UPPSALA's contrastive submission for en-fr was its primary one for other pairs (003 §5.8)."""
BASELINE, BASELINE_0, TUNED_BASELINE = "baseline", "baseline0", "baseline-tuned"
"""The experiment, and the names of its rows: the variant without a penalty, and its own."""
IT_CLASSIFIER = "uppsala_2016_primary"
"""The experiment that learns from text in which people said what *it* is (`--it-data`)."""
INFLECTED_TASK = "en-fr-2015"
TASKS = ("en-fr", "en-de", "de-en", "es-en", "fr-en", INFLECTED_TASK)
OURS = {"document_encoder": ("system=document_encoder", "trainer.precision=bf16-mixed")}
"""Our rows for every task, and their settings."""

TRAINING = ("Europarl", "NCv9", "IWSLT15")
TESTS = {2016: "WMT2016", 2017: "DiscoMT2017"}
DEVELOPMENT = {2016: ("TEDdev",), 2017: ("WMT2016", "TEDdev2")}
"""In 2017 dev was TEDdev2 for es-en, and the test set of 2016 for other pairs (004 §4)."""
STAGED = {"IWSLT15": "ted_IWSLT15"}
"""TED talks are `train.ted*`, as the experiments of teams name them that used nothing else."""
SPLITS = ("train", "dev", "test")


# Which experiment a published row is --------------------------------------------------------------


@dataclass(frozen=True)
class Training:
    """A row to make: its name in `results/`, its task, and the settings of its training.

    A year of None is that of our own rows.
    """

    year: int | None
    task: str
    title: str
    kind: str
    settings: tuple[str, ...]

    @property
    def pair(self) -> str:
        """The language pair."""
        return self.task.removesuffix(f"-{self.year}")

    @property
    def name(self) -> str:
        """The name of the row."""
        return f"{self.year or 'ours'}/{self.pair}/{self.title}"

    def is_like(self, pattern: str) -> bool:
        """Whether title or name match a pattern with stars."""
        return fnmatch(self.title, pattern) or fnmatch(self.name, pattern)


def experiment_of(result: PublishedResult) -> str | None:
    """The name in conf/experiment of a published submission; None for one that is only a file."""
    if result.kind in ("baseline", "released"):
        return BASELINE if result.kind == "baseline" else None
    team = result.submission.rpartition("-")[0]
    if (result.year, team, result.kind) == (2016, "UPPSALA", "primary") and result.pair != "en-fr":
        return LM_ALONE
    stem = f"{TEAMS[team]}_{result.year}"
    names = (f"{stem}_{result.kind}_{result.pair}", f"{stem}_{result.kind}", stem)
    for name in names:
        if (CONF_DIR / "experiment" / f"{name}.yaml").is_file():
            return name
    raise input_error("conf/experiment", "file", choices(names), "none")


def trainings(
    tasks: Sequence[str] = (),
    years: Sequence[int] = (),
    systems: Sequence[str] = (),
    it_data: Sequence[Path] = (),
) -> list[Training]:
    """All rows of these tasks, years and submissions (patterns); empty means any.

    The year 0 stands for our own rows.
    """
    more = {IT_CLASSIFIER: (f"system.it_data=[{','.join(map(str, it_data))}]",)} if it_data else {}
    chosen: dict[Training, None] = {}
    for result in published_results():
        experiment = experiment_of(result)
        if experiment is None:
            continue
        settings = (f"experiment={experiment}", *more.get(experiment, ()))
        row = Training(result.year, result.pair, result.submission, result.kind, settings)
        chosen[row] = None
        if result.pair == "en-fr":
            title = _title_2015(result, experiment)
            row = replace(row, year=2015, task=INFLECTED_TASK, title=title, kind=result.kind)
            chosen[row] = None
    for task in TASKS:
        for title, settings in OURS.items():
            chosen[Training(None, task, title, "ours", settings)] = None
    kept = [
        row
        for row in chosen
        if (not tasks or row.task in tasks)
        and (not years or (row.year or 0) in years)
        and (not systems or any(row.is_like(pattern) for pattern in systems))
    ]
    if not kept:
        found = " ".join(map(str, (*tasks, *years, *systems)))
        raise input_error("settings", "--systems", "published submissions", f"none for {found}")
    return kept


def _title_2015(result: PublishedResult, experiment: str) -> str:
    if experiment != BASELINE:
        return experiment
    return BASELINE_0 if result.submission == BASELINE_0 else TUNED_BASELINE


# Data ---------------------------------------------------------------------------------------------


def official_sets(data: Path, year: int | None, pair: str) -> dict[str, Path]:
    """The official files of a year and pair by usual names, such as train.Europarl.data.gz."""
    if year not in TESTS:
        return {}
    corpora = {f"train.{STAGED.get(name, name)}": name for name in TRAINING}
    corpora |= {f"dev.{name}": name for name in DEVELOPMENT[year]}
    corpora[f"test.{TESTS[year]}"] = TESTS[year]
    files = [path for folder in TESTS for path in sorted((data / str(folder)).rglob("*.*"))]
    reverse = "-".join(reversed(pair.split("-")))
    sets: dict[str, Path] = {}
    for title, corpus in corpora.items():
        forms = {
            "data": rf"{corpus}\.{pair}(\.test)?\.data(\.filtered)?(\.final)?(\.gz|\.xz)?",
            "doc-ids": rf"{corpus}\.({pair}|{reverse})(\.test)?\.doc-ids(\.gz|\.xz)?",
        }
        for suffix, pattern in forms.items():
            matching = [path for path in files if re.fullmatch(pattern, path.name)]
            if matching:
                best = max(matching, key=partial(_preference, str(year), pair))
                packed = best.suffix if best.suffix in COMPRESSED else ""
                sets[f"{title}.{suffix}{packed}"] = best
    return sets


def _preference(year: str, pair: str, path: Path) -> tuple[bool, ...]:
    """Final versions go before others, then files of the year, then those named by the pair."""
    return ".final" in path.name, year in path.parts, f".{pair}." in path.name


def data_folder(row: Training, data: Path, work: Path) -> Path:
    """The folder of a row's data; official files are linked into one under their usual names."""
    official = official_sets(data, row.year, row.pair)
    present = {name.partition(".")[0] for name in official if ".data" in name}
    if present != set(SPLITS):
        folder = data / row.task
        if not folder.is_dir():
            found = ", ".join(sorted(present)) or "none"
            expected = f"official files of {row.pair} for train, dev and test, or a folder {folder}"
            raise input_error(data / str(row.year), "files", expected, found)
        return folder
    folder = work / "data" / str(row.year) / row.pair
    make_folder(folder)
    for name, path in official.items():
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(path.resolve())
    return folder


# Training -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """A training with one seed, on the data of a folder, in a folder of its own, for its rows."""

    rows: tuple[Training, ...]
    seed: int
    settings: tuple[str, ...]
    data: Path
    folder: Path
    is_network: bool

    @property
    def arguments(self) -> list[str]:
        """The arguments of `crosspro train`."""
        folders = (f"data.dir={self.data}", f"hydra.run.dir={self.folder}")
        return [*self.settings, f"seed={self.seed}", *folders]

    def train(self, threads: int) -> bool:
        """Train in another process, unless that was done before; whether it went well."""
        if (self.folder / RECORD).is_file() and read_run(self.folder).status == "complete":
            return True
        make_folder(self.folder)
        command = [sys.executable, "-m", "crosspro.scripts.train", *self.arguments]
        environment = {"OMP_NUM_THREADS": str(threads), **os.environ}
        if not self.is_network:
            environment["CUDA_VISIBLE_DEVICES"] = ""
        with (self.folder / "log").open("ab") as log:
            process = subprocess.run(command, check=False, stdout=log, stderr=log, env=environment)
        return process.returncode == 0


def _checked(settings: Sequence[str], data: Path, task: str) -> Mapping[str, Any]:
    """The configuration of a training; raises what is wrong with it, or missing from the data."""
    from hydra import compose, initialize_config_dir

    from crosspro.prediction.configuration import configured, plain_config

    with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
        config = compose("train", [*settings, f"data.dir={data}"])
    system = configured(config, {"task": task}).system
    content = plain_config(config)
    problems = [
        Problem(str(data), None, split, f"a file {content['data'][split]}", "none")
        for split in SPLITS
        if not any(any(data.glob(f"{content['data'][split]}{end}")) for end in COMPRESSED)
    ]
    is_network = _has_trainer(content["system"])  # other systems leave such features out
    if is_network and system.reads_source_parse and not any(data.glob("train*.source.conllu*")):
        expected = "X.source.conllu beside each X.data (real_data --source-layer)"
        problems.append(Problem(str(data), None, system.shown_name, expected, "none"))
    if problems:
        raise InputError(problems)
    return content


def _has_trainer(system: Mapping[str, Any]) -> bool:
    return "trainer" in system or any(map(_has_trainer, system.get("members", {}).values()))


def planned_jobs(
    rows: Sequence[Training],
    data: Path,
    work: Path,
    results: Path,
    seeds: int = 1,
    settings: tuple[str, ...] = (),
    minutes: float = 0,
    leave_out: bool = False,
) -> list[Job]:
    """What is to be trained, seed 1 of every row first.

    Raises what rows lack, or with `leave_out` only says it.
    """
    problems: list[Problem] = []
    first: dict[tuple[Path, tuple[str, ...]], Job] = {}
    for row in rows:
        try:
            folder = data_folder(row, data, work)
            official = folder.is_relative_to(work)
            group = f"{row.year}/{row.pair}" if official else row.task
            place = work / group / row.settings[0].partition("=")[2] / "seed1"
            lenient = f"data.lenient={str(official).lower()}"  # as the official scorer
            chosen = (*row.settings, f"task={row.task}", "data=shared_task", lenient)
            chosen += ("resamples=0", *settings)
            if (folder, chosen) in first:
                job = first[folder, chosen]
                first[folder, chosen] = replace(job, rows=(*job.rows, row))
                continue
            is_network = _has_trainer(_checked(chosen, folder, row.task)["system"])
            limited = (*chosen, f"trainer.max_minutes={minutes:g}") if minutes else chosen
            first[folder, chosen] = Job(
                (row,), 1, limited if is_network else chosen, folder, place, is_network
            )
        except InputError as error:
            problems += error.problems
    if problems and not (leave_out and first):
        raise InputError(dict.fromkeys(problems))
    for problem in dict.fromkeys(problems):
        tell(f"left out: {problem}")
    return [
        replace(job, seed=seed, rows=lacking, folder=job.folder.with_name(f"seed{seed}"))
        for seed in range(1, seeds + 1)
        for job in sorted(first.values(), key=_importance)
        if seed == 1 or job.is_network
        for lacking in [tuple(row for row in job.rows if seed not in _made(row, results))]
        if lacking
    ]


def _importance(job: Job) -> tuple[int, int]:
    """Primary submissions and baselines go first, then by task."""
    kinds = {row.kind for row in job.rows}
    return 0 if kinds & {"primary", "baseline"} else 1, TASKS.index(job.rows[0].task)


def _made(row: Training, results: Path) -> tuple[int, ...]:
    """The seeds of a row that is there."""
    exists = row_file(row.name, results).is_file()
    return read_row(row.name, results).seeds if exists else ()


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
    work: Annotated[Path, typer.Option(help="Folder of the trainings.")] = Path("runs/shared"),
    results: Annotated[Path, typer.Option(help="Folder of the rows.")] = FOLDER,
    it_data: Annotated[
        list[Path] | None, typer.Option(help="Text that says what *it* is, for UPPSALA 2016.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of every training (repeat).")
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
    rows = trainings(task or (), year or (), systems or (), it_data or ())
    places = (data.absolute(), work.absolute(), results)
    planned = planned_jobs(rows, *places, seeds, tuple(settings or ()), minutes, leave_out)
    if dry_run:
        for job in planned:
            print(shlex.join(["crosspro", "train", *job.arguments]))
        return
    started, failed = time.monotonic(), 0
    with ThreadPoolExecutor(networks) as gpu, ThreadPoolExecutor(jobs) as others:
        trained = {
            (gpu if job.is_network else others).submit(job.train, threads): job for job in planned
        }
        for number, future in enumerate(as_completed(trained), start=1):
            job = trained[future]
            progress = f"{number} of {len(planned)}, {(time.monotonic() - started) / 60:.1f} min"
            if future.result():
                for row in rows_of(job, *places):
                    tell(f"{progress}: {write_row(row, results)}")
            else:
                failed += 1
                tell(f"{progress}: failed: {job.folder / 'log'}")
    if failed:
        raise typer.Exit(1)


# Rows ---------------------------------------------------------------------------------------------


def rows_of(job: Job, data: Path, work: Path, results: Path) -> Iterator[Row]:
    """The rows of a training; a further seed is added to the row that there is."""
    finished = read_run(job.folder)
    task = load_task(job.rows[0].task)
    gold = read_gold_sets(job, finished, task, results)
    write_gold(task.name, gold, results)
    for row in job.rows:
        yield _row(job, row, finished, task, gold, (data, work, results))


def _row(
    job: Job,
    row: Training,
    finished: Run,
    task: Task,
    gold: GoldLabels,
    folders: tuple[Path, Path, Path],
) -> Row:
    data, work, results = folders
    variant = f".{BASELINE_0}" if row.title == BASELINE_0 else ""
    predictions = {}
    for contents in finished.data:
        if contents.split == "test":
            stem = data_stem(Path(contents.name))
            submission = read_examples(job.folder / f"{stem}{variant}.submission.data", task)
            labels = gold.predictions(_labels(submission))
            predictions[stem.removeprefix("test.")] = {str(job.seed): labels}
    seeds: tuple[int, ...] = (job.seed,)
    if _made(row, results):
        before = read_row(row.name, results)
        if before.predictions.keys() != predictions.keys():
            found, path = ", ".join(predictions), row_file(row.name, results)
            raise input_error(path, "test_sets", ", ".join(before.predictions), found)
        seeds = (*before.seeds, job.seed)
        predictions = {
            name: {**before.predictions[name], **by_seed} for name, by_seed in predictions.items()
        }
    training = [contents for contents in finished.data if contents.split == "train"]
    digests = " ".join(contents.digest for contents in training)

    def without_folders(text: str) -> str:
        return text.replace(str(work), "WORK").replace(str(data), "CORPORA")

    command = without_folders(shlex.join(["crosspro", "train", *job.arguments]))
    return Row(
        name=row.name,
        title=row.title,
        system=finished.system,
        task=row.task,
        origin="own" if row.year is None else "papers",
        seeds=seeds,
        commit=finished.commit or os.environ.get("CROSSPRO_COMMIT", "unknown"),
        training=TrainingText(
            "TED" if all(contents.name.startswith("train.ted") for contents in training) else "all",
            hashlib.sha256(digests.encode()).hexdigest(),
            sum(contents.gaps for contents in training),
        ),
        configuration=tuple(map(without_folders, job.settings)),
        environment=finished.versions,
        commands=(MakingCommand(row.title, command),),
        test_sets={name: gold.described(name) for name in predictions},
        scores=scores_of(gold, predictions),
        predictions=predictions,
        year=row.year,
        notes=tuple(_notes(row, finished)),
    )


def _notes(row: Training, finished: Run) -> Iterator[str]:
    """What a reader of the row should know: the penalty, features left out, a training cut off."""
    figures = finished.fit or {}
    if row.kind == BASELINE and row.title != BASELINE_0:
        yield f"NONE penalty {figures['penalty']:g}, the best on dev"
    for feature, need in figures.get("left_out", {}).items():
        yield f"without {feature}, which expects {need}"
    if figures.get("stopped_by") == "max_minutes":
        yield f"{figures['epochs']} epochs, ended by trainer.max_minutes"


def read_gold_sets(job: Job, finished: Run, task: Task, results: Path) -> GoldLabels:
    """Gold labels with the test sets of a run; those that were there must be the same."""
    known = gold_file(task.name, results).is_file()
    gold = read_gold(task.name, results) if known else GoldLabels(task.classes)
    sets = dict(gold.test_sets)
    for contents in finished.data:
        if contents.split == "test":
            name = data_stem(Path(contents.name)).removeprefix("test.")
            test = _gold_set(job.data / contents.name, task, gold)
            if sets.setdefault(name, test) != replace(test, apart=sets[name].apart):
                expected = f"those of {name} in {gold_file(task.name, results)}"
                raise input_error(job.data / contents.name, "labels", expected, "others")
    return replace(gold, test_sets=sets)


@cache
def _examples(path: Path, task: str) -> tuple[Example, ...]:
    return tuple(read_layered(path, load_task(task), lenient=True))


def _gold_set(path: Path, task: Task, gold: GoldLabels) -> GoldSet:
    examples = _examples(path, task.name)
    documents = tuple(
        sum(len(example.gaps) for example in lines)
        for document, lines in groupby(examples, key=lambda example: example.document)
        if document is not None
    )
    packed = gold.predictions(_labels(examples)).labels
    return GoldSet(packed, tuple(size for size in documents if size))


def _labels(examples: Sequence[Example] | Iterator[Example]) -> list[str]:
    return [gap.label or "" for example in examples for gap in example.gaps]


if __name__ == "__main__":
    run(app)
