"""Pronouns of a language pair and of a language, from `conf/words`.

`PronounLists` (`conf/words/pairs/en-fr.yaml`, or a file of the user's) say which pronouns of the
source are scored and what counts as the same in the target; APT, AutoPRF and PROTEST read them.
`PronounReading` (`conf/words/forms/fr.tsv`) says what a form may be: kind, person, number, gender.
Words are compared in lower case and in composed Unicode (NFC).
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)
from pydantic import dataclasses as pydantic_dataclasses

from crosspro.data_prep.annotate.tokenise import Tokeniser, normalise_punctuation
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.settings import read_yaml, settings_error
from crosspro.data_prep.words.lists import (
    names_of,
    shipped_files,
    table_rows,
    word_lists,
    words_file,
)


def normal_form(word: str) -> str:
    """A word as it is compared: in lower case, and composed."""
    return unicodedata.normalize("NFC", word.lower())


# Lists of a language pair -------------------------------------------------------------------------


def _word(word: str) -> str:
    if not word or any(map(str.isspace, word)):
        raise ValueError("expected a word without spaces")
    return normal_form(word)


def _unique(words: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(words)) < len(words):
        raise ValueError("expected each word once")
    return words


Word = Annotated[str, AfterValidator(_word)]
Words = Annotated[tuple[Word, ...], AfterValidator(_unique)]
Group = Annotated[tuple[Word, ...], Field(min_length=2), AfterValidator(_unique)]
_CONFIG = ConfigDict(extra="forbid")


@pydantic_dataclasses.dataclass(frozen=True, config=_CONFIG)
class Equivalent:
    """Pronouns that can stand for each other, and how often that was judged right (000 §2.5)."""

    pronouns: Group
    probability: Annotated[float, Field(ge=0, le=1)] | None = None


def _as_group(value: object) -> object:
    return {"pronouns": value} if isinstance(value, list) else value


@pydantic_dataclasses.dataclass(frozen=True, config=_CONFIG)
class PronounLists:
    """The lists of one language pair.

    `other_source_pronouns` are not scored, but words linked to them are not free for a repair.
    `target_pronouns` are the labels of APT: another word is OTHER; without them each word is its
    own label. `translations` has for a source pronoun the words that a repair of links may choose;
    `ambiguous` ones may also be something else, such as an article. Members of an `identical` group
    are one pronoun; `equivalent` ones are alike, and the relation is not transitive. A separator
    divides words into parts (`dit-il`), each of which may be a pronoun.
    """

    source_pronouns: Annotated[Words, Field(min_length=1)]
    target_pronouns: Words
    name: str = ""
    source_language: str = ""
    target_language: str = ""
    other_source_pronouns: Words = ()
    translations: dict[Word, Words] = Field(default_factory=dict)
    ambiguous: Words = ()
    identical: tuple[Group, ...] = ()
    equivalent: tuple[Annotated[Equivalent, BeforeValidator(_as_group)], ...] = ()
    source_separator: str = ""
    target_separator: str = ""

    def __post_init__(self) -> None:
        for group in (*self.identical, *(group.pronouns for group in self.equivalent)):
            _check_members("identical and equivalent", group, self.target_pronouns)
        _check_members("translations", tuple(self.translations), self.source_pronouns)
        _check_members("ambiguous", self.ambiguous, self.all_translations)
        merged = [word for group in self.identical for word in group]
        if len(set(merged)) < len(merged):
            raise ValueError("identical: expected each pronoun in one group")

    @cached_property
    def labels(self) -> dict[str, str]:
        """The label of each target pronoun: the first member of its identical group."""
        labels = {word: word for word in self.target_pronouns}
        for group in self.identical:
            labels.update(dict.fromkeys(group, group[0]))
        return labels

    @cached_property
    def probabilities(self) -> dict[frozenset[str], float | None]:
        """The equivalent pairs of labels, with their probability where it is known."""
        pairs: dict[frozenset[str], float | None] = {}
        for group in self.equivalent:
            for first, second in combinations(group.pronouns, 2):
                pair = frozenset((self.label(first), self.label(second)))
                if len(pair) == 2:
                    pairs.setdefault(pair, group.probability)
        return pairs

    @cached_property
    def all_translations(self) -> frozenset[str]:
        return frozenset(self.target_pronouns).union(*self.translations.values())

    @cached_property
    def every_source_pronoun(self) -> frozenset[str]:
        """Source pronouns, scored or not."""
        return frozenset((*self.source_pronouns, *self.other_source_pronouns))

    def label(self, word: str) -> str:
        return self.labels.get(word, word)

    def possible(self, pronoun: str) -> frozenset[str]:
        """The words that may translate a source pronoun."""
        words = self.translations.get(pronoun)
        return self.all_translations if words is None else frozenset(words)

    def source_pronoun(self, word: str) -> str | None:
        """The scored pronoun that a lower-cased source word is or contains."""
        return _first_part(word, self.source_pronouns, self.source_separator)

    def target_pronoun(self, word: str) -> str | None:
        """The pronoun that a lower-cased target word is or contains."""
        return _first_part(word, self.labels, self.target_separator)

    @cached_property
    def signature(self) -> str:
        content = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False)
        return f"{self.name}-{hashlib.sha256(content.encode('utf-8')).hexdigest()[:8]}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def _check_members(field: str, words: Sequence[str], members: Collection[str]) -> None:
    for word in words:
        if word not in members:
            raise ValueError(f"{field}: expected {choices(sorted(members))}, found {quoted(word)}")


def parts_of(word: str, separator: str) -> Sequence[str]:
    return word.split(separator) if separator else (word,)


def _first_part(word: str, pronouns: Container[str], separator: str) -> str | None:
    if word in pronouns:
        return word
    return next((part for part in parts_of(word, separator) if part in pronouns), None)


def lists_names() -> list[str]:
    return list(names_of("pairs", "yaml"))


def load_lists(name_or_path: str | Path) -> PronounLists:
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        if str(name_or_path) not in lists_names():
            expected = f"{choices(lists_names())}, or the path of a .yaml file"
            raise input_error("pronouns", "name", expected, quoted(str(name_or_path)))
        return _read_lists(shipped_files("pairs")[str(name_or_path)])
    return _read_lists.__wrapped__(path)


@cache
def _read_lists(path: Path) -> PronounLists:
    content = read_yaml(path)
    if isinstance(content, dict):
        filled = {key: value for key, value in content.items() if value is not None}
        content = {"name": path.stem} | filled
    try:
        return TypeAdapter(PronounLists).validate_python(content)
    except ValidationError as error:
        raise settings_error(error, path) from error


def lists_of(languages: tuple[str, str]) -> PronounLists:
    name = "-".join(language or "?" for language in languages)
    if name not in lists_names():
        expected = f"lists of pronouns for {name}, or {choices(lists_names())}"
        raise input_error("pronouns", "languages", expected, "none")
    return load_lists(name)


# Pronouns of a text -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Anchor:
    """A source pronoun to be scored: line and position from 0, as written, and as in the list."""

    line: int
    position: int
    word: str
    pronoun: str


def find_anchors(source: Sequence[Sequence[str]], lists: PronounLists) -> list[Anchor]:
    pronoun_of = cache(lambda word: lists.source_pronoun(word.lower()))
    return [
        Anchor(line, position, word, pronoun)
        for line, words in enumerate(source)
        for position, word in enumerate(words)
        if (pronoun := pronoun_of(word)) is not None
    ]


def read_tokens(path: Path) -> list[tuple[int, int]]:
    """The tokens of a suite: a line and a position, both from 0, on each line of a file."""
    tokens = []
    for number, line in enumerate(read_text_lines(path), start=1):
        fields = line.split()
        if len(fields) != 2 or not all(field.isascii() and field.isdigit() for field in fields):
            raise input_error(path, "token", "a line and a position from 0", quoted(line), number)
        tokens.append((int(fields[0]), int(fields[1])))
    return tokens


def anchors_at(
    tokens: Sequence[tuple[int, int]], source: Sequence[Sequence[str]], lists: PronounLists
) -> list[Anchor]:
    """Given tokens (001 §5); one that is no source pronoun of the lists is refused.

    Lists without source pronouns take any word.
    """
    anchors = []
    for number, (line, position) in enumerate(tokens, start=1):
        if line >= len(source) or position >= len(source[line]):
            expected = "a line and a position inside the source, from 0"
            raise input_error("tokens", "token", expected, f"{line} {position}", number)
        word = source[line][position]
        pronoun = lists.source_pronoun(word.lower())
        if pronoun is None:
            expected = f"one of {choices(lists.source_pronouns)}"
            raise input_error("tokens", "word", expected, quoted(word), number)
        anchors.append(Anchor(line, position, word, pronoun))
    return anchors


# Forms of a language ------------------------------------------------------------------------------

LANGUAGES = names_of("forms")
"""Languages with a table of forms."""
GENDERS = {"m": "masculine", "f": "feminine", "n": "neuter"}
_ANY = "-"
_SUITE = "protest"
"""The kind of readings that only PROTEST takes for pronouns."""


@dataclass(frozen=True, slots=True)
class PronounReading:
    """One reading of a form; features that do not apply are empty. `also` is what else the word
    may be."""

    form: str
    kind: str
    role: str
    person: str
    number: str
    gender: str
    also: str


@cache
def _all_readings(language: str) -> tuple[PronounReading, ...]:
    path = words_file("forms", language)
    rows = list(table_rows(path, 7))[1:] if path else []
    return tuple(PronounReading(*("" if cell == _ANY else cell for cell in row)) for row in rows)


def _by_form(readings: Iterable[PronounReading]) -> Mapping[str, tuple[PronounReading, ...]]:
    by_form: dict[str, tuple[PronounReading, ...]] = {}
    for reading in readings:
        by_form[reading.form] = (*by_form.get(reading.form, ()), reading)
    return by_form


@cache
def readings_of(language: str) -> Mapping[str, tuple[PronounReading, ...]]:
    """The readings of each form of a language, in lower case; nothing without a table."""
    return _by_form(reading for reading in _all_readings(language) if reading.kind != _SUITE)


def suite_readings(language: str) -> Mapping[str, tuple[PronounReading, ...]]:
    """The readings that may translate *it*, *they* and *you* in PROTEST, and what it adds."""
    kinds = ("personal", "demonstrative", _SUITE)
    readings = _all_readings(language)
    return _by_form(each for each in readings if each.kind in kinds and each.person in ("2", "3"))


@lru_cache(maxsize=4096)
def likely_readings(
    form: str, language: str, source: str | None = None, source_language: str = "en"
) -> tuple[PronounReading, ...]:
    """The readings of a form as a translation of a source pronoun, if that is known.

    Those whose person and number agree with the source's, or all of them where none agrees.
    """
    readings = readings_of(language).get(form.lower(), ())
    of_source = readings_of(source_language).get((source or "").lower(), ())
    agreeing = tuple(
        reading
        for reading in readings
        if any(
            _agree(reading.person, other.person) and _agree(reading.number, other.number)
            for other in of_source
        )
    )
    return agreeing or readings


def _agree(first: str, second: str) -> bool:
    return not first or not second or first == second


def gender_of(readings: tuple[PronounReading, ...]) -> str | None:
    """The gender in words, where the readings have exactly one between them."""
    genders = {reading.gender for reading in readings if reading.gender}
    return GENDERS[genders.pop()] if len(genders) == 1 else None


# Words of a translation, with what clitics hide ---------------------------------------------------

_DEPENDING = {"fr": "s'", "de": "'s"}
"""A token that is one word or another by what stands beside it."""
_SPANISH_ENCLITICS = re.compile(
    r"(?P<verb>.*(?:[aeiáéí]r|[áé]ndo))(?P<first>me|te|se|nos|os)?(?P<second>l[aeo]s?)"
)
"""An infinitive or gerund with a form of the third person; others end as nouns do (*dineros*)."""


class TranslationWords:
    """The words of a translation: tokens in lower case, divided where clitics hide pronouns.

    French `Va-t-elle`, `dit-il` and `elle-même` are several words and `Aix-la-Chapelle` is one,
    `qu'elle` has *elle* and `l'a` no *la*; German `geht's` has *es*; Spanish `verla` has *la*. An
    elided form that stands for one word only (`c'`, `t'`) is that word. See `conf/words/clitics`.
    """

    def __init__(self, language: str) -> None:
        self.tokenise = Tokeniser(language)
        self.language = self.tokenise.language
        clitics = word_lists("clitics", self.language)
        self.elided = dict(pair.split("=") for pair in clitics.get("elided", ()))
        self.after = frozenset(clitics.get("after-hyphens", ()))
        self.before = frozenset(clitics.get("before-hyphens", ()))
        self.whole = frozenset(clitics.get("whole", ()))
        self.depending = _DEPENDING.get(self.language)
        self.form = cache(self._form)
        self._words_of_token = cache(lambda token: tuple(self._words(token)))

    def __call__(self, text: str) -> list[str]:
        tokens = self.tokenise(text)
        words: list[str] = []
        for place, token in enumerate(tokens):
            if token.lower() == self.depending:
                words.append(self._in_context(tokens, place))
            else:
                words += self._words_of_token(token)
        return words

    def _form(self, expected: str) -> tuple[str, ...]:
        tokens = normalise_punctuation(expected).lower().split()
        return tuple(word for token in tokens for word in self._words(token))

    def _in_context(self, tokens: Sequence[str], place: int) -> str:
        """The word that an elided form stands for where that depends on its neighbours."""
        if self.language == "fr":
            following = tokens[place + 1].lower() if place + 1 < len(tokens) else ""
            return "si" if following in ("il", "ils") else "se"
        # After a name it is the genitive of English: Peter's.
        before = tokens[max(place - 2, 0) : place]
        name = len(before) > 1 and before[-1][:1].isupper() and before[-2][-1:].isalnum()
        return "'s" if name else "es"

    def _words(self, token: str) -> Iterator[str]:
        word = token.lower().strip("-") or token  # a speaker's dash may touch the word
        if word == self.depending:
            yield {"fr": "se", "de": "es"}[self.language]
        elif "-" in word.strip("-"):
            for part in self._at_hyphens(word):
                yield self.elided.get(part, part)
        elif self.language == "es":
            yield from self._without_enclitics(word)
        else:
            yield self.elided.get(word, word)

    def _at_hyphens(self, word: str) -> list[str]:
        """A verb and its clitics, or a pronoun and what is tied to it; else the word itself."""
        if word in self.whole:
            return [word]
        parts = [part for part in word.split("-") if part]
        end = len(parts)
        while end > 1 and parts[end - 1] in self.after:
            end -= 1
        clitics = parts[end:]
        if clitics and end > 1 and parts[end - 1] == "t":
            end -= 1
        if clitics:
            return ["-".join(parts[:end]), *clitics]
        if len(parts) > 1 and parts[0] in self.before:
            return [parts[0], "-".join(parts[1:])]
        return [word]

    def _without_enclitics(self, word: str) -> list[str]:
        match = _SPANISH_ENCLITICS.fullmatch(word)
        if match is None or word in self.whole:
            return [word]
        return [part for part in match.groups() if part]


@cache
def target_words(language: str) -> TranslationWords:
    return TranslationWords(language)


def has_form(words: Sequence[str], form: Sequence[str]) -> bool:
    """Whether the words of a form stand among the words, one after the other."""
    size = len(form)
    if size == 1:
        return form[0] in words
    starts = range(len(words) - size + 1)
    return size > 0 and any(tuple(words[at : at + size]) == tuple(form) for at in starts)
