"""An evaluation as one self-contained HTML page.

Scores, paired tests, confusion matrices as heat maps, and every wrong prediction with its source,
target and links, searchable in the browser. The page loads nothing from elsewhere.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from crosspro.data_prep.errors import input_error
from crosspro.data_prep.example import Example
from crosspro.evaluation.layout.differences import NOT_CORRECTED, differences_table
from crosspro.evaluation.layout.template import (
    embedded_json,
    fill_page,
    html_table,
    shade,
    signature_list,
    warning_list,
)
from crosspro.evaluation.published.results import PublishedResult
from crosspro.evaluation.submissions.report import (
    agreement_table,
    metric_title,
    ranking_table,
    recall_table,
)
from crosspro.evaluation.submissions.results import Evaluation, Result
from crosspro.evaluation.submissions.submission import Submission

_TEMPLATE = Path(__file__).resolve().parent / "report.html"


def html_report(
    evaluation: Evaluation,
    submissions: Sequence[Submission],
    examples: Iterable[Example],
    published: Sequence[PublishedResult] = (),
    max_errors: int = 2000,
) -> str:
    """The page; `examples` are those of the gold file, of which the wrong ones are shown."""
    errors, total = _wrong_examples(evaluation, submissions, examples, max_errors)
    note = f"{total:,} sentences have a wrong prediction."
    if total > len(errors):
        note += f" The first {len(errors):,} are here."
    data = {
        "classes": evaluation.task.classes,
        "systems": [submission.name for submission in submissions],
        "tagged": evaluation.task.tagged,
        "examples": errors,
    }
    gaps = f"{len(evaluation.gold.classes):,} gaps"
    if evaluation.documents is not None:
        gaps += f" in {evaluation.documents:,} documents"
    parts = {
        "title": html.escape(f"Pronoun prediction {evaluation.task.name}"),
        "subtitle": html.escape(f"Gold {evaluation.gold.name}: {gaps}"),
        "warnings": warning_list(evaluation.warnings),
        "ranking": html_table(*ranking_table(evaluation, published), 2),
        "published_note": "* scored here; the others are published figures." if published else "",
        "recalls": html_table(*recall_table(evaluation, published), 1),
        "comparisons": _comparisons(evaluation),
        "matrices": "".join(_matrix(evaluation, result) for result in evaluation.results),
        "errors_note": html.escape(note),
        "signatures": signature_list(
            [score.signature for score in evaluation.results[0].scores.values()]
        ),
        "data": embedded_json(data),
    }
    return fill_page(_TEMPLATE, parts)


def _wrong_examples(
    evaluation: Evaluation,
    submissions: Sequence[Submission],
    examples: Iterable[Example],
    limit: int,
) -> tuple[list[dict[str, object]], int]:
    gold = evaluation.gold
    predicted = np.stack([submission.classes for submission in submissions])
    ends = np.cumsum(gold.gaps)
    starts = ends - gold.gaps
    wrong = (predicted != gold.classes).any(axis=0)
    shown: list[dict[str, object]] = []
    total = line = 0
    for line, example in enumerate(examples):
        if line >= len(ends):
            break
        here = range(int(starts[line]), int(ends[line]))
        if not any(wrong[index] for index in here):
            continue
        total += 1
        if len(shown) >= limit:
            continue
        known = len(example.gaps) == len(here)  # the scorer does not ask for equal numbers
        gaps = [
            {
                "position": example.gaps[offset].position if known else -1,
                "source": example.gaps[offset].source_index if known else -1,
                "gold": int(gold.classes[index]),
                "word": (example.gaps[offset].word if known else None) or "",
                "predicted": predicted[:, index].tolist(),
            }
            for offset, index in enumerate(here)
        ]
        shown.append(
            {
                "line": line + 1,
                "document": example.document,
                "source": example.source,
                "target": example.target,
                "links": example.links,
                "gaps": gaps,
            }
        )
    if line + 1 != len(ends):  # a pipe cannot be read twice
        expected = f"{len(ends)} lines, as when the labels were read"
        raise input_error(
            gold.name, "file", expected, f"{line + 1} or none; use a file, not a pipe"
        )
    return shown, total


def _comparisons(evaluation: Evaluation) -> str:
    if not evaluation.comparisons:
        return ""
    table = html_table(*differences_table(evaluation.comparisons, 2, title=metric_title))
    heading = "<h2>Paired differences</h2>"
    agreement = html_table(*agreement_table(evaluation), 1)
    return (
        f'{heading}<div class="scroll">{table}</div><p class="note">{NOT_CORRECTED}</p>'
        f'<h2>Agreement (% of gaps)</h2><div class="scroll">{agreement}</div>'
    )


def _matrix(evaluation: Evaluation, result: Result) -> str:
    classes = [html.escape(name) for name in evaluation.task.classes]
    rows = []
    for gold, counts in enumerate(result.counts):
        total = max(int(counts.sum()), 1)
        cells = []
        for predicted, number in enumerate(counts.tolist()):
            kind = " hit" if gold == predicted else "" if number else " zero"
            share = f"{classes[gold]} as {classes[predicted]}: {100 * number / total:.1f}%"
            tint = shade(number / total)
            cells.append(f'<td class="{kind.strip()}" style="{tint}" title="{share}">{number}</td>')
        rows.append(
            f"<tr><th class=l>{classes[gold]}</th>{''.join(cells)}<th>{counts.sum()}</th></tr>"
        )
    heading = "".join(f"<th>{name}</th>" for name in classes)
    score = result.scores[evaluation.task.official_score]
    caption = f"{html.escape(result.name)}: {metric_title(score.name)} {score}"
    return (
        f'<table class="matrix"><caption>{caption}</caption>'
        f"<thead><tr><th></th>{heading}<th></th></tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )
