"""Scores of submissions to the shared tasks: macro recall, macro F1 and accuracy of classes.

The tables follow the papers: ranks by the official score with accuracy beside it (003 Tables 6-9,
004 Tables 5-8), then the recall of each class (004 Tables 9-12).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from crosspro.data_prep.core.errors import CrossproError, counted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.evaluation.evaluation import Evaluation, Score, evaluate
from crosspro.evaluation.metric import Display, Items, Metric
from crosspro.evaluation.metrics.submissions.scores import (
    Absent,
    Counts,
    Values,
    accuracy,
    confusion_counts,
    f1,
    macro_f1,
    macro_precision,
    macro_recall,
    precision,
    recall,
    regroup,
)
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission
from crosspro.evaluation.report.tables import (
    Cell,
    Table,
    interval_note,
    matrix_table,
    score_cell,
)
from crosspro.evaluation.resampling import Cells, Columns, Resampling, Scores, Sums

if TYPE_CHECKING:
    from crosspro.evaluation.report.examples import Examples

Measure = Callable[[Counts], Values]


@dataclass(frozen=True)
class SubmissionSettings:
    """The task, and what a class without gold instances does to a macro average."""

    task: Task = field(repr=False)
    absent: Absent = "skip"


@dataclass(frozen=True)
class Submitted:
    """A gold file and submissions, and its examples for a page."""

    gold: Gold
    submissions: tuple[Submission, ...]
    examples: Iterable[Example] = ()


GapItems = Items[Submitted, int]
"""The predicted class of each gap."""


@dataclass(frozen=True)
class ResultRow:
    """A row of the result table."""

    name: str
    ranked: bool
    scores: Mapping[str, Score]
    class_recall: Mapping[str, float]


class Submissions(Metric[SubmissionSettings, Submitted, int]):
    """The predicted class of each gap beside the gold class."""

    name = "submissions"
    settings_class = SubmissionSettings

    def __init__(self, settings: SubmissionSettings) -> None:
        super().__init__(settings)
        self.task = settings.task
        self.size = len(self.task.classes)
        self.measures = task_measures(self.task, settings.absent)
        self.display = Display(
            "Pronoun prediction",
            headline=self.task.official_score,
            compared=(self.task.official_score, "accuracy"),
            measures={name: name.replace("_", " ").replace(" f1", " F1") for name in self.measures},
            candidate="submission",
            verdicts=(("right", "right"), ("wrong", "wrong")),
        )

    def items(self, data: Submitted) -> GapItems:
        gold, submissions = data.gold, data.submissions
        if not len(gold.classes):
            raise CrossproError(f"{gold.name}: classes: expected at least one label, found none")
        gaps = counted(len(gold.classes), "gap")
        if gold.document_count is not None:
            gaps += f" in {counted(gold.document_count, 'document')}"
        return Items(
            data,
            tuple(submission.name for submission in submissions),
            tuple(submission.classes.tolist() for submission in submissions),
            gold.units,
            f"Task {self.task.name}, gold {gold.name}: {gaps}",
            {
                "task": self.task.name,
                "classes": list(self.task.classes),
                "gold": gold.name,
                "documents": gold.document_count,
                "content": hashlib.sha256(gold.classes.tobytes()).hexdigest()[:8],
            },
            (
                *gold.warnings,
                *chain.from_iterable(submission.warnings for submission in submissions),
            ),
        )

    def statistics(self, items: GapItems, candidate: int) -> Columns:
        predicted = items.data.submissions[candidate].classes
        cells = items.data.gold.classes.astype(np.int64) * self.size + predicted
        return {"confusion": Cells(cells, self.size * self.size)}

    def score(self, sums: Sums) -> Scores:
        counts = np.rint(sums["confusion"]).astype(np.int64).reshape(-1, self.size, self.size)
        return {name: measure(counts) for name, measure in self.measures.items()}

    def signature(self, items: GapItems) -> Sequence[str]:
        coarse = [f"coarse:{len(self.task.coarse_classes)}"] if self.task.coarse else []
        return [
            f"task:{self.task.name}",
            f"classes:{self.size}",
            *coarse,
            f"absent:{self.settings.absent}",
            f"gaps:{items.size}",
            f"gold:{items.facts['content']}",
        ]

    def confusion(self, items: GapItems, candidate: int) -> Counts:
        predicted = items.data.submissions[candidate].classes
        return confusion_counts(items.data.gold.classes, predicted, self.size)

    def facts(self, items: GapItems, candidate: int) -> Mapping[str, Any]:
        counts, absent = self.confusion(items, candidate), self.settings.absent
        columns = {
            "instances": counts.sum(axis=1),
            "predicted": counts.sum(axis=0),
            "recall": recall(counts),
            "precision": precision(counts),
            "f1": f1(counts),
        }
        return {
            "contrastive": items.data.submissions[candidate].contrastive,
            "averages": {
                "macro_precision": float(macro_precision(counts, absent)),
                "macro_recall": float(macro_recall(counts, absent)),
                "macro_f1": float(macro_f1(counts, absent)),
                "micro": float(accuracy(counts)),
            },
            "classes": {
                name: {column: values[index].item() for column, values in columns.items()}
                for index, name in enumerate(self.task.classes)
            },
            "confusion": counts.tolist(),
        }

    def verdicts(self, items: GapItems, candidate: int) -> Sequence[int]:
        wrong = items.data.submissions[candidate].classes != items.data.gold.classes
        numbers: list[int] = wrong.astype(np.int64).tolist()
        return numbers

    def examples(self, items: GapItems, numbers: Sequence[int]) -> Examples | None:
        from crosspro.evaluation.metrics.submissions.gap_examples import gap_examples

        return gap_examples(self.task, items.data, numbers)

    # Tables ---------------------------------------------------------------------------------------

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        rows = self.result_rows(evaluation)
        matrices = [
            matrix_table(
                self.task.classes,
                self.confusion(evaluation.items, place),
                f"Confusion matrix of {name}",
                place,
                ("gold classes", "predicted ones"),
            )
            for place, name in enumerate(evaluation.names)
        ]
        return [
            self._ranking(evaluation, rows),
            self._recalls(evaluation, rows),
            *matrices,
        ]

    def result_rows(self, evaluation: Evaluation) -> list[ResultRow]:
        """The rows of the result table, the best by the official score first."""
        rows = []
        for candidate in evaluation.candidates:
            recalls = {
                name: values["recall"]
                for name, values in candidate.facts["classes"].items()
                if values["instances"]
            }
            contrastive = candidate.facts["contrastive"]
            name = f"{candidate.name} (contrastive)" if contrastive else candidate.name
            rows.append(ResultRow(name, not contrastive, candidate.scores, recalls))
        official = self.task.official_score
        return sorted(rows, key=lambda row: -row.scores[official].value)

    def _ranking(self, evaluation: Evaluation, rows: Sequence[ResultRow]) -> Table:
        official, digits = self.task.official_score, self.display.digits
        places = {name: _ranks(rows, name) for name in self.measures}
        cells: list[list[Cell | str]] = []
        for number, row in enumerate(rows):
            line: list[Cell | str] = [places[official][number], row.name]
            for measure in self.measures:
                rank = "" if measure == official else places[measure][number]
                line.append(score_cell(row.scores[measure], digits, f"({rank})" if rank else ""))
            cells.append(line)
        notes = [*interval_note(evaluation), "(rank) by that column"]
        heading = ("rank", "submission", *map(self.display.heading, self.measures))
        return Table(heading, cells, left=2, notes=["; ".join(notes)])

    def _recalls(self, evaluation: Evaluation, rows: Sequence[ResultRow]) -> Table:
        lines = []
        for name, values in evaluation.candidates[0].facts["classes"].items():
            recalls = [row.class_recall.get(name) for row in rows]
            cells = ["-" if value is None else f"{value:.2f}" for value in recalls]
            lines.append([name, f"{values['instances']:,}", *cells])
        heading = ("class", "instances", *(row.name for row in rows))
        return Table(heading, lines, "Recall of each class")


def evaluate_submissions(
    task: Task,
    gold: Gold,
    submissions: Sequence[Submission],
    absent: Absent = "skip",
    resampling: Resampling | None = None,
    examples: Iterable[Example] = (),
) -> Evaluation:
    metric = Submissions(SubmissionSettings(task, absent))
    return evaluate(metric, Submitted(gold, tuple(submissions), examples), resampling)


def task_measures(task: Task, absent: Absent) -> dict[str, Measure]:
    """The measures of a task by name, the official one first."""
    measures: dict[str, Measure] = {
        "macro_recall": partial(macro_recall, absent=absent),
        "macro_f1": partial(macro_f1, absent=absent),
        "accuracy": accuracy,
    }
    measures = {task.official_score: measures[task.official_score], **measures}
    if task.coarse:  # the two evaluations of DiscoMT 2015
        for name in ("macro_f1", "accuracy"):
            measures[f"coarse_{name}"] = _grouped(measures[name], coarse_groups(task))
    return measures


def coarse_groups(task: Task) -> list[int]:
    index = {name: position for position, name in enumerate(task.coarse_classes)}
    return [index[task.coarse.get(name, name)] for name in task.classes]


def _grouped(measure: Measure, groups: Sequence[int]) -> Measure:
    return lambda counts: measure(regroup(counts, groups))


def ranks(values: Sequence[float]) -> list[int]:
    """The rank of each value, the highest first; equal values share the better rank."""
    return [1 + sum(other > value for other in values) for value in values]


def _ranks(rows: Sequence[ResultRow], measure: str) -> list[str]:
    """The rank of each row under a measure."""
    places = iter(ranks([row.scores[measure].value for row in rows if row.ranked]))
    return [str(next(places)) if row.ranked else "" for row in rows]
