"""Determiners of French, Spanish and German, and what they say of the noun that follows.

A class of nouns is a gender and a number in short: `ms` and `fp` for French and Spanish; German has
no gender in the plural, so its classes are `m`, `f`, `n` and `p`. Each determiner lists the classes
that it agrees with: the fewer, the more it tells. The words are in `conf/words/determiners/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.words import word_lists

Classes = frozenset[str]

_GENDERS = {"m": "Masc", "f": "Fem", "n": "Neut"}
_GERMAN_ENDINGS = {"": "m n", "e": "f p", "en": "m p", "em": "m n", "er": "f p", "es": "m n"}
_STEMS = "stems"
BARE_GERMAN = frozenset({"ein", *word_lists("determiners", "de")[_STEMS]})
"""Determiners without an ending: the adjective after them shows the gender (ein kleines Haus)."""
STRONG_GERMAN = {"er": frozenset("m"), "es": frozenset("n")}
WEAK_GERMAN = ("e", "en", "er", "es", "em")

LANGUAGES = ("fr", "es", "de")


@cache
def determiners(language: str) -> dict[str, Classes]:
    """The classes that each determiner of a language agrees with."""
    if language not in LANGUAGES:
        raise input_error("settings", "language", choices(LANGUAGES), quoted(language))
    lists = word_lists("determiners", language)
    found: dict[str, Classes] = {}
    for classes, words in lists.items():
        if classes != _STEMS:
            found |= dict.fromkeys(words, frozenset(classes.split()))
    for stem in lists.get(_STEMS, ()):
        for ending, written in _GERMAN_ENDINGS.items():
            found[stem + ending] = frozenset(written.split())
    return found


def classes_of(language: str) -> tuple[str, ...]:
    """The classes of nouns that a language tells apart."""
    return ("m", "f", "n", "p") if language == "de" else ("ms", "fs", "mp", "fp")


def gender_of(name: str) -> str | None:
    """The gender of a class; None for the German plural."""
    return _GENDERS.get(name[0])


def number_of(name: str) -> str:
    """The number of a class."""
    return "Plur" if name.endswith("p") else "Sing"


def singulars(word: str, language: str) -> Iterator[str]:
    """Words whose plural the word may be."""
    if language == "fr":
        if word.endswith(("s", "x")):
            yield word[:-1]
        if word.endswith("aux"):
            yield f"{word[:-3]}al"
    elif language == "es":
        if word.endswith("s"):
            yield word[:-1]
        if word.endswith("es"):
            yield word[:-2]
        if word.endswith("ces"):
            yield f"{word[:-3]}z"
        if word.endswith("iones"):
            yield f"{word[:-5]}ión"
    elif language == "de":
        for ending in ("en", "n", "e", "er", "s", "nen"):
            stem = word.removesuffix(ending)
            if stem == word or len(stem) < 2:
                continue
            yield stem
            if ending in ("e", "er"):
                yield stem.translate(_WITHOUT_UMLAUT)


_WITHOUT_UMLAUT = str.maketrans("äöüÄÖÜ", "aouAOU")
