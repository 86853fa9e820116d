"""Where a gap and its pronoun stand, and how they and the pronoun's neighbours are linked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosspro.baselines.features.feature import Bins, Column, Feature
from crosspro.baselines.features.gaps import Batch
from crosspro.baselines.features.readers import GAP
from crosspro.baselines.features.running import linked_places
from crosspro.baselines.features.values import NOTHING, Codes, Values

_PLACES = Bins((0, 1, 2, 3, 5, 8, 13, 21))
_GAPS = Bins((0, 1, 2))
_LINKS = Bins((0, 1, 2, 3))
_MOST_LINKED = 3
_WHERE = ("nowhere", "no word", "to the gap", "just before", "before", "just after", "after",
          "around")  # fmt: skip
"""Where the links of a word may lead, seen from a gap."""
_NO_WORD, _TO_THE_GAP, _AROUND = map(_WHERE.index, ("no word", "to the gap", "around"))


def _links(batch: Batch) -> tuple[Codes, Codes]:
    """The places that are linked in the running text of the gaps' lines: of source and target."""
    source, target = batch.source, batch.target
    lines = [batch.examples[number] for number in source.lines.numbers]
    starts = np.zeros(len(lines), np.int64)
    starts[source.lines.own] = target.starts[target.lines.own]
    return linked_places(lines, source.starts[:-1], starts)


class _Partners:
    """The places that some places are linked to, in order."""

    def __init__(self, asked: Codes, places: Codes, partners: Codes) -> None:
        """Of the places that will be asked about, which are linked to partners."""
        kept = np.isin(places, asked)
        self._size = int(partners.max(initial=0)) + 1
        self._links = np.sort(places[kept] * self._size + partners[kept])
        self.all = self._links % self._size

    def of(self, places: Codes) -> tuple[Codes, Codes]:
        """Where in `all` the partners of each place begin and end."""
        first, after = (np.searchsorted(self._links, (places + n) * self._size) for n in (0, 1))
        return first, after


def alignment(batch: Batch, _: int) -> Iterator[Column]:
    """The words linked to the gap, and how the pronoun and its neighbours are linked."""
    sources, targets = _links(batch)
    own, gaps = batch.source.gaps, batch.target.gaps
    to_gap = _Partners(gaps, targets, sources)
    first, after = to_gap.of(gaps)
    yield "links of the gap", _LINKS.column(after - first)
    reading = batch.reader.readings["source word"]
    codes = reading.of(batch.source.codes[to_gap.all])
    words = [reading.names[code] for code in codes.tolist()]
    spans = zip(first.tolist(), after.tolist(), strict=True)
    yield "words linked to the gap", [" ".join(words[a:b]) or None for a, b in spans]
    near = np.concatenate([own - 1, own, own + 1])
    partners = _Partners(near, sources, targets)
    first, after = partners.of(own)
    yield "links of the pronoun", _LINKS.column(after - first)
    for side, offset in (("before", -1), ("after", 1)):
        where, lemmas = _neighbour(batch, partners, offset)
        yield f"word {side} the pronoun is linked", where
        yield f"lemma linked to the word {side} the pronoun", lemmas


def _neighbour(batch: Batch, partners: _Partners, offset: int) -> tuple[Values, Values]:
    """Where the links of a pronoun's neighbour lead, seen from the gap; the first lemma there."""
    places = batch.source.near(offset)
    where = np.where(places < batch.source.starts[-1], _WHERE.index("nowhere"), _NO_WORD)
    first, after = partners.of(places)
    linked = np.flatnonzero(first < after)
    nearest, farthest = partners.all[first[linked]], partners.all[after[linked] - 1]
    gaps = batch.target.gaps[linked]
    begin, end = nearest - gaps, farthest - gaps
    cases = [(begin == 0) & (end == 0), end == -1, end < 0, begin == 1, begin > 0]
    found = where[linked] = np.select(cases, range(_TO_THE_GAP, _AROUND), _AROUND)
    reading = batch.reader.readings["target lemma"]
    codes = reading.of(batch.target.codes[nearest])
    gap_itself = (found == _AROUND) & (codes == reading.code(GAP))
    lemmas = np.full(len(batch), NOTHING)
    lemmas[linked] = np.where((found == _TO_THE_GAP) | gap_itself, NOTHING, codes)
    return Values(where, _WHERE), Values(lemmas, reading.names)


def linked_lemmas(batch: Batch, _: int) -> Iterator[Column]:
    """The lemmas of the source words that the gap is linked to, as a set of at most three."""
    rows = []
    for line, gap in zip(batch.lines, batch.gaps, strict=True):
        tokens = line.source_parse.tokens if line.source_parse else ()
        rows.append([tokens[place].lemma for place, to in line.links if to == gap.position])
    for rank in range(_MOST_LINKED):
        yield "linked lemma", [row[rank] if rank < len(row) else None for row in rows]


def position(batch: Batch, _: int) -> Iterator[Column]:
    """Places of the pronoun and of the gap from either end, and which gap of its line it is."""
    for side, text in (("source", batch.source), ("target", batch.target)):
        own = text.lines.own
        yield f"{side} place", _PLACES.column(text.gaps - text.starts[own])
        yield f"{side} place from the end", _PLACES.column(text.starts[own + 1] - 1 - text.gaps)
    indices = np.array(batch.indices)
    before = np.arange(len(batch)) - np.searchsorted(indices, indices)
    yield "gap of its line", _GAPS.column(before)


FEATURES = (
    Feature("alignment", "the links of the gap, of the pronoun and of its neighbours", alignment),
    Feature("linked_lemmas", "lemmas of the source words that the gap is linked to", linked_lemmas,
            ("source_parse",)),
    Feature("position", "where in the line the pronoun and the gap stand", position),
)  # fmt: skip
