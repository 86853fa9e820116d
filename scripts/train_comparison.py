"""What a trained system is compared with: the most frequent class of train."""

from __future__ import annotations

from collections.abc import Mapping

from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.runs import Run, RunScore
from crosspro.scripts.common import show_table

METRICS = {"macro_recall": "macro recall", "macro_f1": "macro F1", "accuracy": "accuracy"}

Row = tuple[str, Mapping[str, float]]


def comparison(
    task: Task,
    splits: Splits,
    name: str,
    scores: Mapping[str, Mapping[str, RunScore]],
) -> str:
    """A table for dev and each test set: the run `name` and the majority class.

    `scores` are those of the run, set by set; a set without any is left out, and so is the majority
    class where train has no labels (a language model may do without).
    """
    majority = None
    if any(gap.label for example in splits.train for gap in example.gaps):
        majority = Majority()
        majority.fit(task, splits.train, splits.dev)
    lines: list[tuple[str, ...]] = []
    for title, examples in {"dev": splits.dev, **splits.test}.items():
        if title not in scores:
            continue
        rows: list[Row] = [(name, {metric: scores[title][metric].value for metric in METRICS})]
        if majority:
            chances = majority.predict(examples)
            other = {metric: dev_score(task, examples, metric)(chances) for metric in METRICS}
            rows.append(("majority", other))
        lines += [
            (title if n == 0 else "", what, *(f"{one[metric]:.2f}" for metric in METRICS))
            for n, (what, one) in enumerate(rows)
        ]
    return show_table(("set", "system", *METRICS.values()), lines, left=2)


def last_line(task: Task, run: Run, chosen_by: str | None) -> str:
    """The official score and accuracy of each set, and beside them what chose the system."""
    metrics = list(dict.fromkeys((task.official_score, "accuracy")))
    figures = [
        f"{title} {' / '.join(f'{scores[metric].value:.2f}' for metric in metrics)}"
        for title, scores in run.scores.items()
    ]
    names = " / ".join(METRICS[metric] for metric in metrics)
    parts = [f"{names}: {', '.join(figures)}"] if figures else []
    return f"{run.name}: {'; '.join([*parts, *([chosen_by] if chosen_by else [])])}"
