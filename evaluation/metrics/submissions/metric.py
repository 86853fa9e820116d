"""Scores of submissions to the shared tasks: macro recall, macro F1 and accuracy of classes.

The tables follow the papers: ranks by the official score with accuracy beside it (003 Tables 6-9,
004 Tables 5-8), then the recall of each class (004 Tables 9-12).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from crosspro.data_prep.core.errors import CrossproError, counted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.evaluation.core.evaluation import Evaluation, evaluate
from crosspro.evaluation.core.metric import Metric, Part, Scored
from crosspro.evaluation.core.score import Score, interval_note
from crosspro.evaluation.core.statistics import Floats, Resampling, UnitTable
from crosspro.evaluation.core.tables import Cell, Count, Matrix, RankedScore, Table
from crosspro.evaluation.metrics.submissions.scores import (
    Absent,
    ConfusionMetric,
    Counts,
    Values,
    accuracy,
    confusion_counts,
    confusion_units,
    f1,
    macro_f1,
    macro_precision,
    macro_recall,
    on_sums,
    precision,
    recall,
    regroup,
)
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission

if TYPE_CHECKING:
    from crosspro.evaluation.published.results import PublishedResult

CLASS = "class"
_BY_RANK = "(rank) by that column"


@dataclass(frozen=True)
class SubmissionSettings:
    """The task, and what a class without gold instances does to a macro average."""

    task: Task = field(repr=False)
    absent: Absent = "skip"


@dataclass(frozen=True)
class Submitted:
    """A gold file and submissions; its examples for a page, and published results beside them."""

    gold: Gold
    submissions: tuple[Submission, ...]
    examples: Iterable[Example] = ()
    published: Sequence[PublishedResult] = ()


@dataclass(frozen=True)
class TaskMetric:
    """A measure of a task: a function of confusion counts, and what its signature says of it."""

    value: ConfusionMetric
    classes: int
    averaged: bool
    """Whether it is an average over classes, which may be absent from gold."""


@dataclass(frozen=True)
class ResultLine:
    """A row of the result table: a submission scored here, or a published one."""

    name: str
    own: bool
    ranked: bool
    scores: Mapping[str, Score]
    class_recall: Mapping[str, float]


ScoredGaps = Scored[Submitted, int]
"""The gaps of a gold file, with their predicted classes."""


class Submissions(Metric[SubmissionSettings, Submitted, int]):
    """The predicted class of each gap beside the gold class."""

    name = "submissions"
    title = "Pronoun prediction"
    settings_class = SubmissionSettings
    needs = "gold"
    called = "prediction"
    system = "submission"
    verdict_kinds = (("right", "right"), ("wrong", "wrong"))
    wrong_first = True
    matrix_titles = ("Confusion matrices", ("Gold classes", "predicted ones"), ())
    examples_note = (
        "Each gap of the target is filled with its gold class, or with the gold word where that is "
        "of no class of its own. The noun that a system points at as the antecedent is marked."
    )

    def __init__(self, settings: SubmissionSettings) -> None:
        super().__init__(settings)
        self.task = settings.task
        self.size = len(self.task.classes)
        self.metrics = metrics_of(self.task, settings.absent)
        self.measures = {name: metric_title(name) for name in self.metrics}
        self.headline = self.task.official_score

    def items(self, data: Submitted) -> ScoredGaps:
        """The gaps, with their predicted classes."""
        gold = data.gold
        if not len(gold.classes):
            raise CrossproError(f"{gold.name}: classes: expected at least one label, found none")
        found = tuple(submission.classes.tolist() for submission in data.submissions)
        shared = agreement(data.submissions) if len(found) > 1 else None
        facts = {
            "task": self.task.name,
            "classes": list(self.task.classes),
            "gold": gold.name,
            "documents": gold.document_count,
            "content": hashlib.sha256(gold.classes.tobytes()).hexdigest()[:8],
            "agreement": None if shared is None else shared.tolist(),
        }
        warnings = [*gold.warnings, *(line for one in data.submissions for line in one.warnings)]
        names = tuple(one.name for one in data.submissions)
        return Scored(data, names, found, gold.units, facts, tuple(warnings))

    def statistics(self, scored: ScoredGaps, system: int) -> Floats:
        """The cell of the confusion matrix that each gap is in; `table` makes counts of it."""
        gold = scored.data.gold.classes.astype(np.float64)
        return (gold * self.size + scored.data.submissions[system].classes)[:, None]

    def table(self, scored: ScoredGaps, rows: Sequence[Floats], part: Part) -> UnitTable:
        """Confusion counts of each unit."""
        predicted = [Submission("", (own[:, 0] % self.size).astype(np.int8)) for own in rows]
        return confusion_units(scored.data.gold, predicted, self.size)

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """The measures of the task, the official one first."""
        counts = np.rint(sums).astype(np.int64).reshape(-1, self.size, self.size)
        return {name: metric.value(counts) for name, metric in self.metrics.items()}

    def compared(self, measures: Iterable[str]) -> list[str]:
        """Systems are compared by the official score and by accuracy."""
        return [self.headline, "accuracy"]

    def parts(self, scored: ScoredGaps, system: int) -> Iterable[Part]:
        """All gaps, and each class, without intervals."""
        yield Part()
        counts = self.confusion(scored, system)
        for index, name in enumerate(self.task.classes):
            numbers = {"instances": counts[index].sum(), "predicted": counts[:, index].sum()}
            yield Part(
                CLASS,
                name,
                score=partial(self._of_class, index),
                resampled=False,
                counts={key: int(number) for key, number in numbers.items()},
            )

    def _of_class(self, index: int, sums: Floats) -> Mapping[str, Floats]:
        measures = {"recall": recall, "precision": precision, "f1": f1}
        return {name: on_sums(value, self.size)(sums)[:, index] for name, value in measures.items()}

    def confusion(self, scored: ScoredGaps, system: int) -> Counts:
        """The confusion counts of a submission."""
        own = scored.data.submissions[system].classes
        return confusion_counts(scored.data.gold.classes, own, self.size)

    def verdicts(self, scored: ScoredGaps, system: int) -> Sequence[int]:
        """Whether each gap is right (0) or wrong (1)."""
        wrong = scored.data.submissions[system].classes != scored.data.gold.classes
        return [int(one) for one in wrong]

    def described(self, scored: ScoredGaps, part: Part, measure: str, system: int) -> list[str]:
        """The measure, the task, and the gold file."""
        metric = self.metrics.get(measure)
        return [
            measure,
            *([f"class:{part.group}"] if part.breakdown else []),
            f"task:{self.task.name}",
            f"classes:{self.size if metric is None else metric.classes}",
            *([f"absent:{self.settings.absent}"] if metric and metric.averaged else []),
            f"gaps:{scored.size}",
            f"gold:{scored.facts['content']}",
        ]

    def heading(self, scored: ScoredGaps) -> str:
        """The task, the gold file and its size."""
        gaps = counted(scored.size, "gap")
        if scored.facts["documents"] is not None:
            gaps += f" in {counted(scored.facts['documents'], 'document')}"
        return f"Task {self.task.name}, gold {scored.data.gold.name}: {gaps}"

    def matrices(self, scored: ScoredGaps) -> Sequence[Matrix]:
        """Gold classes against predicted ones."""
        systems = range(len(scored.systems))
        return [Matrix(self.task.classes, self.confusion(scored, place)) for place in systems]

    def of_system(self, scored: ScoredGaps, system: int) -> Mapping[str, Any]:
        """Whether it has a rank, all averages, and its confusion counts."""
        counts, absent = self.confusion(scored, system), self.settings.absent
        return {
            "contrastive": scored.data.submissions[system].contrastive,
            "averages": {
                "macro_precision": float(macro_precision(counts, absent)),
                "macro_recall": float(macro_recall(counts, absent)),
                "macro_f1": float(macro_f1(counts, absent)),
                "micro": float(accuracy(counts)),
            },
            "confusion": counts.tolist(),
        }

    def details(self, scored: ScoredGaps, system: int) -> Iterator[Mapping[str, Any]]:
        """The gold class and the predicted class of each gap."""
        classes = self.task.classes
        for number, (gold, own) in enumerate(
            zip(scored.data.gold.classes, scored.items[system], strict=True)
        ):
            yield {"gap": number, "gold": classes[gold], "predicted": classes[own]}

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        """Ranks, numbers of right and wrong gaps, recall of each class, agreement."""
        lines = self.result_lines(evaluation)
        return [
            *self._ranking(evaluation, lines),
            self._right_and_wrong(evaluation),
            self._recalls(evaluation, lines),
            *self._agreement(evaluation),
        ]

    def result_lines(self, evaluation: Evaluation) -> list[ResultLine]:
        """The rows of the result table, the best by the official score first."""
        data = evaluation.scored.data
        lines = []
        for own, result in zip(data.submissions, evaluation.systems, strict=True):
            recalls = {
                group.group: group.scores["recall"].value
                for group in result.groups
                if group.breakdown and group.counts["instances"]
            }
            name = f"{own.name} (contrastive)" if own.contrastive else own.name
            lines.append(ResultLine(name, True, not own.contrastive, result.scores, recalls))
        for row in data.published:
            scores = {name: Score(name, value, "") for name, value in row.scores.items()}
            name = f"{row.submission} ({row.year})"
            lines.append(ResultLine(name, False, row.kind == "primary", scores, row.class_recall))
        official = self.headline
        return sorted(
            lines, key=lambda line: -line.scores[official].value if official in line.scores else 0.0
        )

    def _ranking(self, evaluation: Evaluation, lines: Sequence[ResultLine]) -> Iterator[Table]:
        """Submissions by rank, with all their scores, as text and for a page."""
        published = evaluation.scored.data.published
        rows: list[list[Cell]] = []
        places = {name: _places(lines, name) for name in self.measures}
        for number, line in enumerate(lines):
            name = f"*{line.name}" if published and line.own else line.name
            cells: list[Cell] = [str(places[self.headline][number]), name]
            for measure in self.measures:
                rank = "" if measure == self.headline else places[measure][number]
                score = line.scores.get(measure)
                cells.append("" if score is None else RankedScore(score, rank))
            rows.append(cells)
        note = interval_note(evaluation.systems[0].scores.values())
        text = ["; ".join(filter(None, [note, f"{_BY_RANK}."]))]
        page = [
            f"{note}, the band of a bar;" if note else "",
            f"{_BY_RANK}; bars go from 0 to 100.",
        ]
        if published:
            text.insert(0, "* scored here; the others are published figures, ranked if primary.")
            page.append("* scored here; the others are published figures.")
        heading = ("rank", self.system, *self.measures.values())
        yield Table(heading, rows, "", 2, tuple(text), "scores", only="text")
        yield Table(heading, rows, "Results", 2, tuple(filter(None, page)), "scores", only="page")

    def _right_and_wrong(self, evaluation: Evaluation) -> Table:
        rows: list[Sequence[Cell]] = []
        for place, name in enumerate(evaluation.names):
            wrong = sum(self.verdicts(evaluation.scored, place))
            numbers = (evaluation.scored.size - wrong, wrong)
            cells = [
                Count(number, {"candidate": place, "verdict": verdict})
                for verdict, number in enumerate(numbers)
            ]
            rows.append([name, *cells])
        notes = ("Press a number to see its gaps.",)
        return Table((self.system, "right", "wrong"), rows, "Gaps", notes=notes, only="page")

    def _recalls(self, evaluation: Evaluation, lines: Sequence[ResultLine]) -> Table:
        """Gold instances and recall of each class."""
        shown = [line for line in lines if line.class_recall]
        groups = [one for one in evaluation.systems[0].groups if one.breakdown]
        rows = []
        for group in groups:
            recalls = [line.class_recall.get(group.group) for line in shown]
            cells = ["-" if value is None else f"{value:.2f}" for value in recalls]
            rows.append([group.group, str(group.counts["instances"]), *cells])
        heading = ("class", "instances", *(line.name for line in shown))
        return Table(heading, rows, "Recall of each class")

    def _agreement(self, evaluation: Evaluation) -> list[Table]:
        """How often each two submissions agree."""
        values = evaluation.scored.facts["agreement"]
        if values is None:
            return []
        names = evaluation.names
        rows = [[name, *(f"{v:.2f}" for v in row)] for name, row in zip(names, values, strict=True)]
        return [Table(("", *names), rows, "Agreement (% of gaps)", place="last")]

    def examples(self, scored: ScoredGaps, numbers: Sequence[int]) -> Any:
        """Gaps with their sentences, links and probabilities."""
        from crosspro.evaluation.metrics.submissions.gap_examples import gap_examples

        return gap_examples(self.task, scored.data, numbers)


def evaluate_submissions(
    task: Task,
    gold: Gold,
    submissions: Sequence[Submission],
    absent: Absent = "skip",
    plan: Resampling | None = None,
    examples: Iterable[Example] = (),
    published: Sequence[PublishedResult] = (),
) -> Evaluation:
    """Score submissions; with a resampling plan also their intervals and differences."""
    metric = Submissions(SubmissionSettings(task, absent))
    return evaluate(metric, Submitted(gold, tuple(submissions), examples, published), plan)


def metric_title(name: str) -> str:
    """A measure as written in headings."""
    return name.replace("_", " ").replace(" f1", " F1")


def metrics_of(task: Task, absent: Absent) -> dict[str, TaskMetric]:
    """The measures of a task by name, the official one first."""
    fine = len(task.classes)
    metrics = {
        "macro_recall": TaskMetric(partial(macro_recall, absent=absent), fine, True),
        "macro_f1": TaskMetric(partial(macro_f1, absent=absent), fine, True),
        "accuracy": TaskMetric(accuracy, fine, False),
    }
    order = sorted(metrics, key=lambda name: name != task.official_score)
    metrics = {name: metrics[name] for name in order}
    if task.coarse:  # the two evaluations of DiscoMT 2015
        groups, coarse = coarse_groups(task), len(task.coarse_classes)
        for name in ("macro_f1", "accuracy"):
            one = metrics[name]
            grouped = _grouped(one.value, groups)
            metrics[f"coarse_{name}"] = TaskMetric(grouped, coarse, one.averaged)
    return metrics


def coarse_groups(task: Task) -> list[int]:
    """The coarse class index of each class."""
    index = {name: position for position, name in enumerate(task.coarse_classes)}
    return [index[task.coarse.get(name, name)] for name in task.classes]


def _grouped(metric: ConfusionMetric, groups: Sequence[int]) -> ConfusionMetric:
    return lambda counts: metric(regroup(counts, groups))


def agreement(submissions: Sequence[Submission]) -> Values:
    """Share of gaps, in per cent, for which each two submissions give the same class."""
    rows = np.stack([submission.classes for submission in submissions])
    return np.array([[100.0 * np.mean(row == other) for other in rows] for row in rows])


def ranks(values: Sequence[float]) -> list[int]:
    """The rank of each value, the highest first; equal values share the better rank."""
    return [1 + sum(other > value for other in values) for value in values]


def _places(lines: Sequence[ResultLine], measure: str) -> list[int | str]:
    """The rank of each line under a measure, empty for those that are not ranked."""
    ranked = [line.ranked and measure in line.scores for line in lines]
    if not all(measure in line.scores for line in lines if line.ranked):
        return [""] * len(lines)
    values = [line.scores[measure].value for line, one in zip(lines, ranked, strict=True) if one]
    places = iter(ranks(values))
    return [next(places) if one else "" for one in ranked]


METRIC = Submissions
