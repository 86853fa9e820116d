"""What else would have to change with a pronoun: verbs, adjectives, contractions, the word order.

A pronoun is changed by itself only where no rule here speaks against it. The rules look at the
words around it and not at a parse, so they forbid too much rather than too little:

- number: a subject and its verb agree. A change of number is refused for subjects, but in English
  before verbs that are the same in both (*would*, *said*) and in German where the verb is already
  of the new number;
- gender: adjectives and participles behind *être*, *ser*, *estar* and the like agree with the
  subject, those behind *avoir* with an object before it. Where a lexicon has the form that is
  wanted, and it can be nothing else, that word follows; where it has one form for both genders
  nothing has to; in all other cases the change is refused;
- contractions: *c'* and another pronoun are never exchanged (*c'est*, *il est*), nor is what would
  lengthen or shorten the word before (*s'il*, *si elle*; *qu'il*, *que cela*). *ce* becomes *il*
  where neither is elided and no noun follows (*ce serait bon*);
- case: what verbs ask for stays (*er*, *ihn*; *lo*, *le*; *le*, *lui*; *he*, *him*), but a German
  preposition gets what it asks for (*bei ihm* for *bei es*);
- order: words that stand at another place in the sentence (*il*, *le*; *eso*, *lo*);
- German capitals that may be formal address; possessives and reflexives of the same clause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from crosspro.data_prep.core.words import word_set
from crosspro.data_prep.lexicon.lexicon import NOUNS, Entry, Lexicon
from crosspro.evaluation.inputs.pronoun_forms import readings_of
from crosspro.prediction.proofread.reasons import stood_for

_OPENING = " \t\n\r\xa0\u202f\"'’“”„«»‘‚()[]{}¿¡-–—*_"
_ENDS = ".!?…:"
_MARKS = frozenset(".,;:!?…)]}\"”»’'–—-")
_VOWELS = frozenset("aâàäeéèêëiîïoôöuùûüœæy")


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
    return following == "y" or (following[:1] in _VOWELS and following[0] != "y")


def owned_follows(after: str) -> bool:
    """Whether something may follow that an English possessive stands before."""
    rest = after.lstrip()
    following = next_word(after)
    return bool(rest) and rest[0] not in _MARKS and following not in _absolute()


def _absolute() -> frozenset[str]:
    return word_set("mend", "en", "absolute")


class Follower(NamedTuple):
    """Another word that changes with a pronoun; both ends are characters of the segment."""

    start: int
    end: int
    text: str


class Following(NamedTuple):
    """What a change brings with it: why it cannot be made, or the words that change, too."""

    why: str = ""
    words: tuple[Follower, ...] = ()


class _Token(NamedTuple):
    """A word or a mark of a segment in plain writing."""

    text: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether it is no number and no mark."""
        return any(map(str.isalpha, self.text))


_TOKENS = {
    "en": r"[^\W\d_]+n['’]t\b|['’][^\W\d_]+|[^\W\d_]+|\d[\d.,]*|[^\w\s]",
    "fr": r"aujourd['’]hui|quelqu['’]une?|[^\W\d_]+['’]?|\d[\d.,]*|[^\w\s]",
}
_OTHER_TOKENS = r"[^\W\d_]+|\d[\d.,]*|[^\w\s]"


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
    changed: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def before(self) -> list[_Token]:
        """The tokens of the same sentence before the pronoun."""
        found: list[_Token] = []
        for token in reversed(self._tokens(0, self.start)):
            if token.text in ".!?…":
                break
            found.append(token)
        return found[::-1]

    @cached_property
    def after(self) -> list[_Token]:
        """The tokens of the same sentence behind the pronoun."""
        return self._until(self._tokens(self.end, len(self.text)), ".!?…")

    @cached_property
    def clause(self) -> list[_Token]:
        """The tokens behind the pronoun up to the next mark."""
        return self._until(self.after, ",;:()[]–—")

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

    def _tokens(self, start: int, end: int) -> list[_Token]:
        pattern = _TOKENS.get(self.language, _OTHER_TOKENS)
        return [
            _Token(plain_word(found[0]), found.start(), found.end())
            for found in re.compile(pattern).finditer(self.text, start, end)
        ]

    @staticmethod
    def _until(tokens: Iterable[_Token], marks: str) -> list[_Token]:
        found: list[_Token] = []
        for token in tokens:
            if token.text in marks:
                break
            found.append(token)
        return found


