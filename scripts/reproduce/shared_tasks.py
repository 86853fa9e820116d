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

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, groupby, product
from pathlib import Path
from typing import Annotated, Any

import typer

from crosspro.conf import CONF_DIR
from crosspro.data_prep.annotate.layers import (
    COMPRESSED,
    data_stem,
    layers_beside,
    read_layered,
)
from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import make_folder, read_text_lines, sha256_of
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.lexicon.load import PACKAGES
from crosspro.prediction.model_archive import RECORD
from crosspro.prediction.runs import Run, read_run
from crosspro.scripts.cli import run
from crosspro.scripts.common import App, Jobs, tell
from crosspro.scripts.reproduce.needs import (
    missing_disk_space,
    missing_lexicons,
    missing_training_packages,
)
from crosspro.scripts.reproduce.real_data import annotate_sources, real_data
from crosspro.scripts.reproduce.results import (
    FOLDER,
    GoldLabels,
    GoldSet,
    MakingCommand,
    PredictionsBySeed,
    Row,
    TrainingText,
    joined_digest,
    read_gold,
    read_row,
    renew_gold,
    row_file,
    scores_of,
    write_row,
)
from crosspro.scripts.reproduce.results_page import write_page
from crosspro.scripts.reproduce.submissions import (
    BASELINE,
    BASELINE_0,
    TASKS,
    Submission,
    planned_submissions,
)

app = App()

TRAINING_SETS = ("Europarl", "NCv9", "IWSLT15")
TESTS = {2016: "WMT2016", 2017: "DiscoMT2017"}
DEVELOPMENT = {2016: ("TEDdev",), 2017: ("WMT2016", "TEDdev2")}
"""In 2017 dev was TEDdev2 for es-en, and the test set of 2016 for other pairs (004 §4)."""
STAGED = {"IWSLT15": "ted_IWSLT15"}
"""TED talks are `train.ted*`, as the experiments of teams name them that used nothing else."""
SPLITS = ("train", "dev", "test")
NOTES = "notes.txt"
PARSE = "source.conllu "
"""How remarks begin that are only for systems that read a parse of the source."""
FREE_MB = 100
"""Free disk space that each training must have."""
MONITOR = "macro_recall"
BEST = 3
"""Systems of the papers that are averaged, those with the best scores on dev."""


# Data ---------------------------------------------------------------------------------------------


def official_sets(data: Path, year: int | None, pair: str) -> dict[str, Path]:
    """The official files of a year and pair by usual names, such as train.Europarl.data.gz."""
    if year not in TESTS:
        return {}
    corpora = {f"train.{STAGED.get(name, name)}": name for name in TRAINING_SETS}
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


def data_folder(row: Submission, data: Path, work: Path) -> Path:
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


def data_files(folder: Path, pattern: str) -> list[Path]:
    """The files of a pattern such as test*.data, which may be compressed."""
    return sorted(path for end in COMPRESSED for path in folder.glob(pattern + end))


@cache
def training_digest(folder: Path, pattern: str) -> str:
    """The digest of training files and their layers, by which a row knows its data."""
    return joined_digest(
        (sha256_of(path), [sha256_of(layer) for layer in layers_beside(path).files().values()])
        for path in data_files(folder, pattern)
    )


@cache
def gold_set(path: Path, task: str) -> GoldSet:
    """Gold labels of a test file, and the sizes of its documents."""
    rules = load_task(task)
    examples = list(read_layered(path, rules, lenient=True))
    documents = tuple(
        sum(len(example.gaps) for example in lines)
        for document, lines in groupby(examples, key=lambda example: example.document)
        if document is not None
    )
    packed = GoldLabels(rules.classes).predictions(_labels(examples)).labels
    return GoldSet(packed, tuple(size for size in documents if size))


# Training -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setup:
    """What the configuration of a training says of its system, and its data by patterns."""

    is_network: bool
    reads_parse: bool
    train: str
    dev: str
    test: str


