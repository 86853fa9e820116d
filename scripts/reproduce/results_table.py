"""The tables of RESULTS.md: several runs on several test sets, and on all of them pooled.

    python -m crosspro.scripts.reproduce.results_table --task en-fr --data DIR --against RUN RUN…

Folders RUN.1, RUN.2 … are seeds of one system and share a row; RUN:VARIANT is a variant that came
out of the same fit, such as ngram:ngram_penalty_0. For each test set macro recall and accuracy are
the means over seeds; the pooled column also has the 95% interval of that mean, resampled by
document (all seeds on the same resamples). Differences to `--against` are those of the pooled sets:
their mean, the lowest and the highest of the seeds, and the largest p (approximate randomisation by
document, two-sided).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from crosspro.data_prep.layers import layers_beside
from crosspro.data_prep.task import Task, load_task
from crosspro.evaluation.statistics.significance import (
    Resampling,
    bootstrap,
    find_patterns,
    interval,
)
from crosspro.evaluation.submissions.results import Evaluation, evaluate
from crosspro.evaluation.submissions.scores import accuracy, macro_recall
from crosspro.evaluation.submissions.submission import Gold, Submission, read_gold, read_submissions
from crosspro.scripts.main import command_app, run

app = command_app()

METRICS = {"macro_recall": macro_recall, "accuracy": accuracy}


@app.command()
def results_table(
    runs: Annotated[list[str], typer.Argument(help="Folders of runs: RUN, or RUN:VARIANT.")],
    task: Annotated[str, typer.Option(help="The task of the runs.")],
    data: Annotated[Path, typer.Option(help="Folder with the gold files test*.data.")],
    against: Annotated[str, typer.Option(help="The run that all others are compared with.")],
    resamples: Annotated[int, typer.Option(help="Resamples.")] = 2000,
) -> None:
    """Print a Markdown table of several runs on several test sets."""
    rules = replace(load_task(task), official_score="macro_recall")
    paths = sorted(data.glob("test*.data*"))
    golds = {
        p.name.partition(".data")[0]: read_gold(p, rules, layers_beside(p).documents) for p in paths
    }
    pooled = _pool(list(golds.values()))
    plan = Resampling(resamples)
    base = _read(against, golds, rules)
    titles = [f"{n.removeprefix('test.')} ({len(g.classes)})" for n, g in golds.items()]
    print("| system | " + " | ".join(titles) + f" | pooled ({len(pooled.classes)}) | difference |")
    print("| --- |" + " ---: |" * (len(golds) + 2))
    for name, folders in _by_system(runs).items():
        cells, all_sets = [], []
        for folder in folders:
            found = _read(folder, golds, rules)
            sets = [
                evaluate(rules, g, [s], "skip", None)
                for g, s in zip(golds.values(), found, strict=True)
            ]
            cells.append([_values(e) for e in sets])
            all_sets.append(Submission(name, np.concatenate([s.classes for s in found])))
        means = np.mean(cells, axis=0)
        columns = [f"{recall:.1f} / {correct:.1f}" for recall, correct in means]
        first = Submission("base", np.concatenate([s.classes for s in base]))
        together = [evaluate(rules, pooled, [s, first], "skip", plan) for s in all_sets]
        columns += [_pooled(all_sets, pooled, rules, plan), _difference(together)]
        print(f"| {name} ({len(folders)}) | " + " | ".join(columns) + " |", flush=True)


def _by_system(runs: Sequence[str]) -> dict[str, list[str]]:
    """Runs that differ in the seed at the end of their names, together."""
    groups: dict[str, list[str]] = {}
    for one in sorted(runs):
        name = Path(one).name
        stem, _, seed = name.rpartition(".")
        groups.setdefault(stem if seed.isdigit() else name, []).append(one)
    return groups


def _read(one: str, golds: dict[str, Gold], task: Task) -> list[Submission]:
    folder, _, variant = one.partition(":")
    middle = f".{variant}" if variant else ""
    return [
        read_submissions([Path(folder) / f"{name}{middle}.submission.data"], task, gold)[0]
        for name, gold in golds.items()
    ]


def _pool(golds: list[Gold]) -> Gold:
    """Several gold files as one; documents stay apart."""
    documents, offset = [], 0
    for gold in golds:
        numbers = gold.documents if gold.documents is not None else np.zeros_like(gold.classes)
        documents.append(numbers.astype(np.int64) + offset)
        offset += int(numbers.max(initial=0)) + 1
    return replace(
        golds[0],
        name="pooled",
        classes=np.concatenate([gold.classes for gold in golds]),
        gaps=np.concatenate([gold.gaps for gold in golds]),
        documents=np.concatenate(documents),
    )


def _values(evaluation: Evaluation) -> list[float]:
    return [evaluation.results[0].scores[metric].value for metric in METRICS]


def _pooled(seeds: list[Submission], gold: Gold, task: Task, plan: Resampling) -> str:
    """The mean over seeds with its interval; the same seed draws the same documents for each."""
    size = len(task.classes)
    patterns = [find_patterns(gold, [seed], size) for seed in seeds]
    samples = [bootstrap(one, plan.resamples, plan.seed) for one in patterns]
    parts = []
    for metric in METRICS.values():
        mean = np.mean([metric(p.confusion(0, p.total)) for p in patterns])
        resampled = [metric(p.confusion(0, s)) for p, s in zip(patterns, samples, strict=True)]
        low, high = interval(np.mean(resampled, axis=0))
        parts.append(f"{mean:.1f} [{low:.1f}, {high:.1f}]")
    return " / ".join(parts)


def _difference(evaluations: list[Evaluation]) -> str:
    parts = []
    for metric in METRICS:
        found = [
            comparison.difference
            for evaluation in evaluations
            for comparison in evaluation.comparisons
            if comparison.metric == metric
        ]
        values = [one.difference for one in found]
        p = max(one.p_randomisation for one in found)
        seeds = f"{min(values):+.1f} to {max(values):+.1f}, p ≤" if len(found) > 1 else "p"
        parts.append(f"{np.mean(values):+.1f} ({seeds} {p:.2g})")
    return " / ".join(parts)


if __name__ == "__main__":
    run(app)
