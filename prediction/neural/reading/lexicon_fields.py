"""Gender and number of words as input, and nouns as candidates for antecedents.

Words are looked up whole in a lexicon, also where they are cut into units, and each unit gets what
is known of its word. A lexicon is induced from the text that a system learns from (the default,
which needs no download), or one that `crosspro.data_prep.lexicon.load` knows. It is saved with the
system.

A noun is known by its tag, or by the lexicon of its side where there are no tags. The first unit of
a word stands for it. As lemmas hide the number, that of a tagged noun is not known.
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
from crosspro.data_prep.lexicon.load import lexicon_of_setting
from crosspro.prediction.neural.reading.fields import Field, source_words, target_tokens
from crosspro.prediction.neural.reading.subwords import WORD_START

INDUCED, NO_LEXICON = "induced", "none"
ENGLISH = "en"
_OTHER_CLASS = "X"
_CATEGORIES = {
    **dict.fromkeys(("NOM", "NAM", "NOUN", "PROPN"), NOUNS),
    "ADJ": ("ADJ",),
    "DET": ("DET",),
    **dict.fromkeys(("VER", "VERB"), ("VERB",)),
}
"""The readings that a target tag allows."""

_BETWEEN_WORDS = re.compile(rf" (?={WORD_START}|{PLACEHOLDER})")
_KEPT = 1 << 17
"""A text has few words that are not repeated."""

Sentences = Iterable[Sequence[str]]
Text = Mapping[Side, tuple[str, Sentences]]
"""The language and the inflected text of sides."""


def whole_source_words(example: Example) -> Sequence[str]:
    """The word of each unit of the source."""
    return for_each_word(source_words(example), whole_source_word)


def whole_target_words(example: Example) -> Sequence[str]:
    """The word and the tag of each unit of the target, joined by a bar."""
    return for_each_word(target_tokens(example), whole_target_word)


def for_each_word(units: Sequence[str], made: Callable[[str], tuple[str, ...]]) -> list[str]:
    """What is made of each word, whose units are joined by spaces; other tokens are words."""
    in_units = any(unit.startswith(WORD_START) for unit in units)
    words = _BETWEEN_WORDS.split(" ".join(units)) if in_units else units
    return [word for one in words for word in made(one)]


@lru_cache(maxsize=_KEPT)
def whole_source_word(units: str) -> tuple[str, ...]:
    """The word of its units, for each of them."""
    parts = units.split(" ")  # a token may have other white space
    return ("".join(parts).removeprefix(WORD_START),) * len(parts)


@lru_cache(maxsize=_KEPT)
def whole_target_word(units: str) -> tuple[str, ...]:
    """The same with the tag of the first."""
    lemmas, tags = zip(*map(split_tag, units.split(" ")), strict=True)
    return (f"{''.join(lemmas).removeprefix(WORD_START)}{TAG_SEPARATOR}{tags[0] or ''}",) * len(
        tags
    )


def source_agreement(word: str, lexicon: Lexicon | None) -> str:
    """What is known of a source word."""
    return _agreement(lexicon, word, "")


def target_agreement(token: str, lexicon: Lexicon | None) -> str:
    """What is known of a target word with its tag, which is empty where words are inflected."""
    return _agreement(lexicon, *split_tag(token))


def _agreement(lexicon: Lexicon | None, word: str, tag: str | None) -> str:
    """Whether a word is a noun, with its gender and its number; empty if nothing is known of it."""
    readings = _likely(lexicon.readings(word), tag) if lexicon else ()
    genders = {entry.gender for entry in readings}
    numbers = {entry.number for entry in readings}
    known = [values.pop() if len(values) == 1 else None for values in (genders, numbers)]
    if not any(known):
        return ""
    noun = all(entry.category in NOUNS for entry in readings)
    return " ".join(("noun" if noun else "other", *(value or "?" for value in known)))


def _likely(readings: Sequence[Entry], tag: str | None) -> Sequence[Entry]:
    """The readings that the tag allows; without a tag those of the word class most often seen.

    Where no counts tell, a word that may be of a class without gender is none of the others.
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


def lexicons_for(settings: Mapping[Side, str], text: Text) -> dict[str, Lexicon]:
    """The lexicon of each side that has one; `text` is what one is induced from.

    None is induced for a language without gender, or from lemmas, which show none.
    """
    found: dict[str, Lexicon] = {}
    for side, name in settings.items():
        if name == INDUCED:
            if side in text and text[side][0] in LANGUAGES:
                language, sentences = text[side]
                found[side] = induce(sentences, language)
        elif name != NO_LEXICON:
            loaded = lexicon_of_setting(name, f"system.network.{side}_lexicon")
            if loaded is not None:
                found[side] = loaded
    return found


def noun_lists(settings: Mapping[Side, str], task: Task, text: Text) -> dict[str, Lexicon]:
    """A list of nouns for each English side that is to have a lexicon and has no tags."""
    return {
        side: english_nouns(text[side][1])
        for side, name in settings.items()
        if name == INDUCED and side in text and text[side][0] == ENGLISH
        if side == "source" or not task.tagged
    }


def inflected_text(task: Task, examples: Sequence[Example]) -> dict[Side, tuple[str, Sentences]]:
    """The sides of examples that a lexicon can be induced from."""
    text: dict[Side, tuple[str, Sentences]] = {
        "source": (task.source_language, (example.source for example in examples))
    }
    if not task.tagged:
        text["target"] = task.target_language, (example.lemmas for example in examples)
    return text


def save_lexicons(lexicons: Mapping[str, Lexicon], folder: Path) -> None:
    """Write the lexicons of a system."""
    for side, lexicon in lexicons.items():
        write_lexicon(_file(folder, side), lexicon)


def load_lexicons(folder: Path) -> dict[str, Lexicon]:
    """The lexicons of a saved system."""
    paths = {side: _file(folder, side) for side in SIDES}
    return {side: read_lexicon(path) for side, path in paths.items() if path.is_file()}


def _file(folder: Path, side: str) -> Path:
    return folder / f"lexicon.{side}.tsv.xz"


NOUN_VOCABULARY = "noun"
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


@lru_cache(maxsize=_KEPT)
def _first_source_unit(units: str) -> tuple[str, ...]:
    return _first(whole_source_word(units))


@lru_cache(maxsize=_KEPT)
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
    vocabulary=NOUN_VOCABULARY,
    listed=source_noun,
    closed=(NO_NOUN, *KINDS),
)
TARGET_NOUN = Field(
    "target_noun",
    "target",
    first_target_units,
    vocabulary=NOUN_VOCABULARY,
    listed=target_noun,
    closed=(NO_NOUN, *KINDS),
)
