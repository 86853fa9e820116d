"""Pronouns by their forms: kind, role, person, number and gender, from `conf/words/forms/`.

A form may have several readings (German *sie*), and some forms are also something else, such as an
article (French *la*). Other languages have no table yet: what depends on one is then left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from crosspro.data_prep.core.words import names_of, table_rows, words_file

LANGUAGES = names_of("forms")
"""Languages with a table."""

GENDERS = {"m": "masculine", "f": "feminine", "n": "neuter"}
_ANY = "-"


@dataclass(frozen=True, slots=True)
class PronounReading:
    """What a form may be; what is not said is empty. `also` is what else the word may be."""

    form: str
    kind: str
    role: str
    person: str
    number: str
    gender: str
    also: str


@lru_cache(maxsize=8)
def readings_of(language: str) -> dict[str, tuple[PronounReading, ...]]:
    """The readings of each form of a language, in lower case; nothing without a table."""
    path = words_file("forms", language)
    found: dict[str, tuple[PronounReading, ...]] = {}
    for row in list(table_rows(path, 7))[1:] if path else ():
        cells = ["" if cell == _ANY else cell for cell in row]
        found[cells[0]] = (*found.get(cells[0], ()), PronounReading(*cells))
    return found


@lru_cache(maxsize=4096)
def likely_readings(
    form: str, language: str, source: str | None = None, source_language: str = "en"
) -> tuple[PronounReading, ...]:
    """The readings of a form as a translation of a source pronoun, if that is known.

    Those whose person and number agree with the source's, or all of them where none agrees.
    """
    readings = readings_of(language).get(form.lower(), ())
    known = readings_of(source_language).get((source or "").lower(), ())
    agreeing = tuple(
        one for one in readings if any(_agree(one.person, other.person) and
                                       _agree(one.number, other.number) for other in known)
    )  # fmt: skip
    return agreeing or readings


def _agree(one: str, other: str) -> bool:
    return not one or not other or one == other


def gender_of(readings: tuple[PronounReading, ...]) -> str | None:
    """The gender in words, where the readings have exactly one between them."""
    genders = {reading.gender for reading in readings if reading.gender}
    return GENDERS[genders.pop()] if len(genders) == 1 else None


@lru_cache(maxsize=4096)
def rivals_of(readings: tuple[PronounReading, ...], language: str) -> tuple[str, ...]:
    """Other forms in the same role: of another gender, or in the second person another address."""
    own = {reading.form for reading in readings}
    found = []
    for form, others in readings_of(language).items():
        if form not in own and any(_compete(one, other) for one in readings for other in others):
            found.append(form)
    return tuple(found)


def _compete(one: PronounReading, other: PronounReading) -> bool:
    if (one.kind, one.role, one.person) != (other.kind, other.role, other.person):
        return False
    if one.person == "2" and one.kind == "personal":
        return True
    same_number = _agree(one.number, other.number)
    return bool(one.gender and other.gender and one.gender != other.gender) and same_number