def following(change: PronounChange, lexicon: Lexicon | None = None) -> Following:
    """What else would have to change with a pronoun; `lexicon` is of its language."""
    rules = _RULES.get(change.language)
    if rules is None:
        return Following("there are no rules of agreement for this language")
    return rules(change, lexicon)


def _feature(word: str, language: str, name: str) -> str:
    """The gender or number that all readings of a pronoun have, else nothing."""
    found = {getattr(one, name) for one in readings_of(language).get(word, ())}
    return found.pop() if len(found) == 1 else ""


def _quoted(word: str) -> str:
    return f"“{word}”"


_ELSEWHERE = "{} would stand elsewhere in the sentence"
_OF_NUMBER = {"sg": "the verb would have to be singular", "pl": "the verb would have to be plural"}


def _elsewhere(change: PronounChange) -> str:
    return _ELSEWHERE.format(_quoted(change.new))


# French and Spanish: agreement in gender.

_WITH_E = (("eux", "euse"), ("", "e"))


def _other_gender(word: str, gender: str, language: str) -> Iterable[str]:
    """What the form of another gender may look like."""
    if language == "es":
        for masculine, feminine in (("o", "a"), ("os", "as")):
            old, new = (masculine, feminine) if gender == "Fem" else (feminine, masculine)
            if word.endswith(old):
                yield word.removesuffix(old) + new
        return
    for masculine, feminine in (*_WITH_E, ("s", "es")):
        old, new = (masculine, feminine) if gender == "Fem" else (feminine, masculine)
        if word.endswith(old):
            yield word.removesuffix(old) + new


_AGREEING = ("ADJ", "VERB")


def _known_form(word: str, gender: str, language: str, lexicon: Lexicon) -> str:
    """The form of another gender that a lexicon has without doubt: the only one, of that alone."""
    own = _agreeing_readings(word, lexicon)
    found = []
    for form in _other_gender(word, gender, language):
        readings = _agreeing_readings(form, lexicon)
        kinds = {one.category for one in readings} & {one.category for one in own}
        numbers = {one.number for one in (*readings, *own)} - {None}
        if kinds and {one.gender for one in readings} == {gender} and len(numbers) < 2:
            found.append(form)
    return found[0] if len(found) == 1 else ""


def _agreeing_readings(word: str, lexicon: Lexicon) -> list[Entry]:
    return [one for one in lexicon.readings(word) if one.category in _AGREEING]


def _predicate(change: PronounChange) -> list[_Token] | None:
    """The tokens behind the verb of a subject, where what is said of it agrees with it."""
    tokens = change.clause
    place = 0
    if change.tied:
        verbs = [token.text for token in change.before if token.is_word and token.text != "t"]
        verb = verbs[-1] if verbs else ""
    else:
        skipped = change.listed("clitics") | change.listed("adverbs")
        while place < len(tokens) and tokens[place].text in skipped:
            place += 1
        verb = tokens[place].text if place < len(tokens) else ""
        place += 1
    copulas = tuple(change.listed("copulas"))
    if verb in change.listed("be") or verb.startswith(copulas):
        return change.after[place:]
    if verb in change.listed("have"):
        adverbs = change.listed("adverbs")
        while place < len(tokens) and tokens[place].text in adverbs:
            place += 1
        been = tokens[place].text if place < len(tokens) else ""
        said = been in change.listed("been") or been.startswith(copulas)
        return change.after[place + 1 :] if said else None
    for ahead, token in enumerate(tokens[place : place + 4], start=place + 1):
        if token.text in change.listed("to-be"):
            return change.after[ahead:]
    return None


_JOINING = frozenset(["et", "ou", "ni", "y", "e", "o", "u", ","])


