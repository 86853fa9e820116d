"""Words, lemmas and tags around the source pronoun and around the gap, and their n-grams."""

from __future__ import annotations

from collections.abc import Iterator

from crosspro.baselines.features.feature import Column, Extractor, Feature
from crosspro.baselines.features.gaps import PAD, Batch

_SIZES = (2, 3)
"""The n of the n-grams."""

_FEATURES = (
    ("source_words", "source word", ()),
    ("source_lemmas", "source lemma", ("source_parse",)),
    ("source_tags", "source tag", ("source_parse",)),
    ("source_fine_tags", "source fine tag", ("source_parse",)),
    ("target_lemmas", "target lemma", ()),
    ("target_tags", "target tag", ("target_tags",)),
    ("target_universal_tags", "target universal tag", ("tags_to_convert",)),
    ("target_parse_tags", "target parse tag", ("target_parse",)),
)


def _window(kind: str) -> Extractor:
    def columns(batch: Batch, width: int) -> Iterator[Column]:
        for offset in range(-width, width + 1):
            if offset:  # what stands in the middle is another feature, or not known
                yield f"{kind} {offset:+d}", batch.column(kind, offset)

    return columns


def _ngrams(kind: str) -> Extractor:
    def columns(batch: Batch, width: int) -> Iterator[Column]:
        for size in _SIZES:
            for first in range(-width, width + 2 - size):
                last = first + size - 1
                tokens = (batch.column(kind, place) for place in range(first, last + 1))
                joined = map(" ".join, zip(*tokens, strict=True))
                yield f"{kind} {first:+d}..{last:+d}", list(joined)

    return columns


def _features() -> Iterator[Feature]:
    for name, kind, needs in _FEATURES:
        middle = "source pronoun" if kind.startswith("source") else "gap"
        says = f"each {kind} of so many on either side of the {middle}"
        yield Feature(name, says, _window(kind), needs, 3, PAD)
        says = f"bigrams and trigrams of {kind}s in a window around the {middle}"
        yield Feature(f"{name}_ngrams", says, _ngrams(kind), needs, 3, PAD)


FEATURES = tuple(_features())
