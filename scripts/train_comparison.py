"""What a trained system is held against: the majority class, and on the demo the best there is.

A score says little by itself. Beside those of a run stand the scores of always answering the most
frequent class of train, and on the generated corpus what a system could reach that knows its
grammar and reads as much of the document as this one does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.demo.corpus import CONTEXTS, Ceiling, ceilings, demo_corpus
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.evaluation.core.score import Score
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.runs import Run
from crosspro.scripts.options import show_table

METRICS = {"macro_recall": "macro recall", "macro_f1": "macro F1", "accuracy": "accuracy"}

Row = tuple[str, Mapping[str, float]]


def comparison(
    task: Task,
    splits: Splits,
    name: str,
    scores: Mapping[str, Mapping[str, Score]],
    best: Mapping[str, Ceiling],
) -> str:
    """A table for dev and each test set: the run `name`, the majority class, and the best there is.

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
        if title in best:
            found = best[title]
            reached = {"macro_recall": found.macro_recall, "accuracy": found.accuracy}
            rows.append((f"best possible, reading the {found.context}", reached))
        lines += [
            (title if n == 0 else "", what, *_cells(one)) for n, (what, one) in enumerate(rows)
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


def demo_ceilings(task: Task, data: Mapping[str, Any], context: int) -> dict[str, Ceiling]:
    """The ceilings of the demo's dev and test, for a system with so many sentences of context."""
    sizes, seed = data["documents"], data["seed"]
    corpus = {name: demo_corpus(task, name, sizes[name], seed) for name in ("dev", "test")}
    reach = next(name for name, sentences in CONTEXTS.items() if sentences >= context)
    return {
        name: next(c for c in ceilings(task, sentences) if c.context == reach)
        for name, sentences in corpus.items()
    }


def _cells(scores: Mapping[str, float]) -> Sequence[str]:
    return [f"{scores[metric]:.2f}" if metric in scores else "" for metric in METRICS]