@dataclass(frozen=True)
class Job:
    """A training with one seed, on the data of a folder, in a folder of its own, for its rows."""

    rows: tuple[Submission, ...]
    seed: int
    settings: tuple[str, ...]
    data: Path
    folder: Path
    setup: Setup

    @property
    def task(self) -> Task:
        return load_task(self.rows[0].task)

    @property
    def experiment(self) -> str:
        return self.rows[0].experiment

    @property
    def tests(self) -> dict[str, Path]:
        """Test files by the names of their sets."""
        files = data_files(self.data, self.setup.test)
        return {data_stem(path).removeprefix("test."): path for path in files}

    @property
    def gold(self) -> dict[str, GoldSet]:
        return {name: gold_set(path, self.task.name) for name, path in self.tests.items()}

    @property
    def arguments(self) -> list[str]:
        """The arguments of `crosspro train`."""
        folders = (f"data.dir={self.data}", f"hydra.run.dir={self.folder}")
        return [*self.settings, f"seed={self.seed}", *folders]

    @property
    def is_complete(self) -> bool:
        return (self.folder / RECORD).is_file() and read_run(self.folder).status == "complete"

    def train(self, threads: int) -> bool:
        """Train in another process, unless that was done before; whether it went well."""
        if self.is_complete:
            return True
        environment = {"OMP_NUM_THREADS": str(threads), **os.environ}
        if not self.setup.is_network:
            environment["CUDA_VISIBLE_DEVICES"] = ""
        return logged(["train", *self.arguments], self.folder / "log", environment)


def logged(arguments: Sequence[str], log: Path, environment: Mapping[str, str]) -> bool:
    """Run a command of crosspro in another process with its output in a file; whether it worked."""
    make_folder(log.parent)
    command = [sys.executable, "-m", "crosspro.scripts.cli", *arguments]
    with log.open("ab") as output:
        process = subprocess.run(
            command, check=False, stdout=output, stderr=output, env=environment
        )
    return process.returncode == 0


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
        problems.append(Problem(str(data), None, system.shown_name, expected, "none"))
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
            chosen += ("resamples=0", *settings)
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
    return [
        replace(job, seed=seed, folder=job.folder.with_name(f"seed{seed}"))
        for seed in range(1, seeds + 1)
        for job in sorted(first.values(), key=_importance)
        if seed == 1 or job.setup.is_network
    ]


def lacking(jobs: Sequence[Job], results: Path) -> list[Job]:
    """The trainings whose seed some row lacks, for those rows."""
    reduced = [
        replace(job, rows=tuple(r for r in job.rows if job.seed not in seeds_made(job, r, results)))
        for job in jobs
    ]
    return [job for job in reduced if job.rows]


def seeds_made(job: Job, row: Submission, results: Path) -> tuple[int, ...]:
    """The seeds of a row that was made from the data of a job."""
    if not row_file(row.name, results).is_file():
        return ()
    before = read_row(row.name, results)
    same_tests = before.predictions.keys() == job.tests.keys()
    same_text = before.training.digest == training_digest(job.data, job.setup.train)
    return before.seeds if same_tests and same_text else ()


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
    rows = planned_submissions(task or (), year or (), systems or (), it_data or ())
    if problems := [*missing_training_packages(), *_absent_files(it_data or ())]:
        raise InputError(problems)
    data, work = data.absolute(), work.absolute()
    absent = sorted({row.task for row in rows if not (data / row.task).is_dir()})
    if corpora and absent:
        make_folder(data)
        inflected = corpora / "official_discomt2015"
        real_data(data, corpora / "bitext", absent, inflected if inflected.is_dir() else None)
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
    write_pages(planned, work / "pages")
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


# Rows ---------------------------------------------------------------------------------------------


def rows_of(job: Job, results: Path, places: Mapping[str, str]) -> Iterator[Row]:
    """The rows of a training; a further seed is added to the row that there is."""
    finished = read_run(job.folder)
    renew_gold(job.task, job.gold, results)
    for row in job.rows:
        predictions = predictions_in(job.folder, job, str(job.seed), _variant(row))
        seeds: tuple[int, ...] = (job.seed,)
        if before := seeds_made(job, row, results):
            seeds = (*before, job.seed)
            predictions = {
                name: {**by_seed, **predictions[name]}
                for name, by_seed in read_row(row.name, results).predictions.items()
            }
        yield replace(
            _template(job, predictions, results),
            name=row.name,
            title=row.title,
            origin="own" if row.year is None else "papers",
            seeds=seeds,
            configuration=tuple(_without(places, setting) for setting in job.settings),
            commands=(MakingCommand(row.title, _shown(places, "train", *job.arguments)),),
            year=row.year,
            notes=(*_notes(row, finished), *_remarks(job)),
        )


