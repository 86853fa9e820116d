"""Correlations as an HTML page: the plots, and the tables of the report."""

from __future__ import annotations

from crosspro.evaluation.correlation.figure import correlation_panels, numbered_systems
from crosspro.evaluation.correlation.report import (
    COEFFICIENTS_NOTE,
    WILLIAMS_TITLE,
    WITHOUT_TITLE,
    Printed,
    coefficient_table,
    humans_table,
    humans_title,
    study_title,
    williams_table,
    without_table,
)
from crosspro.evaluation.correlation.study import CorrelationStudy
from crosspro.evaluation.output.figure import figure_html
from crosspro.evaluation.output.page import Page, Section, render_tables
from crosspro.evaluation.output.template import html_table


def correlation_page(study: CorrelationStudy, printed: Printed | None = None) -> str:
    """The page of a study, complete in itself."""
    systems = numbered_systems(study.table.systems)
    plots = figure_html(correlation_panels(study))
    coefficients = html_table(*coefficient_table(study, printed or {}))
    sections = [
        Section("Plots", plots, f"The line is the linear regression. {systems}"),
        Section("Coefficients", coefficients, COEFFICIENTS_NOTE),
    ]
    if study.comparisons:
        sections.append(Section(WILLIAMS_TITLE, html_table(*williams_table(study))))
    if study.humans:
        sections.append(Section(humans_title(study), html_table(*humans_table(study))))
    if study.results[0].without:
        sections.append(Section(WITHOUT_TITLE, html_table(*without_table(study.results))))
    signatures = [one.signature for one in study.results[0].coefficients.values()]
    return render_tables(
        Page("Metrics against people", study_title(study), sections, signatures, study.warnings)
    )
