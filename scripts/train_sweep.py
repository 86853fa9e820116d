"""Means over the seeds of a sweep (`train.py -m seed=1,2,3`), which Hydra asks for at its end."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from crosspro.data_prep.core.files import write_text
from crosspro.evaluation.evaluation import Score
from crosspro.evaluation.report.tables import text_table
from crosspro.prediction.model_archive import RECORD
from crosspro.prediction.runs import Run, read_run

METRICS = {"macro_recall": "macro recall", "macro_f1": "macro F1", "accuracy": "accuracy"}


@dataclass(frozen=True)
class MeanScores:
    """The scores of one set over the seeds of one configuration: means with their intervals."""

    set_name: str
    configuration: str
    seeds: int
    scores: Mapping[str, Score]


def mean_scores(runs: Iterable[Run]) -> list[MeanScores]:
    """A row for each set and configuration; runs that differ in their seed are taken together."""
    groups: dict[tuple[str, ...], list[Run]] = defaultdict(list)
    for run in runs:
        if run.status == "complete":
            overrides = run.configuration.overrides
            chosen = (word for word in overrides if not word.startswith(("seed=", "system=")))
            groups[run.system, *chosen].append(run)
    rows = []
    for title in dict.fromkeys(name for group in groups.values() for name in group[0].scores):
        for key, group in groups.items():
            scores = {
                metric: _mean([run.scores[title][metric].value for run in group])
                for metric in METRICS
            }
            rows.append(MeanScores(title, " ".join(key), len(group), scores))
    return rows


def _mean(values: Sequence[float]) -> Score:
    """The mean and its 95% interval (Student's t), which one value does not have."""
    mean = fmean(values)
    if len(values) < 2:
        return Score(mean)
    from scipy.stats import t

    half = float(t.ppf(0.975, len(values) - 1)) * stdev(values) / math.sqrt(len(values))
    return Score(mean, mean - half, mean + half)


def means_table(rows: Sequence[MeanScores]) -> str:
    cells = [
        (row.set_name, row.configuration, str(row.seeds), *map(str, row.scores.values()))
        for row in rows
    ]
    return text_table(("set", "system", "seeds", *METRICS.values()), cells, left=2)


class Means(Callback):
    """Called by Hydra when all runs of a sweep have ended."""

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Print the means over seeds, and write them to the folder of the sweep."""
        folder = Path(config.hydra.sweep.dir)
        rows = mean_scores(read_run(path.parent) for path in sorted(folder.glob(f"*/{RECORD}")))
        if rows:
            table, path = means_table(rows), folder / "means.txt"
            write_text(path, table)
            print(f"Means over seeds, with 95% intervals of the mean: {path}\n\n{table}")
