"""Heat maps: which words of the reference became which words of a candidate."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.tables import Matrix
from crosspro.evaluation.output.page import Section, count_button
from crosspro.evaluation.output.template import shade

Pairs = Sequence[tuple[str, str]]
"""Reference and candidate words of the pronouns of one candidate."""

RARE = "(others)"
"""The label of words that are too rare for a row of the matrix."""
_NO_WORDS = (RARE, OTHER, NONE)
_LARGEST_MATRIX = 16


def heat_maps(
    matrices: Sequence[tuple[str, Matrix]],
    title: str = "Matrix",
    sides: tuple[str, str] = ("Reference", "candidate"),
    never_right: Collection[str] = _NO_WORDS,
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
