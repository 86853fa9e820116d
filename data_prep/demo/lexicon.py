"""The words of the demo corpus: nouns, verbs, adjectives and adverbs in four languages.

They come from the tables in `data_prep/demo/lexicon/`, one concept a row. The plural and the
agreement forms stand in the tables, so no morphology is computed.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "fr", "de", "es")
_FOLDER = Path(__file__).resolve().parent / "lexicon"


@dataclass(frozen=True)
class Noun:
    """A thing or a person; `forms[language]` is (singular, plural), English gender is the sex."""

    forms: dict[str, tuple[str, str]]
    gender: dict[str, str]
    person: bool


@dataclass(frozen=True)
class Verb:
    """`forms[language]` is (infinitive, third person singular, third person plural)."""

    forms: dict[str, tuple[str, str, str]]


@dataclass(frozen=True)
class Adjective:
    """`forms[language]` is (masculine, feminine, masculine plural, feminine plural)."""

    forms: dict[str, tuple[str, str, str, str]]


Invariable = dict[str, str]
"""An adverb or a preposition: its word in each language."""


@dataclass(frozen=True)
class DemoWords:
    """All tables."""

    things: tuple[Noun, ...]
    persons: tuple[Noun, ...]
    verbs_things: tuple[Verb, ...]
    verbs_persons: tuple[Verb, ...]
    verbs_transitive: tuple[Verb, ...]
    verbs_event: tuple[Verb, ...]
    verbs_weather: tuple[Verb, ...]
    verbs_saying: tuple[Verb, ...]
    adjectives_things: tuple[Adjective, ...]
    adjectives_persons: tuple[Adjective, ...]
    adjectives_that: tuple[Adjective, ...]
    adverbs: tuple[Invariable, ...]
    prepositions: tuple[Invariable, ...]


@cache
def load_lexicon() -> DemoWords:
    """Read the tables; they are read once."""
    return DemoWords(
        things=tuple(_thing(row) for row in _rows("things")),
        persons=tuple(_person(row) for row in _rows("persons")),
        verbs_things=_verbs("verbs_things"),
        verbs_persons=_verbs("verbs_persons"),
        verbs_transitive=_verbs("verbs_transitive"),
        verbs_event=_verbs("verbs_event"),
        verbs_weather=_verbs("verbs_weather"),
        verbs_saying=_verbs("verbs_saying"),
        adjectives_things=_adjectives("adjectives_things"),
        adjectives_persons=_adjectives("adjectives_persons"),
        adjectives_that=_adjectives("adjectives_that"),
        adverbs=tuple(_rows("adverbs")),
        prepositions=tuple(_rows("prepositions")),
    )


def _rows(name: str) -> list[dict[str, str]]:
    with (_FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t"))


def _thing(row: dict[str, str]) -> Noun:
    gender = {language: row[f"{language}_gender"] for language in ("fr", "de", "es")}
    return Noun(_noun_forms(row), {"en": "n", **gender}, person=False)


def _person(row: dict[str, str]) -> Noun:
    return Noun(_noun_forms(row), dict.fromkeys(LANGUAGES, row["sex"]), person=True)


def _noun_forms(row: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {language: (row[f"{language}_sg"], row[f"{language}_pl"]) for language in LANGUAGES}


def _verbs(name: str) -> tuple[Verb, ...]:
    return tuple(
        Verb(
            {
                "en": (row["en_base"], row["en_3sg"], row["en_base"]),
                "fr": (row["fr_inf"], row["fr_3sg"], row["fr_3pl"]),
                "de": (row["de_inf"], row["de_3sg"], row["de_3pl"]),
                "es": (row["es_inf"], row["es_3sg"], row["es_3pl"]),
            }
        )
        for row in _rows(name)
    )


def _adjectives(name: str) -> tuple[Adjective, ...]:
    return tuple(
        Adjective(
            {
                "en": (row["en"],) * 4,
                "fr": (row["fr_m"], row["fr_f"], row["fr_mpl"], row["fr_fpl"]),
                "de": (row["de"],) * 4,
                "es": (row["es_m"], row["es_f"], row["es_mpl"], row["es_fpl"]),
            }
        )
        for row in _rows(name)
    )
