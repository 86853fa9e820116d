"""An AutoPRF evaluation as text: tables for the terminal, JSON, and one line for each pronoun."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from math import isnan
from typing import Any

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.core.score import interval_note
from crosspro.evaluation.inputs.inputs import MtInput
from crosspro.evaluation.metrics.autoprf.counts import PrfRow
from crosspro.evaluation.metrics.autoprf.score import AutoPrfEvaluation, AutoPrfResult
from crosspro.evaluation.output.differences import (
    NOT_CORRECTED,
    difference_record,
    differences_table,
)
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import score_csv

DETAIL_COLUMNS = (
    "candidate",
    "sentence",
    "source position",
    "source",
    "reference",
    "candidate words",
    "matches",
)


def text_report(
    evaluation: AutoPrfEvaluation,
    by_document: bool = False,
    style: Style = PLAIN,
    clipped: bool = False,
) -> str:
    """The report for a terminal, or as Markdown."""
    note = interval_note(score for one in evaluation.results for score in one.total.scores)
    parts = [style.title(f"AutoPRF of {counted(len(evaluation.results[0].examples), 'pronoun')}")]
    for result in evaluation.results:
        rows = (*result.pronouns, result.total)
        parts += [style.title(result.name), _table(rows, "pronoun", style)]
        if by_document and result.documents:
            title = style.title(f"{result.name} by document")
            parts += [title, _table(result.documents, "document", style)]
        parts += _clipped(result, style) if clipped else []
    if note:
        parts.append(f"{note}\n")
    if evaluation.comparisons:
        table = style.table(*differences_table(evaluation.comparisons, 4))
        parts += [style.title("Paired differences"), f"{table}{style.after}{NOT_CORRECTED}\n"]
    signature = evaluation.results[0].total.scores[0].signature
    return "\n".join([*parts, *style.signed([signature])])


def _clipped(result: AutoPrfResult, style: Style) -> list[str]:
    """The breakdown of 001 §4: what is matched beside the pronoun."""
    found = result.clipped
    title = style.title(f"{result.name}: matches beside the pronoun")
    what = (
        f"{found.above_one:,} of {len(result.examples):,} pronouns match in more than one word; "
        f"{found.one_pronoun:,} of these have exactly one pronoun among them.\n"
    )
    rows = [
        (one.kind, ", ".join(f"{word} {n}" for word, n in one.words.items()), str(one.occurrences))
        for one in found.additional
    ]
    table = [style.table(("additional words", "which", "pronouns"), rows, 2)] if rows else []
    return [title, what, *table]


def _table(rows: Sequence[PrfRow], what: str, style: Style) -> str:
    shown = [
        (
            row.name,
            f"{row.matches}/{row.candidate}",
            row.scores[0].shown(4),
            f"{row.matches}/{row.reference}",
            *(score.shown(4) for score in row.scores[1:]),
        )
        for row in rows
    ]
    return style.table((what, "", "precision", "", "recall", "F1"), shown)


def json_report(evaluation: AutoPrfEvaluation) -> str:
    """Everything that was computed but the single occurrences, for other programs."""
    content = {
        "metric": "AutoPRF",
        "signature": evaluation.results[0].total.scores[0].signature,
        "occurrences": len(evaluation.results[0].examples),
        "warnings": list(evaluation.warnings),
        "candidates": [
            {
                "name": result.name,
                "total": _row(result.total),
                "pronouns": [_row(row) for row in result.pronouns],
                "documents": [_row(row) for row in result.documents],
                "clipped": asdict(result.clipped),
            }
            for result in evaluation.results
        ],
        "comparisons": [difference_record(one, "metric") for one in evaluation.comparisons],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def csv_report(evaluation: AutoPrfEvaluation) -> str:
    """A row for each candidate: a table that `crosspro correlate` reads."""
    metrics = (score.name for score in evaluation.results[0].total.scores)
    return score_csv(metrics, ((one.name, one.total.values) for one in evaluation.results))


def _row(row: PrfRow) -> dict[str, Any]:
    scores = {
        score.name: {
            "value": None if isnan(score.value) else score.value,
            "low": score.low,
            "high": score.high,
        }
        for score in row.scores
    }
    counts = {"matches": row.matches, "candidate": row.candidate, "reference": row.reference}
    return {"name": row.name, **counts, **scores}


def detail_tsv(evaluation: AutoPrfEvaluation) -> str:
    """All occurrences of all candidates as a table with tabs; positions count from 0."""
    lines = ["\t".join(DETAIL_COLUMNS)]
    for result in evaluation.results:
        for example in result.examples:
            anchor = example.anchor
            cells = (result.name, anchor.sentence, anchor.position, anchor.word)
            words = (" ".join(example.reference) or "-", " ".join(example.candidate) or "-")
            lines.append("\t".join(map(str, (*cells, *words, example.matches))))
    return "\n".join(lines) + "\n"


def detail_json(evaluation: AutoPrfEvaluation, data: MtInput) -> str:
    """All occurrences of all candidates with their sentences, as JSON; positions count from 0."""
    content = [
        {
            "system": result.name,
            "sentence": example.anchor.sentence,
            "position": example.anchor.position,
            "source": example.anchor.word,
            "pronoun": example.anchor.pronoun,
            "reference": list(example.reference),
            "candidate": list(example.candidate),
            "matches": example.matches,
            "sentences": {
                name: " ".join(text.words(example.anchor.sentence))
                for name, text in (
                    ("source", data.source),
                    ("reference", data.reference.text),
                    ("candidate", candidate.text),
                )
            },
        }
        for result, candidate in zip(evaluation.results, data.candidates, strict=True)
        for example in result.examples
    ]
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
