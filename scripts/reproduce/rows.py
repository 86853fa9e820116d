"""Rows of results from finished trainings, from averages of these, and pages of submissions."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, product
from pathlib import Path
from typing import Any

from crosspro.data_prep.annotate.layers import data_stem
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.prediction.model_archive import RECORD
from crosspro.prediction.runs import Run, read_run
from crosspro.scripts.common import tell
from crosspro.scripts.reproduce.jobs import Job, data_files, labels_of, training_digest
from crosspro.scripts.reproduce.results import (
    GoldLabels,
    MakingCommand,
    PredictionsBySeed,
    Row,
    TrainingText,
    read_gold,
    read_row,
    renew_gold,
    row_file,
    scores_of,
)
from crosspro.scripts.reproduce.running import PROGRAM, logged
from crosspro.scripts.reproduce.submissions import BASELINE, BASELINE_0, Submission

NOTES = "notes.txt"
PARSE = "source.conllu "
"""How remarks begin that are only for systems that read a parse of the source."""
MONITOR = "macro_recall"
BEST = 3
"""Systems of the papers that are averaged, those with the best scores on dev."""


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


def seeds_made(job: Job, row: Submission, results: Path) -> tuple[int, ...]:
    """The seeds of a row that was made from the data of a job."""
    if not row_file(row.name, results).is_file():
        return ()
    before = read_row(row.name, results)
    same_tests = before.predictions.keys() == job.tests.keys()
    same_text = before.training.digest == training_digest(job.data, job.setup.train)
    return before.seeds if same_tests and same_text else ()


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
        name: {seed: gold.predictions(labels_of(read_examples(submission, job.task)))}
        for name, path in job.tests.items()
        for submission in [folder / f"{data_stem(path)}{variant}.submission.data"]
    }


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
        return f"{' + '.join(self._names(' × '))}, prior tuned"

    @property
    def folder(self) -> Path:
        return self.jobs[0].folder.parents[1] / "ensembles" / "+".join(self._names("x_"))

    def _names(self, times: str) -> list[str]:
        """The experiments, with the number of their seeds before those of several."""
        return [
            f"{len(jobs)}{times}{jobs[0].experiment}" if len(jobs) > 1 else jobs[0].experiment
            for jobs in self.experiments
        ]

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
            if not done.is_file() and not logged([*PROGRAM, *command], log):
                tell(f"failed: {log}")
                return None
        seeds = sorted({job.seed for job in self.jobs})
        predictions = predictions_in(self.folder, first, "+".join(map(str, seeds)))
        trained = {f"{job.experiment} seed {job.seed}": job.arguments for job in self.jobs}
        group = "ours" if self.is_ours else "references"
        year = self.folder.parents[2].name
        of_year = f"{year}." if year.isdigit() else ""  # of official data
        return replace(
            _template(first, predictions, results),
            name=f"{group}/{first.task.name}/{of_year}{self.folder.name}",
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


def write_pages(jobs: Sequence[Job], folder: Path, processes: int = 1) -> None:
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

    def write(task: str, test: Path, named: Sequence[str]) -> None:
        page = folder / f"{task}.{data_stem(test).removeprefix('test.')}.html"
        command = ["evaluate", str(test), *named, "--task", task, "--lenient", "--html", str(page)]
        log = page.with_suffix(".log")
        tell(str(page) if logged([*PROGRAM, *command], log) else f"failed: {log}")

    with ThreadPoolExecutor(processes) as pool:
        written = [
            pool.submit(write, task, test, named) for (task, test), named in submissions.items()
        ]
        for page in written:
            page.result()
