"""Train the systems of the shared tasks, and write a row of results for each published submission.

    python -m crosspro.scripts.reproduce.shared_tasks --data DIR --task en-fr --year 2016 --jobs 4

Every submission of `evaluation/published` has a configuration in conf/experiment. It is trained on
the official files of its year where they lie in DIR, as `crosspro fetch-official` leaves them
(DIR/2016/IWSLT15.en-fr.data.filtered.gz …), else on DIR/PAIR/{train,dev,test}*.data. The rows are
`results/YEAR/PAIR/SUBMISSION.json`; the task of 2015 has all systems of en-fr by the names of their
experiments. Seed 1 of every row comes first, then further seeds of networks. What was made before
is not made again, and a training that was stopped goes on.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import sys
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
from crosspro.data_prep.core.processes import processors
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
TUNED_BASELINE = "baseline-tuned"
INFLECTED_TASK = "en-fr-2015"

TRAINING = ("Europarl", "NCv9", "IWSLT15")
TESTS = {2016: "WMT2016", 2017: "DiscoMT2017"}
DEVELOPMENT = {2016: ("TEDdev",), 2017: ("WMT2016", "TEDdev2")}
"""In 2017 dev was TEDdev2 for es-en, and the test set of 2016 for other pairs (004 §4)."""
STAGED = {"IWSLT15": "ted_IWSLT15"}
"""TED talks are `train.ted*`, as the experiments of teams name them that used nothing else."""


# Which experiment a published row is --------------------------------------------------------------


@dataclass(frozen=True)
class Training:
    """A row to make: its name in `results/`, its task, and the settings of its training."""

    year: int
    task: str
    title: str
    experiment: str
    settings: tuple[str, ...] = ()

    @property
    def pair(self) -> str:
        """The language pair."""
        return self.task.removesuffix(f"-{self.year}")

    @property
    def name(self) -> str:
        """The name of the row."""
        return f"{self.year}/{self.pair}/{self.title}"


def experiment_of(result: PublishedResult) -> str | None:
    """The name in conf/experiment of a published submission; None for one that is only a file."""
    if result.kind in ("baseline", "released"):
        return "baseline" if result.kind == "baseline" else None
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
    tasks: Sequence[str] = (), years: Sequence[int] = (), systems: Sequence[str] = ()
) -> list[Training]:
    """All rows of these tasks, years and submissions (patterns); empty means any."""
    chosen = []
    for result in published_results():
        experiment = experiment_of(result)
        if experiment is not None:
            settings = _penalty(result.submission) if result.kind == "baseline" else ()
            row = Training(result.year, result.pair, result.submission, experiment, settings)
            chosen.append(row)
    of_french = [row for row in chosen if row.task == "en-fr"]
    chosen += dict.fromkeys(
        replace(row, year=2015, task=INFLECTED_TASK, title=_title_2015(row)) for row in of_french
    )
    kept = [
        row
        for row in chosen
        if (not tasks or row.task in tasks)
        and (not years or row.year in years)
        and (not systems or any(fnmatch(row.title, pattern) for pattern in systems))
    ]
    if not kept:
        found = " ".join(map(str, (*tasks, *years, *systems)))
        raise input_error("settings", "--systems", "published submissions", f"none for {found}")
    return kept


def _penalty(submission: str) -> tuple[str, ...]:
    """The setting of a baseline: no penalty, or the one that is best on dev."""
    return (f"system.none_penalty={0 if submission == 'baseline0' else 'null'}",)


def _title_2015(row: Training) -> str:
    if row.experiment != "baseline":
        return row.experiment
    return row.title if row.title == "baseline0" else TUNED_BASELINE


# Data ---------------------------------------------------------------------------------------------


def official_sets(data: Path, year: int, pair: str) -> dict[str, Path]:
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
    if present != {"train", "dev", "test"}:
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
    """A training of a row with one seed, on the data of a folder, in a folder of its own."""

    row: Training
    seed: int
    settings: tuple[str, ...]
    data: Path
    folder: Path

    @property
    def arguments(self) -> list[str]:
        """The arguments of `crosspro train`."""
        folders = (f"data.dir={self.data}", f"hydra.run.dir={self.folder}")
        return [*self.settings, f"seed={self.seed}", *folders]

    def check(self) -> bool:
        """Raise if the row cannot be trained; whether it is a network, which draws its weights."""
        from hydra import compose, initialize_config_dir

        from crosspro.prediction.configuration import configured, plain_config

        with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
            config = compose("train", self.arguments[:-1])
        configured(config, {"task": self.row.task})
        content = plain_config(config)
        problems = [
            Problem(str(self.data), None, split, f"a file {pattern}", "none")
            for split in ("train", "dev", "test")
            for pattern in [content["data"][split]]
            if not any(any(self.data.glob(f"{pattern}{end}")) for end in COMPRESSED)
        ]
        if problems:
            raise InputError(problems)
        return _has_trainer(content["system"])

    def train(self, threads: int) -> bool:
        """Train in another process, unless that was done before; whether it went well."""
        if _is_complete(self.folder):
            return True
        make_folder(self.folder)
        command = [sys.executable, "-m", "crosspro.scripts.train", *self.arguments]
        environment = {"OMP_NUM_THREADS": str(threads), **os.environ}
        with (self.folder / "log").open("ab") as log:
            process = subprocess.run(command, check=False, stdout=log, stderr=log, env=environment)
        return process.returncode == 0


def _has_trainer(system: Mapping[str, Any]) -> bool:
    return "trainer" in system or any(map(_has_trainer, system.get("members", {}).values()))


def _is_complete(folder: Path) -> bool:
    return (folder / RECORD).is_file() and read_run(folder).status == "complete"


@app.command(epilog="Example: shared_tasks --data DIR --task en-fr --year 2016 --jobs 4")
def shared_tasks(
    data: Annotated[Path, typer.Option(help="Folder of official files, or of PAIR/train*.data.")],
    task: Annotated[list[str] | None, typer.Option("--task", "-t", help="Tasks; all six.")] = None,
    year: Annotated[list[int] | None, typer.Option(help="2015, 2016 or 2017; all.")] = None,
    systems: Annotated[
        list[str] | None, typer.Option(help="Submissions, as 'TurkuNLP-*' (repeat); all.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds of each network.")] = 1,
    work: Annotated[Path, typer.Option(help="Folder of the trainings.")] = Path("runs/shared"),
    results: Annotated[Path, typer.Option(help="Folder of the rows.")] = FOLDER,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of every training (repeat).")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the commands.")] = False,
    jobs: Jobs = 1,
) -> None:
    """Train systems of the shared tasks, and write a row of results for each submission."""
    planned = list(
        planned_jobs(
            trainings(task or (), year or (), systems or ()),
            *(data.absolute(), work.absolute(), results, seeds, tuple(settings or ())),
        )
    )
    if dry_run:
        for job in planned:
            print(shlex.join(["crosspro", "train", *job.arguments]))
        return
    failed = []
    threads = max(1, processors() // jobs)
    with ThreadPoolExecutor(jobs) as pool:
        trained = {pool.submit(job.train, threads): job for job in planned}
        for number, future in enumerate(as_completed(trained), start=1):
            job = trained[future]
            if future.result():
                row = write_row(row_of(job, data.absolute(), work.absolute(), results), results)
                tell(f"{number} of {len(planned)}: {row}")
            else:
                failed.append(job)
                tell(f"{number} of {len(planned)}: failed: {job.folder / 'log'}")
    if failed:
        raise typer.Exit(1)


def planned_jobs(
    rows: Sequence[Training],
    data: Path,
    work: Path,
    results: Path,
    seeds: int = 1,
    settings: tuple[str, ...] = (),
) -> Iterator[Job]:
    """What is to be trained, seed 1 of every row first; raises what the rows lack."""
    problems: list[Problem] = []
    first: list[tuple[Job, bool]] = []
    for row in rows:
        try:
            chosen = (f"experiment={row.experiment}", f"task={row.task}", *row.settings)
            folder = data_folder(row, data, work)
            lenient = str(folder.is_relative_to(work)).lower()  # as the official scorer
            chosen += ("data=shared_task", f"data.lenient={lenient}", "resamples=0", *settings)
            job = Job(row, 1, chosen, folder, work / row.name / "seed1")
            first.append((job, job.check()))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(dict.fromkeys(problems))
    for seed in range(1, seeds + 1):
        for job, is_network in first:
            if seed not in _made(job.row, results) and (seed == 1 or is_network):
                yield replace(job, seed=seed, folder=work / job.row.name / f"seed{seed}")


def _made(row: Training, results: Path) -> tuple[int, ...]:
    """The seeds of a row that is there."""
    exists = row_file(row.name, results).is_file()
    return read_row(row.name, results).seeds if exists else ()


# Rows ---------------------------------------------------------------------------------------------


def row_of(job: Job, data: Path, work: Path, results: Path) -> Row:
    """The row of a training; a further seed is added to the row that there is."""
    row, finished = job.row, read_run(job.folder)
    task = load_task(row.task)
    gold, labels = read_predictions(job, finished, task, results)
    write_gold(task.name, gold, results)
    predictions = {name: {str(job.seed): gold.predictions(labels[name])} for name in labels}
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
    command = shlex.join(["crosspro", "train", *job.arguments])
    command = command.replace(str(work), "WORK").replace(str(data), "CORPORA")
    penalty = (finished.fit or {}).get("penalty")
    return Row(
        name=row.name,
        title=row.title,
        system=finished.system,
        task=row.task,
        origin="papers",
        seeds=seeds,
        commit=finished.commit or "unknown",
        training=TrainingText(
            "TED" if all(contents.name.startswith("train.ted") for contents in training) else "all",
            hashlib.sha256(digests.encode()).hexdigest(),
            sum(contents.gaps for contents in training),
        ),
        configuration=job.settings,
        environment=finished.versions,
        commands=(MakingCommand(row.title, command),),
        test_sets={name: gold.described(name) for name in predictions},
        scores=scores_of(gold, predictions),
        predictions=predictions,
        year=row.year,
        notes=() if penalty is None else (f"NONE penalty {penalty:g}, the best on dev",),
    )


def read_predictions(
    job: Job, finished: Run, task: Task, results: Path
) -> tuple[GoldLabels, dict[str, list[str]]]:
    """Gold labels with the test sets of a run, and the labels that it gave to each."""
    known = gold_file(task.name, results).is_file()
    gold = read_gold(task.name, results) if known else GoldLabels(task.classes)
    labels: dict[str, list[str]] = {}
    sets = dict(gold.test_sets)
    for contents in finished.data:
        if contents.split != "test":
            continue
        stem = data_stem(Path(contents.name))
        name = stem.removeprefix("test.")
        test = _gold_set(job.data / contents.name, task, gold)
        if sets.setdefault(name, test) != replace(test, apart=sets[name].apart):
            expected = f"those of {name} in {gold_file(task.name, results)}"
            raise input_error(job.data / contents.name, "labels", expected, "others")
        submission = read_examples(job.folder / f"{stem}.submission.data", task)
        labels[name] = _labels(submission)
    return replace(gold, test_sets=sets), labels


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