def _agreement(
    change: PronounChange, tokens: Sequence[_Token], gender: str, lexicon: Lexicon | None
) -> Following:
    """The adjectives and participles at the beginning of some tokens, brought to a gender."""
    words: list[Follower] = []
    first = True
    for token in tokens:
        text = token.text
        if text in change.listed("adverbs") or text.endswith(("ment", "mente")) or text in '"«»“”':
            continue
        if not first and text in _JOINING:
            continue
        if not token.is_word or text in change.listed("prepositions") | change.listed("openers"):
            break
        if text in change.listed("articles"):
            why = f"the noun behind {_quoted(change.new)} and its verb may have to follow"
            return Following(why if first else "", () if first else tuple(words))
        readings = _agreeing_readings(text, lexicon) if lexicon else []
        if not first and not (lexicon and lexicon.mostly(text, _AGREEING)):
            break
        first = False
        genders = {one.gender for one in readings}
        if readings and (None in genders or gender in genders):
            continue
        if not readings and _same_in_both(text, change.language, lexicon):
            break
        form = _known_form(text, gender, change.language, lexicon) if lexicon else ""
        if not form:
            return Following(f"{_quoted(text)} would have to agree with {_quoted(change.new)}")
        words.append(Follower(token.start, token.end, _as_written(form, change, token)))
    return Following("", tuple(words))


def _same_in_both(word: str, language: str, lexicon: Lexicon | None) -> bool:
    """Whether a word that is no known adjective has certainly no other form."""
    readings = lexicon.readings(word) if lexicon else ()
    if readings:
        return all(one.category == "X" or one.gender is None for one in readings)
    return language == "es" and not word.endswith(("o", "a", "os", "as", "or", "ora", "és"))


def _as_written(form: str, change: PronounChange, token: _Token) -> str:
    old = change.text[token.start : token.end]
    if old.isupper() and len(old) > 1:
        return form.upper()
    return form.capitalize() if old[:1].isupper() else form


def _subject_agreement(change: PronounChange, lexicon: Lexicon | None) -> Following:
    """What follows where the subject gets another gender; French and Spanish."""
    genders = [
        "Fem" if _feature(word, change.language, "gender") == "f" else "Masc"
        for word in (change.old, change.new)
    ]
    if genders[0] == genders[1]:
        return Following()
    for token in change.clause:
        if token.text in change.listed("agreeing"):
            return Following(f"{_quoted(token.text)} would have to agree with {change.new}")
    predicate = _predicate(change)
    return _agreement(change, predicate, genders[1], lexicon) if predicate else Following()


def _object_agreement(change: PronounChange, lexicon: Lexicon | None) -> str:
    """An adjective behind the verb that says something of its object."""
    gender = {"m": "Masc", "f": "Fem"}.get(_feature(change.new, change.language, "gender"))
    adverbs = change.listed("adverbs")
    rest = [token.text for token in change.clause[1:] if token.text not in adverbs]
    if gender is None or lexicon is None or not rest:
        return ""
    genders = {one.gender for one in _agreeing_readings(rest[0], lexicon)}
    if lexicon.mostly(rest[0], ("ADJ",)) and not genders & {None, gender}:
        return f"{_quoted(rest[0])} would have to agree with {_quoted(change.new)}"
    return ""


def _article(change: PronounChange, lexicon: Lexicon | None) -> str:
    """Why a word before a noun, an adjective or a name is no pronoun."""
    name = change.text[change.end :].lstrip()[:1].isupper()
    name = name and not change.text[change.start : change.end].isupper()
    if name or (lexicon is not None and lexicon.mostly(change.next, (*NOUNS, *_AGREEING))):
        return f"{_quoted(change.old)} seems to be no pronoun before {_quoted(change.next)}"
    return ""


_SUBJECT, _STRESSED, _CLITIC, _FREE = "subject", "stressed", "clitic", "free object"
_FRENCH_ROLES = {
    **dict.fromkeys(["il", "ils", "on", "ce", "c'", "ç'"], (_SUBJECT,)),
    **dict.fromkeys(["elle", "elles"], (_SUBJECT, _STRESSED)),
    **dict.fromkeys(["cela", "ça", "ca"], (_SUBJECT, _STRESSED, _FREE)),
    **dict.fromkeys(["le", "la", "l'", "les", "leur"], (_CLITIC,)),
    "lui": (_CLITIC, _STRESSED),
    "eux": (_STRESSED,),
    "y": ("y",),
    "en": ("en",),
}
_DIRECT = ("le", "la", "l'", "les")
_INVERTED = ("il", "elle", "ils", "elles", "on", "ce")