def _template(job: Job, predictions: PredictionsBySeed, results: Path) -> Row:
    """A row with its data, its predictions and their scores."""
    finished, gold = read_run(job.folder), read_gold(job.task.name, results)
    training = [contents for contents in finished.data if contents.split == "train"]
    return Row(
        name="",
        title="",
        system=finished.system,
        task=job.task.name,
        origin="papers",
        seeds=(job.seed,),
        commit=finished.commit or os.environ.get("CROSSPRO_COMMIT", "unknown"),
        training=TrainingText(
            "TED" if all(contents.name.startswith("train.ted") for contents in training) else "all",
            training_digest(job.data, job.setup.train),
            sum(contents.gaps for contents in training),
        ),
        configuration=(),
        environment=finished.versions,
        commands=(),
        test_sets={name: gold.described(name) for name in predictions},
        scores=scores_of(gold, predictions),
        predictions=predictions,
    )


def predictions_in(folder: Path, job: Job, seed: str, variant: str = "") -> PredictionsBySeed:
    """The labels of the submissions in a folder, as a row has them."""
    gold = GoldLabels(job.task.classes)
    return {
        name: {seed: gold.predictions(_labels(read_examples(submission, job.task)))}
        for name, path in job.tests.items()
        for submission in [folder / f"{data_stem(path)}{variant}.submission.data"]
    }


def _labels(examples: Iterable[Example]) -> list[str]:
    return [gap.label or "" for example in examples for gap in example.gaps]


def _variant(row: Submission) -> str:
    """What the predictions of a row have in their name: one baseline is two rows."""
    return f".{BASELINE_0}" if row.title == BASELINE_0 else ""


def _notes(row: Submission, finished: Run) -> Iterator[str]:
    """What a reader of the row should know: the penalty, features left out, a training cut off."""
    figures = finished.fit or {}
    if row.kind == BASELINE and row.title != BASELINE_0:
        yield f"penalty {figures['penalty']:g}: of the NONE filler, the best on dev"
    for feature, need in figures.get("left_out", {}).items():
        yield f"without {feature}, which expects {need}"
    cut_off = [part["epochs"] for part in _parts(figures) if part["stopped_by"] == "max_minutes"]
    if cut_off:
        epochs = " and ".join(map(str, cut_off))
        yield f"{epochs} epochs: ended by trainer.max_minutes"


def _parts(figures: Any) -> Iterator[Mapping[str, Any]]:
    """The figures of each network in those of a training, which may be of an ensemble."""
    if isinstance(figures, Mapping):
        if "stopped_by" in figures:
            yield figures
        for value in figures.values():
            yield from _parts(value)
    elif isinstance(figures, Sequence) and not isinstance(figures, str):
        for value in figures:
            yield from _parts(value)


def _remarks(job: Job) -> Iterator[str]:
    """What is said of the data (`notes.txt`), as far as the system reads it."""
    path = job.data / NOTES
    for line in read_text_lines(path) if path.is_file() else ():
        if line.strip() and (job.setup.reads_parse or not line.startswith(PARSE)):
            yield line.strip().removeprefix(PARSE)


def _without(places: Mapping[str, str], text: str) -> str:
    """A text with names of folders in place of their paths."""
    for path, name in places.items():
        text = text.replace(path, name)
    return text


def _shown(places: Mapping[str, str], *arguments: str) -> str:
    return _without(places, shlex.join(["crosspro", *arguments]))


