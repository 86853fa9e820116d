"""The evaluation of a suite as tables for people, and as JSON and TSV for programs.

The first table is that of 002 Table 3: automatic matches by category, systems side by side. Then
comes, for each system, what 001 §7 asks for: how much was decided automatically, how much by people
and how, and what is still to be judged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from crosspro.evaluation.core.score import Score, interval_note
from crosspro.evaluation.output.differences import difference_record, differences_table
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import Row, score_csv
from crosspro.evaluation.protest.build import Candidates
from crosspro.evaluation.protest.categories import CATEGORIES
from crosspro.evaluation.protest.results import (
    PARTS,
    STATUSES,
    UNDECIDED,
    JudgedToken,
    Part,
    ProtestEvaluation,
    SuiteResult,
)
from crosspro.evaluation.protest.review import output_text, reference_text, source_text
from crosspro.evaluation.protest.suite import Suite

Table = Callable[[Row, Sequence[Row], int], str]
HEADINGS = {
    "automatic": "automatic",
    "silver": "silver",
    "right": "people: right",
    "wrong": "wrong",
    "unclear": "unclear",
    "conflict": "conflict",
    "open": "to judge",
}
DETAIL_COLUMNS = (
    "system",
    "token",
    "category",
    "status",
    "why",
    "reference_pronoun",
    "reference_head",
    "output_pronoun",
    "output_head",
    "source",
    "reference",
    "output",
)


def text_report(evaluation: ProtestEvaluation, style: Style = PLAIN) -> str:
    """Everything as tables for the terminal, or for Markdown."""
    table = style.table
    parts = [_matches(evaluation, table)]
    parts += [_system(one, evaluation.sizes, table) for one in evaluation.systems]
    if len(evaluation.systems) > 1:
        parts.append(_summary(evaluation, table))
    note = interval_note(score for one in evaluation.systems for score in one.scores.values())
    if note:
        parts.append(f"{note}\n")
    if evaluation.comparisons:
        parts.append(table(*differences_table(evaluation.comparisons, 1, 100)))
    signatures = [score.signature for score in evaluation.systems[0].scores.values()]
    return "\n".join([*parts, *style.signed(signatures)])


def _matches(evaluation: ProtestEvaluation, table: Table) -> str:
    """002 Table 3, turned round."""
    heading = ["automatic matches", "tokens", *(one.name for one in evaluation.systems)]
    rows: list[list[str]] = []
    for category in CATEGORIES:
        counts = [one.matches(category.name) for one in evaluation.systems]
        rows.append([category.label, str(evaluation.sizes[category.name]), *map(str, counts)])
    totals = [str(one.matches()) for one in evaluation.systems]
    rows.append(["all", str(len(evaluation.suite.tokens)), *totals])
    scores = [one.scores["automatic"] for one in evaluation.systems]
    rows.append(["accuracy %", "", *(f"{100 * score.value:.1f}" for score in scores)])
    if scores and scores[0].low is not None:
        rows.append(["95% interval", "", *(_interval(score) for score in scores)])
    return table(heading, rows, 1)


def _system(system: SuiteResult, sizes: Mapping[str, int], table: Table) -> str:
    """Automatic and human parts of one system, and what is left, by category with intervals.

    Statuses that nothing has are left out.
    """
    shown = [status for status in STATUSES if system.total(status) or status == "automatic"]
    columns = ("automatic % [95%]", "right % [95%]")
    heading = [system.name, "tokens", *(HEADINGS[status] for status in shown), *columns]
    rows = []
    for category in CATEGORIES:
        counts, size = system.counts[category.name], sizes[category.name]
        undecided = sum(counts[status] for status in UNDECIDED)
        scores = category_cells(system.categories.get(category.name), undecided, size)
        rows.append([category.label, str(size), *(str(counts[s]) for s in shown), *scores])
    totals = [str(system.total(status)) for status in shown]
    size = sum(sizes.values())
    undecided = sum(system.total(status) for status in UNDECIDED)
    rows.append(["all", str(size), *totals, *category_cells(system.scores, undecided, size)])
    return table(heading, rows, 1)


def category_cells(
    scores: Mapping[Part, Score] | None, undecided: int, size: int
) -> tuple[str, str]:
    """Automatic and semi-automatic shares with intervals; what is undecided makes a range."""
    if scores is None:
        return "", ""
    automatic, both = scores["automatic"], scores["semi-automatic"]
    shown = f"{100 * both.value:.1f}"
    if undecided:
        shown += f" to {100 * (both.value + undecided / size):.1f}"
    return (
        f"{100 * automatic.value:.1f} {_interval(automatic)}".rstrip(),
        f"{shown} {_interval(both)}".rstrip(),
    )


def _summary(evaluation: ProtestEvaluation, table: Table) -> str:
    """Systems under each other: the semi-automatic score as far as it is known."""
    heading = ["automatic and people", *HEADINGS.values(), "right %", "95% interval"]
    rows = []
    for one in evaluation.systems:
        score = one.scores["semi-automatic"]
        shown = f"{100 * score.value:.1f}"
        if one.at_most > score.value:
            shown = f"{shown} to {100 * one.at_most:.1f}"
        totals = [str(one.total(status)) for status in STATUSES]
        rows.append([one.name, *totals, shown, _interval(score)])
    return table(heading, rows, 1)


def _interval(score: Score) -> str:
    if score.low is None or score.high is None:
        return ""
    return f"[{100 * score.low:.1f}, {100 * score.high:.1f}]"


def json_report(evaluation: ProtestEvaluation) -> str:
    """The same for programs, with every token."""
    value = {
        "suite": evaluation.suite.digest,
        "tokens": evaluation.sizes,
        "systems": [_json_system(one) for one in evaluation.systems],
        "comparisons": [difference_record(one, "score") for one in evaluation.comparisons],
        "warnings": list(evaluation.warnings),
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _json_system(system: SuiteResult) -> dict[str, Any]:
    return {
        "name": system.name,
        "scores": {part: _json_score(score) for part, score in system.scores.items()},
        "category_scores": {
            name: {
                part: {"value": score.value, "low": score.low, "high": score.high}
                for part, score in scores.items()
            }
            for name, scores in system.categories.items()
        },
        "at_most": system.at_most,
        "categories": {name: dict(counts) for name, counts in system.counts.items()},
        "tokens": [
            dict(zip(DETAIL_COLUMNS[1:], detail_row(one)[1:], strict=True)) for one in system.tokens
        ],
    }


def _json_score(score: Score) -> dict[str, Any]:
    record = asdict(score)
    return {"part": record.pop("name"), **record}


def csv_report(evaluation: ProtestEvaluation) -> str:
    """A row for each system: a table that `crosspro correlate` reads."""
    rows = ((one.name, [one.scores[part].value for part in PARTS]) for one in evaluation.systems)
    return score_csv(PARTS, rows)


def detail_tsv(evaluation: ProtestEvaluation) -> str:
    """Every token of every system as a tab-separated table."""
    rows = [DETAIL_COLUMNS, *(detail_row(one) for s in evaluation.systems for one in s.tokens)]
    return "".join("\t".join(row) + "\n" for row in rows)


def detail_row(judged: JudgedToken) -> list[str]:
    """A token as a row of `DETAIL_COLUMNS`."""
    result = judged.result
    token = result.token
    references = [one for one in token.references if one.pronoun]
    return [
        result.system,
        token.name,
        token.category,
        judged.status,
        result.why,
        " | ".join(" ".join(one.pronoun) for one in references),
        " | ".join(" ".join(one.head) for one in references),
        " ".join(result.pronoun.words),
        " ".join(result.head.words) if result.head else "",
        source_text(result),
        reference_text(result, 0),
        output_text(result),
    ]


def build_report(candidates: Candidates, suite: Suite, style: Style = PLAIN) -> str:
    """What became of every pronoun when a suite was built: candidates, left out, selected, wanted.

    `wanted` is 002 Table 2; a category that has too few tokens is named.
    """
    table = style.table
    usable = candidates.usable()
    rows: list[list[str]] = []
    short = []
    selected = {c.name: sum(t.category == c.name for t in suite.tokens) for c in CATEGORIES}
    for category in CATEGORIES:
        name = category.name
        found, have, chosen = candidates.categories.get(name, 0), usable[name], selected[name]
        left = found - have
        rows.append([category.label, *map(str, (found, left, have, chosen, category.wanted))])
        if chosen < category.wanted:
            short.append(f"too few: {category.label}, {chosen} of {category.wanted} wanted")
    columns = [[int(row[column]) for row in rows] for column in range(1, 6)]
    rows.append(["all", *(str(sum(column)) for column in columns)])
    heading = ("category", "candidates", "left out", "usable", "selected", "published")
    parts = [table(heading, rows, 1)]
    reasons = _reasons(candidates.unusable, {c.name: c.label for c in CATEGORIES})
    if reasons:
        parts.append(table(("left out of a category", "because", "tokens"), reasons, 2))
    forms = _reasons(candidates.uncategorised, {form: form for form in candidates.forms})
    forms.append(("all", "found in the text", str(sum(candidates.forms.values()))))
    parts.append(table(("no category", "because", "tokens"), forms, 2))
    if candidates.sentence_differs:
        parts.append(
            f"{candidates.sentence_differs} anaphoric tokens: lines and annotated sentences "
            "disagree on intra or inter; the lines count.\n"
        )
    if short:
        parts.append("".join(f"{line}\n" for line in short))
    return "\n".join(parts)


def _reasons(
    counts: Mapping[tuple[str, str], int], names: Mapping[str, str]
) -> list[tuple[str, str, str]]:
    """Counts by group and reason: groups in the order of the names, frequent reasons first."""
    order = {key: number for number, key in enumerate(names)}
    items = sorted(counts.items(), key=lambda item: (order[item[0][0]], -item[1], item[0][1]))
    return [(names[group], reason, str(count)) for (group, reason), count in items]
