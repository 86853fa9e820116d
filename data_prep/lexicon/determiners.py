"""Determiners of French, Spanish and German, and what they say of the noun that follows.

A class of nouns is a gender and a number in short: `ms` and `fp` for French and Spanish; German has
no gender in the plural, so its classes are `m`, `f`, `n` and `p`. Each determiner lists the classes
that it agrees with: the fewer, the more it tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from crosspro.data_prep.errors import choices, input_error, quoted

Classes = frozenset[str]

_GENDERS = {"m": "Masc", "f": "Fem", "n": "Neut"}
_TABLES = {
    "fr": """
        ms: le un du au ce cet quel aucun nul
        fs: la une cette ma ta sa quelle aucune nulle
        ms fs: l' mon ton son notre votre leur chaque
        mp: quels certains
        fp: quelles certaines
        mp fp: les des aux ces mes tes ses nos vos leurs quelques plusieurs
    """,
    "es": """
        ms: el un del al este ese aquel nuestro vuestro algún ningún
        fs: la una esta esa aquella nuestra vuestra alguna ninguna
        ms fs: mi tu su cada
        mp: los unos estos esos aquellos nuestros vuestros algunos muchos varios
        fp: las unas estas esas aquellas nuestras vuestras algunas muchas varias
        mp fp: mis tus sus
    """,
    "de": """
        m: einen jeden
        f: eine einer jede zur
        n: das ins ans aufs fürs durchs
        m n: ein einem eines dem des im am vom zum beim jedes jedem dieses diesem jenes jenem
        m f: jeder
        m p: den diesen jenen
        f p: die diese jene
        m f p: der dieser jener
    """,
}
_GERMAN_ENDINGS = {"": "m n", "e": "f p", "en": "m p", "em": "m n", "er": "f p", "es": "m n"}
_GERMAN_STEMS = ("kein", "mein", "dein", "sein", "unser", "ihr")
BARE_GERMAN = frozenset({"ein", *_GERMAN_STEMS})
"""Determiners without an ending: the adjective after them shows the gender (ein kleines Haus)."""
STRONG_GERMAN = {"er": frozenset("m"), "es": frozenset("n")}
WEAK_GERMAN = ("e", "en", "er", "es", "em")

LANGUAGES = tuple(_TABLES)


@cache
def determiners(language: str) -> dict[str, Classes]:
    """The classes that each determiner of a language agrees with."""
    if language not in _TABLES:
        raise input_error("settings", "language", choices(LANGUAGES), quoted(language))
    found: dict[str, Classes] = {}
    for line in _TABLES[language].strip().splitlines():
        classes, _, words = line.partition(":")
        found |= dict.fromkeys(words.split(), frozenset(classes.split()))
    if language == "de":
        for stem in _GERMAN_STEMS:
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
