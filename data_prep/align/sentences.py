"""Sentences of a document linked to those of its translation.

Beads cover both texts in order: one sentence and one, one and two, one without a partner and so on.
The cheapest way through a document is found by dynamic programming (Gale and Church 1993 §3.3);
`sentence_costs` says what a bead costs. As in Moore 2002 and Varga et al. 2005, text for which
there is no lexicon is aligned twice: by length, and with words learnt from the pairs of single
sentences that were found so. Of a long document the first pass also says where the second looks: in
a band around its way, made wider until the way found keeps clear of its edges. So time grows with
the length of a document, not with its square.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.backends import AlignerSettings, align_both_directions
from crosspro.data_prep.align.sentence_costs import (
    SETTINGS,
    Floats,
    Ints,
    Kind,
    SentenceCosts,
    SentenceLexicon,
    SentenceSettings,
    length_ratio,
    lexicon_of,
    words_of,
)

_BLOCK = 128
"""Rows whose costs are computed at once."""
_CELLS = 250_000
"""Documents with no more pairs of sentences are searched whole."""
_LEARNT = 20_000
"""Pairs of sentences are enough to learn words from."""


class Bead(NamedTuple):
    """Sentences of the source and their translation, by their numbers; one side may be empty."""

    source: range
    target: range

    @property
    def kind(self) -> Kind:
        """How many sentences each side has."""
        return len(self.source), len(self.target)


def align_sentences(
    source: Sequence[str],
    target: Sequence[str],
    lexicon: SentenceLexicon | None = None,
    ratio: float | None = None,
    settings: SentenceSettings = SETTINGS,
) -> list[Bead]:
    """The beads of a document, in order; each sentence is in one of them.

    `ratio` is that of lengths, of more text than this document where there is more. Without a
    lexicon lengths and words that are written alike decide.
    """
    rows, columns = len(source), len(target)
    if not rows or not columns:
        alone = [Bead(range(n, n + 1), range(0)) for n in range(rows)]
        return alone + [Bead(range(0), range(n, n + 1)) for n in range(columns)]
    ratio = length_ratio(source, target) if ratio is None else ratio
    costs = SentenceCosts(source, target, lexicon, ratio, settings)
    if (rows + 1) * (columns + 1) <= _CELLS:
        whole = np.zeros(rows + 1, np.int64), np.full(rows + 1, columns, np.int64)
        return _cheapest(costs, *whole, words=True)
    diagonal = columns * np.arange(rows + 1) / rows
    wide = max(settings.band, columns // 20, abs(rows - columns) // 2)
    corners = _corners(_in_band(costs, diagonal, wide, words=False))
    passed = np.interp(np.arange(rows + 1), *corners)
    return _in_band(costs, passed, settings.band, words=True)


def learnt_lexicon(pairs: Iterable[tuple[str, str]]) -> SentenceLexicon | None:
    """The words that our own aligner finds in pairs of sentences; None if there are none."""
    known = [(words_of(one), words_of(other)) for one, other in pairs]
    known = [pair for pair in known if all(pair)][:_LEARNT]
    if not known:
        return None
    settings = AlignerSettings(model="ibm1")
    source, target = ([pair[side] for pair in known] for side in (0, 1))
    prior = align_both_directions(source, target, settings, keep=True, jobs=1).prior
    return None if prior is None else lexicon_of(prior)


def _corners(beads: Sequence[Bead]) -> tuple[list[int], list[int]]:
    """Where the beads end in both texts."""
    return [bead.source.stop for bead in beads], [bead.target.stop for bead in beads]


def _in_band(costs: SentenceCosts, middle: Floats, band: int, words: bool) -> list[Bead]:
    """The cheapest way in a band, which is doubled until the way keeps clear of its edges."""
    columns = costs.columns
    while True:
        low, high = (
            np.maximum.accumulate(np.clip(edge, 0, columns).astype(np.int64))
            for edge in (middle - band, middle + band)
        )
        low[0], high[-1] = 0, columns
        way = _cheapest(costs, low, high, words)
        near = max(2, band // 10)
        rows, stops = map(np.array, _corners(way))
        below = (low[rows] > 0) & (stops < low[rows] + near)
        above = (high[rows] < columns) & (stops > high[rows] - near)
        if not (below.any() or above.any()):
            return way
        band *= 2


def _cheapest(costs: SentenceCosts, low: Ints, high: Ints, words: bool) -> list[Bead]:
    """The cheapest way through the columns from low to high of each row."""
    kinds = list(costs.shares)
    best: list[Floats] = []
    chosen: list[NDArray[np.int8]] = []
    block: dict[Kind, Floats] = {}
    first = left = 0
    for row in range(costs.rows + 1):
        if row % _BLOCK == 1:
            first = max(0, row - costs.settings.most)
            last = min(costs.rows, row + _BLOCK)
            left = int(low[first])
            block = costs.block(range(first, last), range(left, int(high[last]) + 1), words)
        start, stop = int(low[row]), int(high[row]) + 1
        here = np.full(stop - start, np.inf)
        here[:1] = 0.0 if row == 0 else np.inf
        which = np.full(stop - start, -1, np.int8)
        for number, (a, b) in enumerate(kinds):
            before = row - a
            if not a or before < 0:
                continue
            lowest = int(low[before])
            begin, end = max(start - b, lowest), min(stop - b, int(high[before]) + 1)
            if begin >= end:
                continue
            new = best[before][begin - lowest : end - lowest]
            new = new + block[a, b][before - first, begin - left : end - left]
            part = slice(begin + b - start, end + b - start)
            better = new < here[part]
            here[part][better] = new[better]
            which[part][better] = number
        inserted = costs.inserted[start:stop]
        level = here - inserted
        deepest = np.minimum.accumulate(level)
        after = deepest < level
        here[after] = (deepest + inserted)[after]
        which[after] = kinds.index((0, 1))
        best.append(here)
        chosen.append(which)
    return _way_back(chosen, kinds, low, costs.columns)


def _way_back(
    chosen: Sequence[NDArray[np.int8]], kinds: Sequence[Kind], low: Ints, column: int
) -> list[Bead]:
    """The beads of the way that ends in the last row and column."""
    beads = []
    row = len(chosen) - 1
    while row or column:
        a, b = kinds[int(chosen[row][column - int(low[row])])]
        beads.append(Bead(range(row - a, row), range(column - b, column)))
        row, column = row - a, column - b
    return beads[::-1]
