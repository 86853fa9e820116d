"""Self-contained HTML pages: the page of an evaluation, and what all pages are made of.

A template lies in `html/`, or beside what it shows. `{{name}}` in one stands for a part that the
caller gives, `{{name.html}}` for a file of `html/`. Pages load nothing from elsewhere.
"""

from __future__ import annotations

import html
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.core.tables import NO_WORDS, Cell, Count, Matrix, RankedScore, Table
from crosspro.evaluation.output import MOST_EXAMPLES
from crosspro.evaluation.output.examples import Examples, spread_over
from crosspro.evaluation.output.plots import bar_panels, figure_file, figure_html
from crosspro.evaluation.output.tables import Row
from crosspro.evaluation.output.text import report_tables


@dataclass(frozen=True)
class Section:
    """A part of the page above the examples; `body` is HTML."""

    title: str
    body: str
    note: str = ""


@dataclass(frozen=True)
class Page:
    """What a page shows beside its examples."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    signatures: Sequence[str]
    warnings: Sequence[str] = ()
    examples_note: str = ""
    cut: str = "evenly spread over the text"
    """Which examples a page has if it cannot have all."""


def render(page: Page, examples: Examples) -> str:
    """The page, complete in itself."""
    shown = examples.terms.shown
    note = f"{examples.total:,} {shown}."
    if len(examples) < examples.total:
        note = (
            f"Only {len(examples):,} of {examples.total:,} {shown} are here, {page.cut}, so "
            "numbers below are smaller than those above (--max-examples N)."
        )
        note = f'<strong class="wrong">{html.escape(note)}</strong>'
    parts = {
        "title": html.escape(page.title),
        "subtitle": html.escape(page.subtitle),
        "warnings": warning_list(page.warnings),
        "sections": "".join(map(_section, page.sections)),
        "examples_note": f"{note} {html.escape(page.examples_note)}",
        "signatures": signature_list(page.signatures),
        "data": embedded_json(examples.content()),
    }
    return fill_page(SHARED / "report.html", parts)


def render_tables(page: Page) -> str:
    """A page that has no examples, complete in itself."""
    parts = {
        "title": html.escape(page.title),
        "subtitle": html.escape(page.subtitle),
        "warnings": warning_list(page.warnings),
        "sections": "".join(map(_section, page.sections)),
        "signatures": signature_list(page.signatures),
    }
    return fill_page(SHARED / "tables.html", parts)


def _section(section: Section) -> str:
    note = f'<p class="note">{html.escape(section.note)}</p>' if section.note else ""
    return f'<h2>{html.escape(section.title)}</h2><div class="scroll">{section.body}</div>{note}\n'


def score_bar(score: Score, scale: Scale) -> str:
    """A bar under a score with its place, and its interval around it."""
    if isnan(score.value):
        return ""
    inner = f'<b style="left:{scale.percent(score.value):.2f}%"></b>'
    if score.low is not None and score.high is not None:
        left, right = scale.percent(score.low), scale.percent(score.high)
        inner = f'<i style="left:{left:.2f}%;width:{right - left:.2f}%"></i>{inner}'
    return f'<span class="bar under" aria-hidden="true">{inner}</span>'


def count_button(count: int, filters: Mapping[str, object], title: str = "") -> str:
    """A number that shows its examples when it is pressed; filters are those of the page."""
    if not count:
        return '<span class="zero">·</span>'
    data = "".join(f' data-{key}="{html.escape(str(value))}"' for key, value in filters.items())
    hint = f' title="{html.escape(title)}"' if title else ""
    return f'<button class="count"{data}{hint}>{count:,}</button>'


# Evaluations --------------------------------------------------------------------------------------


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
        return f"{html.escape(shown)}{score_bar(cell.score, scale)}"
    if isinstance(cell, Score):
        return f"{html.escape(cell.shown(scale))}{score_bar(cell, scale)}"
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


def heat_maps(
    matrices: Sequence[tuple[str, Matrix]],
    title: str = "Matrix",
    sides: tuple[str, str] = ("Reference", "candidate"),
    never_right: Collection[str] = NO_WORDS,
) -> Section:
    """A matrix for each candidate, its cells shaded by their share of the row.

    Equal labels are a hit, unless they are among those that say nothing of a word.
    """
    tables = [_heat_map(number, *one, never_right) for number, one in enumerate(matrices)]
    note = (
        f"{sides[0]} in rows, {sides[1]} in columns; the shade is the share of the row. Press a "
        "number to see its examples."
    )
    return Section(title, f'<div class="matrices">{"".join(tables)}</div>', note)


def _heat_map(candidate: int, name: str, matrix: Matrix, never_right: Collection[str]) -> str:
    """The matrix of one candidate without the rows and columns that have nothing in them."""
    columns = np.flatnonzero(matrix.counts.sum(axis=0)).tolist()
    rows = []
    for row in np.flatnonzero(matrix.counts.sum(axis=1)).tolist():
        counts = matrix.counts[row, columns].tolist()
        total = sum(counts)
        cells = []
        for column, count in zip(columns, counts, strict=True):
            labels = matrix.labels[row], matrix.labels[column]
            title = f"{labels[0]} as {labels[1]}: {100 * count / total:.1f}%"
            filters = {"candidate": candidate, "reference": labels[0], "word": labels[1]}
            kind = ' class="hit"' if row == column and labels[0] not in never_right else ""
            cell = count_button(count, filters, title)
            cells.append(f'<td{kind} style="{shade(count / total)}">{cell}</td>')
        label = html.escape(matrix.labels[row])
        rows.append(
            f"<tr><th class=l scope=row>{label}</th>{''.join(cells)}<th>{total:,}</th></tr>"
        )
    heading = "".join(f"<th scope=col>{html.escape(matrix.labels[one])}</th>" for one in columns)
    sums = "".join(
        f"<th>{count:,}</th>" for count in matrix.counts[:, columns].sum(axis=0).tolist()
    )
    return (
        f'<table class="matrix"><caption>{html.escape(name)}</caption>'
        f"<thead><tr><th></th>{heading}<th>sum</th></tr></thead><tbody>{''.join(rows)}</tbody>"
        f"<tfoot><tr><th class=l>sum</th>{sums}<th>{matrix.counts.sum():,}</th></tr></tfoot>"
        "</table>"
    )


# Templates, tables, shades and embedded data ------------------------------------------------------

SHARED = Path(__file__).resolve().parent / "html"
"""The folder of templates and pieces of them that pages have in common."""
_DARKEST = 0.6
"""A shade stays light enough for the number on it to be read."""


def fill_page(template: Path, parts: Mapping[str, str]) -> str:
    """A template with its parts, which are HTML, put in; they are not looked into again."""
    pieces = template.read_text(encoding="utf-8").split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        if name.endswith(".html"):
            filled.append(fill_page(SHARED / name, parts).rstrip("\n"))
        else:
            filled.append(parts[name])
        filled.append(rest)
    return "".join(filled)


def embedded_json(data: Any) -> str:
    """Data for a script element of a page, as compact as JSON can be.

    No "<" at all: "</script" or "<!--" would end the data, whatever stands around them.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def html_table(heading: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A table of plain text; the first `left` columns are flush left, the others right."""
    return cell_table(heading, [[html.escape(cell) for cell in row] for row in rows], left)


def cell_table(heading: Row, rows: Sequence[Row], left: int = 1) -> str:
    """The same with cells that are HTML already."""

    def cells(row: Row, tag: str) -> str:
        return "".join(
            f"<{tag}{' class=l' if column < left else ''}>{cell}</{tag}>"
            for column, cell in enumerate(row)
        )

    head = cells([html.escape(cell) for cell in heading], "th")
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shade(share: float) -> str:
    """The background of a cell that holds this share of its row, as CSS."""
    return f"background:rgba(var(--heat),{_DARKEST * share:.3f})"


def warning_list(warnings: Sequence[str]) -> str:
    """Warnings as paragraphs that catch the eye."""
    return "".join(f'<p class="wrong">{html.escape(text)}</p>' for text in warnings)


def signature_list(signatures: Sequence[str]) -> str:
    """Signatures as paragraphs, each once."""
    return "".join(f"<p><code>{html.escape(text)}</code></p>" for text in dict.fromkeys(signatures))
