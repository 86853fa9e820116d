"""Pronoun lists of a language pair: what is scored, what counts as the same, what nearly so.

The lists of `conf/words/pairs/` are loaded by name, lists of your own by the path of their .yaml
file, which may inherit from another (`data_prep.core.yaml_files`). Words are compared in lower
case and in composed Unicode (NFC). All faults of a file are reported together.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.words import names_of, shipped_files
from crosspro.data_prep.core.yaml_files import INHERITANCE_KEYS, read_inherited

KEYS = (
    "name",
    "source_language",
    "target_language",
    "source_pronouns",
    "other_source_pronouns",
    "target_pronouns",
    "translations",
    "ambiguous",
    "identical",
    "equivalent",
    "source_separator",
    "target_separator",
)


@dataclass(frozen=True)
class Equivalent:
    """Pronouns that can stand for each other, and how often that was judged right (000 §2.5)."""

    pronouns: tuple[str, ...]
    probability: float | None = None


@dataclass(frozen=True)
class PronounLists:
    """The lists of one language pair.

    `other_source_pronouns` are not scored, but what is linked to them is not free for a repair.
    `target_pronouns` are the labels of the metric: another word is OTHER, or a word like the rest
    where the list is empty. `translations` gives for a source pronoun the words that an alignment
    repair may choose, which may be more than the labels; those that are `ambiguous` may also be
    something else, such as an article. Members of an `identical` group are one
    pronoun; `equivalent` ones are alike but not the same, and the relation is not transitive.
    A separator divides words into parts (`dit-il`), each of which may be a pronoun.
    """

    name: str
    source_language: str
    target_language: str
    source_pronouns: tuple[str, ...]
    target_pronouns: tuple[str, ...]
    other_source_pronouns: tuple[str, ...] = ()
    translations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ambiguous: tuple[str, ...] = ()
    identical: tuple[tuple[str, ...], ...] = ()
    equivalent: tuple[Equivalent, ...] = ()
    source_separator: str = ""
    target_separator: str = ""

    @cached_property
    def labels(self) -> dict[str, str]:
        """The label of each target pronoun: the first member of its identical group."""
        names = {word: word for word in self.target_pronouns}
        for group in reversed(self.identical):
            names.update(dict.fromkeys(group, group[0]))
        return names

    @cached_property
    def probabilities(self) -> dict[frozenset[str], float | None]:
        """The equivalent pairs of labels, with their probability where it is known."""
        found: dict[frozenset[str], float | None] = {}
        for group in self.equivalent:
            for one, other in combinations(group.pronouns, 2):
                pair = frozenset((self.label(one), self.label(other)))
                if len(pair) == 2:
                    found.setdefault(pair, group.probability)
        return found

    @cached_property
    def all_translations(self) -> frozenset[str]:
        """Every word that may translate some source pronoun."""
        words = {word for group in self.translations.values() for word in group}
        return frozenset(words | set(self.target_pronouns))

    def label(self, word: str) -> str:
        """The label of a target pronoun, and any other word as it is."""
        return self.labels.get(word, word)

    def possible(self, pronoun: str) -> frozenset[str]:
        """The words that may translate a source pronoun."""
        if pronoun in self.translations:
            return frozenset(self.translations[pronoun])
        return self.all_translations

    @cached_property
    def digest(self) -> str:
        """A short name for the content, for signatures."""
        content = json.dumps(lists_to_mapping(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode("utf-8")).hexdigest()[:8]


def lists_names() -> list[str]:
    """The names of the lists that come with the package."""
    return list(names_of("pairs", "yaml"))


def load_lists(name_or_path: str | Path) -> PronounLists:
    """Read lists by name, or from a file of your own."""
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        known = lists_names()
        if str(name_or_path) not in known:
            expected = f"{choices(known)}, or the path of a .yaml file"
            raise input_error("pronouns", "name", expected, quoted(str(name_or_path)))
        path = shipped_files("pairs")[str(name_or_path)]
    mapping = read_inherited(path, shipped_files("pairs"), unshared=("name",))
    return _Reader(str(path)).lists(mapping)


def lists_or_problems(name: str | Path) -> tuple[PronounLists | None, list[Problem]]:
    """Lists, or what is wrong with them, to be shown with the problems of other files."""
    try:
        return load_lists(name), []
    except InputError as error:
        return None, error.problems


def lists_of_languages(
    languages: tuple[str | None, str | None], where: str
) -> tuple[PronounLists | None, list[Problem]]:
    """The lists of the languages that the names of files end in; `where` lists could be named."""
    known = lists_names()
    name = "-".join(language or "?" for language in languages)
    if name in known:
        return lists_or_problems(name)
    expected = f"{choices(known)}, or the path of a .yaml file"
    found = f"none, and files of {name}, for which there are no lists"
    if None in languages:
        found = "none, and names of files that do not end in their languages (X.en, X.fr)"
    return None, [Problem(where, None, "lists", expected, found)]


def lists_to_mapping(lists: PronounLists) -> dict[str, Any]:
    """The content of the lists' file."""

    def plain(value: Any) -> Any:
        if isinstance(value, Equivalent):
            return {"pronouns": list(value.pronouns), "probability": value.probability}
        if isinstance(value, Mapping):
            return {key: plain(item) for key, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, tuple) else value

    return {key: plain(getattr(lists, key)) for key in KEYS}


