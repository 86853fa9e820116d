"""An evaluation as text: a table for the terminal, Markdown, JSON or CSV.

The tables follow the papers: ranks by the official score with accuracy beside it (003 Tables 6-9,
004 Tables 5-8), then the recall of each class (004 Tables 9-12).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.core.score import Score, interval_note
from crosspro.evaluation.metrics.submissions.results import Evaluation, Result, ranks
from crosspro.evaluation.metrics.submissions.scores import (
    accuracy,
    f1,
    macro_f1,
    macro_precision,
    macro_recall,
    precision,
    recall,
)
from crosspro.evaluation.output.differences import (
    NOT_CORRECTED,
    difference_record,
    differences_table,
)
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import Row, csv_number, csv_text

if TYPE_CHECKING:
    from crosspro.evaluation.published.results import PublishedResult

Table = tuple[Row, Sequence[Row]]
"""The heading and the rows."""


@dataclass(frozen=True)
class ResultLine:
    """A row of the result table: a submission scored here, or a published one."""

    name: str
    own: bool
    ranked: bool
    scores: dict[str, Score]
    class_recall: dict[str, float]


def metric_title(name: str) -> str:
    """A metric as written in headings."""
    return name.replace("_", " ").replace(" f1", " F1")


def text_report(
    evaluation: Evaluation, published: Sequence[PublishedResult] = (), style: Style = PLAIN
) -> str:
    """The report for a terminal, or as Markdown."""
    heading, table = style.title, style.table
    parts = [
        heading(_title(evaluation)),
        table(*ranking_table(evaluation, published), 2),
    ]
    if published:
        parts.append("* scored here; the others are published figures, ranked if primary.\n")
    note = interval_note(evaluation.results[0].scores.values())
    parts += [
        (f"{note}; " if note else "") + "(rank) by that column.\n",
        heading("Recall of each class"),
        table(*recall_table(evaluation, published), 1),
    ]
    if evaluation.comparisons:
        parts += [
            heading("Paired differences"),
            table(*differences_table(evaluation.comparisons, 2, title=metric_title)),
            f"{NOT_CORRECTED}\n",
        ]
    if evaluation.agreement is not None:
        parts += [heading("Agreement (% of gaps)"), table(*agreement_table(evaluation), 1)]
    parts += style.signed(score.signature for score in evaluation.results[0].scores.values())
    return "\n".join(parts)


def _title(evaluation: Evaluation) -> str:
    gaps = counted(len(evaluation.gold.classes), "gap")
    if evaluation.documents is not None:
        gaps += f" in {counted(evaluation.documents, 'document')}"
    return f"Task {evaluation.task.name}, gold {evaluation.gold.name}: {gaps}"


def result_lines(
    evaluation: Evaluation, published: Sequence[PublishedResult] = ()
) -> list[ResultLine]:
    """The rows of the result table, the best by the official score first."""
    lines = []
    for result in evaluation.results:
        present = result.counts.sum(axis=1) > 0
        recalls = zip(evaluation.task.classes, recall(result.counts), present, strict=True)
        lines.append(
            ResultLine(
                f"{result.name} (contrastive)" if result.contrastive else result.name,
                True,
                not result.contrastive,
                result.scores,
                {name: float(value) for name, value, there in recalls if there},
            )
        )
    for row in published:
        scores = {name: Score(name, value, "") for name, value in row.scores.items()}
        name = f"{row.submission} ({row.year})"
        lines.append(ResultLine(name, False, row.kind == "primary", scores, row.class_recall))
    official = evaluation.task.official_score
    return sorted(
        lines, key=lambda line: -line.scores[official].value if official in line.scores else 0.0
    )


def ranking_table(evaluation: Evaluation, published: Sequence[PublishedResult] = ()) -> Table:
    """Submissions by rank, with all their scores."""
    lines = result_lines(evaluation, published)
    official, *others = evaluation.results[0].scores
    columns = [[_shown(line, official) for line in lines]]
    for metric in others:
        columns.append(
            [
                f"{_shown(line, metric)} {f'({place})' if place else '':4}".rstrip()
                for line, place in zip(lines, _places(lines, metric), strict=True)
            ]
        )
    names = [f"*{line.name}" if published and line.own else line.name for line in lines]
    places = map(str, _places(lines, official))
    heading = ("rank", "submission", *map(metric_title, (official, *others)))
    return heading, list(zip(places, names, *columns, strict=True))


def _shown(line: ResultLine, metric: str) -> str:
    return str(line.scores[metric]) if metric in line.scores else ""


def _places(lines: Sequence[ResultLine], metric: str) -> list[int | str]:
    """The rank of each line under a metric, empty for those that are not ranked."""
    ranked = [line.ranked and metric in line.scores for line in lines]
    if not all(metric in line.scores for line in lines if line.ranked):
        return [""] * len(lines)
    values = [line.scores[metric].value for line, one in zip(lines, ranked, strict=True) if one]
    places = iter(ranks(values))
    return [next(places) if one else "" for one in ranked]


def recall_table(evaluation: Evaluation, published: Sequence[PublishedResult] = ()) -> Table:
    """Gold instances and recall of each class."""
    lines = [line for line in result_lines(evaluation, published) if line.class_recall]
    instances = evaluation.results[0].counts.sum(axis=1)
    rows = []
    for index, name in enumerate(evaluation.task.classes):
        recalls = [line.class_recall.get(name) for line in lines]
        shown = ["-" if value is None else f"{value:.2f}" for value in recalls]
        rows.append((name, str(instances[index]), *shown))
    return ("class", "instances", *(line.name for line in lines)), rows


def agreement_table(evaluation: Evaluation) -> Table:
    """How often each two submissions agree."""
    names = [result.name for result in evaluation.results]
    values = [] if evaluation.agreement is None else evaluation.agreement.tolist()
    rows = [
        (name, *(f"{value:.2f}" for value in row)) for name, row in zip(names, values, strict=True)
    ]
    return ("", *names), rows


def json_report(evaluation: Evaluation) -> str:
    """Everything that was computed, for other programs."""
    task = evaluation.task
    content = {
        "task": task.name,
        "classes": task.classes,
        "gold": evaluation.gold.name,
        "gaps": len(evaluation.gold.classes),
        "documents": evaluation.documents,
        "absent": evaluation.absent,
        "submissions": [
            {
                "name": result.name,
                "contrastive": result.contrastive,
                "scores": {name: asdict(score) for name, score in result.scores.items()},
                "averages": _averages(evaluation, result),
                "per_class": _per_class(evaluation, result),
                "confusion": result.counts.tolist(),
            }
            for result in evaluation.results
        ],
        "comparisons": [difference_record(one, "metric") for one in evaluation.comparisons],
        "agreement": None if evaluation.agreement is None else evaluation.agreement.tolist(),
        "warnings": evaluation.warnings,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _per_class(evaluation: Evaluation, result: Result) -> dict[str, dict[str, float]]:
    counts = result.counts
    columns = {
        "instances": counts.sum(axis=1),
        "predicted": counts.sum(axis=0),
        "precision": precision(counts),
        "recall": recall(counts),
        "f1": f1(counts),
    }
    return {
        name: {key: column[index].item() for key, column in columns.items()}
        for index, name in enumerate(evaluation.task.classes)
    }


def _averages(evaluation: Evaluation, result: Result) -> dict[str, float]:
    """Macro averages of P, R and F1, and their micro averages, which equal accuracy."""
    counts, absent = result.counts, evaluation.absent
    return {
        "macro_precision": float(macro_precision(counts, absent)),
        "macro_recall": float(macro_recall(counts, absent)),
        "macro_f1": float(macro_f1(counts, absent)),
        "micro": float(accuracy(counts)),
    }


def csv_report(evaluation: Evaluation) -> str:
    """One line per submission and value: scores with intervals, then values per class."""
    rows: list[Row] = [("submission", "metric", "class", "value", "low", "high", "signature")]
    for result in evaluation.results:
        for score in result.scores.values():
            numbers = map(csv_number, (score.value, score.low, score.high))
            rows.append((result.name, score.name, "", *numbers, score.signature))
        for name, value in _averages(evaluation, result).items():
            if name not in result.scores:
                rows.append((result.name, name, "", csv_number(value), "", "", ""))
        for name, values in _per_class(evaluation, result).items():
            for key, value in values.items():
                rows.append((result.name, key, name, csv_number(value), "", "", ""))
    return csv_text(rows)
