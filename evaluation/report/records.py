"""An evaluation for other programs: JSON, CSV, and a record of every item."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from math import isfinite
from typing import Any

from crosspro.evaluation.evaluation import Evaluation, GroupScores
from crosspro.version import __version__


def record(evaluation: Evaluation) -> dict[str, Any]:
    """All that was computed but the single items, as JSON has it."""
    items = evaluation.items
    candidates = []
    for candidate in evaluation.candidates:
        scored = {
            "name": candidate.name,
            **_group(candidate.total),
            "groups": [
                {"breakdown": group.breakdown, "group": group.group, **_group(group)}
                for group in candidate.groups
            ],
        }
        candidates.append({**candidate.facts, **scored})  # no fact takes the place of a score
    content = {
        "crosspro": __version__,
        "metric": evaluation.metric.name,
        "headline": evaluation.headline,
        "better": "lower" if evaluation.metric.display.lower_is_better else "higher",
        "settings": evaluation.metric.settings,
        "data": {
            **items.facts,
            "items": items.size,
            "unit": items.units.name,
            "units": items.units.count,
        },
        "signature": evaluation.signature,
        "candidates": candidates,
        "comparisons": [asdict(comparison) for comparison in evaluation.comparisons],
        "warnings": list(evaluation.warnings),
    }
    return dict(plain(content))


def _group(group: GroupScores) -> dict[str, Any]:
    scores = {measure: asdict(score) for measure, score in group.scores.items()}
    return {"counts": dict(group.counts), "scores": scores}


def plain(value: Any) -> Any:
    """Records, their shown fields, sets and numbers as JSON has them; null where undefined."""
    if is_dataclass(value):
        shown = [field.name for field in fields(value) if field.repr]
        return {name: plain(getattr(value, name)) for name in shown}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def json_text(content: Any) -> str:
    return json.dumps(plain(content), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def json_report(evaluation: Evaluation) -> str:
    return json_text(record(evaluation))


def csv_number(value: object) -> object:
    """A number with six digits; empty if there is none."""
    if isinstance(value, float):
        return f"{value:.6g}" if isfinite(value) else ""
    return "" if value is None else value


def csv_text(rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def detail_records(evaluation: Evaluation) -> list[dict[str, Any]]:
    return [
        {"candidate": name} | dict(detail) | {"candidate": name}  # its name is not overwritten
        for place, name in enumerate(evaluation.names)
        for detail in evaluation.metric.details(evaluation.items, place)
    ]
