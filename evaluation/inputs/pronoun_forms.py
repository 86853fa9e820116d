"""Pronouns by their forms: kind, role, person, number and gender, from `conf/words/forms/`.

A form may have several readings (German *sie*), and some forms are also something else, such as an
article (French *la*). Other languages have no table yet: what depends on one is then left out.

Pronouns are looked for among the words of a translation: tokens of our own tokeniser in lower case,
with what clitics hide. French `Va-t-elle`, `dit-il`, `donne-la-moi` and `elle-même` are several
words and `Aix-la-Chapelle` is one, `qu'elle` has *elle* and `l'a` no *la*; German `geht's` has
*es*; Spanish `verla` has *la*. An elided form that stands for one word only (`c'`, `t'`) is that
word; `l'` may be *le* or *la* and stays what it is. The words are in `conf/words/clitics/`.

A table of one's own goes by its path instead of a language, `it.tsv`; `it.clitics.tsv` beside it
says what hides. All faults of a file are reported together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from crosspro.data_prep.annotate.tokenise import REMEMBERED, Tokeniser, normalise_punctuation
from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.files import is_file, read_text_lines
from crosspro.data_prep.core.words import names_of, word_lists, words_file

LANGUAGES = names_of("forms")
"""Languages with a table."""

GENDERS = {"m": "masculine", "f": "feminine", "n": "neuter"}
_ANY = "-"
VALUES = {
    "kind": ("personal", "possessive", "reflexive", "demonstrative"),
    "role": ("subject", "object", "indirect", "stressed", "any", "determiner", "pronoun"),
    "person": ("1", "2", "3", _ANY),
    "number": ("sg", "pl", _ANY),
    "gender": (*GENDERS, _ANY),
}
COLUMNS = ("form", *VALUES, "also")
CLITICS = ("after-hyphens", "before-hyphens", "whole", "elided")

_Row = tuple[int, list[str]]


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


def own_table(language: str) -> Path | None:
    """The file of a table of one's own, if a language is given by one."""
    return Path(language) if language.endswith(".tsv") else None


def language_of(table: str) -> str:
    """The language of a table: `fr`, and `it` of `my/it.tsv`."""
    path = own_table(table)
    return table if path is None else path.stem


def check_table(language: str) -> str:
    """A language that has a table, as signatures name it: `fr`, or `it.DIGEST` for `my/it.tsv`."""
    path = own_table(language)
    if path is not None:
        content = repr((readings_of(language), sorted(_clitics(language).items())))
        return f"{path.stem}.{hashlib.sha256(content.encode()).hexdigest()[:8]}"
    if language not in LANGUAGES:
        expected = f"{choices(LANGUAGES)}, or the path of a .tsv file"
        shown = quoted(language) if language else "none, and names that end in none (X.fr)"
        raise input_error("--language", "language", expected, shown)
    return language


def readings_of(language: str) -> Mapping[str, tuple[PronounReading, ...]]:
    """The readings of each form of a language, in lower case; nothing without a table."""
    path = own_table(language)
    return _shipped_readings(language) if path is None else _readings(path)


@lru_cache(maxsize=8)
def _shipped_readings(language: str) -> dict[str, tuple[PronounReading, ...]]:
    path = words_file("forms", language)
    return _readings(path) if path else {}


def _readings(path: Path) -> dict[str, tuple[PronounReading, ...]]:
    found: dict[str, tuple[PronounReading, ...]] = {}

    def faults(rows: list[_Row]) -> Iterator[Problem]:
        number, header = rows.pop(0)
        if header != list(COLUMNS):
            expected = f"{', '.join(COLUMNS)}, with tabs between them"
            yield Problem(str(path), number, "header", expected, quoted("\t".join(header)))
        for number, cells in rows:
            yield from (Problem(str(path), number, *fault) for fault in _row_faults(cells))
            if len(cells) != len(COLUMNS):
                continue
            reading = PronounReading(*("" if cell == _ANY else cell for cell in cells))
            if reading in found.get(reading.form, ()):
                what = f"a second one of {quoted(reading.form)}"
                yield Problem(str(path), number, "row", "each reading once", what)
            found[reading.form] = (*found.get(reading.form, ()), reading)

    _check(path, faults)
    return found


def _row_faults(cells: list[str]) -> Iterator[tuple[str, str, str]]:
    """The column of each fault, what was expected there and what was found."""
    if len(cells) != len(COLUMNS):
        yield "row", f"{len(COLUMNS)} columns with tabs between them", str(len(cells))
        return
    form = cells[0]
    if not form or form != form.lower() or len(form.split()) != 1:
        yield "form", "one word in lower case", quoted(form)
    for (name, values), cell in zip(VALUES.items(), cells[1:], strict=False):
        if cell not in values:
            yield name, choices(values), quoted(cell)