def _french(change: PronounChange, lexicon: Lexicon | None) -> Following:
    role = _french_role(change)
    why = _french_contraction(change)
    if not why and role not in _FRENCH_ROLES.get(change.new, ()):
        why = _elsewhere(change)
    if not why and change.tied and role == _SUBJECT and change.new not in _INVERTED:
        why = _elsewhere(change)
    if not why and re.search(r"\b(?:lui|eux|elles?)-mêmes?\b", change.text[change.end :]):
        why = "the pronoun with -même would have to agree"
    if not why and role == _CLITIC:
        why = _french_object(change, lexicon)
    if why or role != _SUBJECT:
        return Following(why)
    numbers = [_french_number(change, word) for word in (change.old, change.new)]
    if numbers[0] != numbers[1]:
        return Following(_OF_NUMBER[numbers[1]])
    return Following(why) if (why := _french_kind(change)) else _subject_agreement(change, lexicon)


def _french_role(change: PronounChange) -> str:
    """Which place of the sentence a pronoun has."""
    roles = _FRENCH_ROLES.get(change.old, ("",))
    if len(roles) == 1:
        return roles[0]
    if change.tied:
        return _SUBJECT if _SUBJECT in roles else _CLITIC
    opens = change.previous in change.listed("openers")
    behind = change.previous in change.listed("prepositions")
    alone = not change.next or change.next in ("qui", "et", "aussi", "même", "que", "dont")
    alone = alone or change.text[change.end : change.end + 1] == "-"
    if (behind and not opens) or (alone and change.old not in ("cela", "ça", "ca")):
        return _STRESSED
    if change.old == "lui":
        return _CLITIC
    if _FREE in roles and (alone or not (opens or _clause_starts(change))):
        return _FREE
    return _SUBJECT


def _clause_starts(change: PronounChange) -> bool:
    return not change.before or not change.before[-1].is_word


def _french_number(change: PronounChange, word: str) -> str:
    if word in ("ce", "c'"):
        return "pl" if change.next in change.listed("be-plural") else "sg"
    return _feature(word, "fr", "number") or "sg"


def _french_contraction(change: PronounChange) -> str:
    """Why a pronoun cannot be written with the words around it as they are."""
    old, new, previous = change.old, change.new, change.previous
    if "ç'" in (old, new) or (old == "c'") != (new == "c'"):
        return f"{_quoted(old)} and the verb would have to be written otherwise"
    if change.tied:
        return ""
    vowel = new[0] in _VOWELS
    if previous.endswith("'"):
        of_si = previous == "s'" and old in ("il", "ils") and new not in ("il", "ils")
        if not vowel or of_si or (previous == "l'" and old == "on"):
            return f"{_quoted(previous)} would have to be written in full"
    elif (vowel and previous in change.listed("full")) or (
        previous == "si" and new in ("il", "ils")
    ):
        return f"{_quoted(previous)} would have to be shortened"
    return ""


def _french_kind(change: PronounChange) -> str:
    """Pronouns that stand for nothing, and those that go with être alone."""
    texts = [one.text for one in change.clause if one.text not in ("ne", "n'")]
    if change.old == "ce" and _noun_follows(change):
        return f"{_quoted(change.new)} does not go with the noun behind the verb"
    if change.new == "ce" and not set(texts[:1]) & (
        change.listed("be") | change.listed("before-to-be")
    ):
        return "“ce” does not go with this verb"
    if change.old != "il":
        return ""
    impersonal = " ".join(texts).startswith(tuple(_IMPERSONAL))
    if impersonal or (set(texts[:1]) & change.listed("be") and _THAT.search(" ".join(texts[1:]))):
        return "“il” may stand for nothing here"
    return ""


_IMPERSONAL = ("y a", "y en a", "y eu", "faut", "faudr", "fall", "s' agi", "pleu", "neig")
_THAT = re.compile(r"(?:\w+ )?\w+ (?:que|qu'|de|d')(?: |$)")


def _noun_follows(change: PronounChange) -> bool:
    rest = [one.text for one in change.clause[1:] if one.text not in change.listed("adverbs")]
    return bool(rest) and rest[0] in change.listed("articles")


def _french_object(change: PronounChange, lexicon: Lexicon | None) -> str:
    direct = [word in _DIRECT for word in (change.old, change.new)]
    if direct[0] != direct[1]:
        return f"the case would change with {_quoted(change.new)}"
    if direct[0] and change.next in change.listed("have"):
        return f"the participle behind {_quoted(change.next)} may have to agree"
    return _article(change, lexicon) or _object_agreement(change, lexicon)


_SPANISH_CLITICS = ("lo", "la", "los", "las", "le", "les")
_SPANISH_PERSONS = ("él", "ella", "ellos", "ellas")
_NEUTER = ("eso", "esto", "ello")


