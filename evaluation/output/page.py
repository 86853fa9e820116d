"""The page that all metrics share: scores, counts, sections and examples."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.core.significance import Difference
from crosspro.evaluation.output.differences import NOT_CORRECTED, differences_table
from crosspro.evaluation.output.examples import Examples
from crosspro.evaluation.output.tables import Row
from crosspro.evaluation.output.template import (
    SHARED,
    cell_table,
    embedded_json,
    fill_page,
    html_table,
    signature_list,
    warning_list,
)


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


def score_rows(heading: Row, rows: Iterable[tuple[str, Sequence[Score]]], scale: Scale) -> str:
    """A row for each name, with scores, intervals, and bars that show them."""
    body = []
    for name, scores in rows:
        cells = [html.escape(name)]
        for score in scores:
            cells += [score.shown(scale), score_bar(score, scale, len(scores) == 1)]
        body.append(cells)
    titles = [heading[0], *(text for title in heading[1:] for text in (title, ""))]
    return cell_table(titles, body)


def score_bar(score: Score, scale: Scale, wide: bool = False, under: bool = False) -> str:
    """A bar with the place of a score, and its interval around it.

    It stands beside the score, or under it.
    """
    if isnan(score.value):
        return ""
    inner = f'<b style="left:{scale.percent(score.value):.2f}%"></b>'
    if score.low is not None and score.high is not None:
        left, right = scale.percent(score.low), scale.percent(score.high)
        inner = f'<i style="left:{left:.2f}%;width:{right - left:.2f}%"></i>{inner}'
    kind = " wide" if wide else " under" if under else ""
    return f'<span class="bar{kind}" aria-hidden="true">{inner}</span>'


def difference_section(comparisons: Sequence[Difference], scale: Scale) -> list[Section]:
    """Paired differences, each under a metric, if there are any."""
    if not comparisons:
        return []
    table = html_table(*differences_table(comparisons, scale))
    return [Section("Paired differences", table, NOT_CORRECTED)]


def count_button(count: int, filters: Mapping[str, object], title: str = "") -> str:
    """A number that shows its examples when it is pressed; filters are those of the page."""
    if not count:
        return '<span class="zero">·</span>'
    data = "".join(f' data-{key}="{html.escape(str(value))}"' for key, value in filters.items())
    hint = f' title="{html.escape(title)}"' if title else ""
    return f'<button class="count"{data}{hint}>{count:,}</button>'
