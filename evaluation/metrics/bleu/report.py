"""BLEU and chrF as a table, JSON or CSV."""

from __future__ import annotations

import json
from dataclasses import asdict

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.core.score import interval_note
from crosspro.evaluation.metrics.bleu.score import TITLES, MTEvaluation
from crosspro.evaluation.output.differences import difference_record, differences_table
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import score_csv


def text_report(evaluation: MTEvaluation, style: Style = PLAIN) -> str:
    """The report for a terminal, or as Markdown."""
    size = counted(evaluation.lines, "line")
    if evaluation.documents is not None:
        size += f" in {counted(evaluation.documents, 'document')}"
    metrics = evaluation.results[0].scores
    rows = [(one.name, *map(str, one.scores.values())) for one in evaluation.results]
    parts = [
        style.title(size),
        style.table(("candidate", *(TITLES[name] for name in metrics)), rows),
    ]
    note = interval_note(score for one in evaluation.results for score in one.scores.values())
    if note:
        parts.append(f"{note}\n")
    if evaluation.comparisons:
        table = differences_table(evaluation.comparisons, 2, title=TITLES.__getitem__)
        parts += [style.title("Paired differences"), style.table(*table)]
    return "\n".join([*parts, *style.signed(score.signature for score in metrics.values())])


def json_report(evaluation: MTEvaluation) -> str:
    """Everything that was computed, for other programs."""
    content = {
        "lines": evaluation.lines,
        "documents": evaluation.documents,
        "candidates": [
            {"name": one.name, "scores": {k: asdict(score) for k, score in one.scores.items()}}
            for one in evaluation.results
        ],
        "comparisons": [difference_record(one, "metric") for one in evaluation.comparisons],
        "warnings": evaluation.warnings,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def csv_report(evaluation: MTEvaluation) -> str:
    """A row for each candidate: a table that `crosspro correlate` reads."""
    return score_csv(
        evaluation.results[0].scores,
        ((one.name, [score.value for score in one.scores.values()]) for one in evaluation.results),
    )
