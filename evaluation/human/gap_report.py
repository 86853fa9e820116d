"""Measures of filled-in gaps as tables, as JSON and as CSV, and the verdicts behind them."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import isnan
from typing import Any

from crosspro.data_prep.core.task import OTHER
from crosspro.evaluation.core.score import Score, interval_note
from crosspro.evaluation.human.filled_gaps import FilledSheets
from crosspro.evaluation.human.gap_scores import (
    MEASURES,
    FilledPronoun,
    GapEvaluation,
    GapResult,
)
from crosspro.evaluation.output.differences import (
    NOT_CORRECTED,
    difference_record,
    differences_table,
)
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import csv_text, score_csv

TITLES = {
    "accuracy": "accuracy with other",
    "accuracy_without_other": "without other",
    "precision": "precision",
    "lenient_recall": "lenient recall",
    "f": "F",
}
JUDGED_COLUMNS = ("system", "document", "line", "position", "category", "case", "human")


def gap_text(evaluation: GapEvaluation, style: Style = PLAIN) -> str:
    """All systems side by side, then the pronouns of each, then comparisons."""
    rows = [
        (one.system, str(one.gaps), str(one.bad), *(one.scores[name].shown(4) for name in MEASURES))
        for one in evaluation.results
    ]
    heading = ("system", "gaps", "bad", *(TITLES[name] for name in MEASURES))
    note = interval_note(score for one in evaluation.results for score in one.scores.values())
    parts = [style.table(heading, rows), *([f"{note}\n"] if note else [])]
    if evaluation.empty:
        parts.append(f"{evaluation.empty:,} gaps that nobody has filled in are left out.\n")
    parts += [_pronouns(one, style) for one in evaluation.results]
    if evaluation.comparisons:
        table = style.table(*differences_table(evaluation.comparisons, 4, title=_title))
        parts += [style.title("Paired differences"), f"{table}{style.after}{NOT_CORRECTED}\n"]
    signatures = (one.scores["accuracy"].signature for one in evaluation.results)
    return "\n".join([*parts, *style.signed(dict.fromkeys(signatures))])


def _title(name: str) -> str:
    return TITLES[name]


def _pronouns(result: GapResult, style: Style) -> str:
    """Pronouns that occur, as the system's word or as what people would accept."""
    rows = [
        (
            "other" if one.pronoun == OTHER else one.pronoun,
            *map(str, (one.said, one.hit, one.missed)),
            *("–" if value is None else f"{value:.4f}" for value in _values(one)),
        )
        for one in result.pronouns
        if one.said or one.missed
    ]
    heading = ("system's", "accepted", "missed", "precision", "lenient recall", "F")
    return style.table((result.system, *heading), rows)


def _values(one: FilledPronoun) -> tuple[float | None, float | None, float | None]:
    return one.precision, one.recall, one.f


def gap_json(evaluation: GapEvaluation) -> str:
    """Everything that was computed, for other programs."""
    content = {
        "systems": [
            {
                "name": one.system,
                "gaps": one.gaps,
                "bad": one.bad,
                "scores": {name: _record(score) for name, score in one.scores.items()},
                "pronouns": [
                    asdict(own)
                    | dict(zip(("precision", "lenient_recall", "f"), _values(own), strict=True))
                    for own in one.pronouns
                ],
            }
            for one in evaluation.results
        ],
        "comparisons": [difference_record(one, "metric") for one in evaluation.comparisons],
        "empty": evaluation.empty,
        "warnings": list(evaluation.warnings),
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _record(score: Score) -> dict[str, Any]:
    return asdict(score) | ({"value": None} if isnan(score.value) else {})


def gap_csv(evaluation: GapEvaluation) -> str:
    """A row for each system: the human scores that `crosspro correlate` compares metrics with."""
    rows = (
        (one.system, [one.scores[name].value for name in MEASURES]) for one in evaluation.results
    )
    return score_csv(MEASURES, rows)


def judged_csv(sheets: FilledSheets) -> str:
    """A row for each gap with its case and its verdict, for `crosspro correlate cases`."""
    rows = [
        (
            *(one.system, one.document),
            *(one.place or ("", "")),
            one.pronoun or "all",
            "" if one.case is None else one.case,
            one.verdict,
        )
        for one in sheets.gaps
    ]
    return csv_text([JUDGED_COLUMNS, *rows])
