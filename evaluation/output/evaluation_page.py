"""An evaluation as one self-contained HTML page, and its figure as a file: for every metric."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.core.tables import Cell, Count, RankedScore, Table
from crosspro.evaluation.output import MOST_EXAMPLES
from crosspro.evaluation.output.bars import bar_panels
from crosspro.evaluation.output.examples import spread_over
from crosspro.evaluation.output.figure import figure_file, figure_html
from crosspro.evaluation.output.matrix import heat_maps
from crosspro.evaluation.output.page import (
    Page,
    Section,
    count_button,
    render,
    render_tables,
    score_bar,
)
from crosspro.evaluation.output.sections import report_tables
from crosspro.evaluation.output.template import cell_table, shade


def evaluation_page(evaluation: Evaluation, max_examples: int = MOST_EXAMPLES) -> str:
    """The page of an evaluation, with at most so many examples where the metric has any."""
    metric, scored = evaluation.metric, evaluation.scored
    before, after = report_tables(evaluation, "page")
    sections = [table_section(one, metric.scale) for one in before]
    figure = metric.figure(scored)
    if figure is not None:
        body = figure_html(bar_panels(figure.charts))
        sections.append(Section(figure.title, body, figure.note))
    sections += [table_section(one, metric.scale) for one in after]
    matrices = metric.matrices(scored)
    if matrices:
        named = list(zip(evaluation.names, matrices, strict=True))
        sections.append(heat_maps(named, *metric.matrix_titles))
    page = Page(
        metric.title,
        metric.heading(scored),
        sections,
        evaluation.signatures,
        evaluation.warnings,
        metric.examples_note,
        "wrong ones before right ones" if metric.wrong_first else "evenly spread over the text",
    )
    if not metric.verdict_kinds:
        return render_tables(page)
    return render(page, metric.examples(scored, shown_numbers(evaluation, max_examples)))


def evaluation_figure(evaluation: Evaluation) -> str:
    """The charts as one SVG file."""
    figure = evaluation.metric.figure(evaluation.scored)
    panels = [] if figure is None else bar_panels(figure.charts)
    title = evaluation.metric.heading(evaluation.scored)
    return figure_file(title, panels, evaluation.signatures[:1])


def shown_numbers(evaluation: Evaluation, limit: int) -> list[int]:
    """The items that a page has room for, evenly spread; wrong ones first if the metric wants."""
    metric, scored = evaluation.metric, evaluation.scored
    if not metric.wrong_first:
        return list(spread_over(scored.size, limit))
    wrong = np.zeros(scored.size, dtype=bool)
    for place in range(len(scored.systems)):
        kinds = np.array([kind != "right" for _, kind in metric.verdict_kinds])
        wrong |= kinds[np.asarray(metric.verdicts(scored, place), dtype=np.int64)]
    chosen: list[int] = []
    for numbers in (np.flatnonzero(wrong), np.flatnonzero(~wrong)):
        chosen += numbers[spread_over(len(numbers), limit - len(chosen))].tolist()
    return sorted(chosen)


def table_section(table: Table, scale: Scale, title: str = "Scores") -> Section:
    """A table as HTML: scores with bars, counts that show their examples."""
    rows = [[_cell(cell, scale) for cell in row] for row in table.rows]
    body = cell_table(table.heading, rows, table.left) if table.heading else ""
    return Section(table.title or title, body, " ".join(table.notes))


def _cell(cell: Cell, scale: Scale) -> str:
    if isinstance(cell, RankedScore):
        rank = f" ({cell.rank})" if cell.rank else ""
        shown = f"{cell.score.shown(scale)}{rank}"
        return f"{html.escape(shown)}{score_bar(cell.score, scale, under=True)}"
    if isinstance(cell, Score):
        return f"{html.escape(cell.shown(scale))}{score_bar(cell, scale, under=True)}"
    if isinstance(cell, Count):
        button = count_button(cell.number, cell.filters)
        if cell.share is None:
            return button
        return (
            f'<span class="shaded" style="{shade(cell.share)}">{button}'
            f"<small>{100 * cell.share:.1f}%</small></span>"
        )
    return html.escape(cell)


def differing_numbers(evaluation: Evaluation, limit: int) -> tuple[Sequence[int], int]:
    """Some items on which systems have different verdicts, evenly spread, and how many there are.

    Empty for metrics without verdicts.
    """
    metric, scored = evaluation.metric, evaluation.scored
    if not metric.verdict_kinds:
        return (), 0
    own = np.array([metric.verdicts(scored, place) for place in range(len(scored.systems))])
    differing = np.flatnonzero((own != own[:1]).any(axis=0))
    return differing[list(spread_over(len(differing), limit))].tolist(), len(differing)
