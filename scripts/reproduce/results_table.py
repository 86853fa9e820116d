"""The tables of RESULTS.md: several runs on several test sets, and on all of them pooled.

    python -m crosspro.scripts.reproduce.results_table --data DIR --against RUN RUN…

Runs that differ in their seed alone, by what their folders say (`run.json`), share a row; runs of
one system with other settings have rows of their own. Folders of older runs, which say nothing,
are told by name: RUN.1, RUN.2 … are seeds of one system. RUN:VARIANT is a variant that came out of
the same fit, such as ngram:ngram_penalty_0. For each test set macro recall and accuracy are the
means over seeds; the pooled column also has the 95% interval of that mean, resampled by what its
title says (all seeds on the same resamples): documents, or gaps where a set has no doc-ids. An
interval that does not hold its mean is left out. Differences to `--against` are those of the pooled
sets: their mean, the lowest and the highest of the seeds, and the largest p (approximate
randomisation of the same units, two-sided).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from crosspro.data_prep.errors import InputError, Problem
from crosspro.data_prep.layers import layers_beside
from crosspro.data_prep.task import Task, load_task
from crosspro.evaluation.statistics.significance import (
    Metric,
    Resampling,
    bootstrap_sums,
    interval,
)
from crosspro.evaluation.statistics.units import Floats
from crosspro.evaluation.submissions.results import Evaluation, evaluate
from crosspro.evaluation.submissions.scores import accuracy, macro_recall
from crosspro.evaluation.submissions.submission import Gold, Submission, read_gold, read_submissions
from crosspro.evaluation.submissions.units import confusion_units, on_sums
from crosspro.prediction.runs import Run, find_run
from crosspro.scripts.main import command_app, run

app = command_app()

METRICS = {"macro_recall": macro_recall, "accuracy": accuracy}
_COLUMNS = ("task", "system", "seed", "data", "data.dir")
_ON_THE_WAY = ("checkpoint_epochs", "encoded_dir", "progress_bar")
_NO_CHANGE = (*_COLUMNS, *(f"trainer.{name}" for name in _ON_THE_WAY))
"""Arguments of a run that do not tell one row from another: columns, different for each task, or
without a result: what was kept where while it ran."""


@dataclass(frozen=True)
class Row:
    """The runs of one system that differ in their seed alone; `changes` are its other settings."""

    system: str
    variant: str
    changes: frozenset[str]


@app.command()
def results_table(
    runs: Annotated[list[str], typer.Argument(help="Folders of runs: RUN, or RUN:VARIANT.")],
    data: Annotated[Path, typer.Option(help="Folder with the gold files test*.data.")],
    against: Annotated[str, typer.Option(help="The run that all others are compared with.")],
    task: Annotated[str | None, typer.Option(help="Another task than that of the runs.")] = None,
    resamples: Annotated[int, typer.Option(help="Resamples.")] = 2000,
) -> None:
    """Print a Markdown table of several runs on several test sets."""
    found_runs = {one: find_run(one.partition(":")[0]) for one in runs}
    rules = replace(load_task(task or _task(found_runs)), official_score="macro_recall")
    paths = sorted(data.glob("test*.data*"))
    golds = {
        p.name.partition(".data")[0]: read_gold(p, rules, layers_beside(p).documents) for p in paths
    }
    pooled = pool(list(golds.values()))
    plan = Resampling(resamples)
    base = _read(against, golds, rules)
    several = len(golds) > 1  # one set is the pooled one
    titles = [f"{n.removeprefix('test.')} ({len(g.classes)})" for n, g in golds.items()]
    if several:
        titles.append(f"pooled ({len(pooled.classes)})")
    titles[-1] += f" [95% by {pooled.unit}]"
    print("| system | " + " | ".join(titles) + " | difference |")
    print("| --- |" + " ---: |" * (len(titles) + 1))
    for name, folders in _by_system(found_runs).items():
        cells, all_sets = [], []
        for folder in folders:
            found = _read(folder, golds, rules)
            sets = [
                evaluate(rules, g, [s], "skip", None)
                for g, s in zip(golds.values(), found, strict=True)
            ]
            cells.append([_values(e) for e in sets])
            all_sets.append(Submission(name, np.concatenate([s.classes for s in found])))
        means = np.mean(cells, axis=0) if several else []
        columns = [f"{recall:.1f} / {correct:.1f}" for recall, correct in means]
        first = Submission("base", np.concatenate([s.classes for s in base]))
        together = [evaluate(rules, pooled, [s, first], "skip", plan) for s in all_sets]
        columns += [_pooled(all_sets, pooled, rules, plan), _difference(together)]
        print(f"| {name} ({len(folders)}) | " + " | ".join(columns) + " |", flush=True)


def _task(runs: dict[str, Run | None]) -> str:
    """The task of all runs."""
    tasks = {one.task for one in runs.values() if one}
    if len(tasks) != 1:
        found = ", ".join(sorted(tasks)) or "none"
        raise typer.BadParameter(f"name the task: --task TASK; the runs have {found}")
    return tasks.pop()


def _by_system(runs: dict[str, Run | None]) -> dict[str, list[str]]:
    """The folders of each row by its title: runs that differ in their seed alone, together."""
    rows: dict[Row, list[str]] = {}
    for one in sorted(runs):
        rows.setdefault(_row(one, runs[one]), []).append(one)
    problems = []
    for folders in rows.values():
        known = [found.seed for one in folders if (found := runs[one])]
        seeds = [seed for seed in known if seed is not None]
        if len(set(seeds)) < len(seeds):
            several = ", ".join(folders)
            problems.append(Problem("runs", None, "seed", "one run of each seed", several))
    if problems:
        raise InputError(problems)
    old = ", ".join(one for one, found in runs.items() if found is None)
    if old:
        print(f"no run.json, so told by the names of their folders: {old}", file=sys.stderr)
    return {_title(row, list(rows)): folders for row, folders in rows.items()}


def _row(one: str, found: Run | None) -> Row:
    folder, _, variant = one.partition(":")
    if found is None or found.seed is None:
        stem, _, seed = Path(folder).name.rpartition(".")
        return Row(stem if seed.isdigit() else Path(folder).name, variant, frozenset())
    changes = (
        change
        for change in found.configuration.overrides
        if change.lstrip("+").partition("=")[0] not in _NO_CHANGE
    )
    return Row(found.system, variant, frozenset(changes))


def _title(row: Row, rows: list[Row]) -> str:
    """The system, and the settings that not all rows of the system share."""
    shared = frozenset.intersection(
        *(other.changes for other in rows if other.system == row.system)
    )
    name = f"{row.system}:{row.variant}" if row.variant else row.system
    return " ".join([name, *sorted(row.changes - shared)])


def _read(one: str, golds: dict[str, Gold], task: Task) -> list[Submission]:
    folder, _, variant = one.partition(":")
    middle = f".{variant}" if variant else ""
    return [
        read_submissions([Path(folder) / f"{name}{middle}.submission.data"], task, gold)[0]
        for name, gold in golds.items()
    ]


def pool(golds: list[Gold]) -> Gold:
    """Several gold files as one; documents, if all have them, stay apart."""
    documents: list[NDArray[np.int64]] = []
    offset = 0
    for gold in golds:
        if gold.documents is not None:
            documents.append(gold.documents + offset)
            offset += int(gold.documents.max(initial=0)) + 1
    return replace(
        golds[0],
        name="pooled",
        classes=np.concatenate([gold.classes for gold in golds]),
        gaps=np.concatenate([gold.gaps for gold in golds]),
        documents=np.concatenate(documents) if len(documents) == len(golds) else None,
        texts=(),
    )


def _values(evaluation: Evaluation) -> list[float]:
    return [evaluation.results[0].scores[metric].value for metric in METRICS]


def _pooled(seeds: list[Submission], gold: Gold, task: Task, plan: Resampling) -> str:
    """The mean over seeds with its interval; all seeds stand side by side on each resample."""
    size = len(task.classes)
    table = confusion_units(gold, seeds, size)
    samples = bootstrap_sums(table, plan)
    parts = []
    for metric in METRICS.values():
        value = on_sums(metric, size)

        def mean_of(sums: Floats, value: Metric = value) -> Floats:
            own = [value(one) for one in np.split(sums, len(seeds), axis=1)]
            return np.asarray(np.mean(own, axis=0))

        mean = float(mean_of(table.sums[None])[0])
        parts.append(mean_and_interval(mean, *interval(mean_of(samples))))
    return " / ".join(parts)


def mean_and_interval(mean: float, low: float | None, high: float | None) -> str:
    """A mean with its interval; one that is not around the mean says nothing and is left out."""
    if low is None or high is None or not low <= mean <= high:
        return f"{mean:.1f}"
    return f"{mean:.1f} [{low:.1f}, {high:.1f}]"


def _difference(evaluations: list[Evaluation]) -> str:
    parts = []
    for metric in METRICS:
        found = [
            one
            for evaluation in evaluations
            for one in evaluation.comparisons
            if one.metric == metric
        ]
        values = [one.difference for one in found]
        p = max(one.p_randomisation for one in found)
        seeds = f"{min(values):+.1f} to {max(values):+.1f}, p ≤" if len(found) > 1 else "p"
        parts.append(f"{np.mean(values):+.1f} ({seeds} {p:.2g})")
    return " / ".join(parts)


if __name__ == "__main__":
    run(app)
