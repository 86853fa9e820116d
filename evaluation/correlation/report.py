"""Correlations as tables, JSON, CSV, scatter plots and an HTML page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.evaluation.correlation.study import CorrelationStudy, MetricCorrelation
from crosspro.evaluation.output.page import Page, Section, html_table, render_tables
from crosspro.evaluation.output.plots import (
    FigurePanel,
    ScatterPlot,
    figure_file,
    figure_html,
    scatter_panels,
)
from crosspro.evaluation.output.tables import PLAIN, Row, Style, csv_number, csv_text

Table = tuple[Row, Sequence[Row], int]
"""A heading, rows, and how many columns are flush left."""

Printed = Mapping[tuple[str, str], float]
"""Values as a paper prints them, by metric and coefficient."""

_TITLES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "spearman_competition": "Spearman (competition)",
    "kendall": "Kendall tau-b",
}
COEFFICIENTS_NOTE = (
    "[95% interval, systems resampled]; p is two-sided: t test for Pearson, permutations for the "
    "others."
)


def humans_title(study: CorrelationStudy) -> str:
    """Between which human evaluations metrics are tested, and over how many systems."""
    table, systems = study.table, study.humans[0].systems
    return (
        f"Williams test between {table.human} and {table.other_human} (Pearson) over the "
        f"{systems} systems of both"
    )


def _tables(study: CorrelationStudy, printed: Printed) -> list[tuple[str, Table]]:
    """The tables of a study with their titles: coefficients, tests, and what single systems do."""
    found = [("Coefficients", coefficient_table(study, printed))]
    if study.comparisons:
        found.append(("Williams test between metrics (Pearson)", williams_table(study)))
    if study.humans:
        found.append((humans_title(study), humans_table(study)))
    if study.results[0].without:
        found.append(("Without one system (Pearson / Spearman)", without_table(study.results)))
    return found


def correlation_text(
    study: CorrelationStudy, printed: Printed | None = None, style: Style = PLAIN
) -> str:
    """The study for a terminal or as Markdown, with printed values where they are known."""
    (_, first), *others = _tables(study, printed or {})
    parts = [style.title(study_title(study)), style.table(*first), f"{COEFFICIENTS_NOTE}\n"]
    for title, table in others:
        parts += [style.title(title), style.table(*table)]
    signatures = (one.signature for one in study.results[0].coefficients.values())
    return "\n".join([*parts, *style.signed(signatures)])


def study_title(study: CorrelationStudy) -> str:
    """What was correlated with what, over how many systems."""
    table = study.table
    return f"{table.name}: correlation with {table.human} over {len(table.systems)} systems"


def coefficient_table(study: CorrelationStudy, printed: Printed) -> Table:
    """Every coefficient of every metric, with printed values where they are known."""
    rows: list[Row] = []
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
    return heading, rows, 2


def williams_table(study: CorrelationStudy) -> Table:
    """Each two metrics, the better one first."""
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
    return heading, rows, 1


def humans_table(study: CorrelationStudy) -> Table:
    """Each metric against both human evaluations; one-sided p is for the first."""
    rows = [
        (
            one.metric,
            *(f"{r:.3f}" for r in (one.r_human, one.r_other, one.r_between)),
            f"{one.test.t:.3f}",
            str(one.test.degrees),
            p_text(one.test.p_one_sided),
            p_text(one.test.p_two_sided),
        )
        for one in study.humans
    ]
    names = (f"r {study.table.human}", f"r {study.table.other_human}", "r between")
    return ("metric", *names, "t", "df", "p one-sided", "p two-sided"), rows, 1


def without_table(results: Sequence[MetricCorrelation]) -> Table:
    """What remains of each correlation without each one of the systems."""
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
    return heading, [everything, *rows], 1


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
                "regression": asdict(result.line),
            }
            for result in study.results
        ],
        "williams": [asdict(one) for one in study.comparisons],
        "other_human": study.table.other_human,
        "williams_humans": [asdict(one) for one in study.humans],
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


# Scatter plots with regression lines (000 Figure 1), and the page ---------------------------------

_LARGEST, _FINEST = 1e100, 1e9
"""Beyond these the arithmetic of axes and lines has no digits left."""


def correlation_panels(study: CorrelationStudy) -> list[FigurePanel]:
    """A plot for each metric, the human scores on the vertical axis."""
    table = study.table
    _check_drawable(study)
    plots = []
    for result in study.results:
        pearson, spearman = (result.coefficients[kind].value for kind in ("pearson", "spearman"))
        plots.append(
            ScatterPlot(
                result.metric,
                f"Pearson {pearson:.3f}, Spearman {spearman:.3f}",
                result.metric,
                table.human,
                table.systems,
                table.columns[result.metric].tolist(),
                table.columns[table.human].tolist(),
                result.line.slope,
                result.line.intercept,
            )
        )
    return scatter_panels(plots)


def _check_drawable(study: CorrelationStudy) -> None:
    """Raise if numbers are too large or too close together for an axis."""
    table = study.table
    problems = []
    for name in (table.human, *table.metrics):
        values = table.columns[name]
        size = float(abs(values).max())
        if size > _LARGEST or float(np.ptp(values)) < max(size, 1 / _LARGEST) / _FINEST:
            expected = "numbers for an axis: not too large, and not almost equal"
            found = f"{values.min():g} to {values.max():g}"
            problems.append(Problem(table.name, None, name, expected, found))
    if problems:
        raise InputError(problems)


def numbered_systems(systems: Sequence[str]) -> str:
    """Which number of a plot is which system."""
    return ", ".join(f"{number} {name}" for number, name in enumerate(systems, start=1))


def correlation_figure(study: CorrelationStudy) -> str:
    """The plots as one SVG file."""
    notes = [
        numbered_systems(study.table.systems),
        study.results[0].coefficients["pearson"].signature,
    ]
    title = f"Metrics against {study.table.human} over {len(study.table.systems)} systems"
    return figure_file(title, correlation_panels(study), notes)


def correlation_page(study: CorrelationStudy, printed: Printed | None = None) -> str:
    """The page of a study, complete in itself."""
    systems = numbered_systems(study.table.systems)
    plots = figure_html(correlation_panels(study))
    sections = [Section("Plots", plots, f"The line is the linear regression. {systems}")]
    for title, table in _tables(study, printed or {}):
        note = COEFFICIENTS_NOTE if len(sections) == 1 else ""
        sections.append(Section(title, html_table(*table), note))
    signatures = [one.signature for one in study.results[0].coefficients.values()]
    return render_tables(
        Page("Metrics against people", study_title(study), sections, signatures, study.warnings)
    )