def _check(path: Path, faults: Callable[[list[_Row]], Iterator[Problem]]) -> None:
    """Raise with all faults of the rows of a file; lines that start with `# ` are comments."""
    lines = enumerate(read_text_lines(path), start=1)
    rows = [
        (number, line.rstrip("\r").split("\t"))
        for number, line in lines
        if line.strip() and not line.startswith("# ")
    ]
    if not rows:
        raise input_error(path, "file", "at least one row", "none")
    if problems := list(faults(rows)):
        raise InputError(problems)


def _clitics(language: str) -> Mapping[str, tuple[str, ...]]:
    """The lists of words that are joined to others; none if the language has no file."""
    table = own_table(language)
    if table is None:
        return word_lists("clitics", Tokeniser(language).language)
    path = table.with_suffix(".clitics.tsv")
    found: dict[str, tuple[str, ...]] = {}

    def faults(rows: list[_Row]) -> Iterator[Problem]:
        for number, (name, *words) in rows:
            if len(words) != 1 or not words[0].split():
                expected = "a list, a tab, and its words with spaces between them"
                yield Problem(str(path), number, "row", expected, quoted("\t".join((name, *words))))
            elif name not in CLITICS or name in found:
                what = f"{quoted(name)} twice" if name in found else quoted(name)
                yield Problem(str(path), number, "list", f"{choices(CLITICS)}, each once", what)
            else:
                found[name] = tuple(words[0].split())
                for pair in found[name] if name == "elided" else ():
                    if len(pair.split("=")) != 2:
                        yield Problem(str(path), number, name, "pairs such as c'=ce", quoted(pair))

    if is_file(path):
        _check(path, faults)
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
        reading for reading in readings if any(_agree(reading.person, other.person) and
                                       _agree(reading.number, other.number) for other in known)
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


_DEPENDING = {"fr": "s'", "de": "'s"}
"""A token that is one word or another by what stands beside it."""
_SPANISH_ENCLITICS = re.compile(
    r"(?P<verb>.*(?:[aeiáéí]r|[áé]ndo))(?P<first>me|te|se|nos|os)?(?P<second>l[aeo]s?)"
)
"""An infinitive or gerund with a form of the third person; others end as nouns do (*dineros*)."""


class TranslationWords:
    """The words of translations into one language, which may be given by a table of one's own."""

    def __init__(self, language: str) -> None:
        table = own_table(language)
        self.tokenise = Tokeniser(language if table is None else table.stem)
        self.language = self.tokenise.language
        clitics = _clitics(language)
        self.elided = dict(pair.split("=") for pair in clitics.get("elided", ()))
        self.after = frozenset(clitics.get("after-hyphens", ()))
        self.before = frozenset(clitics.get("before-hyphens", ()))
        self.whole = frozenset(clitics.get("whole", ()))
        self.depending = _DEPENDING.get(self.language)
        self._forms: dict[str, tuple[str, ...]] = {}
        self._seen: dict[str, tuple[str, ...]] = {}

    def __call__(self, text: str) -> list[str]:
        """The words of a text in their order."""
        tokens = self.tokenise(text)
        words: list[str] = []
        seen = self._seen
        for place, token in enumerate(tokens):
            known = seen.get(token)
            if known is None:
                if token.lower() == self.depending:
                    known = (self._in_context(tokens, place),)
                else:
                    if len(seen) >= REMEMBERED:
                        seen.clear()
                    known = seen[token] = tuple(self._words(token))
            words += known
        return words

    def form(self, expected: str) -> tuple[str, ...]:
        """The words of an expected form, which is nearly always one."""
        known = self._forms.get(expected)
        if known is None:
            known = self._forms[expected] = self._read_form(expected)
        return known

    def _read_form(self, expected: str) -> tuple[str, ...]:
        text = normalise_punctuation(expected).lower()
        return tuple(word for token in text.split() for word in self._words(token))

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
        """The words of a token by itself."""
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
        if not clitics and not (len(parts) > 1 and parts[0] in self.before):
            return [word]
        if not clitics:
            return [parts[0], "-".join(parts[1:])]
        return ["-".join(parts[:end]), *clitics]

    def _without_enclitics(self, word: str) -> list[str]:
        found = _SPANISH_ENCLITICS.fullmatch(word)
        if found is None or word in self.whole:
            return [word]
        return [part for part in found.groups() if part]


@lru_cache(maxsize=8)
def _shipped_words(language: str) -> TranslationWords:
    return TranslationWords(language)


def target_words(language: str) -> TranslationWords:
    """The words of a language, whose tokeniser remembers what it has seen."""
    return TranslationWords(language) if own_table(language) else _shipped_words(language)


def has_form(words: Sequence[str], form: Sequence[str]) -> bool:
    """Whether the words of a form stand among the words, one after the other."""
    if len(form) == 1:
        return form[0] in words
    size = len(form)
    return size > 0 and any(
        tuple(words[at : at + size]) == tuple(form) for at in range(len(words) - size + 1)
    )
