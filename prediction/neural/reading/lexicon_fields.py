"""Gender and number of words as input fields, and nouns as candidates for antecedents.

Words are looked up whole in a lexicon, also where they are cut into units, and every unit gets what
the lexicon says of its word. A lexicon is induced from the training text (the default, which needs
no download) or loaded by name (`crosspro.data_prep.lexicon.load`). It is saved with the system.

A noun is known by its tag, or by the lexicon of its side where there are no tags. The first unit of
a word stands for it. Lemmas hide the number, so the number of a tagged noun is unknown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from crosspro.data_prep.core.example import SIDES, TAG_SEPARATOR, Example, Side, split_tag
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import PLACEHOLDER, is_placeholder
from crosspro.data_prep.lexicon.agreement import NounKind, english_nouns
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS
from crosspro.data_prep.lexicon.induce import LANGUAGES, induce
from crosspro.data_prep.lexicon.lexicon import (
    GENDERS,
    NOUNS,
    NUMBERS,
    Entry,
    Lexicon,
    read_lexicon,
    write_lexicon,
)
from crosspro.data_prep.lexicon.load import load_lexicon
from crosspro.prediction.neural.reading.fields import Field, Reads, source_words, target_tokens
from crosspro.prediction.neural.reading.subwords import WORD_START

INDUCED, NO_LEXICON = "induced", "none"
ENGLISH = "en"
AGREEMENT, NOUN = "agreement", "noun"
"""The vocabularies that both sides share."""
NO_NOUN = ""
_UNKNOWN = "?"
NOUN_KINDS: dict[str, NounKind] = {
    f"{gender or _UNKNOWN} {number or _UNKNOWN}": (gender, number)
    for gender in (None, *GENDERS)
    for number in (None, *NUMBERS)
}
"""Gender and number of a noun, by the word of the noun fields."""
_OTHER_CLASS = "X"
_CATEGORIES = {
    **dict.fromkeys(("NOM", "NAM", "NOUN", "PROPN"), NOUNS),
    "ADJ": ("ADJ",),
    "DET": ("DET",),
    **dict.fromkeys(("VER", "VERB"), ("VERB",)),
}
"""The readings that a target tag allows."""
_BETWEEN_WORDS = re.compile(rf" (?={WORD_START}|{PLACEHOLDER})")
_CACHED_WORDS = 1 << 17
_FILE = "lexicon.{}.tsv.xz"

Sentences = Iterable[Sequence[str]]
Text = Mapping[Side, tuple[str, Sentences]]
"""The language and the inflected text of sides."""


# Tokens: the word of each unit ------------------------------------------------------------------


def whole_source_words(example: Example) -> Sequence[str]:
    """The word of each unit of the source."""
    return _for_each_word(source_words(example), _whole_source_word)


def whole_target_words(example: Example) -> Sequence[str]:
    """The word and the tag of each unit of the target, joined by a bar."""
    return _for_each_word(target_tokens(example), _whole_target_word)


def first_source_units(example: Example) -> Sequence[str]:
    """The words of the source at their first units, and `NO_NOUN` at others."""
    return _for_each_word(source_words(example), _whole_source_word, _at_first_unit)


def first_target_units(example: Example) -> Sequence[str]:
    """The words of the target with their tags at their first units, and `NO_NOUN` at others."""
    return _for_each_word(target_tokens(example), _whole_target_word, _at_first_unit)


WordTokens = tuple[str, ...]
"""A token for each unit of a word."""


def _at_first_unit(words: WordTokens) -> WordTokens:
    first = NO_NOUN if is_placeholder(words[0]) else words[0]
    return (first, *(NO_NOUN,) * (len(words) - 1))


def _for_each_word(
    units: Sequence[str],
    whole: Callable[[str], WordTokens],
    change: Callable[[WordTokens], WordTokens] = tuple,
) -> list[str]:
    """Tokens made from each word, whose units are joined by spaces; other tokens are words."""
    in_units = any(unit.startswith(WORD_START) for unit in units)
    words = _BETWEEN_WORDS.split(" ".join(units)) if in_units else units
    return [token for word in words for token in change(whole(word))]


@lru_cache(maxsize=_CACHED_WORDS)
def _whole_source_word(units: str) -> WordTokens:
    parts = units.split(" ")  # a token may have other white space
    return ("".join(parts).removeprefix(WORD_START),) * len(parts)


@lru_cache(maxsize=_CACHED_WORDS)
def _whole_target_word(units: str) -> WordTokens:
    lemmas, tags = zip(*map(split_tag, units.split(" ")), strict=True)
    word = "".join(lemmas).removeprefix(WORD_START)
    return (f"{word}{TAG_SEPARATOR}{tags[0] or ''}",) * len(tags)


# What a lexicon says of a word ------------------------------------------------------------------


def source_agreement(word: str, lexicon: Lexicon | None) -> str:
    return _agreement(lexicon, word, "")


def target_agreement(token: str, lexicon: Lexicon | None) -> str:
    """Gender and number of a target word with its tag, which is empty for inflected words."""
    return _agreement(lexicon, *split_tag(token))


def _agreement(lexicon: Lexicon | None, word: str, tag: str | None) -> str:
    """Whether a word is a noun, with its gender and its number; empty if both are unknown."""
    readings = _likely(lexicon.readings(word), tag) if lexicon else ()
    genders = {entry.gender for entry in readings}
    numbers = {entry.number for entry in readings}
    agreed = [values.pop() if len(values) == 1 else None for values in (genders, numbers)]
    if not any(agreed):
        return ""
    noun = all(entry.category in NOUNS for entry in readings)
    return " ".join(("noun" if noun else "other", *(value or _UNKNOWN for value in agreed)))


def _likely(readings: Sequence[Entry], tag: str | None) -> Sequence[Entry]:
    """The readings that the tag allows; without a tag those of the most frequent word class.

    Without counts, a word that may be of a class without gender has none of the others.
    """
    if tag:
        allowed = _CATEGORIES.get(tag, ())
        return [entry for entry in readings if entry.category in allowed]
    if any(entry.count is None for entry in readings):
        others = any(entry.category == _OTHER_CLASS for entry in readings)
        return () if others else readings
    seen: dict[str, int] = defaultdict(int)
    for entry in readings:
        seen[entry.category] += entry.count or 0
    best = max(seen, key=lambda category: (seen[category], category), default=_OTHER_CLASS)
    return [entry for entry in readings if entry.category == best != _OTHER_CLASS]


def source_noun(word: str, lexicon: Lexicon | None) -> str:
    return _kind(word, lexicon) if lexicon is not None and lexicon.is_noun(word) else NO_NOUN


def target_noun(token: str, lexicon: Lexicon | None) -> str:
    """Gender and number of a target word with its tag, if it is a noun."""
    word, tag = split_tag(token)
    if not tag:
        return source_noun(word, lexicon)
    return _kind(word, lexicon, inflected=False) if tag in NOUN_TAGS else NO_NOUN


def _kind(word: str, lexicon: Lexicon | None, *, inflected: bool = True) -> str:
    gender = lexicon.gender(word) if lexicon else None
    number = lexicon.number(word) if lexicon and inflected else None
    return f"{gender or _UNKNOWN} {number or _UNKNOWN}"


_KINDS = (NO_NOUN, *NOUN_KINDS)
SOURCE_AGREEMENT = Field(
    "source_agreement", "source", whole_source_words, vocabulary=AGREEMENT, lookup=source_agreement
)
TARGET_AGREEMENT = Field(
    "target_agreement", "target", whole_target_words, vocabulary=AGREEMENT, lookup=target_agreement
)
SOURCE_NOUN = Field(
    "source_noun", "source", first_source_units, vocabulary=NOUN, lookup=source_noun, closed=_KINDS
)
TARGET_NOUN = Field(
    "target_noun", "target", first_target_units, vocabulary=NOUN, lookup=target_noun, closed=_KINDS
)


# The lexicons of a system -----------------------------------------------------------------------


def lexicons_for(reads: Reads, task: Task, text: Text) -> dict[str, Lexicon]:
    """The lexicon of each side that a network reads; one may be induced from inflected text."""
    lexicons: dict[str, Lexicon] = {}
    for side, name in reads.lexicons.items():
        if name == INDUCED:
            if side in text and text[side][0] in LANGUAGES:
                language, sentences = text[side]
                lexicons[side] = induce(sentences, language)
        elif name != NO_LEXICON:
            lexicons[side] = load_lexicon(name, f"system.network.{side}_lexicon")
    return lexicons | noun_lists(reads, lexicons, task, text)


def noun_lists(
    reads: Reads, lexicons: Mapping[str, Lexicon], task: Task, text: Text
) -> dict[str, Lexicon]:
    """A list of nouns for each English side without tags that is to have an induced lexicon."""
    return {
        side: english_nouns(text[side][1])
        for side, name in reads.lexicons.items()
        if reads.nouns and name == INDUCED and side in text and text[side][0] == ENGLISH
        if side not in lexicons and (side == "source" or not task.tagged)
    }


def inflected_text(task: Task, examples: Sequence[Example]) -> dict[Side, tuple[str, Sentences]]:
    text: dict[Side, tuple[str, Sentences]] = {
        "source": (task.source_language, (example.source for example in examples))
    }
    if not task.tagged:
        text["target"] = task.target_language, (example.lemmas for example in examples)
    return text


def save_lexicons(lexicons: Mapping[str, Lexicon], folder: Path) -> None:
    for side, lexicon in lexicons.items():
        write_lexicon(folder / _FILE.format(side), lexicon)


def load_lexicons(folder: Path) -> dict[str, Lexicon]:
    paths = {side: folder / _FILE.format(side) for side in SIDES}
    return {side: read_lexicon(path) for side, path in paths.items() if path.is_file()}
