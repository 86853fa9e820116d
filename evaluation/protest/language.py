"""The words of a language that a suite needs: pronouns, elisions, function words, group nouns.

They are in `conf/words/protest/`; a new language is a new file, and its path is given instead of
the language. It may inherit from another (`data_prep.core.yaml_files`). Everything that
compares words goes through `TargetWords`, so that case, apostrophes and elision are treated in one
way.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from crosspro.data_prep.core.errors import choices, input_error
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.core.words import names_of, shipped_files
from crosspro.data_prep.core.yaml_files import read_inherited

Word = Annotated[str, Field(min_length=1)]
ROLES = ("subject", "object", "any")

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ′´`", "'"))
_AFTER_APOSTROPHE = re.compile(r"(?<=')(?=\w)")
_SUBWORD = re.compile(r"^▁|@@$|^￭|￭$")


@dataclass(frozen=True, slots=True)
class TargetPronoun:
    """A pronoun of the target language; gender and number as far as the form shows them."""

    form: str
    person: str
    gender: str
    number: str
    role: str


@dataclass(frozen=True, slots=True)
class Slot:
    """What the translation of a source pronoun has to be: its person and its role."""

    person: str
    role: str

    def takes(self, pronoun: TargetPronoun) -> bool:
        """Whether a pronoun can be the translation."""
        right_role = self.role == "any" or pronoun.role in ("any", self.role)
        return right_role and pronoun.person in ("either", self.person)


@dataclass(frozen=True)
class HeadRules:
    """The words by which the head of a noun phrase is found without a parser."""

    determiners: frozenset[Word]
    measures: frozenset[Word]
    stops: frozenset[Word]
    trailing: frozenset[Word]
    conjunctions: frozenset[Word]
    participles: frozenset[Word]


@dataclass(frozen=True)
class SourceWords:
    """A source language: the forms of the categories' pronouns, group nouns, rules for heads."""

    language: str
    forms: Mapping[str, str]
    group_nouns: frozenset[str]
    heads: HeadRules

    def form(self, word: str) -> str | None:
        """Which of the categories' pronouns a word is."""
        return self.forms.get(word.translate(_APOSTROPHES).lower())


@dataclass(frozen=True)
class TargetWords:
    """A target language: its pronouns, what elided forms stand for, and words that are no heads."""

    language: str
    pronouns: Mapping[str, TargetPronoun]
    elisions: Mapping[str, tuple[str, ...]]
    dropped: frozenset[str]

    @property
    def signature(self) -> str:
        """The language and a short name of the lists' content, for signatures of scores."""
        content = repr(
            (
                sorted(map(repr, self.pronouns.values())),
                sorted(self.elisions.items()),
                sorted(self.dropped),
            )
        )
        return f"{self.language}.{hashlib.sha256(content.encode()).hexdigest()[:8]}"

    def parts(self, word: str) -> list[str]:
        """A word in lower case, cut after apostrophes: `Qu’il` is `qu'` and `il`."""
        text = unicodedata.normalize("NFC", _SUBWORD.sub("", word).translate(_APOSTROPHES)).lower()
        return [part for part in _AFTER_APOSTROPHE.split(text) if part]

    def full_forms(self, part: str) -> tuple[str, ...]:
        """What a part stands for: `c'` for `ce`, `l'` for `le` and `la`."""
        return self.elisions.get(part, (part,))

    def pronouns_in(self, word: str) -> list[str]:
        """The pronouns in a word, also after a verb and a hyphen, as in `dit-il`."""
        found = []
        for part in self.parts(word):
            if self.pronoun(part) is not None:
                found.append(part)
            else:
                found += [piece for piece in part.split("-")[1:] if piece in self.pronouns]
        return found

    def pronoun(self, form: str) -> TargetPronoun | None:
        """What is known about a pronoun, elided or not."""
        for full in (form, *self.full_forms(form)):
            if full in self.pronouns:
                return self.pronouns[full]
        return None

    def pronoun_forms(self, words: Iterable[str]) -> set[str]:
        """All that words may stand for as pronouns: full forms, and pieces after hyphens."""
        found: set[str] = set()
        for word in words:
            for part in self.parts(word):
                found.update(self.full_forms(part))
                for piece in part.split("-")[1:]:
                    found.update(self.full_forms(piece))
        return found

    def head_forms(self, words: Iterable[str]) -> set[str]:
        """The content words among words: without elided articles, function words, punctuation."""
        return {part for word in words for part in self.parts(word) if self.is_content(part)}

    def is_content(self, part: str) -> bool:
        """Whether a part of a word can be the head of a noun phrase."""
        return part not in self.dropped and any(character.isalnum() for character in part)