def normal_form(word: str) -> str:
    """A word as it is compared: in lower case, and composed."""
    return unicodedata.normalize("NFC", word.lower())


class _Reader:
    """Turns the mapping of a file into lists, collecting every fault on the way."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.problems: list[Problem] = []

    def lists(self, mapping: object) -> PronounLists:
        if not isinstance(mapping, Mapping):
            raise input_error(
                self.origin, "file", f"a mapping with the keys {', '.join(KEYS)}", repr(mapping)
            )
        for key in mapping:
            if key not in KEYS:
                self.problem(str(key), choices((*KEYS, *INHERITANCE_KEYS)), "an unknown key")
        for key in ("source_pronouns", "target_pronouns"):
            if key not in mapping:
                self.problem(key, "this key", "nothing")
        get = mapping.get

        def given(key: str) -> object:
            """The list of a key; one without a value (null) has none."""
            return [] if get(key) is None else get(key)

        lists = PronounLists(
            name=self.string("name", get("name", Path(self.origin).stem)),
            source_language=self.string("source_language", get("source_language", "")),
            target_language=self.string("target_language", get("target_language", "")),
            source_pronouns=self.words("source_pronouns", get("source_pronouns", [])),
            other_source_pronouns=self.words(
                "other_source_pronouns", given("other_source_pronouns")
            ),
            target_pronouns=self.words("target_pronouns", get("target_pronouns", [])),
            translations=self.translations(
                {} if get("translations") is None else get("translations")
            ),
            ambiguous=self.words("ambiguous", given("ambiguous")),
            identical=self.groups("identical", given("identical")),
            equivalent=self.equivalents(given("equivalent")),
            source_separator=self.string("source_separator", get("source_separator") or ""),
            target_separator=self.string("target_separator", get("target_separator") or ""),
        )
        self.consistency(lists)
        if self.problems:
            raise InputError(self.problems)
        return lists

    def problem(self, key: str, expected: str, found: str) -> None:
        self.problems.append(Problem(self.origin, None, key, expected, found))

    def string(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            self.problem(key, "text", repr(value))
        return str(value)

    def words(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            self.problem(key, "a list of words", repr(value))
            return ()
        found: list[str] = []
        for item in value:
            if not isinstance(item, str) or not item or any(c.isspace() for c in item):
                hint = " (YAML reads on, off, yes and no so: quote it)"
                shown = f"{item!r}{hint if isinstance(item, bool) else ''}"
                self.problem(key, "words without spaces", shown)
            elif normal_form(item) in found:
                self.problem(key, "each word once", f"{item!r} twice")
            else:
                found.append(normal_form(item))
        return tuple(found)

    def groups(self, key: str, value: object) -> tuple[tuple[str, ...], ...]:
        if not isinstance(value, list):
            self.problem(key, "a list of groups", repr(value))
            return ()
        groups = tuple(self.words(key, group) for group in value)
        for group in groups:
            if len(group) < 2:
                self.problem(key, "groups of at least two pronouns", repr(list(group)))
        return groups

    def translations(self, value: object) -> dict[str, tuple[str, ...]]:
        if not isinstance(value, Mapping):
            self.problem("translations", "a list of words for each source pronoun", repr(value))
            return {}
        return {
            normal_form(str(word)): self.words(f"translations.{word}", group)
            for word, group in value.items()
        }

    def equivalents(self, value: object) -> tuple[Equivalent, ...]:
        if not isinstance(value, list):
            self.problem("equivalent", "a list of groups", repr(value))
            return ()
        found = []
        for item in value:
            group, probability = item, None
            if isinstance(item, Mapping):
                group, probability = item.get("pronouns"), item.get("probability")
                known = ("pronouns", "probability")
                for key in item:
                    if key not in known:
                        self.problem("equivalent", choices(known), repr(key))
            is_number = isinstance(probability, int | float) and not isinstance(probability, bool)
            if probability is not None and not (is_number and 0 <= probability <= 1):
                self.problem("equivalent", "a probability from 0 to 1", repr(probability))
                probability = None
            found.append(Equivalent(self.words("equivalent", group), probability))
            if len(found[-1].pronouns) < 2:
                self.problem("equivalent", "groups of at least two pronouns", repr(group))
        return tuple(found)

    def consistency(self, lists: PronounLists) -> None:
        """Unknown pronouns, and a pronoun in two identical groups."""
        if not lists.source_pronouns:
            self.problem("source_pronouns", "at least one", "none")
        for word in lists.translations:
            if word not in lists.source_pronouns:
                self.problem("translations", choices(lists.source_pronouns), repr(word))
        for word in lists.ambiguous:
            if word not in lists.all_translations:
                self.problem("ambiguous", "words of translations", repr(word))
        known = set(lists.target_pronouns)
        owner: dict[str, tuple[str, ...]] = {}
        for group in lists.identical:
            for word in group:
                if word not in known:
                    self.problem("identical", "members of target_pronouns", repr(word))
                if owner.setdefault(word, group) is not group:
                    self.problem("identical", "each pronoun in one group", f"{word!r} in two")
        for equivalent in lists.equivalent:
            for word in equivalent.pronouns:
                if word not in known:
                    self.problem("equivalent", "members of target_pronouns", repr(word))
