"""The sentence that explains a doubt: the word that stands there, and what it seems to stand for.

A noun is named only if its gender or number is known, the pronoun that stands there can have
neither, the suggestion can, and the source does not contradict. In all other cases the sentence
says what the model expects.
"""

from __future__ import annotations

from crosspro.data_prep.lexicon.agreement import PronounAgreement
from crosspro.data_prep.words.lists import word_lists
from crosspro.evaluation.pronouns import readings_of
from crosspro.prediction.proofread.text import DoubtKind, PronounDoubt, StoodFor

_GENDERS = {"m": "Masc", "f": "Fem", "n": "Neut"}
_NUMBERS = {"sg": "Sing", "pl": "Plur"}
_TRAITS = {
    "Masc": "masculine", "Fem": "feminine", "Neut": "neuter", "Sing": "singular", "Plur": "plural",
}  # fmt: skip
_GERMAN_POSSESSORS = {
    "sein": PronounAgreement((("Masc", "Sing"), ("Neut", "Sing"))),
    "ihr": PronounAgreement((("Fem", "Sing"), (None, "Plur"))),
}
_SURE = 0.5


def reason(doubt: PronounDoubt, language: str) -> str:
    if doubt.kind is DoubtKind.MISSING:
        return f"nothing translates “{doubt.source_word}” (line {doubt.source_place.line})"
    pair = f"“{doubt.word}” for “{doubt.source_word}”"
    if not doubt.expects_other:
        expects = "expects" if doubt.probability >= _SURE else "is not sure of"
        return f"the model {expects} {pair} ({doubt.probability:.2f})"
    chance = f"({doubt.suggestion_probability:.2f})"
    if not doubt.suggestion:
        return f"{pair}: the model expects another word or none here {chance}"
    noun = _best_noun(doubt, language)
    agreement = _noun_kinds(doubt.word, language)
    if noun and (difference := _difference(agreement, noun)):
        perhaps = noun.probability < _SURE
        what = (
            f"perhaps for “{noun.word}”, {difference}"
            if perhaps
            else (f"“{noun.word}” is {difference}")
        )
        return f"{pair}: {what}, line {noun.place.line}"
    expects = "expects" if doubt.suggestion_probability >= _SURE else "would rather expect"
    sentence = f"{pair}: the model {expects} “{doubt.suggestion}” here {chance}"
    if noun and not agreement.kinds:
        sentence += f", which would agree with “{noun.word}”, line {noun.place.line}"
    return sentence


def _best_noun(doubt: PronounDoubt, language: str) -> StoodFor | None:
    """The first noun that the source may mean, if the suggestion can stand for it."""
    source = _source_kinds(doubt.source_word, "en" if language != "en" else "")
    suggestion = _noun_kinds(doubt.suggestion, language)
    for noun in doubt.stands_for:
        if _is_noun(noun, language) and not source.differs(None, _number(noun, language)):
            return noun if _fits(suggestion, noun) else None
    return None


def stood_for(word: str, language: str) -> PronounAgreement:
    """The genders and numbers of nouns that a pronoun can stand for in any case.

    Demonstratives have none: they stand for whole clauses, too.
    """
    bare = word.lower()
    if language == "de":
        for stem, kinds in _GERMAN_POSSESSORS.items():
            if bare.startswith(stem):
                return kinds
    readings = readings_of(language).get(bare, ())
    if any(reading.person != "3" or reading.kind == "demonstrative" for reading in readings):
        return PronounAgreement()
    traits = [(_GENDERS.get(reading.gender), _NUMBERS.get(reading.number)) for reading in readings]
    if all(gender is None and number is None for gender, number in traits):
        return PronounAgreement()
    return PronounAgreement(tuple(dict.fromkeys(traits)))


def _source_kinds(word: str, language: str) -> PronounAgreement:
    """The nouns of the translation that a source pronoun can stand for.

    A neuter pronoun has nouns of any gender: English *it*, and German *es* for a girl.
    """
    kinds = stood_for(word, language).kinds
    return PronounAgreement(tuple((None if g == "Neut" else g, number) for g, number in kinds))


def _is_noun(noun: StoodFor, language: str) -> bool:
    """Whether a word is worth naming: lexicons list es (a note) and ich (a self) as nouns."""
    word = noun.word.lower()
    frequent = word_lists("frequent", language).get("words", ())
    return noun.side == "target" and word not in readings_of(language) and word not in frequent


def _number(noun: StoodFor, language: str) -> str | None:
    """The number of a noun; German nouns in -e are plurals (*Hunde*) unless the lexicon knows."""
    plural = language == "de" and noun.gender in ("Masc", "Neut") and noun.word.endswith("e")
    return noun.number or ("Plur" if plural else None)


def _noun_kinds(word: str, language: str) -> PronounAgreement:
    """The kinds of nouns by what a lexicon lists: English *it* has no gender there."""
    return (_source_kinds if language == "en" else stood_for)(word, language)


def _fits(pronoun: PronounAgreement, noun: StoodFor) -> bool:
    """Whether a pronoun is known to agree with a noun, in gender or else in number."""
    return any(
        (gender == noun.gender and noun.number in ("", number))
        or (gender is None and number == noun.number)
        for gender, number in pronoun.kinds
    )


def _difference(pronoun: PronounAgreement, noun: StoodFor) -> str:
    """The traits of a noun that a pronoun cannot have; empty where they may agree."""
    gender, number = noun.gender or None, noun.number or None
    if not pronoun.differs(gender, number):
        return ""
    if gender and pronoun.differs(gender, None):
        return _TRAITS[gender]
    if number and pronoun.differs(None, number):
        return _TRAITS[number]
    return f"{_TRAITS[gender or '']} {_TRAITS[number or '']}"
