"""Types of pronouns as a table, as JSON and as CSV (002 Table 1)."""

from __future__ import annotations

import json

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import csv_number, csv_text
from crosspro.evaluation.protest.pronoun_types import PronounTypes


def type_text(types: PronounTypes, style: Style = PLAIN) -> str:
    """The types with their sub-types under them, in the order of the paper's table."""
    rows = []
    last = ""
    for (name, subtype), count in types.counts.items():
        if subtype and name != last:
            rows.append(_row(name, types.of_type(name), types))
        last = name
        rows.append(_row(f"– {subtype}" if subtype else name, count, types))
    rows.append(_row("all", types.total, types))
    title = style.title(
        f"{counted(types.total, 'pronoun')} in {counted(types.documents, 'document')}"
    )
    return f"{title}\n{style.table(('pronoun type', 'count', '%'), rows)}"


def _row(name: str, count: int, types: PronounTypes) -> tuple[str, str, str]:
    return name, f"{count:,}", f"{100 * count / types.total:.1f}"


def type_json(types: PronounTypes) -> str:
    """The same for other programs."""
    rows = [
        {"type": name, "subtype": subtype, "count": count}
        for (name, subtype), count in types.counts.items()
    ]
    content = {"documents": types.documents, "pronouns": types.total, "types": rows}
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def type_csv(types: PronounTypes) -> str:
    """A row for each type and sub-type."""
    rows = (
        (name, subtype, count, csv_number(100 * count / types.total))
        for (name, subtype), count in types.counts.items()
    )
    return csv_text([("type", "subtype", "count", "percentage"), *rows])
