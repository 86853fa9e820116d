"""Determiners, nouns and names before a gap with gender and number, verbs near it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from crosspro.baselines.features.feature import Column, Feature
from crosspro.baselines.features.gaps import Batch, GapLine
from crosspro.data_prep.antecedents import Candidate
from crosspro.data_prep.example import Side

_NAMES = frozenset({"NAM", "PROPN"})
_VERBS = frozenset({"VER", "VERB"})
_MOST = 10
_NO_NOUN = (None, None, None)
PARSES = ("source_parse", "target_parse")
"""Where a noun's gender and number are looked up first."""
_NEAR = (1, 3, 5)
"""Distances within which verbs are looked for, those of CUNI 2016."""


def nouns_before(
    batch: Batch,
    number: int,
    side: Side = "target",
    wanted: Callable[[str], bool] | None = None,
) -> Iterator[Candidate]:
    """The nouns before a gap of the batch, the nearest first; `wanted` chooses by tag."""
    context = batch.resources.context
    return batch.nouns.before(batch.indices[number], batch.gaps[number], side, context, wanted)


def preceding_determiners(batch: Batch, most: int) -> Iterator[Column]:
    """The nearest determiners of the target, in the line and in those before it."""
    rows: list[list[str | None]] = []
    for index, line, gap in zip(batch.indices, batch.lines, batch.gaps, strict=True):
        found: list[str | None] = list(islice(_determiners(batch, index, line, gap.position), most))
        rows.append(found + [None] * (most - len(found)))
    for rank in range(most):
        yield f"determiner {rank + 1}", [row[rank] for row in rows]


def _determiners(batch: Batch, index: int, own: GapLine, position: int) -> Iterator[str]:
    for place in own.determiners:
        if place < position:
            yield own.lemma(place)
    for line in batch.earlier(index):
        for place in line.determiners:
            yield line.lemma(place)


def _nouns(
    what: str, side: Side, wanted: Callable[[str], bool] | None
) -> Callable[[Batch, int], Iterator[Column]]:
    """Lemma, gender and number of the nearest nouns, by rank, and all their lemmas as a set."""

    def columns(batch: Batch, most: int) -> Iterator[Column]:
        finder, context = batch.nouns, batch.resources.context
        none = [_NO_NOUN] * most
        rows = []
        for index, gap in zip(batch.indices, batch.gaps, strict=True):
            found = finder.nearest(index, gap, side, most, context, wanted)
            rows.append([*found, *none[len(found) :]])
        for rank in range(most):
            lemmas, genders, numbers = zip(*(row[rank] for row in rows), strict=True)
            yield f"{what} {rank + 1}", lemmas
            yield f"{what} {rank + 1} gender", genders
            yield f"{what} {rank + 1} number", numbers
            yield f"{what} before", lemmas

    return columns


def target_verbs(batch: Batch, _: int) -> Iterator[Column]:
    """All verbs of the target within one, three and five tokens on either side, as sets."""
    for near in range(1, _NEAR[-1] + 1):
        for offset in (near, -near):
            tags = batch.column("target tag", offset)
            lemmas = batch.column("target lemma", offset)
            verbs = [
                lemma if tag in _VERBS else None for lemma, tag in zip(lemmas, tags, strict=True)
            ]
            for distance in _NEAR:
                if near <= distance:
                    yield f"verb within {distance}", verbs


FEATURES = (
    Feature(
        "preceding_determiners",
        "so many determiners of the target before the gap",
        preceding_determiners,
        ("target_tags",),
        2,
        _MOST,
    ),
    Feature(
        "preceding_nouns",
        "so many nouns of the target before the gap, with gender and number",
        _nouns("noun", "target", lambda tag: tag not in _NAMES),
        ("nouns",),
        2,
        _MOST,
        reads=PARSES,
    ),
    Feature(
        "preceding_names",
        "so many names of the target before the gap, where tags tell them from nouns",
        _nouns("name", "target", _NAMES.__contains__),
        ("nouns",),
        1,
        _MOST,
        reads=PARSES,
    ),
    Feature(
        "source_nouns",
        "so many nouns of the source before the pronoun, with gender and number",
        _nouns("source noun", "source", None),
        ("nouns",),
        2,
        _MOST,
        reads=PARSES,
    ),
    Feature(
        "target_verbs",
        "all verbs of the target within 1, 3 and 5 tokens of the gap",
        target_verbs,
        ("target_tags",),
    ),
)
