"""An evaluation for other programs: JSON, CSV, and a record of every item (docs/reference/json.md).

All metrics have one schema, whose version is `FORMAT`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from math import isfinite, isnan
from typing import Any

from crosspro import __version__
from crosspro.evaluation.core.evaluation import Evaluation, GroupScores
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.output.tables import csv_number, csv_text

FORMAT = 1
"""The version of the schema; it grows when a key changes its meaning or goes."""


def json_report(evaluation: Evaluation) -> str:
    """Everything that was computed but the single items."""
    return json_text(record(evaluation))


def json_text(content: Any) -> str:
    """Records as JSON; null where a number is not defined."""
    return json.dumps(plain(content), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def record(evaluation: Evaluation) -> dict[str, Any]:
    """The same as a mapping."""
    metric, scored = evaluation.metric, evaluation.scored
    units = {"items": scored.size, "unit": scored.units.name, "units": scored.units.count}
    return {
        "format": FORMAT,
        "crosspro": __version__,
        "metric": metric.name,
        **({"better": "lower"} if metric.lower_is_better else {}),
        "settings": plain(metric.settings),
        "data": {**scored.facts, **units},
        "signature": _signature(evaluation, evaluation.systems[0].total),
        "systems": [
            {
                "name": system.name,
                **_group(system.total),
                "groups": [
                    {"breakdown": group.breakdown, "group": group.group, **_group(group)}
                    for group in system.groups
                    if group is not system.total
                ],
                **system.facts,
            }
            for system in evaluation.systems
        ],
        "comparisons": [comparison._asdict() for comparison in evaluation.comparisons],
        "warnings": list(evaluation.warnings),
    }


def _group(group: GroupScores) -> dict[str, Any]:
    scores = {measure: score_record(score) for measure, score in group.scores.items()}
    return {"counts": dict(group.counts), "scores": scores}


def score_record(score: Score) -> dict[str, Any]:
    """A score with its interval and signature; null where it is not defined."""
    value = None if isnan(score.value) else score.value
    return {"value": value, "low": score.low, "high": score.high, "signature": score.signature}


def plain(value: Any) -> Any:
    """Records, their fields, sets and numbers as JSON has them."""
    if is_dataclass(value):
        shown = [field.name for field in fields(value) if field.repr]
        return {name: plain(getattr(value, name)) for name in shown}
    if isinstance(value, Mapping):
        return {key: plain(own) for key, own in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, list | tuple):
        return [plain(own) for own in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _signature(evaluation: Evaluation, group: GroupScores) -> str:
    """How the headline of a group was computed, or its first measure if it has no headline."""
    headline = group.scores.get(evaluation.metric.headline)
    return (headline or next(iter(group.scores.values()))).signature if group.scores else ""


def csv_report(evaluation: Evaluation) -> str:
    """A row for each system, and for its groups where the metric has groups of interest.

    Without groups it is a table that `crosspro correlate` reads; with them each row ends with the
    signature of its headline, or of its first measure.
    """
    groups = evaluation.metric.groups_in_csv
    measures = list(evaluation.metric.measures)
    if not groups:
        rows = [
            (one.name, *(csv_number(one.scores[name].value) for name in measures))
            for one in evaluation.systems
        ]
        return csv_text([("system", *measures), *rows])
    heading, every = group_rows(evaluation)
    return csv_text([heading, *([_csv_cell(cell) for cell in row] for row in every)])


def _csv_cell(cell: object) -> object:
    return csv_number(cell) if isinstance(cell, float) else "" if cell is None else cell


def group_rows(evaluation: Evaluation) -> tuple[list[str], list[list[object]]]:
    """A heading, and a row for each group of each system; None where there is no value."""
    every = [group for system in evaluation.systems for group in system.groups]
    counts = list(dict.fromkeys(name for group in every for name in group.counts))
    measures = list(dict.fromkeys(name for group in every for name in group.scores))
    columns = [column for name in measures for column in (name, f"{name}_low", f"{name}_high")]
    body: list[list[object]] = []
    for one in evaluation.systems:
        for group in one.groups:
            row: list[object] = [one.name, group.breakdown, group.group]
            row += [group.counts.get(name) for name in counts]
            for name in measures:
                score = group.scores.get(name)
                row += (None,) * 3 if score is None else (score.value, score.low, score.high)
            body.append([*row, _signature(evaluation, group)])
    return ["system", "breakdown", "group", *counts, *columns, "signature"], body


def detail_rows(evaluation: Evaluation) -> tuple[list[str], list[list[object]]]:
    """A heading, and a row for each item of each system; what is inside an object has a column."""
    rows = [dict(_flat(detail)) for detail in _details(evaluation)]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return columns, [[row.get(name) for name in columns] for row in rows]


def detail_json(evaluation: Evaluation) -> str:
    """A record of every item of every system."""
    return json.dumps(list(_details(evaluation)), ensure_ascii=False, indent=1) + "\n"


def detail_tsv(evaluation: Evaluation) -> str:
    """The same as a table with tabs: what is inside an object has a column of its own."""
    columns, rows = detail_rows(evaluation)
    lines = [columns, *([_tsv_cell(cell) for cell in row] for row in rows)]
    return "".join("\t".join(cells) + "\n" for cells in lines)


def _tsv_cell(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value)) or "-"
    return " ".join(str(value).split()) if value not in (None, "") else "-"


def _details(evaluation: Evaluation) -> Iterator[Mapping[str, Any]]:
    for place, name in enumerate(evaluation.names):
        for detail in evaluation.metric.details(evaluation.scored, place):
            yield {"system": name, **detail}


def _flat(one: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in one.items():
        name = f"{prefix} {key}".strip()
        if isinstance(value, Mapping):
            yield from _flat(value, name)
        else:
            yield name, value
