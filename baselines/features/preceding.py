"""What stands before gaps, in their lines and in those that they look back to: for all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from crosspro.baselines.features.gaps import Batch
from crosspro.baselines.features.running import RunningText, linked_places
from crosspro.baselines.features.values import NOTHING, Codes, Values
from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS, NounForm

NAMES = frozenset({"NAM", "PROPN"})
NOUNS = NOUN_TAGS | {""}
"""All nouns; where only a lexicon or links tell them, they have no tags."""
_NO_NOUN = (None, None, None)
NounColumns = tuple[Sequence[str | None], ...]
"""Three columns: lemmas, genders and numbers."""


class Preceding:
    """Some places of a running text that stand before gaps, the nearest first."""

    def __init__(self, text: RunningText, places: Codes) -> None:
        self.text = text
        self._places = places
        self._first, self._after = text.before(places)

    def nearest(self, rank: int) -> Codes:
        """The place with this rank, from 0, before each gap; `NOTHING` if there are not so many."""
        chosen = self._after - 1 - rank
        there = chosen >= self._first
        found = np.full(len(chosen), NOTHING)
        found[there] = self._places[chosen[there]]
        return found


def tags_before(batch: Batch, tags: frozenset[str]) -> Preceding:
    """The tokens of the target with one of some tags."""
    return Preceding(batch.target, batch.reader.tagged_as(tags, batch.target.codes))


def nouns_before(batch: Batch, side: Side, tags: frozenset[str] = NOUNS) -> Preceding:
    """The nouns of a side with one of some tags."""
    text = batch.running(side)
    lines = [batch.examples[number] for number in text.lines.numbers]
    tagged = all(line.tagged for line in lines)
    if side == "target" and tagged:
        return tags_before(batch, tags & NOUN_TAGS)
    parsed = any(line.source_parse is not None for line in lines)
    by_links = tagged and not parsed and batch.resources.source_lexicon is None
    if side == "source" and by_links and "" in tags:
        return Preceding(text, _linked_to_nouns(batch, lines))
    return line_by_line(text, lambda line: batch.nouns.nouns(line, side, tags))


def line_by_line(text: RunningText, places: Callable[[int], Iterable[int]]) -> Preceding:
    """What is found in each line of a text by itself."""
    found = [
        start + place
        for start, line in zip(text.starts.tolist(), text.lines.numbers, strict=False)
        for place in places(line)
    ]
    return Preceding(text, np.array(found, np.int64))


def _linked_to_nouns(batch: Batch, lines: Sequence[Example]) -> Codes:
    """The places of the source that are linked to nouns of the target, which is all we know."""
    texts = batch.source_back, batch.target
    sources, targets = linked_places(lines, *(text.starts[:-1] for text in texts))
    is_noun = np.zeros(len(batch.target.codes), bool)
    is_noun[batch.reader.tagged_as(NOUN_TAGS, batch.target.codes)] = True
    return np.unique(sources[is_noun[targets]])


def noun_columns(batch: Batch, side: Side, places: Codes) -> NounColumns:
    """Lemma, gender and number of the nouns at some places of a side's running text."""
    if not batch.tokens_alone:
        return tuple(zip(*_noun_forms(batch, side, places), strict=True)) or ((), (), ())
    tokens, reader = batch.running(side).codes[places], batch.reader
    lemmas = Values(tokens, reader.source.names)
    if side == "target":
        reading = reader.readings["target lemma"]
        lemmas = Values(reading.of(tokens), reading.names)
    unknown = Values(np.full(len(places), NOTHING), ())
    return lemmas.only(places != NOTHING), unknown, unknown


def _noun_forms(
    batch: Batch, side: Side, places: Codes
) -> list[NounForm | tuple[None, None, None]]:
    """What a noun finder says of each noun, which is asked once for each."""
    nouns, which = np.unique(places, return_inverse=True)
    nothing = [_NO_NOUN] * int(NOTHING in nouns[:1])
    located = batch.running(side).line_and_place(nouns[len(nothing) :])
    form = batch.nouns.form
    found = (form(line, side, place) for line, place in zip(*located, strict=True))
    forms = [*nothing, *found]
    return [forms[number] for number in which.tolist()]