# Files --------------------------------------------------------------------------------------------

Words = Annotated[tuple[Word, ...], Field(min_length=1)]
Code = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True)
class _PronounGroup:
    """Forms with the same person, gender, number and role."""

    forms: Words
    person: Literal["second", "third", "either"]
    gender: Literal["masculine", "feminine", "neuter", "common"]
    number: Literal["singular", "plural", "either"]
    role: Literal["subject", "object", "any"]


@dataclass(frozen=True)
class _SourceSection:
    forms: dict[Literal["it", "they", "you"], Words]
    group_nouns: Words
    heads: HeadRules


@dataclass(frozen=True)
class _TargetSection:
    pronouns: Annotated[tuple[_PronounGroup, ...], Field(min_length=1)]
    dropped: Words
    elisions: dict[str, Words] = field(default_factory=dict)


@dataclass(frozen=True)
class _SourceFile:
    language: Code
    source: _SourceSection


@dataclass(frozen=True)
class _TargetFile:
    language: Code
    target: _TargetSection


def _check_forms(path: Path, groups: Iterable[_PronounGroup]) -> None:
    """Every form is there once."""
    seen: set[str] = set()
    for number, group in enumerate(groups):
        for form in map(str.lower, group.forms):
            if form in seen:
                key = f"target.pronouns.{number}.forms"
                raise input_error(path, key, "forms that occur once", form)
            seen.add(form)


def source_words(language: str) -> SourceWords:
    """The lists of a source language: by its code, or by the path of a file."""
    code, section = _section(language, "source", _SourceFile)
    forms = {word: name for name, words in section["forms"].items() for word in _lower(words)}
    heads = HeadRules(**{name: frozenset(_lower(own)) for name, own in section["heads"].items()})
    return SourceWords(code, forms, frozenset(_lower(section["group_nouns"])), heads)


def target_words(language: str) -> TargetWords:
    """The lists of a target language: by its code, or by the path of a file."""
    code, section = _section(language, "target", _TargetFile)
    pronouns = {
        form: TargetPronoun(form, *(group[key] for key in ("person", "gender", "number", "role")))
        for group in section["pronouns"]
        for form in _lower(group["forms"])
    }
    elisions = {form: _lower(full) for form, full in section.get("elisions", {}).items()}
    return TargetWords(code, pronouns, elisions, frozenset(_lower(section["dropped"])))


def _lower(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(str.lower, words))


def shipped_languages() -> list[str]:
    """The languages that have lists in this package."""
    return list(names_of("protest", "yaml"))


def _section(language: str, name: str, kind: type[Any]) -> tuple[str, Any]:
    """The code of a language and one of the two sections of its file.

    Lists of the package have been checked by its tests: commands begin without pydantic's import.
    """
    shipped = shipped_files("protest")
    path = shipped.get(language, Path(language))
    if path.suffix not in (".yaml", ".yml"):
        expected = f"{choices(shipped_languages())}, or the path of a .yaml file"
        raise input_error("lists", "language", expected, repr(language))
    content = read_inherited(path, shipped)
    if isinstance(content, Mapping) and content.get("language") and name not in content:
        expected = f"lists for {content['language']} as a {name} language"
        raise input_error(path, name, expected, "none")
    if language not in shipped:
        one = content
        if isinstance(content, Mapping):  # the other section is for those who read it
            one = {key: content[key] for key in ("language", name) if key in content}
        lists = check_settings(kind, one, path)
        if isinstance(lists, _TargetFile):
            _check_forms(path, lists.target.pronouns)
    values: Any = content
    return values["language"], values[name]
