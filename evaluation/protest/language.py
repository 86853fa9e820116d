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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.words import names_of, shipped_files
from crosspro.data_prep.core.yaml_files import Origins, YamlLines, parse_yaml, read_inherited

GENDERS = ("masculine", "feminine", "neuter", "common")
NUMBERS = ("singular", "plural", "either")
ROLES = ("subject", "object", "any")
PERSONS = ("second", "third", "either")
FORMS = ("it", "they", "you")

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ′´`", "'"))
_AFTER_APOSTROPHE = re.compile(r"(?<=')(?=\w)")
_PLACE = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
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

    determiners: frozenset[str]
    measures: frozenset[str]
    stops: frozenset[str]
    trailing: frozenset[str]
    conjunctions: frozenset[str]
    participles: frozenset[str]


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


def source_words(language: str) -> SourceWords:
    """The lists of a source language: by its code, or by the path of a file."""
    checked = _Checker(*_load(language), "source")
    forms = {
        word: name
        for name, words in checked.mapping("forms").items()
        for word in checked.words(f"forms.{name}", words)
    }
    unknown = set(forms.values()) - set(FORMS)
    if unknown:
        checked.problem("forms", choices(FORMS), ", ".join(sorted(unknown)))
    rules = checked.mapping("heads")
    names = tuple(HeadRules.__dataclass_fields__)
    sets = [frozenset(checked.words(f"heads.{name}", rules.get(name))) for name in names]
    group = frozenset(checked.words("group_nouns", checked.section.get("group_nouns")))
    checked.finish(("forms", "heads", "group_nouns"))
    return SourceWords(checked.language, forms, group, HeadRules(*sets))


def target_words(language: str) -> TargetWords:
    """The lists of a target language: by its code, or by the path of a file."""
    checked = _Checker(*_load(language), "target")
    pronouns: dict[str, TargetPronoun] = {}
    allowed = {"person": PERSONS, "gender": GENDERS, "number": NUMBERS, "role": ROLES}
    rows = checked.section.get("pronouns")
    if not isinstance(rows, Sequence) or not rows:
        checked.problem("pronouns", "a list of groups of forms", repr(rows))
        rows = ()
    for number, row in enumerate(rows, start=1):
        where = f"pronouns[{number}]"
        if not isinstance(row, Mapping) or set(row) != {"forms", *allowed}:
            checked.problem(where, f"the keys forms, {', '.join(allowed)}", repr(row))
            continue
        for key, values_of in allowed.items():
            if row[key] not in values_of:
                checked.problem(f"{where}.{key}", choices(values_of), repr(row[key]))
        for form in checked.words(f"{where}.forms", row["forms"]):
            if form in pronouns:
                checked.problem(f"{where}.forms", "forms that occur once", form)
            pronouns[form] = TargetPronoun(form, *(row[key] for key in allowed))
    elisions = {
        str(form): tuple(checked.words(f"elisions.{form}", full))
        for form, full in checked.mapping("elisions").items()
    }
    dropped = frozenset(checked.words("dropped", checked.section.get("dropped")))
    checked.finish(("pronouns", "elisions", "dropped"))
    return TargetWords(checked.language, pronouns, elisions, dropped)


def shipped_languages() -> list[str]:
    """The languages that have lists in this package."""
    return list(names_of("protest", "yaml"))


def _load(language: str) -> tuple[Any, Origins]:
    shipped = shipped_files("protest")
    path = shipped.get(language)
    if path is None:
        path = Path(language)
        if path.suffix not in (".yaml", ".yml"):
            expected = f"{choices(shipped_languages())}, or the path of a .yaml file"
            raise input_error("lists", "language", expected, repr(language))
    return read_inherited(path, shipped, _parsed)


def _parsed(path: Path) -> tuple[Any, YamlLines]:
    try:
        return _items_of("\n".join(read_text_lines(path)))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        found = str(getattr(error, "problem", error))
        raise input_error(path, "YAML", "well-formed YAML", found, line) from error


@lru_cache(maxsize=16)
def _items_of(text: str) -> tuple[Any, YamlLines]:
    """What a file says: by its text, as a file may change while a program runs."""
    return parse_yaml(text), YamlLines(text)


class _Checker:
    """Collects what is wrong with a section of a file of lists."""

    def __init__(self, values: Any, origins: Origins, section: str) -> None:
        self.origins = origins
        self.name = section
        self.problems: list[Problem] = []
        self.language = ""
        self.section: Mapping[str, Any] = {}
        if not isinstance(values, Mapping) or not isinstance(values.get("language"), str):
            self.problem("language", "the code of the language", "none")
            self.finish(())
        self.language = values["language"]
        found = values.get(section)
        if not isinstance(found, Mapping):
            self.problem(section, f"lists for {self.language} as a {section} language", "none")
            self.finish(())
        self.section = found

    def problem(self, field: str, expected: str, found: str) -> None:
        """Note a problem."""
        # pronouns[2].forms is the second item of the list
        places = [int(n) - 1 if n else word for n, word in _PLACE.findall(field)]
        inside = () if field in ("language", self.name) else (self.name,)
        path, line = self.origins.of(*inside, *places)
        self.problems.append(Problem(path, line, field, expected, found))

    def mapping(self, key: str) -> Mapping[str, Any]:
        """A mapping of the section, which may be empty."""
        value = self.section.get(key, {})
        if isinstance(value, Mapping):
            return value
        self.problem(key, "a mapping", repr(value))
        return {}

    def words(self, field: str, value: Any) -> list[str]:
        """A list of words, in lower case."""
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.problem(field, "a list of words", repr(value))
            return []
        wrong = [item for item in value if not isinstance(item, str) or not item]
        if wrong:
            truths = any(isinstance(item, bool) for item in wrong)
            hint = " (YAML reads on, off, yes, no so: quote them)" if truths else ""
            self.problem(field, "words", f"{wrong[0]!r}{hint}")
        return [item.lower() for item in value if isinstance(item, str) and item]

    def finish(self, known: Iterable[str]) -> None:
        """Raise if there were problems; keys that nobody reads are problems, too."""
        for key in sorted(set(map(str, self.section)) - set(known)):
            self.problem(key, choices(known), "an unknown key")
        if self.problems:
            raise InputError(self.problems)
