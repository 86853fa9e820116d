"""Sweeps of train.py: what the folder of a run is called, and the means over seeds at the end.

A run of `-m system=a,b seed=1,2,3` lies in `system-a_seed-1` …, named by what varies. When all runs
have ended, Hydra calls `Means`, which gathers their `run.json`, prints a row for each configuration
and writes the rows to the folder of the sweep.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from crosspro.data_prep.core.files import write_text
from crosspro.evaluation.report.records import csv_number, csv_text
from crosspro.evaluation.report.tables import PLAIN, Style
from crosspro.prediction.runs import FILE, Run, RunScore, read_run
from crosspro.scripts.common import style_of
from crosspro.scripts.train_comparison import METRICS

TABLE, ROWS = "means.txt", "means.csv"
_EXCLUDED = "hydra.job.config.override_dirname.exclude_keys"
_LONGEST = 150


def naming_arguments(arguments: Sequence[str]) -> list[str]:
    """What Hydra must be told of a sweep beside its arguments: those that do not vary."""
    parser = OverridesParser.create()
    fixed = []
    for argument in arguments:
        if argument.startswith(("-", "hydra")) or not ("=" in argument or argument[:1] == "~"):
            continue
        try:
            override = parser.parse_override(argument)
        except HydraException:
            continue
        if not override.is_sweep_override():
            fixed.append(f"'{override.key_or_group}'")
    return [f"{_EXCLUDED}=[{','.join(fixed)}]"] if fixed else []


def folder_name(overrides: Sequence[str], fixed: Sequence[str], number: object) -> str:
    """The folder of a run: what varies, in letters that shells and Hydra leave alone.

    The number of the run is added where names could be the same, or too long for a file system.
    """
    parts = [override.lstrip("+~") for override in overrides if _key(override) not in fixed]
    name = "_".join(parts).replace("=", "-")
    safe = re.sub(r"[^\w.+-]", "_", name, flags=re.ASCII)[:_LONGEST]
    if not safe:
        return f"run_{number}"
    return safe if safe == name else f"{safe}_{number}"


def _key(override: str) -> str:
    return override.lstrip("+~").partition("=")[0]


@dataclass(frozen=True)
class MeanScores:
    """The scores of one set over the seeds of one configuration: means with their intervals."""

    set_name: str
    configuration: str
    seeds: int
    scores: Mapping[str, RunScore]


def mean_scores(runs: Iterable[Run]) -> Iterator[MeanScores]:
    """A row for each set and configuration; runs that differ in their seed are taken together."""
    done = [run for run in runs if run.status == "complete"]
    groups: dict[tuple[str, tuple[str, ...]], list[Run]] = {}
    for run in done:
        own = tuple(o for o in run.configuration.overrides if _key(o) != "seed")
        groups.setdefault((run.system, own), []).append(run)
    shared = set.intersection(*(set(own) for _, own in groups)) if groups else set()
    for title in dict.fromkeys(name for run in done for name in run.scores):
        for (system, own), group in groups.items():
            scored = [run.scores[title] for run in group if title in run.scores]
            if scored:
                varied = [o for o in own if o not in shared and _key(o) != "system"]
                scores = {m: _mean(m, [one[m].value for one in scored]) for m in METRICS}
                yield MeanScores(title, " ".join((system, *varied)), len(scored), scores)


def _mean(metric: str, values: Sequence[float]) -> RunScore:
    """The mean and its 95% interval (Student's t), which one value does not have."""
    mean = fmean(values)
    signature = f"mean of {metric}|seeds:{len(values)}|interval:t"
    if len(values) < 2:
        return RunScore(metric, mean, signature)
    from scipy.stats import t

    half = float(t.ppf(0.975, len(values) - 1)) * stdev(values) / math.sqrt(len(values))
    return RunScore(metric, mean, signature, mean - half, mean + half)


def means_table(rows: Sequence[MeanScores], style: Style = PLAIN) -> str:
    """The rows for people."""
    cells = [
        (
            "" if number and rows[number - 1].set_name == one.set_name else one.set_name,
            one.configuration,
            str(one.seeds),
            *(str(one.scores[metric]) for metric in METRICS),
        )
        for number, one in enumerate(rows)
    ]
    return style.table(("set", "system", "seeds", *METRICS.values()), cells, left=2)


def means_csv(rows: Iterable[MeanScores]) -> str:
    """The rows for programs."""
    heading = ("set", "system", "seeds", "metric", "mean", "low", "high")
    lines = [
        (
            row.set_name,
            row.configuration,
            row.seeds,
            metric,
            *map(csv_number, (score.value, score.low, score.high)),
        )
        for row in rows
        for metric, score in row.scores.items()
    ]
    return csv_text([heading, *lines])


class Means(Callback):
    """Called by Hydra when all runs of a sweep have ended."""

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Print the means over seeds, and write them to the folder of the sweep."""
        folder = Path(config.hydra.sweep.dir)
        rows = list(mean_scores(read_run(path.parent) for path in sorted(folder.glob(f"*/{FILE}"))))
        if not rows:
            return
        write_text(folder / TABLE, means_table(rows))
        write_text(folder / ROWS, means_csv(rows))
        print(f"Means over seeds, with 95% intervals of the mean: {folder / TABLE}\n")
        print(means_table(rows, style_of()))
