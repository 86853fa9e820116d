"""Precision, recall and F1 of pronouns as tables, JSON or CSV."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import isnan
from typing import Any

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.core.score import interval_note
from crosspro.evaluation.metrics.bleu.pronoun_f1 import METRICS, GroupF1, PronounF1
from crosspro.evaluation.output.differences import (
    NOT_CORRECTED,
    difference_record,
    differences_table,
)
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import csv_number, csv_text

EQUAL = (
    "In total and by pronoun the same word must be there: he for she is a miss.",
    "By kind, person, number and gender any word that agrees in it will do: he for she agrees in "
    "person and number.",
    "So these rows may be higher than the total, and what they match is not a part of it.",
)
"""What counts as equal in the rows of the table."""
_TITLES = {"precision": "precision", "recall": "recall", "f1": "F1"}


def pronoun_text(evaluation: PronounF1, style: Style = PLAIN) -> str:
    """The report for a terminal, or as Markdown: a table for each candidate."""
    size = counted(evaluation.lines, "line")
    if evaluation.documents is not None:
        size += f" in {counted(evaluation.documents, 'document')}"
    heading = ("pronouns", "reference", "candidate", "matched", *_TITLES.values())
    parts = []
    for one in evaluation.results:
        rows = [
            (_title(g), *(f"{n:,}" for n in (g.reference, g.candidate, g.matched)),
             *map(str, g.scores.values()))
            for g in one.groups
        ]  # fmt: skip
        parts += [style.title(f"{one.name}: {size}"), style.table(heading, rows)]
    scores = (s for one in evaluation.results for g in one.groups for s in g.scores.values())
    note = interval_note(scores)
    parts.append("".join(f"{line}\n" for line in (note, *EQUAL) if line))
    if evaluation.comparisons:
        parts += [
            style.title("Paired differences"),
            style.table(*differences_table(evaluation.comparisons, 2, title=_TITLES.__getitem__)),
            f"{NOT_CORRECTED}\n",
        ]
    totals = evaluation.results[0].groups[0].scores.values()
    return "\n".join([*parts, *style.signed(score.signature for score in totals)])


def _title(group: GroupF1) -> str:
    return f"{group.breakdown} {group.group}".strip()


def pronoun_json(evaluation: PronounF1) -> str:
    """Everything that was computed, for other programs."""
    content = {
        "lines": evaluation.lines,
        "documents": evaluation.documents,
        "language": evaluation.language,
        "candidates": [
            {"name": one.name, "groups": [_record(group) for group in one.groups]}
            for one in evaluation.results
        ],
        "comparisons": [difference_record(one, "metric") for one in evaluation.comparisons],
        "warnings": evaluation.warnings,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _record(group: GroupF1) -> dict[str, Any]:
    record = asdict(group)
    for score in record["scores"].values():
        score["value"] = None if isnan(score["value"]) else score["value"]
    return record


def pronoun_csv(evaluation: PronounF1) -> str:
    """One line per candidate and group."""
    counts = ("reference", "candidate", "matched")
    heading = ["system", "breakdown", "group", *(f"{name}_pronouns" for name in counts)]
    for name in METRICS:
        heading += [name, f"{name}_low", f"{name}_high"]
    rows = []
    for one in evaluation.results:
        for group in one.groups:
            row: list[object] = [one.name, group.breakdown, group.group]
            row += [getattr(group, name) for name in counts]
            for score in group.scores.values():
                row += map(csv_number, (score.value, score.low, score.high))
            rows.append(row)
    return csv_text([heading, *rows])
