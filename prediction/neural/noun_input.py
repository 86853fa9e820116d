"""Nouns as candidates for antecedents: where they begin, with gender and number from a lexicon.

A noun is known by its tag, or by the lexicon of its side where there are no tags. The first unit of
a word stands for it. As lemmas hide the number, that of a tagged noun is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from crosspro.data_prep.core.example import Example, split_tag
from crosspro.data_prep.formats.shared_task import is_placeholder
from crosspro.data_prep.lexicon.agreement import NounKind
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS
from crosspro.data_prep.lexicon.lexicon import GENDERS, NUMBERS, Lexicon
from crosspro.prediction.neural.fields import Field, source_words, target_tokens
from crosspro.prediction.neural.lexicon_input import (
    for_each_word,
    whole_source_word,
    whole_target_word,
)

NOUNS = "noun"
"""The vocabulary of both sides."""
NO_NOUN = ""
_UNKNOWN = "?"
KINDS: dict[str, NounKind] = {
    f"{gender or _UNKNOWN} {number or _UNKNOWN}": (gender, number)
    for gender in (None, *GENDERS)
    for number in (None, *NUMBERS)
}
"""What is known of a noun, by the word of the field."""


def first_source_units(example: Example) -> Sequence[str]:
    """The words of the source at their first units, and nothing at others."""
    return for_each_word(source_words(example), _first_source_unit)


def first_target_units(example: Example) -> Sequence[str]:
    """The words of the target with their tags at their first units, and nothing at others."""
    return for_each_word(target_tokens(example), _first_target_unit)


def _first_source_unit(units: str) -> tuple[str, ...]:
    return _first(whole_source_word(units))


def _first_target_unit(units: str) -> tuple[str, ...]:
    return _first(whole_target_word(units))


def _first(words: tuple[str, ...]) -> tuple[str, ...]:
    first = NO_NOUN if is_placeholder(words[0]) else words[0]
    return (first, *(NO_NOUN,) * (len(words) - 1))


def source_noun(word: str, lexicon: Lexicon | None) -> str:
    """What is known of a source word, if it is a noun."""
    return _kind(word, lexicon) if lexicon is not None and lexicon.is_noun(word) else NO_NOUN


def target_noun(token: str, lexicon: Lexicon | None) -> str:
    """What is known of a target word with its tag, if it is a noun."""
    word, tag = split_tag(token)
    if not tag:
        return source_noun(word, lexicon)
    return _kind(word, lexicon, inflected=False) if tag in NOUN_TAGS else NO_NOUN


def _kind(word: str, lexicon: Lexicon | None, *, inflected: bool = True) -> str:
    gender = lexicon.gender(word) if lexicon else None
    number = lexicon.number(word) if lexicon and inflected else None
    return f"{gender or _UNKNOWN} {number or _UNKNOWN}"


SOURCE_NOUN = Field(
    "source_noun",
    "source",
    first_source_units,
    vocabulary=NOUNS,
    listed=source_noun,
    closed=(NO_NOUN, *KINDS),
)
TARGET_NOUN = Field(
    "target_noun",
    "target",
    first_target_units,
    vocabulary=NOUNS,
    listed=target_noun,
    closed=(NO_NOUN, *KINDS),
)
