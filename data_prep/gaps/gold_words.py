"""The text behind the gaps: gold words in the places of their placeholders."""

from __future__ import annotations

from dataclasses import replace

from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import NONE


def with_gold_words(example: Example, kept: Gap | None = None) -> Example:
    """An example of an inflected task whose gaps have their words, but for one that may be kept.

    Placeholders of no word go away, and links with them. Layers, which count the tokens of the
    example as it was, do so too.
    """
    words = {gap.position: gap.word for gap in example.gaps if gap is not kept}
    places = [
        position
        for position in range(len(example.target))
        if position not in words or words[position] not in (None, NONE)
    ]
    new = {position: index for index, position in enumerate(places)}
    return Example(
        example.source,
        tuple(words.get(position) or example.target[position] for position in places),
        tuple((source, new[target]) for source, target in example.links if target in new),
        () if kept is None else (replace(kept, position=new[kept.position]),),
        example.document,
        example.tagged,
    )