# Ensembles ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Average:
    """Trainings whose probabilities are averaged, by experiment, with a prior chosen on dev."""

    experiments: tuple[tuple[Job, ...], ...]

    @property
    def jobs(self) -> tuple[Job, ...]:
        return tuple(chain(*self.experiments))

    @property
    def is_ours(self) -> bool:
        return any(job.rows[0].year is None for job in self.jobs)

    @property
    def title(self) -> str:
        """Such as `3 × turku_2017_primary + stymne_2017, prior tuned`."""
        names = [
            f"{len(jobs)} × {jobs[0].experiment}" if len(jobs) > 1 else jobs[0].experiment
            for jobs in self.experiments
        ]
        return f"{' + '.join(names)}, prior tuned"

    @property
    def folder(self) -> Path:
        names = [
            f"{len(jobs)}x_{jobs[0].experiment}" if len(jobs) > 1 else jobs[0].experiment
            for jobs in self.experiments
        ]
        return self.jobs[0].folder.parents[1] / "ensembles" / "+".join(names)

    def row(self, results: Path, places: Mapping[str, str]) -> Row | None:
        """Join the trainings, predict the tests, and make the row; None if that fails."""
        first, folder = self.jobs[0], str(self.folder)
        tuned = [("--tune", str(path)) for path in data_files(first.data, first.setup.dev)]
        how = ("--monitor", MONITOR, "--choose", "prior", "--average", "geometric", "-o", folder)
        runs = [str(job.folder) for job in self.jobs]
        commands = {"ensemble": ["ensemble", *runs, *chain(*tuned), *how]}
        for name, path in first.tests.items():
            output = str(self.folder / f"{data_stem(path)}.submission.data")
            commands[name] = ["predict", folder, str(path), "-o", output]
        log = self.folder.with_name(f"{self.folder.name}.log")
        for makes, command in commands.items():
            done = self.folder / RECORD if makes == "ensemble" else Path(command[-1])
            if not done.is_file() and not logged(command, log, os.environ):
                tell(f"failed: {log}")
                return None
        seeds = sorted({job.seed for job in self.jobs})
        predictions = predictions_in(self.folder, first, "+".join(map(str, seeds)))
        trained = {f"{job.experiment} seed {job.seed}": job.arguments for job in self.jobs}
        group = "ours" if self.is_ours else "references"
        official = "" if first.data.name == first.task.name else f"{first.rows[0].year}."
        return replace(
            _template(first, predictions, results),
            name=f"{group}/{first.task.name}/{official}{self.folder.name}",
            title=self.title,
            system="ensemble",
            origin="own" if self.is_ours else "papers",
            seeds=tuple(seeds),
            configuration=(f"tune={MONITOR}", "choose=prior", "average=geometric"),
            commands=tuple(
                MakingCommand(makes, _shown(places, *command))
                for makes, command in (
                    *((name, ["train", *arguments]) for name, arguments in trained.items()),
                    *commands.items(),
                )
            ),
            ensemble=True,
            members=tuple(dict.fromkeys(job.rows[0].name for job in self.jobs)),
            notes=tuple(_remarks(first)),
        )


def averages(planned: Sequence[Job]) -> list[Average]:
    """What is averaged: the seeds of each network, the best systems of the papers, ours and these.

    Ours and theirs are averaged alike; which are best, the development set says.
    """
    by_data: dict[Path, dict[Path, list[Job]]] = {}
    for job in filter(lambda job: job.is_complete, planned):
        by_data.setdefault(job.data, {}).setdefault(job.folder.parent, []).append(job)
    chosen = []
    for of_folder in by_data.values():
        experiments = sorted(map(tuple, of_folder.values()), key=_dev_score, reverse=True)
        chosen += [Average((jobs,)) for jobs in experiments if len(jobs) > 1]
        ours = [jobs for jobs in experiments if jobs[0].rows[0].year is None]
        papers = [jobs for jobs in experiments if jobs not in ours]
        chosen += [Average(tuple(papers[:BEST]))] if len(papers) > 1 else []
        chosen += [Average((jobs, papers[0])) for jobs in ours if papers]
    return chosen


def _dev_score(jobs: Sequence[Job]) -> float:
    return read_run(jobs[0].folder).scores["dev"][MONITOR].value


# Pages --------------------------------------------------------------------------------------------


def write_pages(jobs: Sequence[Job], folder: Path) -> None:
    """The page of `crosspro evaluate` for each test set, with primary submissions and ours."""
    submissions: dict[tuple[str, Path], list[str]] = {}
    for job in jobs:
        if job.seed > 1 or not job.is_complete:
            continue
        for row, path in product(job.rows, job.tests.values()):
            if row.kind != "contrastive":
                file = f"{data_stem(path)}{_variant(row)}.submission.data"
                name = f"{row.name.replace('/', ' ')}={job.folder / file}"
                submissions.setdefault((row.task, path), []).append(name)
    for (task, test), named in submissions.items():
        page = folder / f"{task}.{data_stem(test).removeprefix('test.')}.html"
        command = ["evaluate", str(test), *named, "--task", task, "--html", str(page)]
        if logged([*command, "--lenient"], folder / "log", os.environ):
            tell(str(page))


if __name__ == "__main__":
    run(app)
