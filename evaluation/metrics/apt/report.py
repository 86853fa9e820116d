"""An APT evaluation as text: tables for the terminal, JSON, and one line for each occurrence."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from math import isnan
from typing import Any

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.task import NONE
from crosspro.evaluation.core.score import interval_note
from crosspro.evaluation.inputs.case_names import CASE_NAMES, CASES
from crosspro.evaluation.inputs.pronoun_lists import lists_to_mapping
from crosspro.evaluation.metrics.apt.cases import Occurrence
from crosspro.evaluation.metrics.apt.score import AptEvaluation, AptResult
from crosspro.evaluation.metrics.apt.sides import Side
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
    "reference positions",
    "reference",
    "reference labels",
    "reference repair",
    "candidate positions",
    "candidate words",
    "candidate labels",
    "candidate repair",
    "case",
)


def text_report(evaluation: AptEvaluation, matrix: bool = True, style: Style = PLAIN) -> str:
    """The report for a terminal, or as Markdown."""
    results = evaluation.results
    parts = [
        style.title(_title(evaluation)),
        _score_table(results, style),
        _case_table(evaluation, style),
    ]
    if evaluation.starts_from == "reference":
        parts.append("Links are not repaired where pronouns of the reference are scored.\n")
    elif evaluation.settings.repair is not None:
        parts.append(_repair_line(results))
    if evaluation.comparisons:
        table = style.table(*differences_table(evaluation.comparisons, 4))
        parts += [style.title("Paired differences"), f"{table}{style.after}{NOT_CORRECTED}\n"]
    if matrix:
        parts += [_matrix_table(result, style) for result in results]
    return "\n".join([*parts, *style.signed([results[0].score.signature])])


def csv_report(evaluation: AptEvaluation) -> str:
    """A row for each candidate: a table that `crosspro correlate` reads."""
    rows = [(result.name, (result.score.value,)) for result in evaluation.results]
    return score_csv(("apt",), rows)


def _title(evaluation: AptEvaluation) -> str:
    number = len(evaluation.results[0].occurrences)
    title = f"APT of {counted(number, 'pronoun')}, reference {evaluation.reference.name}"
    if evaluation.starts_from == "reference":
        title += f"; {evaluation.unlinked:,} pronouns of the reference have no link"
    return title


def _score_table(results: Sequence[AptResult], style: Style) -> str:
    rows = [(result.name, result.score.shown(4)) for result in results]
    note = interval_note(result.score for result in results)
    return style.table(("candidate", "APT"), rows) + (f"{style.after}{note}\n" if note else "")


def _case_table(evaluation: AptEvaluation, style: Style) -> str:
    settings = evaluation.settings
    rows = []
    for case, name, weight in zip(CASES, CASE_NAMES, settings.weights, strict=True):
        shown = "discarded" if case in settings.discarded else f"{weight:g}"
        if case == 2 and settings.probabilities and case not in settings.discarded:
            shown = "p"
        counts = [str(result.counts[case - 1]) for result in evaluation.results]
        rows.append((f"{case} {name}", shown, *counts))
    return style.table(("case", "weight", *(result.name for result in evaluation.results)), rows)


def _repair_line(results: Sequence[AptResult]) -> str:
    reference = sum(o.reference.repaired for o in results[0].occurrences)
    theirs = [f"{sum(o.candidate.repaired for o in r.occurrences)} in {r.name}" for r in results]
    return f"Repaired links: {reference} in the reference, {', '.join(theirs)}.\n"


def _matrix_table(result: AptResult, style: Style) -> str:
    """The matrix without the labels that do not occur."""
    totals = result.matrix.sum(axis=0) + result.matrix.sum(axis=1)
    there = [number for number, total in enumerate(totals.tolist()) if total]
    labels = [result.matrix_labels[number] for number in there]
    rows = []
    for number, label in zip(there, labels, strict=True):
        row = result.matrix[number, there]
        rows.append((label, *(str(n) if n else "·" for n in row.tolist()), str(row.sum())))
    column_sums = result.matrix[:, there].sum(axis=0)
    rows.append(("sum", *map(str, column_sums.tolist()), str(result.matrix.sum())))
    heading = style.title(f"{result.name}: reference in rows, candidate in columns")
    return f"{heading}\n{style.table(('', *labels, 'sum'), rows)}"


def detail_rows(result: AptResult) -> list[list[str]]:
    """A row of `DETAIL_COLUMNS` for each occurrence; lines and positions count from 0."""
    return [[result.name, *_cells(occurrence)] for occurrence in result.occurrences]


def detail_tsv(evaluation: AptEvaluation) -> str:
    """All occurrences of all candidates as a table with tabs."""
    buffer = io.StringIO()
    writer = csv.writer(
        buffer, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None
    )
    writer.writerow(DETAIL_COLUMNS)
    for result in evaluation.results:
        writer.writerows(detail_rows(result))
    return buffer.getvalue()


def _cells(occurrence: Occurrence) -> list[str]:
    anchor = occurrence.anchor
    cells = [str(anchor.sentence), str(anchor.position), anchor.word]
    for side in (occurrence.reference, occurrence.candidate):
        cells += [
            " ".join(map(str, side.positions)) or "-",
            " ".join(side.words) or "-",
            " ".join(side.labels) or NONE,
            side.repair.value,
        ]
    return [*cells, str(occurrence.case)]


def detail_json(evaluation: AptEvaluation) -> str:
    """All occurrences of all candidates with their sentences, as JSON."""
    content = [
        {
            "system": result.name,
            **_occurrence(occurrence),
            "sentences": {
                "source": " ".join(evaluation.source.words(occurrence.anchor.sentence)),
                "reference": " ".join(evaluation.reference.text.words(occurrence.anchor.sentence)),
                "candidate": " ".join(translation.text.words(occurrence.anchor.sentence)),
            },
        }
        for result, translation in zip(evaluation.results, evaluation.candidates, strict=True)
        for occurrence in result.occurrences
    ]
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _occurrence(occurrence: Occurrence) -> dict[str, Any]:
    return {
        "sentence": occurrence.anchor.sentence,
        "position": occurrence.anchor.position,
        "source": occurrence.anchor.word,
        "pronoun": occurrence.anchor.pronoun,
        "reference": _side(occurrence.reference),
        "candidate": _side(occurrence.candidate),
        "case": occurrence.case,
        "probability": occurrence.probability,
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "positions": list(side.positions),
        "words": list(side.words),
        "labels": list(side.labels),
        "repair": side.repair.value,
    }


def json_report(evaluation: AptEvaluation) -> str:
    """Everything that was computed but the single occurrences, for other programs."""
    settings = evaluation.settings
    content = {
        "metric": "APT",
        "signature": evaluation.results[0].score.signature,
        "reference": evaluation.reference.name,
        "occurrences": len(evaluation.results[0].occurrences),
        "unlinked": evaluation.unlinked,
        "warnings": list(evaluation.warnings),
        "weights": list(settings.weights),
        "discarded": sorted(settings.discarded),
        "lists": lists_to_mapping(evaluation.lists),
        "candidates": [
            {
                "name": result.name,
                "score": None if isnan(result.score.value) else result.score.value,
                "low": result.score.low,
                "high": result.score.high,
                "cases": dict(zip(map(str, CASES), result.counts, strict=True)),
                "repaired": {
                    "reference": sum(o.reference.repaired for o in result.occurrences),
                    "candidate": sum(o.candidate.repaired for o in result.occurrences),
                },
                "labels": list(result.matrix_labels),
                "matrix": result.matrix.tolist(),
            }
            for result in evaluation.results
        ],
        "comparisons": [difference_record(one) for one in evaluation.comparisons],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
