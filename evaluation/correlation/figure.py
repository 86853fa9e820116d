"""Metrics against human scores as scatter plots with regression lines (000 Figure 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.evaluation.correlation.study import CorrelationStudy
from crosspro.evaluation.output.figure import FigurePanel, figure_file
from crosspro.evaluation.output.scatter import ScatterPlot, scatter_panels

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