def _spanish(change: PronounChange, lexicon: Lexicon | None) -> Following:
    if (change.old in _SPANISH_CLITICS) != (change.new in _SPANISH_CLITICS):
        return Following(_elsewhere(change))
    if change.old in _SPANISH_CLITICS:
        return Following(_spanish_object(change, lexicon))
    numbers = [_feature(word, "es", "number") for word in (change.old, change.new)]
    if change.previous in change.listed("prepositions") - change.listed("openers"):
        return Following(_spanish_double(change) if change.previous == "a" else "")
    if change.old in _NEUTER and not (
        _clause_starts(change) or change.previous in change.listed("openers")
    ):
        return Following(_elsewhere(change))
    if numbers[0] != numbers[1]:
        return Following(_OF_NUMBER[numbers[1]])
    return _subject_agreement(change, lexicon)


def _spanish_object(change: PronounChange, lexicon: Lexicon | None) -> str:
    if not change.next or change.next in change.listed("no-verbs"):
        return f"{_quoted(change.old)} seems to be no pronoun before {_quoted(change.next)}"
    if change.old == "lo" and change.next in change.listed("be"):
        return "“lo” stands for what is said of somebody here, and has no gender"
    direct = [word not in ("le", "les") for word in (change.old, change.new)]
    if direct[0] != direct[1]:
        return f"the case would change with {_quoted(change.new)}"
    texts = [token.text for token in change.clause]
    if change.old == "lo" and "todo" in texts:
        return "“lo” goes with “todo”"
    if change.old == "lo" and change.next.startswith(tuple(change.listed("of-clauses"))):
        return f"“lo” may stand for a whole clause before {_quoted(change.next)}"
    if any(one == "a" and other in _SPANISH_PERSONS for one, other in pairwise(texts)):
        return "the pronoun behind “a” would have to agree"
    return _article(change, lexicon) or _object_agreement(change, lexicon)


def _spanish_double(change: PronounChange) -> str:
    """A clitic before the verb that says the same as a pronoun behind it."""
    clitics = [token.text for token in change.before if token.text in _SPANISH_CLITICS]
    if not clitics:
        return ""
    for name in ("gender", "number"):
        own, other = _feature(clitics[-1], "es", name), _feature(change.new, "es", name)
        if own and other and own != other:
            return f"{_quoted(clitics[-1])} would have to agree with {_quoted(change.new)}"
    return ""


# German and English: the number of verbs, and words that mean the same person.

_ADDRESSED = re.compile(r"\b(?:you|your|yours|yourself|yourselves)\b", re.IGNORECASE)
_GERMAN_POSSESSIVE = re.compile(r"(?:sein|ihr)(?:e|en|em|er|es)?")
_GERMAN_SUBJECTS = ("er", "sie", "es", "das", "dies", "man")


def _german(change: PronounChange, lexicon: Lexicon | None) -> Following:
    why = _formal(change) or _german_kind(change) or _german_case(change) or _german_place(change)
    if not why and change.new in _GERMAN_SUBJECTS and change.old in _GERMAN_SUBJECTS:
        why = _german_number(change)
    if not why and change.old in ("er", "sie", "es") and change.new in ("er", "sie", "es"):
        why = _companions(change)
    return Following(why)


def _formal(change: PronounChange) -> str:
    written = change.text[change.start : change.end]
    formal = change.old in ("sie", "ihnen") or change.old.startswith("ihr")
    if not formal or not written[:1].isupper():
        return ""
    inside = not written.isupper() and not starts_sentence(change.text[: change.start])
    if inside or _ADDRESSED.search(change.source_text):
        return f"{_quoted(written)} may be formal address"
    return ""


def _german_kind(change: PronounChange) -> str:
    """Possessives stay possessives; das may be an article, sein a verb; ihr is of both kinds."""
    old, new = (bool(_GERMAN_POSSESSIVE.fullmatch(word)) for word in (change.old, change.new))
    if old != new and "ihr" not in (change.old, change.new):
        return f"{_quoted(change.old)} and {_quoted(change.new)} are not of one kind"
    if change.old == "sein" and (not change.next or change.next in _german_verbs(change)):
        return "“sein” may be a verb"
    if change.old == "ihr" and change.new != "ihm" and new and not change.next:
        return "“ihr” may be no possessive"
    if change.old in ("das", "dies"):
        noun = re.match(r"\s*(?:[a-zäöüß]+e\s+){0,2}[A-ZÄÖÜ]", change.text[change.end :])
        relative = change.previous == "," and change.next not in _german_verbs(change)
        if noun or relative:
            return f"{_quoted(change.old)} may be an article or a relative pronoun"
    return ""


