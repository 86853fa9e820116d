"""The words of the demo corpus, and how often each scene, number and gender occurs in a pair.

Both stand in the tables of `data_prep/demo/lexicon/`: one concept a row in four languages, with
plural and agreement forms, so that no morphology is computed; and `profiles.tsv`, a column a task.
Its frequencies make classes about as skewed as the real ones: 003 Table 5 (IWSLT15 after filtering)
for en-fr, en-de and de-en, the class counts of 004 Table 11 for es-en, TEDdev for en-fr-2015. For
fr-en no counts are published; it follows de-en.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "fr", "de", "es")
_FOLDER = Path(__file__).resolve().parent / "lexicon"
Weights = dict[str, float]

Invariable = dict[str, str]
"""An adverb or a preposition: its word in each language."""

Forms = dict[str, tuple[str, ...]]
"""The forms of a word in each language.

Those of a verb are infinitive, third person singular and plural; those of an adjective masculine,
feminine, masculine plural and feminine plural.
"""


@dataclass(frozen=True)
class Noun:
    """A thing or a person; `forms[language]` is (singular, plural), English gender is the sex."""

    forms: Forms
    gender: dict[str, str]
    person: bool


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a table; those of adverbs and of prepositions are `Invariable`."""
    with (_FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as handle:
        return tuple(csv.DictReader(handle, delimiter="\t"))


def _forms(row: dict[str, str], *columns: str) -> Forms:
    """The forms of each language; a language has a column of its own where forms are the same."""
    return {
        language: tuple(row.get(f"{language}_{column}") or row[language] for column in columns)
        for language in LANGUAGES
    }


@cache
def things() -> tuple[Noun, ...]:
    nouns = []
    for row in table("things"):
        gender = {language: row[f"{language}_gender"] for language in ("fr", "de", "es")}
        nouns.append(Noun(_forms(row, "sg", "pl"), {"en": "n", **gender}, person=False))
    return tuple(nouns)


@cache
def persons() -> tuple[Noun, ...]:
    return tuple(
        Noun(_forms(row, "sg", "pl"), dict.fromkeys(LANGUAGES, row["sex"]), person=True)
        for row in table("persons")
    )


@cache
def verbs(kind: str) -> tuple[Forms, ...]:
    """Those of a kind, such as `weather`."""
    return tuple(map(_verb, table(f"verbs_{kind}")))


@cache
def neutral_verbs() -> tuple[Forms, ...]:
    """Verbs of things that suit people as well: they do not tell `he` from `it`."""
    return tuple(_verb(row) for row in table("verbs_things") if row["neutral"])


def _verb(row: dict[str, str]) -> Forms:
    base = {"en_inf": row["en_base"], "en_3pl": row["en_base"]}
    return _forms(base | row, "inf", "3sg", "3pl")


GRAMMAR = {row["name"]: _verb(row) for row in table("verbs_grammar")}
"""Verbs with a grammar of their own: be, can, exist (there is), concern (it is about)."""


@cache
def adjectives(kind: str) -> tuple[Forms, ...]:
    """Those of a kind, such as `things`."""
    return tuple(_forms(row, "m", "f", "mpl", "fpl") for row in table(f"adjectives_{kind}"))


@dataclass(frozen=True)
class Profile:
    """Weights of scenes, and probabilities of what they speak about.

    `person` and `person_plural` are the chances that a referent is human, `genders` the weights of
    grammatical gender in the language that is not English, `demonstrative` the share of anaphoric
    pronouns that a translator renders by a demonstrative.
    """

    scenes: Weights
    plural: float
    person: float
    person_plural: float
    genders: Weights
    plural_genders: Weights
    demonstrative: float


def _profile(task: str) -> Profile:
    values = {row["name"]: float(row[task]) for row in table("profiles") if row[task]}
    weights: dict[str, Weights] = {"scene": {}, "gender": {}, "plural_gender": {}}
    for name, value in values.items():
        kind, dot, item = name.partition(".")
        if dot:
            weights[kind][item] = value
    return Profile(
        scenes=weights["scene"],
        plural=values["plural"],
        person=values["person"],
        person_plural=values["person_plural"],
        genders=weights["gender"],
        plural_genders=weights["plural_gender"],
        demonstrative=values["demonstrative"],
    )


PROFILES = {task: _profile(task) for task in list(table("profiles")[0])[1:]}
"""By task."""
