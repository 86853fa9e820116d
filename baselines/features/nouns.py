"""Determiners, nouns and names before a gap with gender and number, verbs near it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosspro.baselines.features.feature import Column, Extractor, Feature
from crosspro.baselines.features.gaps import Batch
from crosspro.baselines.features.preceding import (
    NAMES,
    NOUNS,
    noun_columns,
    nouns_before,
    tags_before,
)
from crosspro.baselines.features.values import NOTHING, Values
from crosspro.data_prep.core.example import Side

_DETERMINERS = frozenset({"DET"})
"""In the universal tags and in those of French."""
_VERBS = ("VER", "VERB")
_MOST = 10
PARSES = ("source_parse", "target_parse")
"""Where a noun's gender and number are looked up first."""
_NEAR = (1, 3, 5)
"""Distances within which verbs are looked for, those of CUNI 2016."""


def preceding_determiners(batch: Batch, most: int) -> Iterator[Column]:
    """The nearest determiners of the target, in the line and in those before it."""
    determiners = tags_before(batch, _DETERMINERS)
    reading = batch.reader.readings["target lemma"]
    for rank in range(most):
        places = determiners.nearest(rank)
        lemmas = Values(reading.of(batch.target.codes[places]), reading.names)
        yield f"determiner {rank + 1}", lemmas.only(places != NOTHING)


def _nouns(what: str, side: Side, tags: frozenset[str]) -> Extractor:
    """Lemma, gender and number of the nearest nouns, by rank, and all their lemmas as a set."""

    def columns(batch: Batch, most: int) -> Iterator[Column]:
        nouns = nouns_before(batch, side, tags)
        for rank in range(most):
            lemmas, genders, numbers = noun_columns(batch, side, nouns.nearest(rank))
            yield f"{what} {rank + 1}", lemmas
            yield f"{what} {rank + 1} gender", genders
            yield f"{what} {rank + 1} number", numbers
            yield f"{what} before", lemmas

    return columns


def target_verbs(batch: Batch, _: int) -> Iterator[Column]:
    """All verbs of the target within one, three and five tokens on either side, as sets."""
    tags, lemmas = (batch.reader.readings[f"target {one}"] for one in ("tag", "lemma"))
    for near in range(1, _NEAR[-1] + 1):
        for offset in (near, -near):
            found = batch.codes("target tag", offset)
            is_verb = np.isin(found, [tags.code(tag) for tag in _VERBS])
            verbs = Values(batch.codes("target lemma", offset), lemmas.names).only(is_verb)
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
        _nouns("noun", "target", NOUNS - NAMES),
        ("nouns",),
        2,
        _MOST,
        reads=PARSES,
    ),
    Feature(
        "preceding_names",
        "so many names of the target before the gap, where tags tell them from nouns",
        _nouns("name", "target", NAMES),
        ("nouns",),
        1,
        _MOST,
        reads=PARSES,
    ),
    Feature(
        "source_nouns",
        "so many nouns of the source before the pronoun, with gender and number",
        _nouns("source noun", "source", NOUNS),
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
