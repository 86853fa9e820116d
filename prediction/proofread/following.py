"""Which pronoun can stand for another, and what else would have to change with it.

A pronoun is suggested if it stands in the same place of a sentence and says something else: *das*
for *es*, *man* for *sie* and *this* for *it* are a matter of style. It is changed by itself only
where no rule speaks against it. The rules look at the words around it and not at a parse, so they
forbid too much rather than too little:

- kind: personal pronouns and possessives are changed, demonstratives never (*c'est*, *il est*);
- number: a subject and its verb agree. A change of number is refused for subjects, but in English
  before verbs that are the same in both (*would*, *said*) and in German where the verb is already
  of the new number;
- gender: adjectives and participles behind *être*, *ser*, *estar* and the like agree with the
  subject, those behind *avoir* with an object before it. Where a lexicon has the form that is
  wanted, and it can be nothing else, that word follows; where it has one form for both genders
  nothing has to; in all other cases the change is refused;
- case: what verbs ask for stays (*er*, *ihn*; *lo*, *le*; *le*, *lui*; *he*, *him*), but a German
  preposition gets what it asks for (*bei ihm* for *bei es*);
- contractions: what would lengthen or shorten the word before (*s'il*, *si elle*; *d'eux*);
- German capitals that may be formal address; possessives and reflexives of the same clause;
- the source: *lo* never comes for *them*, nor *elle* for *he*; and *ella* for *it* stays where the
  source has *her* as well.
"""

import re
from collections.abc import Callable, Mapping

from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.evaluation.inputs.pronoun_forms import PronounReading, readings_of
from crosspro.prediction.proofread.germanic import asked_case, english, german
from crosspro.prediction.proofread.reasons import of_nouns, source_kinds
from crosspro.prediction.proofread.romance import french, spanish
from crosspro.prediction.proofread.surroundings import (
    Following,
    PronounChange,
    plain_word,
    quoted,
)

_RULES: Mapping[str, Callable[[PronounChange, Lexicon | None], Following]] = {
    "fr": french,
    "es": spanish,
    "de": german,
    "en": english,
}
_VAGUE = ("man", "on")
_OWNERS = ("his", "its", "their")
_FREE = {
    "de": ("subject", "object"),
    "fr": ("subject", "stressed"),
    "es": ("subject",),
    "en": ("subject", "object"),
}
"""Where demonstratives stand for other pronouns; in other places the order of words differs."""
_CLITIC = frozenset(["object", "indirect"])


def may_stand(change: PronounChange) -> bool:
    """Whether a word can stand for another in its place, and would be more than another style."""
    language = change.language
    if not change.old or language not in _RULES:
        return True
    old, new = (_readings(word, language) for word in (change.old, change.new))
    if change.new in _VAGUE or any(
        "demonstrative" in (one.kind, other.kind)
        and (one.gender, one.number) == (other.gender, other.number)
        for one in old
        for other in new
    ):
        return False
    places, own = _places(new, language), _places(old, language)
    if asked := asked_case(change):
        return asked in places
    return bool(own & places) or (language == "fr" and bool(own & _CLITIC and places & _CLITIC))


def _readings(word: str, language: str) -> list[PronounReading]:
    """What a word may be, of the third person where the language chooses between no others."""
    readings = readings_of(language).get(word, ())
    return [one for one in readings if one.person == "3" or language == "en"]


def _places(readings: list[PronounReading], language: str) -> set[str]:
    found: set[str] = set()
    for one in readings:
        if one.kind == "demonstrative" and one.role == "any":
            found.update(_FREE[language])
        else:
            found.add(f"{one.kind} {one.role}" if one.kind == "possessive" else one.role)
    return found


def following(change: PronounChange, lexicon: Lexicon | None = None) -> Following:
    """What else would have to change with a pronoun; `lexicon` is of its language."""
    rules = _RULES.get(change.language)
    if rules is None:
        return Following("there are no rules of agreement for this language")
    for word in (change.old, change.new):
        readings = _readings(word, change.language)
        if word in _VAGUE or any(one.kind == "demonstrative" for one in readings):
            return Following(f"{quoted(word)} may stand for more than a noun")
    if not may_stand(change):
        return Following(f"{quoted(change.new)} does not stand where {quoted(change.old)} does")
    follows = rules(change, lexicon)
    return follows if follows.why else follows._replace(why=_of_source(change))


def _of_source(change: PronounChange) -> str:
    """Why the source speaks against a change: its word, or another that may be meant."""
    language = change.source_language
    old, new = (of_nouns(word, change.language) for word in (change.old, change.new))
    word = change.source_word
    if not source_kinds(word, language).meets(new):
        return f"{quoted(change.new)} does not agree with {quoted(word)}"
    for other in sorted({plain_word(one) for one in re.findall(r"\w+", change.source_text)}):
        kinds = source_kinds(other, language)
        another = other != plain_word(word) and other not in _OWNERS
        if another and kinds.meets(old) and not kinds.meets(new):
            return f"{quoted(change.old)} may stand for {quoted(other)}"
    return ""
