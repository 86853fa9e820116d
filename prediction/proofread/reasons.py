"""The sentence that says why a pronoun is in doubt: what stands there, what it seems to stand for.

A noun is named only if the gender or number of that noun of the translation is known, the pronoun
that stands there can have neither, what the model suggests can, and the source does not contradict.
In all other cases the sentence says what the model expects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from crosspro.data_prep.core.words import word_lists
from crosspro.data_prep.lexicon.agreement import PronounAgreement
from crosspro.evaluation.pronouns import readings_of
from crosspro.prediction.proofread.doubts import DoubtKind, StoodFor

_GENDERS = {"m": "Masc", "f": "Fem", "n": "Neut"}
_NUMBERS = {"sg": "Sing", "pl": "Plur"}
_IN_WORDS = {
    "Masc": "masculine", "Fem": "feminine", "Neut": "neuter", "Sing": "singular", "Plur": "plural",
}  # fmt: skip
_GERMAN_POSSESSORS = {
    "sein": PronounAgreement((("Masc", "Sing"), ("Neut", "Sing"))),
    "ihr": PronounAgreement((("Fem", "Sing"), (None, "Plur"))),
}
_LONGEST = 28
_SURE = 0.5


class Expected(NamedTuple):
    """What a model says of a place: of the word that stands there, and of the best other one."""

    probability: float
    suggestion: str
    suggestion_probability: float


def reason(
    kind: DoubtKind,
    word: str,
    source_word: str,
    source_line: int | None,
    expected: Expected,
    stands_for: Sequence[StoodFor],
    language: str,
) -> str:
    """One sentence of plain text about a pronoun of a translation into a language.

    `word` is as it is written and `stands_for` has the best noun first. A suggestion is empty where
    the model expects a word of no class.
    """
    if kind is DoubtKind.MISSING:
        place = "" if source_line is None else f" (line {source_line})"
        return f"nothing translates {_quoted(source_word)}{place}"
    if kind is DoubtKind.ADDITIONAL:
        return f"nothing in the source is linked to {_quoted(word)}"
    said = f"{_quoted(word)} for {_quoted(source_word)}"
    if expected.suggestion_probability <= expected.probability:
        sure = "expects" if expected.probability >= _SURE else "is not sure of"
        return f"the model {sure} {said} ({expected.probability:.2f})"
    chance = f"({expected.suggestion_probability:.2f})"
    if not expected.suggestion:
        return f"{said}: the model expects another word or none here {chance}"
    noun = _best_noun(source_word, stands_for, language)
    own, other = (_noun_kinds(one, language) for one in (word, expected.suggestion))
    if noun and not _fits(other, noun):
        noun = None
    if noun and (differs := _difference(own, noun)):
        if noun.probability < _SURE:
            return f"{said}: perhaps for {_quoted(noun.word)}, {differs}, line {noun.place.line}"
        return f"{said}: {_quoted(noun.word)} is {differs}, line {noun.place.line}"
    expects = "expects" if expected.suggestion_probability >= _SURE else "would rather expect"
    sentence = f"{said}: the model {expects} {_quoted(expected.suggestion)} here {chance}"
    if noun and not own.kinds:
        sentence += f", which would agree with {_quoted(noun.word)}, line {noun.place.line}"
    return sentence


def _best_noun(source_word: str, stands_for: Sequence[StoodFor], language: str) -> StoodFor | None:
    """The best of the nouns that the source pronoun can stand for by its number."""
    source = _source_kinds(source_word, "en" if language != "en" else "")
    nouns = (noun for noun in stands_for if _is_noun(noun, language))
    fitting = (noun for noun in nouns if not source.differs(None, _number(noun, language)))
    return next(fitting, None)


def stood_for(word: str, language: str) -> PronounAgreement:
    """The kinds of nouns that a pronoun can stand for in any case; none where it does not tell.

    Demonstratives tell nothing: they stand for whole clauses, too.
    """
    bare = word.lower()
    if language == "de":
        for stem, kinds in _GERMAN_POSSESSORS.items():
            if bare.startswith(stem):
                return kinds
    readings = readings_of(language).get(bare, ())
    if not readings or any(one.person != "3" or one.kind == "demonstrative" for one in readings):
        return PronounAgreement()
    found = [(_GENDERS.get(one.gender), _NUMBERS.get(one.number)) for one in readings]
    if all(gender is None and number is None for gender, number in found):
        return PronounAgreement()
    return PronounAgreement(tuple(dict.fromkeys(found)))


def _source_kinds(word: str, language: str) -> PronounAgreement:
    """What nouns of the translation a pronoun of the source can have: a neuter one has any gender.

    *it* stands for nouns of all genders in other languages, and *es* for a girl in English.
    """
    kinds = stood_for(word, language).kinds
    return PronounAgreement(tuple((None if g == "Neut" else g, number) for g, number in kinds))


def _is_noun(noun: StoodFor, language: str) -> bool:
    """Whether a word is worth naming: lexicons have es (a note) and ich (a self) as nouns, too."""
    word = noun.word.lower()
    small = word in readings_of(language) or word in word_lists("frequent", language).get(
        "words", ()
    )
    return noun.side == "target" and not small


def _number(noun: StoodFor, language: str) -> str | None:
    """The number of a noun; German ones with -e are taken for no dative of old (*dem Hunde*)."""
    dative = language == "de" and noun.gender in ("Masc", "Neut") and noun.word.endswith("e")
    return noun.number or ("Plur" if dative else None)


def _noun_kinds(word: str, language: str) -> PronounAgreement:
    """The kinds of nouns by what a lexicon says of them: English *it* is no matter of gender."""
    return (_source_kinds if language == "en" else stood_for)(word, language)


def _fits(pronoun: PronounAgreement, noun: StoodFor) -> bool:
    """Whether a pronoun is known to agree with a noun, in gender or else in number."""
    return any(
        (gender == noun.gender and noun.number in ("", number))
        or (gender is None and number == noun.number)
        for gender, number in pronoun.kinds
    )


def _difference(pronoun: PronounAgreement, noun: StoodFor) -> str:
    """What a noun is that a pronoun cannot be, in words; empty where they may agree."""
    gender, number = noun.gender or None, noun.number or None
    if not pronoun.differs(gender, number):
        return ""
    if gender and pronoun.differs(gender, None):
        return _IN_WORDS[gender]
    if number and pronoun.differs(None, number):
        return _IN_WORDS[number]
    return f"{_IN_WORDS[gender or '']} {_IN_WORDS[number or '']}"


def _quoted(word: str) -> str:
    """A word between quotation marks, cut where it is longer than a sentence of reason bears."""
    return f"“{word if len(word) <= _LONGEST else word[: _LONGEST - 1] + '…'}”"
