"""The tables of RESULTS.md: several runs on several test sets, and on all of them pooled.

    python -m crosspro.scripts.reproduce.results_table --data DIR --against RUN RUN…

Runs that differ in their seed alone, by what their folders say (`run.json`), share a row; runs of
one system with other settings have rows of their own. Folders of older runs, which say nothing,
are told by name: RUN.1, RUN.2 … are seeds of one system. RUN:VARIANT is a variant that came out of
the same fit, such as ngram:ngram_penalty_0.

The protocol of comparisons (docs/protocol.md) is kept here. Scores are means over all seeds of a
row, and so are intervals and differences: a resample of the documents is the same for all seeds.
`--against` names the reference, all seeds of it (repeat); seeds are paired in their order. p is
two-sided, by approximate randomisation by document, corrected for all differences of the table
(Holm 1979). Macro recall stands beside that over the classes with ten gaps or more in gold, and
each test set says by about how many systems it had been scored before (`scored.tsv`, counted from
the tables of RESULTS.md, seeds and ablations among them).
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from crosspro.data_prep.annotate.layers import layers_beside
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.task import Task, load_task
from crosspro.evaluation.core.statistics import (
    Difference,
    Floats,
    Measure,
    Resampling,
    holm,
    paired_tests,
    scores_of,
)
from crosspro.evaluation.metrics.submissions.scores import (
    ConfusionMetric,
    accuracy,
    confusion_units,
    frequent_macro_recall,
    macro_recall,
    on_sums,
)
from crosspro.evaluation.metrics.submissions.submission import (
    Gold,
    Submission,
    read_gold,
    read_submissions,
)
from crosspro.prediction.runs import Run, find_run
from crosspro.scripts.main import command_app, run

app = command_app()

METRICS: dict[str, ConfusionMetric] = {"macro_recall": macro_recall, "accuracy": accuracy}
FREQUENT = 10
"""Gaps in gold from which on a class counts in the second macro recall."""
_SCORED = Path(__file__).with_name("scored.tsv")
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
    against: Annotated[
        list[str], typer.Option(help="The run that all others are compared with (repeat: seeds).")
    ],
    task: Annotated[str | None, typer.Option(help="Another task than that of the runs.")] = None,
    resamples: Annotated[int, typer.Option(help="Resamples.")] = 10_000,
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
    base = [_read(one, golds, rules) for one in against]
    rows = {
        name: [_read(folder, golds, rules) for folder in folders]
        for name, folders in _by_system(found_runs).items()
    }
    differences = [_differences(seeds, base, pooled, rules, plan) for seeds in rows.values()]
    corrected = iter(holm([one.p_randomisation for row in differences for one in row]))
    print(_heading(golds, pooled, rules))
    for (name, seeds), compared in zip(rows.items(), differences, strict=True):
        columns = [_scores(seeds, place, gold, rules) for place, gold in enumerate(golds.values())]
        columns = columns if len(golds) > 1 else []
        columns += _pooled(seeds, pooled, rules, plan)
        told = [f"{one.difference:+.1f} (p {next(corrected):.2g})" for one in compared]
        cells = " | ".join([*columns, " / ".join(told)])
        print(f"| {name} ({len(seeds)}) | {cells} |", flush=True)


def _heading(golds: dict[str, Gold], pooled: Gold, task: Task) -> str:
    """The titles of the columns, and the line below them."""
    with _SCORED.open(encoding="utf-8", newline="") as handle:
        known = {
            (row["task"], row["set"]): row["systems"]
            for row in csv.DictReader(handle, dialect="excel-tab")
        }
    titles = []
    for name, gold in golds.items():
        short = name.removeprefix("test.")
        times = known.get((task.name, short))
        before = f"; about {times} systems before" if times else ""
        titles.append(f"{short} ({len(gold.classes):,}{before})")
    if len(golds) > 1:  # one set is the pooled one
        titles.append(f"pooled ({len(pooled.classes):,})")
    titles[-1] += f" [95% by {pooled.units.name}]"
    counts = np.bincount(pooled.classes, minlength=len(task.classes))
    many = int((counts >= FREQUENT).sum())
    titles += [
        f"macro recall of the {many} classes with {FREQUENT} gaps or more",
        "difference",
    ]
    return "| system | " + " | ".join(titles) + " |\n| --- |" + " ---: |" * len(titles)


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
        known = [found.seed for folder in folders if (found := runs[folder])]
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


def _scores(seeds: Sequence[Sequence[Submission]], place: int, gold: Gold, task: Task) -> str:
    """The means over seeds on one test set."""
    size = len(task.classes)
    table = confusion_units(gold, [own[place] for own in seeds], size)
    values = [float(_mean(m, len(seeds), size)(table.sums[None])[0]) for m in METRICS.values()]
    return " / ".join(f"{value:.1f}" for value in values)


def _pooled(
    seeds: Sequence[Sequence[Submission]], gold: Gold, task: Task, plan: Resampling
) -> list[str]:
    """The means over seeds with their intervals, and the macro recall of frequent classes."""
    size = len(task.classes)
    frequent = np.bincount(gold.classes, minlength=size) >= FREQUENT
    frequent_recall = partial(frequent_macro_recall, frequent=frequent)
    metrics: dict[str, ConfusionMetric] = {**METRICS, "frequent": frequent_recall}
    table = confusion_units(gold, _joined(seeds), size)
    own = {name: _mean(metric, len(seeds), size) for name, metric in metrics.items()}
    scores = scores_of(table, own, plan, dict.fromkeys(metrics, ""))
    told = {name: mean_and_interval(one.value, one.low, one.high) for name, one in scores.items()}
    return [" / ".join(told[name] for name in METRICS), told["frequent"]]


def mean_and_interval(mean: float, low: float | None, high: float | None) -> str:
    """A mean with its interval; one that is not around the mean says nothing and is left out."""
    if low is None or high is None or not low <= mean <= high:
        return f"{mean:.1f}"
    return f"{mean:.1f} [{low:.1f}, {high:.1f}]"


def _differences(
    seeds: Sequence[Sequence[Submission]],
    base: Sequence[Sequence[Submission]],
    gold: Gold,
    task: Task,
    plan: Resampling,
) -> list[Difference]:
    """The mean over all seeds against that of the reference, on the same documents.

    The n-th seed is exchanged with the n-th one of the reference, whose seeds begin anew where it
    has fewer.
    """
    number, size = max(len(seeds), len(base)), len(task.classes)
    sides = [[one[place % len(one)] for place in range(number)] for one in (seeds, base)]
    own, other = map(_joined, sides)
    if all(np.array_equal(a.classes, b.classes) for a, b in zip(own, other, strict=True)):
        return []  # the reference itself
    table = confusion_units(gold, [*own, *other], size)
    metrics = {name: _mean(metric, number, size) for name, metric in METRICS.items()}
    return paired_tests(("row", "reference"), table, metrics, plan)


def _joined(seeds: Sequence[Sequence[Submission]]) -> list[Submission]:
    """Each seed on all test sets together."""
    return [Submission("all", np.concatenate([one.classes for one in own])) for own in seeds]


def _mean(metric: ConfusionMetric, seeds: int, size: int) -> Measure:
    """The mean of a metric over seeds whose sums stand side by side."""
    value = on_sums(metric, size)

    def mean_of(sums: Floats) -> Floats:
        return np.asarray(np.mean([value(one) for one in np.split(sums, seeds, axis=1)], axis=0))

    return mean_of


if __name__ == "__main__":
    run(app)
