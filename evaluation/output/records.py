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
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
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
    if evaluation.metric.groups_in_csv:
        return _csv_of_groups(evaluation)
    measures = list(evaluation.metric.measures)
    rows = [
        (system.name, *(csv_number(system.scores[name].value) for name in measures))
        for system in evaluation.systems
    ]
    return csv_text([("system", *measures), *rows])


def _csv_of_groups(evaluation: Evaluation) -> str:
    groups = [(system.name, group) for system in evaluation.systems for group in system.groups]
    counts = list(dict.fromkeys(name for _, group in groups for name in group.counts))
    measures = list(dict.fromkeys(name for _, group in groups for name in group.scores))
    columns = [column for name in measures for column in (name, f"{name}_low", f"{name}_high")]
    rows: list[list[object]] = [
        ["system", "breakdown", "group", *counts, *columns, "signature"],
    ]
    for system, group in groups:
        numbers: list[float | None] = []
        for name in measures:
            score = group.scores.get(name)
            numbers += (None,) * 3 if score is None else (score.value, score.low, score.high)
        counted = [group.counts.get(name, "") for name in counts]
        signature = _signature(evaluation, group)
        rows.append([system, group.breakdown, group.group, *counted,
                     *map(csv_number, numbers), signature])  # fmt: skip
    return csv_text(rows)


def detail_json(evaluation: Evaluation) -> str:
    """A record of every item of every system."""
    return json.dumps(list(_details(evaluation)), ensure_ascii=False, indent=1) + "\n"


def detail_tsv(evaluation: Evaluation) -> str:
    """The same as a table with tabs: each field of a nested object has a column."""
    rows = [dict(_flat(detail)) for detail in _details(evaluation)]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [columns, *([_tsv_cell(row.get(name)) for name in columns] for row in rows)]
    return "".join("\t".join(cells) + "\n" for cells in lines)


def _tsv_cell(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value)) or "-"
    return " ".join(str(value).split()) if value not in (None, "") else "-"


def _details(evaluation: Evaluation) -> Iterator[Mapping[str, Any]]:
    for place, name in enumerate(evaluation.names):
        for detail in evaluation.metric.details(evaluation.scored, place):
            yield {"system": name, **detail}


def _flat(fields: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in fields.items():
        name = f"{prefix} {key}".strip()
        if isinstance(value, Mapping):
            yield from _flat(value, name)
        else:
            yield name, value
