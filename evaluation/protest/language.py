"""What PROTEST knows of words: nouns in the source, pronouns and function words in the target.

Its lists are in `conf/words/protest`, its pronouns in `conf/words/forms`. Every comparison of words
goes through `TargetWords`, so that case, apostrophes and elision are treated alike.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.words.lists import names_of, word_lists
from crosspro.evaluation.pronouns import PronounReading, suite_readings

Role = Literal["subject", "object", "any"]
Person = Literal["2", "3"]
FORMS = ("it", "they", "you")
"""The pronouns of the categories; *them* has another translation problem."""

_ROLES: dict[Role, tuple[str, ...]] = {
    "subject": ("subject", "any"),
    "object": ("object", "indirect", "stressed", "any"),
    "any": ("subject", "object", "indirect", "stressed", "any"),
}
"""The roles of readings that may stand in each role of a translation."""
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ′´`", "'"))
_AFTER_APOSTROPHE = re.compile(r"(?<=')(?=\w)")
_SUBWORD = re.compile(r"^▁|@@$|^￭|￭$")


@dataclass(frozen=True)
class SourceWords:
    """English: nouns for groups, and the words by which heads are found without a parse."""

    language: str
    lists: Mapping[str, frozenset[str]]

    def form(self, word: str) -> str | None:
        """Which of the categories' pronouns a word is."""
        return next((form for form in FORMS if form == word.lower()), None)

    def is_group_noun(self, word: str) -> bool:
        """Whether a head names a group of persons, in the singular or the plural."""
        lowered = word.lower()
        singulars = {lowered, lowered.removesuffix("s"), lowered.removesuffix("es")}
        if lowered.endswith("ies"):
            singulars.add(lowered.removesuffix("ies") + "y")
        return not self.lists["group-nouns"].isdisjoint(singulars)


@dataclass(frozen=True, slots=True)
class Slot:
    """The person and the role that the translation of a source pronoun must have."""

    person: Person
    role: Role

    def readings(self, readings: Iterable[PronounReading]) -> list[PronounReading]:
        """Those readings of a word with which it can stand here."""
        roles = _ROLES[self.role]
        return [each for each in readings if each.person == self.person and each.role in roles]


@dataclass(frozen=True)
class TargetWords:
    """A target language: readings of pronouns, words that are no heads, full forms of elisions."""

    language: str
    pronouns: Mapping[str, tuple[PronounReading, ...]]
    dropped: frozenset[str]
    elisions: Mapping[str, tuple[str, ...]]

    @cached_property
    def signature(self) -> str:
        content = repr((self.pronouns, sorted(self.elisions.items()), sorted(self.dropped)))
        return f"{self.language}.{hashlib.sha256(content.encode()).hexdigest()[:8]}"

    def parts(self, word: str) -> list[str]:
        """A word in lower case, cut after apostrophes: `Qu’il` is `qu'` and `il`."""
        text = unicodedata.normalize("NFC", _SUBWORD.sub("", word).translate(_APOSTROPHES)).lower()
        return [part for part in _AFTER_APOSTROPHE.split(text) if part]

    def full_forms(self, part: str) -> tuple[str, ...]:
        """The full forms of a part: `ce` for `c'`, `le` and `la` for `l'`."""
        return self.elisions.get(part, (part,))

    def readings(self, form: str) -> tuple[PronounReading, ...]:
        """The readings of a form; of an elided form, those of its full forms as well."""
        forms = dict.fromkeys((form, *self.full_forms(form)))
        return tuple(reading for each in forms for reading in self.pronouns.get(each, ()))

    def pronouns_in(self, word: str) -> list[str]:
        """The pronouns in a word, also after a verb and a hyphen, as in `dit-il`."""
        pronouns = []
        for part in self.parts(word):
            if self.readings(part):
                pronouns.append(part)
            else:
                pronouns += [piece for piece in part.split("-")[1:] if piece in self.pronouns]
        return pronouns

    def pronoun_in(self, word: str, slot: Slot) -> str | None:
        forms = self.pronouns_in(word)
        return next((form for form in forms if slot.readings(self.readings(form))), None)

    def pronoun_forms(self, words: Iterable[str]) -> set[str]:
        """All that words may stand for as pronouns: full forms, and pieces after hyphens."""
        parts = (part for word in words for part in self.parts(word))
        pieces = (piece for part in parts for piece in (part, *part.split("-")[1:]))
        return {form for piece in pieces for form in self.full_forms(piece)}

    def head_words(self, word: str) -> list[str]:
        """The parts of a word that can be the head of a noun phrase: no function words."""
        parts = (part for part in self.parts(word) if part not in self.dropped)
        return [part for part in parts if any(map(str.isalnum, part))]

    def head_forms(self, words: Iterable[str]) -> set[str]:
        return {part for word in words for part in self.head_words(word)}


def source_words() -> SourceWords:
    """The lists of English, the only source language."""
    lists = word_lists("protest", "en")
    return SourceWords("en", {name: frozenset(words) for name, words in lists.items()})


def target_words(language: str) -> TargetWords:
    if language not in names_of("protest"):
        raise input_error("lists", "language", choices(names_of("protest")), quoted(language))
    lists = word_lists("protest", language)
    elisions: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for pair in lists.get("elided", ()):
        elided, _, full = pair.partition("=")
        elisions[elided] += (full,)
    dropped = frozenset(lists["dropped"])
    return TargetWords(language, suite_readings(language), dropped, dict(elisions))
