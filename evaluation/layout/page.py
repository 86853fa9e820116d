"""The page that all metrics of MT output share: scores, counts, heat maps and examples."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.evaluation.apt.occurrences import NONE, OTHER
from crosspro.evaluation.layout.examples import Examples
from crosspro.evaluation.layout.tables import Row
from crosspro.evaluation.layout.template import (
    cell_table,
    embedded_json,
    fill_page,
    html_table,
    shade,
    signature_list,
    warning_list,
)
from crosspro.evaluation.statistics.significance import Difference
from crosspro.evaluation.submissions.scores import Score

Pairs = Sequence[tuple[str, str]]
"""Reference and candidate words of the pronouns of one candidate."""

RARE = "(others)"
"""The label of words that are too rare for a row of the matrix."""
_NO_WORDS = (RARE, OTHER, NONE)
_LARGEST_MATRIX = 16
NOT_CORRECTED = "p values are two-sided and not corrected for the number of comparisons."


@dataclass(frozen=True)
class Section:
    """A part of the page above the examples; `body` is HTML."""

    title: str
    body: str
    note: str = ""


@dataclass(frozen=True)
class Matrix:
    """How often reference words (rows) became candidate words (columns)."""

    labels: tuple[str, ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class Page:
    """What a page shows beside its examples."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    signatures: Sequence[str]
    warnings: Sequence[str] = ()
    examples_note: str = ""


def render(page: Page, examples: Examples) -> str:
    """The page, complete in itself."""
    note = f"{examples.total:,} pronouns."
    if len(examples) < examples.total:
        note = (
            f"Only {len(examples):,} of {examples.total:,} pronouns are here, evenly spread over "
            "the text, so numbers below are smaller than those above (--max-examples N)."
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
    return fill_page("mt_report.html", parts)


def _section(section: Section) -> str:
    note = f'<p class="note">{html.escape(section.note)}</p>' if section.note else ""
    return f'<h2>{html.escape(section.title)}</h2><div class="scroll">{section.body}</div>{note}\n'


def score_rows(heading: Row, rows: Iterable[tuple[str, Sequence[Score]]], top: float = 1) -> str:
    """A row for each name, with scores, intervals, and bars from 0 to `top` that show them."""
    body = []
    for name, scores in rows:
        cells = [html.escape(name)]
        for score in scores:
            cells += [shown_score(score, top), _bar(score, top, len(scores) == 1)]
        body.append(cells)
    titles = [heading[0], *(text for title in heading[1:] for text in (title, ""))]
    return cell_table(titles, body)


def shown_score(score: Score, top: float = 1) -> str:
    """A score with its interval, with as many digits as its scale needs."""
    digits = 4 if top == 1 else 2
    if score.value != score.value:
        return "–"
    if score.low is None or score.high is None:
        return f"{score.value:.{digits}f}"
    return f"{score.value:.{digits}f} [{score.low:.{digits}f}, {score.high:.{digits}f}]"


def _bar(score: Score, top: float, wide: bool) -> str:
    if score.value != score.value:
        return ""
    place = 100 * score.value / top
    inner = f'<b style="left:{place:.2f}%"></b>'
    if score.low is not None and score.high is not None:
        left, width = 100 * score.low / top, 100 * (score.high - score.low) / top
        inner = f'<i style="left:{left:.2f}%;width:{width:.2f}%"></i>{inner}'
    return f'<span class="bar{" wide" if wide else ""}" aria-hidden="true">{inner}</span>'


def difference_section(
    comparisons: Sequence[tuple[str, Difference]], scale: float = 1, digits: int = 4
) -> list[Section]:
    """Paired differences, each under a metric, if there are any."""
    if not comparisons:
        return []
    several = len({metric for metric, _ in comparisons}) > 1
    rows = []
    for metric, one in comparisons:
        low, high = (f"{scale * value:+.{digits}f}" for value in (one.low, one.high))
        row = [
            f"{one.first} - {one.second}",
            f"{scale * one.difference:+.{digits}f} [{low}, {high}]",
            f"{one.p_randomisation:.4f}",
            f"{one.p_bootstrap:.4f}",
        ]
        rows.append([row[0], metric, *row[1:]] if several else row)
    heading = ["pair", "difference", "p (randomisation)", "p (bootstrap)"]
    if several:
        heading.insert(1, "metric")
    table = html_table(heading, rows, 2 if several else 1)
    return [Section("Paired differences", table, NOT_CORRECTED)]


def count_button(count: int, filters: Mapping[str, object], title: str = "") -> str:
    """A number that shows its examples when it is pressed; filters are those of the page."""
    if not count:
        return '<span class="zero">·</span>'
    data = "".join(f' data-{key}="{html.escape(str(value))}"' for key, value in filters.items())
    hint = f' title="{html.escape(title)}"' if title else ""
    return f'<button class="count"{data}{hint}>{count:,}</button>'


def heat_maps(matrices: Sequence[tuple[str, Matrix]]) -> Section:
    """A matrix for each candidate, its cells shaded by their share of the row."""
    tables = [_heat_map(number, *matrix) for number, matrix in enumerate(matrices)]
    note = (
        "Reference in rows, candidate in columns; the shade is the share of the row. Press a "
        "number to see its examples."
    )
    return Section("Matrix", f'<div class="matrices">{"".join(tables)}</div>', note)


def _heat_map(candidate: int, name: str, matrix: Matrix) -> str:
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
            kind = ' class="hit"' if row == column and labels[0] not in _NO_WORDS else ""
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


def make_matrices(pairs: Sequence[Pairs]) -> list[Matrix]:
    """A matrix for each candidate from its pairs of words, frequent words first."""
    words = Counter(word for own in pairs for pair in own for word in pair)
    labels = tuple(sorted(words, key=lambda word: (word in _NO_WORDS, -words[word], word)))
    index = {label: number for number, label in enumerate(labels)}
    matrices = []
    for own in pairs:
        counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
        for row, column in own:
            counts[index[row], index[column]] += 1
        matrices.append(Matrix(labels, counts))
    return matrices


def without_rare(pairs: Sequence[Pairs]) -> list[list[tuple[str, str]]]:
    """The pairs of all candidates with one label for words that a matrix has no room for."""
    words = Counter(word for own in pairs for pair in own for word in pair)
    order = sorted(words.keys() - set(_NO_WORDS), key=lambda word: (-words[word], word))
    rare = set(order[_LARGEST_MATRIX - 1 :]) if len(order) > _LARGEST_MATRIX else set()
    return [[(_kept(row, rare), _kept(column, rare)) for row, column in own] for own in pairs]


def _kept(word: str, rare: set[str]) -> str:
    return RARE if word in rare else word