def _german_verbs(change: PronounChange) -> frozenset[str]:
    return change.listed("singular") | change.listed("plural")


_NOMINATIVE, _ACCUSATIVE, _DATIVE = "nominative", "accusative", "dative"
_DIRECT_CASES = frozenset([_NOMINATIVE, _ACCUSATIVE])
_GERMAN_CASES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(["er", "man"], frozenset([_NOMINATIVE])),
    **dict.fromkeys(["sie", "es", "das", "dies"], _DIRECT_CASES),
    "ihn": frozenset([_ACCUSATIVE]),
    **dict.fromkeys(["ihm", "ihr", "ihnen"], frozenset([_DATIVE])),
}


def _german_case(change: PronounChange) -> str:
    """Another case is right only behind a preposition that asks for it."""
    if change.old not in _GERMAN_CASES or change.new not in _GERMAN_CASES:
        return ""  # a possessive, whose case is its noun's
    old, new = _GERMAN_CASES[change.old], _GERMAN_CASES[change.new]
    asked = next(
        (case for case in (_ACCUSATIVE, _DATIVE) if change.previous in change.listed(case)), ""
    )
    if change.previous == "um" and any(token.text == "zu" for token in change.clause):
        asked = ""
    if old & new or asked in new:
        return ""
    return f"the case would change with {_quoted(change.new)}"


def _german_place(change: PronounChange) -> str:
    if change.new == "es" and change.previous in change.listed("prepositions"):
        return f"“es” does not stand behind {_quoted(change.previous)}"
    second = [token.text for token in change.clause[1:2]]
    first = starts_sentence(change.text[: change.start])
    if change.new == "es" and first and second and second[0] in change.listed("nominatives"):
        return "“es” is no object at the beginning of a sentence"
    if change.new in ("er", "man") and change.previous in change.listed("nominatives"):
        return f"{_quoted(change.previous)} is the subject"
    verb = next((one for one in (change.next, change.previous) if one in _OF_NOTHING), "")
    about = {one.text for one in (*change.before, *change.clause)} & {"um", "darum", "worum"}
    if change.old == "es" and verb and (about or verb not in ("geht", "ging", "handelt")):
        return f"“es” may stand for nothing with {_quoted(verb)}"
    ahead = [token.text for token in change.after[len(change.clause) :][:2]]
    if change.old == "es" and ahead in ([",", "dass"], [",", "ob"]):
        return "“es” may stand for the clause that follows"
    return ""


_OF_NOTHING = ("gibt", "gab", "gäbe", "geht", "ging", "handelt")
"""Verbs whose es stands for nothing: es gibt, es geht um."""


_OF_WHATEVER = ("das", "dies", "es")
"""Subjects whose verb has the number of what is said of them: das sind Hunde."""


def _german_number(change: PronounChange) -> str:
    """Why the verb does not go with the new subject, as far as words beside it tell its number."""
    if change.new == "sie":
        plural = change.source_word.lower() == "they" and change.old != "sie"
        return _OF_NUMBER["pl"] if plural and _german_verb_number(change) != "pl" else ""
    if change.old in _OF_WHATEVER and change.new in _OF_WHATEVER:
        return ""
    number = _german_verb_number(change)
    if not number and change.old == "sie" and _plural_by_ending(change):
        number = "pl"
    return _OF_NUMBER["sg"] if number == "pl" else ""


def _german_verb_number(change: PronounChange) -> str:
    """The number of the verb: a word beside the pronoun, or the last one of the clause."""
    for words in ((change.next, change.previous), (change.last,)):
        for number, name in (("sg", "singular"), ("pl", "plural")):
            if any(word in change.listed(name) for word in words):
                return number
    likely = change.next.endswith("t") and change.next not in change.listed("no-verbs")
    return "sg" if likely else ""


def _plural_by_ending(change: PronounChange) -> bool:
    """Whether what may be the verb ends as verbs in the plural do."""
    words = [token for token in change.clause if token.is_word]
    around = [*change.before[-1:], *words[:1], *words[-1:]]
    return any(
        token.text.endswith(("en", "ern", "eln")) and change.text[token.start].islower()
        for token in around
    )


