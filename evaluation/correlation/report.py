"""Correlations and disagreements as tables for the terminal, as JSON and as CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from crosspro.evaluation.correlation.disagreement import DisagreementStudy
from crosspro.evaluation.correlation.study import CorrelationStudy, MetricCorrelation
from crosspro.evaluation.layout.style import PLAIN, Style
from crosspro.evaluation.layout.tables import csv_number, csv_text

Printed = Mapping[tuple[str, str], float]
"""Values as a paper prints them, by metric and coefficient."""

_TITLES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "spearman_competition": "Spearman (competition)",
    "kendall": "Kendall tau-b",
}


def correlation_text(
    study: CorrelationStudy, printed: Printed | None = None, style: Style = PLAIN
) -> str:
    """The study for a terminal or as Markdown, with printed values where they are known."""
    n = len(study.table.systems)
    parts = [
        style.title(f"{study.table.name}: correlation with {study.table.human} over {n} systems"),
        _coefficients(study, printed or {}, style),
        "[95% interval, systems resampled]; p is two-sided: t test for Pearson, permutations for "
        "the others.\n",
    ]
    if study.comparisons:
        title = style.title("Williams test between metrics (Pearson)")
        parts += [title, _williams(study, style)]
    if study.results[0].without:
        title = style.title("Without one system (Pearson / Spearman)")
        parts += [title, _without(study.results, style)]
    signatures = (one.signature for one in study.results[0].coefficients.values())
    return "\n".join([*parts, *style.signed(signatures)])


def _coefficients(study: CorrelationStudy, printed: Printed, style: Style) -> str:
    rows = []
    for result in study.results:
        for kind, found in result.coefficients.items():
            shown = f"{found.value:.3f}"
            if found.low is not None and found.high is not None:
                shown += f" [{found.low:.3f}, {found.high:.3f}]"
            row = [result.metric if kind == "pearson" else "", _TITLES[kind], shown]
            row.append(p_text(found.p))
            if printed:
                value = printed.get((result.metric, kind))
                row.append("" if value is None else f"{value:.3f}")
            rows.append(row)
    heading = ["metric", "coefficient", "value", "p", *(["printed"] if printed else [])]
    return style.table(heading, rows, 2)


def _williams(study: CorrelationStudy, style: Style) -> str:
    rows = [
        (
            f"{one.first} > {one.second}",
            f"{one.r_first:.3f}",
            f"{one.r_second:.3f}",
            f"{one.r_between:.3f}",
            f"{one.test.t:.3f}",
            str(one.test.degrees),
            p_text(one.test.p_one_sided),
            p_text(one.test.p_two_sided),
        )
        for one in study.comparisons
    ]
    heading = ("pair", "r first", "r second", "r between", "t", "df", "p one-sided", "p two-sided")
    return style.table(heading, rows)


def _without(results: Sequence[MetricCorrelation], style: Style) -> str:
    rows = [
        (
            result_rows[0].system,
            *(f"{one.pearson:.3f} / {one.spearman:.3f}" for one in result_rows),
        )
        for result_rows in zip(*(result.without for result in results), strict=True)
    ]
    heading = ("left out", *(result.metric for result in results))
    everything = (
        "(none)",
        *(
            f"{r.coefficients['pearson'].value:.3f} / {r.coefficients['spearman'].value:.3f}"
            for r in results
        ),
    )
    return style.table(heading, [everything, *rows])


def p_text(p: float) -> str:
    """A p value as shown: four digits, and small ones as an upper bound."""
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def correlation_json(study: CorrelationStudy) -> str:
    """Everything that was computed, for other programs."""
    content = {
        "table": study.table.name,
        "human": study.table.human,
        "systems": study.table.systems,
        "metrics": [
            {
                "metric": result.metric,
                "coefficients": {k: asdict(one) for k, one in result.coefficients.items()},
                "without": [asdict(one) for one in result.without],
            }
            for result in study.results
        ],
        "williams": [asdict(one) for one in study.comparisons],
        "warnings": study.warnings,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def correlation_csv(study: CorrelationStudy) -> str:
    """One line per metric and coefficient."""
    heading = ("metric", "coefficient", "value", "low", "high", "p", "signature")
    rows = [
        (
            result.metric,
            kind,
            *map(csv_number, (found.value, found.low, found.high, found.p)),
            found.signature,
        )
        for result in study.results
        for kind, found in result.coefficients.items()
    ]
    return csv_text([heading, *rows])


def disagreement_text(study: DisagreementStudy, style: Style = PLAIN) -> str:
    """Table 3 of 001, and how reliable each case is."""
    rows = []
    for one in study.verdicts:
        shown = f"{one.percentage:.1f}"
        if one.category in study.intervals:
            low, high = study.intervals[one.category]
            shown += f" [{low:.1f}, {high:.1f}]"
        numbers = (*one.cases, one.correct, one.incorrect, one.disagreements, one.examples)
        rows.append((one.category, *map(str, numbers), shown))
    heading = (
        "category",
        "case 1",
        "case 2",
        "case 3",
        "correct",
        "incorrect",
        "disagree",
        "examples",
        "%",
    )
    total = study.verdicts[-1]
    by_case = [
        (f"case {case}", *map(str, cells), f"{share:.1f}")
        for case, cells, share in zip(
            (1, 2, 3), total.counts.tolist(), total.disagreement_by_case, strict=True
        )
    ]
    return "\n".join(
        (
            style.table(heading, rows),
            style.table(("total", "correct", "incorrect", "disagree %"), by_case),
            f"Case 1 or 2 as a detector of correct pronouns: precision {total.precision:.4f}, "
            f"recall {total.recall:.4f}\n",
            *style.signed([study.signature]),
        )
    )


def disagreement_json(study: DisagreementStudy) -> str:
    """The same for other programs."""
    content = {
        "categories": [
            {
                "category": one.category,
                "cases": one.cases,
                "correct": one.correct,
                "incorrect": one.incorrect,
                "disagreements": one.disagreements,
                "examples": one.examples,
                "percentage": one.percentage,
                "interval": study.intervals.get(one.category),
                "counts": one.counts.tolist(),
                "precision": one.precision,
                "recall": one.recall,
            }
            for one in study.verdicts
        ],
        "signature": study.signature,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def disagreement_csv(study: DisagreementStudy) -> str:
    """One line per category, with the share of disagreements in percent."""
    heading = ("category", "case1", "case2", "case3", "correct", "incorrect", "disagreements")
    rows = [
        (
            one.category,
            *one.cases,
            one.correct,
            one.incorrect,
            one.disagreements,
            one.examples,
            csv_number(one.percentage),
            *map(csv_number, study.intervals.get(one.category, (None, None))),
            study.signature,
        )
        for one in study.verdicts
    ]
    return csv_text([(*heading, "examples", "percentage", "low", "high", "signature"), *rows])
