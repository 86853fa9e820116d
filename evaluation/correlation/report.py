"""Correlations over systems as tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crosspro.evaluation.core.tables import Cell, Table
from crosspro.evaluation.correlation.study import SCALE, CorrelationStudy, WilliamsComparison
from crosspro.evaluation.output.plots import ScatterPanel, scatter_panels
from crosspro.evaluation.output.records import json_text
from crosspro.evaluation.output.tables import PLAIN, Style
from crosspro.evaluation.output.text import tables_text

Printed = Mapping[tuple[str, str], float]
"""Values as a paper prints them, by metric and coefficient."""

_TITLES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "spearman_competition": "Spearman (competition)",
    "kendall": "Kendall tau-b",
}
_COEFFICIENTS_NOTE = (
    "[95% interval, systems resampled]; p is two-sided: t test for Pearson, permutations for the "
    "others."
)
_number = SCALE.number


def correlation_tables(study: CorrelationStudy, printed: Printed) -> list[Table]:
    """Coefficients, beside printed ones where these are known; tests; what single systems do."""
    tables = [_coefficients(study, printed)]
    if study.comparisons:
        names = ("pair", "r first", "r second")
        title = "Williams test between metrics (Pearson)"
        labels = [f"{comparison.first} > {comparison.second}" for comparison in study.comparisons]
        tables.append(_williams(title, names, labels, study.comparisons))
    if study.humans:
        human, other, systems = study.table.human, study.table.other_human, study.humans[0].systems
        title = (
            f"Williams test between {human} and {other} (Pearson) over the {systems} systems of "
            "both"
        )
        labels = [one.shared for one in study.humans]
        tables.append(
            _williams(title, ("metric", f"r {human}", f"r {other}"), labels, study.humans)
        )
    if study.results[0].without:
        tables.append(_without(study))
    return tables


def _coefficients(study: CorrelationStudy, printed: Printed) -> Table:
    rows: list[list[Cell]] = []
    for result in study.results:
        for kind, found in result.coefficients.items():
            name = result.metric if kind == "pearson" else ""
            rows.append([name, _TITLES[kind], found, _p_text(found.p)])
            if printed:
                value = printed.get((result.metric, kind))
                rows[-1].append("" if value is None else _number(value))
    heading = ("metric", "coefficient", "value", "p", *(["printed"] if printed else []))
    return Table(heading, rows, left=2, notes=(_COEFFICIENTS_NOTE,))


def _williams(
    title: str, names: Sequence[str], labels: Sequence[str], found: Sequence[WilliamsComparison]
) -> Table:
    rows = [
        (
            label,
            *map(_number, (one.r_first, one.r_second, one.r_between, one.test.t)),
            str(one.test.degrees),
            _p_text(one.test.p_one_sided),
            _p_text(one.test.p_two_sided),
        )
        for label, one in zip(labels, found, strict=True)
    ]
    return Table((*names, "r between", "t", "df", "p one-sided", "p two-sided"), rows, title)


def _without(study: CorrelationStudy) -> Table:
    """What remains of each correlation without each one of the systems."""

    def row(name: str, values: Sequence[tuple[float, float]]) -> Sequence[str]:
        return (
            name,
            *(f"{_number(pearson)} / {_number(spearman)}" for pearson, spearman in values),
        )

    of_all = [(r.coefficients["pearson"], r.coefficients["spearman"]) for r in study.results]
    rows = [row("(none)", [(one.value, other.value) for one, other in of_all])]
    for own in zip(*(result.without for result in study.results), strict=True):
        rows.append(row(own[0].system, [(one.pearson, one.spearman) for one in own]))
    heading = ("left out", *(result.metric for result in study.results))
    return Table(heading, rows, "Without one system (Pearson / Spearman)")


def _p_text(p: float) -> str:
    """A p value as shown: four digits, and small ones as an upper bound."""
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def correlation_text(
    study: CorrelationStudy, printed: Printed | None = None, style: Style = PLAIN
) -> str:
    """The study for a terminal or as Markdown, with printed values where they are known."""
    table = study.table
    title = f"{table.name}: correlation with {table.human} over {len(table.systems)} systems"
    signatures = [one.signature for one in study.results[0].coefficients.values()]
    return tables_text(title, correlation_tables(study, printed or {}), SCALE, signatures, style)


def correlation_plot(study: CorrelationStudy) -> str:
    """The human scores over each metric, as SVG."""
    table = study.table
    panels = [
        ScatterPanel(
            f"r = {result.coefficients['pearson'].value:.3f}",
            result.metric,
            table.columns[result.metric].tolist(),
            result.regression.slope,
            result.regression.intercept,
        )
        for result in study.results
    ]
    return scatter_panels(table.systems, table.human, table.columns[table.human].tolist(), panels)


def correlation_json(study: CorrelationStudy) -> str:
    """Everything that was computed, for other programs."""
    return json_text(
        {
            "table": study.table.name,
            "human": study.table.human,
            "other_human": study.table.other_human,
            "systems": study.table.systems,
            "metrics": study.results,
            "williams": study.comparisons,
            "williams_humans": study.humans,
            "warnings": study.warnings,
        }
    )
