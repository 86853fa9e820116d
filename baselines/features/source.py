"""What the source says of a pronoun: the word, its number, its head in a parse."""

from __future__ import annotations

from collections.abc import Iterator

from crosspro.baselines.features.feature import Column, Feature
from crosspro.baselines.features.gaps import Batch
from crosspro.baselines.features.values import Values
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.words import names_of, word_lists

_NUMBERS = {
    word: number
    for number in ("Plur", "Sing")
    for language in names_of("number")
    for word in word_lists("number", language).get(number, ())
}


def source_pronoun(batch: Batch, _: int) -> Iterator[Column]:
    """The word in lower case and, as German Sie and sie are two words, as it is written."""
    yield "source pronoun", batch.column("source word", 0)
    source = batch.source
    yield "source pronoun as written", Values(source.codes[source.gaps], batch.reader.source.names)


def pronoun_numbers(batch: Batch) -> list[str | None]:
    """The number that each source word says by itself: none for German sie and Spanish verbs."""
    return [_NUMBERS.get(word) for word in batch.words("source word", 0)]


def pronoun_number(batch: Batch, _: int) -> Iterator[Column]:
    """The number of the source pronoun."""
    yield "number", pronoun_numbers(batch)


def source_head(batch: Batch, _: int) -> Iterator[Column]:
    """Lemma, tag and label of the head in a parse, and whether it is before the pronoun."""
    rows = [
        _head(line, gap.source_index) for line, gap in zip(batch.lines, batch.gaps, strict=True)
    ]
    slots = ("label", "head lemma", "head tag", "head side", "label and head lemma", "head's label")
    for number, slot in enumerate(slots):
        yield f"source {slot}", [row[number] for row in rows]


def _head(line: Example, index: int) -> tuple[str | None, ...]:
    parse = line.source_parse
    if parse is None:
        return (None,) * 6
    token = parse.tokens[index]
    if token.head < 0:
        return (token.deprel or None, None, None, "root", None, None)
    head = parse.tokens[token.head]
    return (
        token.deprel,
        head.lemma,
        head.upos or head.tag,
        "before" if token.head < index else "after",
        f"{token.deprel} {head.lemma}",
        head.deprel,
    )


FEATURES = (
    Feature("source_pronoun", "the source pronoun (or verb, where subjects are null)",
            source_pronoun),
    Feature("pronoun_number", "plural for they, singular for it", pronoun_number),
    Feature("source_head", "head and label of the source pronoun in a parse", source_head,
            ("source_heads",)),
)  # fmt: skip
