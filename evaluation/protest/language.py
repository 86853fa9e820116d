"""Word lists of a language: pronouns, elisions, function words, group nouns.

They are in `conf/words/protest/LANGUAGE.yaml`; another language is another file, whose path may be
given in place of the code. Every comparison of words goes through `TargetWords`, so that case,
apostrophes and elision are treated alike.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.settings import check_settings, read_yaml, settings
from crosspro.data_prep.words.lists import names_of, shipped_files

Role = Literal["subject", "object", "any"]
Lists = TypeVar("Lists")

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ′´`", "'"))
_AFTER_APOSTROPHE = re.compile(r"(?<=')(?=\w)")
_SUBWORD = re.compile(r"^▁|@@$|^￭|￭$")


Word = Annotated[str, AfterValidator(str.lower)]
Words = tuple[Word, ...]
WordSet = frozenset[Word]


@settings
class HeadWords:
    """The words by which the head of a noun phrase is found without a parse."""

    determiners: WordSet
    measures: WordSet
    stops: WordSet
    trailing: WordSet
    conjunctions: WordSet


@settings
class SourceWords:
    """A source language: forms of the categories' pronouns, group nouns, words around heads."""

    language: Annotated[str, Field(min_length=1)]
    forms: dict[Literal["it", "they", "you"], Words]
    group_nouns: WordSet
    heads: HeadWords

    def form(self, word: str) -> str | None:
        """Which of the categories' pronouns a word is."""
        lowered = word.translate(_APOSTROPHES).lower()
        return next((form for form, words in self.forms.items() if lowered in words), None)

    def is_group_noun(self, word: str) -> bool:
        """Whether a head names a group of persons, in the singular or the plural."""
        lowered = word.lower()
        singulars = {lowered, lowered.removesuffix("s"), lowered.removesuffix("es")}
        if lowered.endswith("ies"):
            singulars.add(lowered.removesuffix("ies") + "y")
        return not self.group_nouns.isdisjoint(singulars)


@settings
class TargetPronoun:
    """Forms of the target language with the same features, as far as the forms show them."""

    forms: Words
    person: Literal["second", "third", "either"]
    gender: Literal["masculine", "feminine", "neuter", "common"]
    number: Literal["singular", "plural", "either"]
    role: Role


@dataclass(frozen=True, slots=True)
class Slot:
    """The person and the role that the translation of a source pronoun must have."""

    person: str
    role: Role

    def takes(self, pronoun: TargetPronoun) -> bool:
        right_role = self.role == "any" or pronoun.role in ("any", self.role)
        return right_role and pronoun.person in ("either", self.person)


@settings
class TargetWords:
    """A target language: pronouns, words that are no heads, full forms of elided words."""

    language: Annotated[str, Field(min_length=1)]
    pronouns: Annotated[tuple[TargetPronoun, ...], Field(min_length=1)]
    dropped: WordSet
    elisions: dict[str, Words] = Field(default_factory=dict)

    def __post_init__(self) -> None:
        forms = [form for pronoun in self.pronouns for form in pronoun.forms]
        if len(self.by_form) < len(forms):
            twice = sorted(form for form in self.by_form if forms.count(form) > 1)
            raise ValueError(f"pronouns: forms that stand twice: {', '.join(twice)}")

    @cached_property
    def by_form(self) -> Mapping[str, TargetPronoun]:
        return {form: pronoun for pronoun in self.pronouns for form in pronoun.forms}

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

    def pronoun(self, form: str) -> TargetPronoun | None:
        forms = (form, *self.full_forms(form))
        return next((self.by_form[full] for full in forms if full in self.by_form), None)

    def pronouns_in(self, word: str) -> list[str]:
        """The pronouns in a word, also after a verb and a hyphen, as in `dit-il`."""
        pronouns = []
        for part in self.parts(word):
            if self.pronoun(part) is not None:
                pronouns.append(part)
            else:
                pronouns += [piece for piece in part.split("-")[1:] if piece in self.by_form]
        return pronouns

    def pronoun_in(self, word: str, slot: Slot) -> str | None:
        for form in self.pronouns_in(word):
            pronoun = self.pronoun(form)
            if pronoun is not None and slot.takes(pronoun):
                return form
        return None

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


def source_words(language: str) -> SourceWords:
    """The lists of a source language: by its code, or by the path of a file."""
    return _read_lists(language, "source", SourceWords)


def target_words(language: str) -> TargetWords:
    """The lists of a target language: by its code, or by the path of a file."""
    return _read_lists(language, "target", TargetWords)


def _read_lists(language: str, section: str, kind: type[Lists]) -> Lists:
    path = shipped_files("protest").get(language, Path(language))
    if path.suffix not in (".yaml", ".yml"):
        expected = f"{choices(names_of('protest', 'yaml'))}, or the path of a .yaml file"
        raise input_error("lists", "language", expected, quoted(language))
    content = read_yaml(path)
    if not isinstance(content, dict) or not isinstance(content.get(section), dict):
        raise input_error(path, section, f"lists of words as a {section} language", "none")
    return check_settings(kind, {"language": content.get("language"), **content[section]}, path)
