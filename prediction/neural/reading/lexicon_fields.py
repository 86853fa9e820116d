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
from crosspro.data_prep.formats.shared_task import PLACEHOLDER
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
from crosspro.prediction.neural.reading.fields import Field, Reads, target_tokens
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
_LATER = " "
"""Begins the token of a unit that is not the first of its word."""
_FILE = "lexicon.{}.tsv.xz"

Sentences = Iterable[Sequence[str]]
Lookup = Callable[[str, Lexicon | None], str]
Text = Mapping[Side, tuple[str, Sentences]]
"""The language and the inflected text of sides."""


# Tokens: the word of each unit ------------------------------------------------------------------


def source_words_of_units(example: Example) -> Sequence[str]:
    return _words_of_units([f"{word}{TAG_SEPARATOR}" for word in example.source])


def target_words_of_units(example: Example) -> Sequence[str]:
    return _words_of_units(target_tokens(example))


def _words_of_units(tokens: Sequence[str]) -> list[str]:
    """The word of each unit and its tag, joined by a bar; `_LATER` marks units after the first."""
    in_units = any(token.startswith(WORD_START) for token in tokens)
    words = _BETWEEN_WORDS.split(" ".join(tokens)) if in_units else tokens
    return [unit for word in words for unit in _word_of_each_unit(word)]


@lru_cache(maxsize=_CACHED_WORDS)
def _word_of_each_unit(units: str) -> tuple[str, ...]:
    lemmas, tags = zip(*map(split_tag, units.split(" ")), strict=True)
    word = f"{''.join(lemmas).removeprefix(WORD_START)}{TAG_SEPARATOR}{tags[0] or ''}"
    return (word, *(f"{_LATER}{word}",) * (len(tags) - 1))


# What a lexicon says of a word ------------------------------------------------------------------


def agreement(token: str, lexicon: Lexicon | None) -> str:
    """Whether a word with its tag is a noun, with its gender and its number; empty if unknown."""
    word, tag = split_tag(token.removeprefix(_LATER))
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


def noun(token: str, lexicon: Lexicon | None) -> str:
    """Gender and number of a word with its tag, if it is a noun and the token its first unit."""
    word, tag = split_tag(token)
    is_noun = tag in NOUN_TAGS if tag else lexicon is not None and lexicon.is_noun(word)
    if not is_noun or token.startswith(_LATER):
        return NO_NOUN
    gender = lexicon.gender(word) if lexicon else None
    number = lexicon.number(word) if lexicon and not tag else None
    return f"{gender or _UNKNOWN} {number or _UNKNOWN}"


def _field(name: str, side: Side, lookup: Lookup, closed: tuple[str, ...] = ()) -> Field:
    tokens = source_words_of_units if side == "source" else target_words_of_units
    return Field(f"{side}_{name}", side, tokens, vocabulary=name, lookup=lookup, closed=closed)


SOURCE_AGREEMENT = _field(AGREEMENT, "source", agreement)
TARGET_AGREEMENT = _field(AGREEMENT, "target", agreement)
SOURCE_NOUN = _field(NOUN, "source", noun, (NO_NOUN, *NOUN_KINDS))
TARGET_NOUN = _field(NOUN, "target", noun, (NO_NOUN, *NOUN_KINDS))


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
