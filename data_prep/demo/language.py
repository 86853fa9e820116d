"""The words of the demo corpus, and how often each scene, number and gender occurs in a pair.

Frequencies are chosen so that the class distributions are about as skewed as the real ones: 003
Table 5 (IWSLT15 after filtering) for en-fr, en-de and de-en, the class counts of 004 Table 11 for
es-en, TEDdev for en-fr-2015. For fr-en no counts are published; it follows de-en.

Words come from the tables in `data_prep/demo/lexicon/`, one concept a row in four languages. Plural
and agreement forms stand in the tables, so no morphology is computed.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Profile:
    """Weights of scenes, and probabilities of what they speak about.

    `person` and `person_plural` are the chances that a referent is human, `genders` the weights of
    grammatical gender in the language that is not English, `demonstrative` the share of anaphoric
    pronouns that a translator renders by a demonstrative.
    """

    scenes: dict[str, float]
    plural: float
    person: float
    person_plural: float
    genders: dict[str, float]
    plural_genders: dict[str, float]
    demonstrative: float


PROFILES = {
    "en-fr": Profile(
        scenes={
            "same_sentence": 9, "object": 7, "cataphora": 2, "previous_sentence": 13,
            "sentences_back": 8, "weather": 0.5, "that_clause": 4, "event": 8, "predicative": 17,
            "generic": 1.5, "about": 1, "relative": 5, "left_out": 6, "narration": 8,
        },
        plural=0.76, person=0.0, person_plural=0.6,
        genders={"m": 0.5, "f": 0.5}, plural_genders={"m": 0.82, "f": 0.18}, demonstrative=0.04,
    ),
    "en-fr-2015": Profile(
        scenes={
            "same_sentence": 9, "object": 7, "cataphora": 2, "previous_sentence": 13,
            "sentences_back": 8, "weather": 0.5, "that_clause": 4, "event": 8, "predicative": 17,
            "generic": 1.5, "about": 0.5, "relative": 22, "left_out": 26, "narration": 8,
        },
        plural=0.76, person=0.0, person_plural=0.6,
        genders={"m": 0.5, "f": 0.5}, plural_genders={"m": 0.82, "f": 0.18}, demonstrative=0.04,
    ),
    "en-de": Profile(
        scenes={
            "same_sentence": 9, "object": 7, "cataphora": 2, "previous_sentence": 13,
            "sentences_back": 8, "weather": 4, "that_clause": 8, "event": 12, "predicative": 12,
            "generic": 0.7, "about": 3, "relative": 8, "left_out": 8, "narration": 8,
        },
        plural=0.7, person=0.0, person_plural=0.6,
        genders={"m": 0.25, "f": 0.35, "n": 0.4}, plural_genders={"m": 0.4, "f": 0.3, "n": 0.3},
        demonstrative=0.04,
    ),
    "de-en": Profile(
        scenes={
            "same_sentence": 12, "object": 5, "cataphora": 3, "previous_sentence": 15,
            "sentences_back": 8, "weather": 3, "that_clause": 7, "event": 3, "predicative": 3,
            "existential": 3, "about": 3, "addressee": 9, "relative": 8, "left_out": 9,
            "narration": 8,
        },
        plural=0.52, person=0.8, person_plural=0.6,
        genders={"m": 0.6, "f": 0.25, "n": 0.15}, plural_genders={"m": 0.6, "f": 0.25, "n": 0.15},
        demonstrative=0.01,
    ),
    "fr-en": Profile(
        scenes={
            "same_sentence": 12, "object": 5, "cataphora": 3, "previous_sentence": 15,
            "sentences_back": 8, "weather": 3, "that_clause": 7, "predicative": 1,
            "existential": 4, "about": 3, "relative": 5, "left_out": 6, "narration": 8,
        },
        plural=0.35, person=0.75, person_plural=0.6,
        genders={"m": 0.68, "f": 0.32}, plural_genders={"m": 0.8, "f": 0.2}, demonstrative=0.01,
    ),
    "es-en": Profile(
        scenes={
            "same_sentence": 7, "object": 5, "cataphora": 2, "previous_sentence": 12,
            "sentences_back": 6, "weather": 3, "that_clause": 9, "event": 6, "predicative": 5,
            "generic": 4, "existential": 10, "about": 3, "addressee": 5, "relative": 4,
            "left_out": 4, "narration": 8,
        },
        plural=0.4, person=0.8, person_plural=0.6,
        genders={"m": 0.45, "f": 0.55}, plural_genders={"m": 0.7, "f": 0.3}, demonstrative=0.01,
    ),
}  # fmt: skip
"""By task."""


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


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a table; those of adverbs and of prepositions are `Invariable`."""
    with (_FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as handle:
        return tuple(csv.DictReader(handle, delimiter="\t"))


@cache
def things() -> tuple[Noun, ...]:
    """All nouns of things."""
    found = []
    for row in table("things"):
        gender = {language: row[f"{language}_gender"] for language in ("fr", "de", "es")}
        found.append(Noun(_noun_forms(row), {"en": "n", **gender}, person=False))
    return tuple(found)


@cache
def persons() -> tuple[Noun, ...]:
    """All nouns of people."""
    return tuple(
        Noun(_noun_forms(row), dict.fromkeys(LANGUAGES, row["sex"]), person=True)
        for row in table("persons")
    )


def _noun_forms(row: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {language: (row[f"{language}_sg"], row[f"{language}_pl"]) for language in LANGUAGES}


@cache
def verbs(kind: str) -> tuple[Verb, ...]:
    """Those of a kind, such as `weather`."""
    return tuple(
        Verb(
            {
                "en": (row["en_base"], row["en_3sg"], row["en_base"]),
                "fr": (row["fr_inf"], row["fr_3sg"], row["fr_3pl"]),
                "de": (row["de_inf"], row["de_3sg"], row["de_3pl"]),
                "es": (row["es_inf"], row["es_3sg"], row["es_3pl"]),
            }
        )
        for row in table(f"verbs_{kind}")
    )


@cache
def adjectives(kind: str) -> tuple[Adjective, ...]:
    """Those of a kind, such as `things`."""
    return tuple(
        Adjective(
            {
                "en": (row["en"],) * 4,
                "fr": (row["fr_m"], row["fr_f"], row["fr_mpl"], row["fr_fpl"]),
                "de": (row["de"],) * 4,
                "es": (row["es_m"], row["es_f"], row["es_mpl"], row["es_fpl"]),
            }
        )
        for row in table(f"adjectives_{kind}")
    )
