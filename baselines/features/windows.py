"""Words, lemmas and tags around the source pronoun and around the gap, and their n-grams."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from crosspro.baselines.features.feature import Column, Extractor, Feature
from crosspro.baselines.features.gaps import PAD, Batch, Tokens

_SIZES = (2, 3)
"""The n of the n-grams."""


def _rows(batch: Batch, of: str, side: str, width: int) -> list[Tokens]:
    """The window of each gap: `width` tokens, the pronoun or the gap, `width` tokens."""
    tokens = map(attrgetter(of), batch.lines)
    if side == "source":
        places = [gap.source_index for gap in batch.gaps]
    else:
        places = [gap.position for gap in batch.gaps]
    low, high = PAD - width, PAD + width + 1
    return [line[place + low : place + high] for line, place in zip(tokens, places, strict=True)]


def _window(of: str, side: str, what: str) -> Extractor:
    def columns(batch: Batch, width: int) -> Iterator[Column]:
        rows = _rows(batch, of, side, width)
        for offset in range(-width, width + 1):
            if offset:  # what stands in the middle is another feature, or not known
                yield f"{what} {offset:+d}", [row[offset + width] for row in rows]

    return columns


def _ngrams(of: str, side: str, what: str) -> Extractor:
    def columns(batch: Batch, width: int) -> Iterator[Column]:
        rows = _rows(batch, of, side, width)
        for size in _SIZES:
            for first in range(2 * width + 2 - size):
                begin, last = first - width, first + size - 1 - width
                end = first + size
                yield f"{what} {begin:+d}..{last:+d}", [" ".join(row[first:end]) for row in rows]

    return columns


def _features() -> Iterator[Feature]:
    kinds = (
        ("source_words", "source", "source", "source word", ()),
        ("source_lemmas", "source_lemmas", "source", "source lemma", ("source_parse",)),
        ("source_tags", "source_tags", "source", "source tag", ("source_parse",)),
        ("source_fine_tags", "source_fine_tags", "source", "source fine tag", ("source_parse",)),
        ("target_lemmas", "lemmas", "target", "target lemma", ()),
        ("target_tags", "tags", "target", "target tag", ("target_tags",)),
        (
            "target_universal_tags",
            "universal_tags",
            "target",
            "target universal tag",
            ("tags_to_convert",),
        ),
        ("target_parse_tags", "parse_tags", "target", "target parse tag", ("target_parse",)),
    )
    for name, of, side, what, needs in kinds:
        middle = "source pronoun" if side == "source" else "gap"
        says = f"each {what} of so many on either side of the {middle}"
        yield Feature(name, says, _window(of, side, what), needs, 3, PAD)
        says = f"bigrams and trigrams of {what}s in a window around the {middle}"
        yield Feature(f"{name}_ngrams", says, _ngrams(of, side, what), needs, 3, PAD)


FEATURES = tuple(_features())