def _companions(change: PronounChange) -> str:
    """Possessives and reflexives of the clause that go with the old word and not with the new."""
    old, new = (stood_for(word, change.language) for word in (change.old, change.new))
    for token in change.clause:
        word = change.changed.get(token.start, token.text)
        if word == "ihr" or not any(
            one.kind in ("possessive", "reflexive") and one.person == "3"
            for one in readings_of(change.language).get(word, ())
        ):
            continue
        kinds = stood_for(word, change.language).kinds
        if _meet(kinds, old.kinds) and not _meet(kinds, new.kinds):
            return f"{_quoted(word)} may have to follow"
    return ""


def _meet(
    some: Iterable[tuple[str | None, str | None]], others: Iterable[tuple[str | None, str | None]]
) -> bool:
    """Whether a noun can be of a kind of both."""
    others = tuple(others)
    return any(
        all(one is None or other is None or one == other for one, other in zip(a, b, strict=True))
        for a in some
        for b in others
    )


_ENGLISH_ROLES = {
    **dict.fromkeys(["he", "she", "they", "we"], ("subject",)),
    **dict.fromkeys(["him", "them"], ("object",)),
    **dict.fromkeys(["its", "their", "your"], ("possessive",)),
    "his": ("possessive", "absolute"),
    **dict.fromkeys(["hers", "theirs", "yours"], ("absolute",)),
    "her": ("object", "possessive"),
    **dict.fromkeys(["it", "you", "this", "that", "these", "those"], ("subject", "object")),
    "there": ("there",),
}
_DEMONSTRATIVES = ("this", "that", "these", "those")
_PLURAL_VERB = ("they", "we", "you", "these", "those")


def _english(change: PronounChange, lexicon: Lexicon | None) -> Following:
    roles = [_ENGLISH_ROLES.get(word, ()) for word in (change.old, change.new)]
    shared = set(roles[0]) & set(roles[1])
    if "possessive" in roles[0] and len(roles[0]) > 1:
        alone = "object" if change.old == "her" else "absolute"
        owned = owned_follows(change.text[change.end :])
        shared &= {"possessive" if owned else alone}
    if not shared:
        return Following(f"the sentence would be built otherwise with {_quoted(change.new)}")
    verb = _english_verb(change)
    opens = _clause_starts(change) or change.previous in change.listed("openers")
    relative = change.old == "that" and not opens
    if change.old in _DEMONSTRATIVES and change.next and (relative or not verb):
        return Following(f"{_quoted(change.old)} may be no pronoun before {_quoted(change.next)}")
    if shared == {"subject", "object"}:
        behind = change.previous in change.listed("prepositions") or not change.next
        shared = {"object"} if behind else {"subject"}
    if "subject" not in shared:
        return Following()
    if (change.old in _PLURAL_VERB) != (change.new in _PLURAL_VERB) and verb != "invariant":
        return Following(_OF_NUMBER["pl" if change.new in _PLURAL_VERB else "sg"])
    if change.old == "it" and _announces(change):
        return Following("“it” may stand for the clause that follows")
    return Following(_companions(change))


def _announces(change: PronounChange) -> bool:
    """Whether a clause may follow that is the subject: it is hard to say."""
    texts = [token.text for token in change.clause if token.text not in change.listed("adverbs")]
    verb = bool(texts) and texts[0] in change.listed("finite") | change.listed("modals")
    return verb and change.new not in _DEMONSTRATIVES and bool({"that", "to"} & set(texts[2:5]))


def _english_verb(change: PronounChange) -> str:
    """The verb of a subject: `invariant`, `finite` where it is known to agree, or empty."""
    tokens = [token.text for token in change.clause if token.text not in change.listed("adverbs")]
    verb = tokens[0] if tokens else ""
    if change.listed("finite") & {verb, change.previous}:
        return "finite"
    past = verb.endswith("ed") and len(verb) > 4 and not verb.endswith("eed")
    if past or verb in change.listed("modals") | change.listed("pasts"):
        return "invariant"
    return "invariant" if change.previous in change.listed("modals") else ""


_RULES: Mapping[str, Callable[[PronounChange, Lexicon | None], Following]] = {
    "fr": _french,
    "es": _spanish,
    "de": _german,
    "en": _english,
}
