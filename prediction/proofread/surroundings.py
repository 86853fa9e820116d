"""The surroundings of a pronoun that is to be changed: the words of its sentence and its clause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from crosspro.data_prep.core.words import word_set
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.evaluation.inputs.pronoun_forms import readings_of

_OPENING = " \t\n\r\xa0\u202f\"'’“”„«»‘‚()[]{}¿¡-–—*_"
_ENDS = ".!?…:"
_MARKS = frozenset(".,;:!?…)]}\"”»’'–—-")
VOWELS = frozenset("aâàäeéèêëiîïoôöuùûüœæy")


def plain_word(word: str) -> str:
    """A word in lower case with the plain apostrophe, as classes and lists have it."""
    return word.lower().replace("’", "'")


def starts_sentence(before: str) -> bool:
    """Whether a sentence begins behind this text, as far as marks say."""
    rest = before.rstrip(_OPENING)
    return not rest or rest[-1] in _ENDS


def next_word(after: str) -> str:
    """The first word behind a place in lower case, empty where a mark comes first."""
    found = re.match(r"[\s\xa0]*([^\W\d_]+)", after)
    return found[1].lower() if found else ""


def elides(after: str) -> bool:
    """Whether a French word is elided before this text: a vowel, a mute h, or the word y."""
    following = next_word(after)
    if following.startswith("h"):
        return not following.startswith(tuple(word_set("mend", "fr", "aspirated")))
    return following == "y" or (following[:1] in VOWELS and following[0] != "y")


def owned_follows(after: str) -> bool:
    """Whether something may follow that an English possessive stands before."""
    rest = after.lstrip()
    following = next_word(after)
    return (
        bool(rest) and rest[0] not in _MARKS and following not in word_set("mend", "en", "absolute")
    )


_DETERMINED = ("fr", "es")


def may_be_noun(before: str, language: str, lexicon: Lexicon) -> bool:
    """Whether a word behind this text that a lexicon has as a noun may be one.

    German capitals tell nothing at the beginning of a sentence. In French and Spanish a word before
    it says so, else it is an adjective (*la parte trasera*, *caliente y lista*).
    """
    if language == "de":
        return not starts_sentence(before)
    if language not in _DETERMINED:
        return True
    words = [plain_word(one) for one in re.findall(r"[^\W\d_]+['’]?", before[-60:])][-2:]
    opens = word_set("mend", language, "articles") | word_set("mend", language, "prepositions")
    beside = bool(words) and words[-1] in opens
    return beside or (len(words) > 1 and words[0] in opens and not lexicon.is_noun(words[-1]))


class Follower(NamedTuple):
    """Another word that changes with a pronoun; both ends are characters of the segment."""

    start: int
    end: int
    text: str


class Following(NamedTuple):
    """What a change brings with it: why it cannot be made, or the words that change, too."""

    why: str = ""
    words: tuple[Follower, ...] = ()


class SegmentToken(NamedTuple):
    """A word or a mark of a segment in plain writing."""

    text: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether it is no number and no mark."""
        return any(map(str.isalpha, self.text))


_PATTERNS = {
    "en": r"[^\W\d_]+n['’]t\b|['’][^\W\d_]+|[^\W\d_]+|\d[\d.,]*|[^\w\s]",
    "fr": r"aujourd['’]hui|quelqu['’]une?|[^\W\d_]+['’]?|\d[\d.,]*|[^\w\s]",
}
_OTHER_PATTERN = r"[^\W\d_]+|\d[\d.,]*|[^\w\s]"


@dataclass(frozen=True)
class PronounChange:
    """A pronoun of a segment and the word that is to stand for it, both in plain writing.

    `changed` has what is put elsewhere in the same segment, by where it begins.
    """

    language: str
    old: str
    new: str
    text: str
    start: int
    end: int
    source_word: str = ""
    source_text: str = ""
    source_language: str = ""
    changed: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def before(self) -> list[SegmentToken]:
        """The tokens of the same sentence before the pronoun."""
        return _until(reversed(self._tokens(0, self.start)), ".!?…")[::-1]

    @cached_property
    def after(self) -> list[SegmentToken]:
        """The tokens of the same sentence behind the pronoun."""
        return _until(self._tokens(self.end, len(self.text)), ".!?…")

    @cached_property
    def clause(self) -> list[SegmentToken]:
        """The tokens behind the pronoun up to the next mark."""
        return _until(self.after, ",;:()[]–—")

    @property
    def previous(self) -> str:
        """The token before the pronoun."""
        return self.before[-1].text if self.before else ""

    @property
    def next(self) -> str:
        """The word behind the pronoun, if one comes before any mark."""
        return self.clause[0].text if self.clause and self.clause[0].is_word else ""

    @property
    def last(self) -> str:
        """The last word of the clause."""
        return next((token.text for token in reversed(self.clause) if token.is_word), "")

    @property
    def tied(self) -> bool:
        """Whether the pronoun follows a verb and a hyphen."""
        return self.language == "fr" and self.text[: self.start].endswith("-")

    def listed(self, name: str) -> frozenset[str]:
        """A list of words of the language."""
        return word_set("mend", self.language, name)

    def _tokens(self, start: int, end: int) -> list[SegmentToken]:
        pattern = _PATTERNS.get(self.language, _OTHER_PATTERN)
        return [
            SegmentToken(plain_word(found[0]), found.start(), found.end())
            for found in re.compile(pattern).finditer(self.text, start, end)
        ]


def _until(tokens: Iterable[SegmentToken], marks: str) -> list[SegmentToken]:
    return list(takewhile(lambda token: token.text not in marks, tokens))


def is_possessive(word: str, language: str) -> bool:
    """Whether a word may be a possessive."""
    return any(one.kind == "possessive" for one in readings_of(language).get(plain_word(word), ()))


def feature(word: str, language: str, name: str) -> str:
    """The gender or number that all readings of a pronoun have, else nothing."""
    found = {getattr(one, name) for one in readings_of(language).get(word, ())}
    return found.pop() if len(found) == 1 else ""


def quoted(word: str) -> str:
    """A word between quotation marks."""
    return f"“{word}”"


OF_NUMBER = {"sg": "the verb would have to be singular", "pl": "the verb would have to be plural"}
