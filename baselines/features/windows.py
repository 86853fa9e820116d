"""Words, lemmas and tags around the source pronoun and around the gap, and their n-grams."""

from __future__ import annotations

from collections.abc import Iterator

from crosspro.baselines.features.feature import Column, Extractor, Feature
from crosspro.baselines.features.gaps import WIDEST, Batch

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
    ("target_fine_tags", "target fine tag", ("finer_tags",)),
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
        tags = batch.reader.tag_ngrams.get(kind)
        for size in _SIZES:
            for first in range(-width, width + 2 - size):
                last = first + size - 1
                places = range(first, last + 1)
                slot = f"{kind} {first:+d}..{last:+d}"
                if tags is None:
                    words = (batch.words(kind, place) for place in places)
                    yield slot, list(map(" ".join, zip(*words, strict=True)))
                else:
                    yield slot, tags.column([batch.codes(kind, place) for place in places])

    return columns


def _features() -> Iterator[Feature]:
    for name, kind, needs in _FEATURES:
        middle = "source pronoun" if kind.startswith("source") else "gap"
        says = f"each {kind} of so many on either side of the {middle}"
        yield Feature(name, says, _window(kind), needs, 3, WIDEST)
        says = f"bigrams and trigrams of {kind}s in a window around the {middle}"
        yield Feature(f"{name}_ngrams", says, _ngrams(kind), needs, 3, WIDEST)


FEATURES = tuple(_features())
