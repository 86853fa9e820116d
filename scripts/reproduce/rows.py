"""Rows of results from finished trainings, and from averages of these."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, product
from pathlib import Path
from typing import Any

from crosspro.data_prep.annotate.layers import data_stem
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.prediction.model_archive import RECORD
from crosspro.prediction.runs import Run, read_run
from crosspro.scripts.reproduce.results import (
    GoldLabels,
    Predictions,
    Row,
    read_gold,
    read_row,
    renew_gold,
    row_file,
    scores_of,
)
from crosspro.scripts.reproduce.running import PROGRAM, logged
from crosspro.scripts.reproduce.submissions import BASELINE, BASELINE_0, Submission
from crosspro.scripts.reproduce.trainings import Training, data_files, gold_set, labels_of

NOTES = "notes.txt"
PARSE = "source.conllu "
"""How remarks begin that are only for systems that read a parse of the source."""
MONITOR = "macro_recall"
BEST = 3
"""Systems of the papers that are averaged, those with the best scores on dev."""


def rows_of(training: Training, results: Path, places: Mapping[str, str]) -> Iterator[Row]:
    """The rows of a training; a further seed is added to the row that there is.

    In commands, the paths of `places` are replaced by their names.
    """
    run, task = read_run(training.folder), training.task.name
    gold = {name: gold_set(path, task) for name, path in training.tests.items()}
    renew_gold(training.task, gold, results)
    for row in training.rows:
        predictions = _predictions(training, training.folder, str(training.seed), _variant(row))
        seeds: tuple[int, ...] = (training.seed,)
        if before := seeds_made(training, row, results):
            seeds = (*before, training.seed)
            predictions = {
                name: {**by_seed, **predictions[name]}
                for name, by_seed in read_row(row.name, results).predictions.items()
            }
        yield _row(
            training,
            predictions,
            results,
            name=row.name,
            title=row.title,
            system=run.system,
            origin="papers" if row.year else "own",
            seeds=seeds,
            configuration=tuple(_without(places, setting) for setting in training.settings),
            commands=(_command(places, row.title, "train", *training.arguments),),
            year=row.year,
            notes=(*_notes(row, run), *_remarks(training)),
        )


def seeds_made(training: Training, row: Submission, results: Path) -> tuple[int, ...]:
    """The seeds of a row that was made from the data of a training."""
    if not row_file(row.name, results).is_file():
        return ()
    before = read_row(row.name, results)
    same_tests = before.predictions.keys() == training.tests.keys()
    return before.seeds if same_tests and before.training["digest"] == training.text_digest else ()


def _variant(row: Submission) -> str:
    """What the predictions of a row have in their name: one baseline is two rows."""
    return f".{BASELINE_0}" if row.title == BASELINE_0 else ""


def _row(training: Training, predictions: Predictions, results: Path, **described: Any) -> Row:
    """A row with the data of a training, and the scores of its predictions."""
    run, gold = read_run(training.folder), read_gold(training.task.name, results)
    learnt = [contents for contents in run.data if contents.split == "train"]
    talks = all(contents.name.startswith("train.ted") for contents in learnt)
    return Row(
        task=training.task.name,
        commit=run.commit or os.environ.get("CROSSPRO_COMMIT", "unknown"),
        training={
            "name": "TED" if talks else "all",
            "digest": training.text_digest,
            "gaps": sum(contents.gaps for contents in learnt),
            "rules": [],
        },
        environment=run.versions,
        test_sets={name: gold.described(name) for name in predictions},
        scores=scores_of(gold, predictions),
        predictions=predictions,
        **described,
    )


def _predictions(training: Training, folder: Path, seed: str, variant: str = "") -> Predictions:
    """The labels of the submissions in a folder, as a row has them."""
    task, gold = training.task, GoldLabels(training.task.classes)
    predictions = {}
    for name, path in training.tests.items():
        submission = folder / f"{data_stem(path)}{variant}.submission.data"
        labels = gold.packed(labels_of(read_examples(submission, task)))
        predictions[name] = {seed: {"digest": gold.digest(labels), "labels": labels}}
    return predictions


def _notes(row: Submission, run: Run) -> Iterator[str]:
    """What a reader of the row should know: the penalty, features left out, a training cut off."""
    figures = run.fit or {}
    if row.kind == BASELINE and row.title != BASELINE_0:
        yield f"penalty {figures['penalty']:g}: of the NONE filler, the best on dev"
    for feature, need in figures.get("left_out", {}).items():
        yield f"without {feature}, which expects {need}"
    cut_off = [fit["epochs"] for fit in _fits(figures) if fit["stopped_by"] == "max_minutes"]
    if cut_off:
        epochs = " and ".join(map(str, cut_off))
        yield f"{epochs} epochs: ended by trainer.max_minutes"


def _fits(figures: Any) -> Iterator[Mapping[str, Any]]:
    """The figures of each network in those of a training, which may be of an ensemble."""
    if isinstance(figures, Mapping):
        if "stopped_by" in figures:
            yield figures
        figures = list(figures.values())
    if isinstance(figures, list | tuple):
        for value in figures:
            yield from _fits(value)


def _remarks(training: Training) -> Iterator[str]:
    """What is said of the data (`notes.txt`), as far as the system reads it."""
    path = training.data / NOTES
    for line in read_text_lines(path) if path.is_file() else ():
        if line.strip() and (training.reads_parse or not line.startswith(PARSE)):
            yield line.strip().removeprefix(PARSE)


def _command(places: Mapping[str, str], makes: str, *arguments: str) -> dict[str, Any]:
    command = _without(places, shlex.join(["crosspro", *arguments]))
    return {"makes": makes, "command": command, "needs": []}


def _without(places: Mapping[str, str], text: str) -> str:
    """A text with names of folders in place of their paths."""
    for path, name in places.items():
        text = text.replace(path, name)
    return text


# Averages -----------------------------------------------------------------------------------------

Seeds = tuple[Training, ...]
"""The trainings of one experiment on the same data, by seed."""


def planned_averages(trainings: Sequence[Training]) -> list[tuple[Seeds, ...]]:
    """What is averaged: the seeds of each network, the best systems of the papers, ours and these.

    Ours and theirs are averaged alike; which are best, the development set says.
    """
    by_data: dict[Path, dict[Path, list[Training]]] = {}
    for training in filter(lambda training: training.is_complete, trainings):
        of_data = by_data.setdefault(training.data, {})
        of_data.setdefault(training.folder.parent, []).append(training)
    averages: list[tuple[Seeds, ...]] = []
    for of_data in by_data.values():
        experiments = sorted(map(tuple, of_data.values()), key=_dev_score, reverse=True)
        averages += [(seeds,) for seeds in experiments if len(seeds) > 1]
        ours = [seeds for seeds in experiments if seeds[0].is_ours]
        papers = [seeds for seeds in experiments if not seeds[0].is_ours]
        averages += [tuple(papers[:BEST])] if len(papers) > 1 else []
        averages += [(seeds, papers[0]) for seeds in ours if papers]
    return averages


def _dev_score(seeds: Seeds) -> float:
    return read_run(seeds[0].folder).scores["dev"][MONITOR].value


def average_row(
    experiments: Sequence[Seeds], results: Path, places: Mapping[str, str]
) -> Row | None:
    """Average the probabilities of trainings, with a prior chosen on dev; None if that fails."""
    trainings = list(chain(*experiments))
    first, ours = trainings[0], any(training.is_ours for training in trainings)
    work = first.folder.parents[1]
    folder = work / "ensembles" / "+".join(_names(experiments, "x_"))
    dev = data_files(first.data, first.patterns["dev"])
    how = ("--monitor", MONITOR, "--choose", "prior", "--average", "geometric", "-o", str(folder))
    runs = [str(training.folder) for training in trainings]
    tuned = chain.from_iterable(("--tune", str(path)) for path in dev)
    commands = {"ensemble": ["ensemble", *runs, *tuned, *how]}
    for name, path in first.tests.items():
        output = str(folder / f"{data_stem(path)}.submission.data")
        commands[name] = ["predict", str(folder), str(path), "-o", output]
    log = folder.with_name(f"{folder.name}.log")
    for makes, command in commands.items():
        done = folder / RECORD if makes == "ensemble" else Path(command[-1])
        if not done.is_file() and not logged([*PROGRAM, *command], log):
            return None
    seeds = sorted({training.seed for training in trainings})
    year = work.parent.name
    of_year = f"{year}." if year.isdigit() else ""  # of official data
    making = {
        f"{training.experiment} seed {training.seed}": ["train", *training.arguments]
        for training in trainings
    } | commands
    return _row(
        first,
        _predictions(first, folder, "+".join(map(str, seeds))),
        results,
        name=f"{'ours' if ours else 'references'}/{first.task.name}/{of_year}{folder.name}",
        title=f"{' + '.join(_names(experiments, ' × '))}, prior tuned",
        system="ensemble",
        origin="own" if ours else "papers",
        seeds=tuple(seeds),
        configuration=(f"tune={MONITOR}", "choose=prior", "average=geometric"),
        commands=tuple(_command(places, makes, *words) for makes, words in making.items()),
        ensemble=True,
        members=tuple(dict.fromkeys(training.rows[0].name for training in trainings)),
        notes=tuple(_remarks(first)),
    )


def _names(experiments: Sequence[Seeds], times: str) -> list[str]:
    """The experiments, with the number of their seeds before those of several."""
    return [
        f"{len(seeds)}{times}{seeds[0].experiment}" if len(seeds) > 1 else seeds[0].experiment
        for seeds in experiments
    ]


# Pages --------------------------------------------------------------------------------------------


def write_pages(trainings: Sequence[Training], folder: Path, jobs: int = 1) -> None:
    """The page of `crosspro evaluate` for each test set, with primary submissions and ours."""
    submissions: dict[tuple[str, Path], list[str]] = {}
    for training in trainings:
        if training.seed == 1 and training.is_complete:
            for row, path in product(training.rows, training.tests.values()):
                if row.kind != "contrastive":
                    file = training.folder / f"{data_stem(path)}{_variant(row)}.submission.data"
                    name = f"{row.name.replace('/', ' ')}={file}"
                    submissions.setdefault((row.task, path), []).append(name)
    with ThreadPoolExecutor(jobs) as pool:
        for (task, test), named in submissions.items():
            page = folder / f"{task}.{data_stem(test).removeprefix('test.')}.html"
            files = ["evaluate", str(test), *named]
            command = [*PROGRAM, *files, "--task", task, "--lenient", "--html", str(page)]
            pool.submit(logged, command, page.with_suffix(".log"))
