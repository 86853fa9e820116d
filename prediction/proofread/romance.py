"""What follows a changed pronoun in French and Spanish: agreement in gender, elision, order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from crosspro.data_prep.lexicon.lexicon import NOUNS, Entry, Lexicon
from crosspro.evaluation.inputs.pronoun_forms import readings_of
from crosspro.prediction.proofread.reasons import stood_for
from crosspro.prediction.proofread.surroundings import (
    OF_NUMBER,
    VOWELS,
    Follower,
    Following,
    PronounChange,
    SegmentToken,
    feature,
    quoted,
)

_ENDINGS = {
    "es": (("o", "a"), ("os", "as")),
    "fr": (("eux", "euse"), ("", "e"), ("s", "es")),
}
_AGREEING = ("ADJ", "VERB")


def _known_form(word: str, gender: str, language: str, lexicon: Lexicon) -> str:
    """The form of another gender that a lexicon has without doubt: the only one, of that alone."""
    own = _agreeing_readings(word, lexicon)
    found = []
    for endings in _ENDINGS[language]:
        old, new = endings if gender == "Fem" else endings[::-1]
        form = word.removesuffix(old) + new
        readings = _agreeing_readings(form, lexicon)
        kinds = {one.category for one in readings} & {one.category for one in own}
        numbers = {one.number for one in (*readings, *own)} - {None}
        certain = {one.gender for one in readings} == {gender} and len(numbers) < 2
        if word.endswith(old) and kinds and certain:
            found.append(form)
    return found[0] if len(found) == 1 else ""


def _agreeing_readings(word: str, lexicon: Lexicon) -> list[Entry]:
    return [one for one in lexicon.readings(word) if one.category in _AGREEING]


def _predicate(change: PronounChange) -> Sequence[SegmentToken]:
    """The tokens behind the verb of a subject, where what is said of it agrees with it."""
    said = change.listed("be") | change.listed("been") | change.listed("to-be")
    verbs = [token for token in change.before if token.is_word and token.text != "t"]
    ahead = [*verbs[-1:], *change.clause[:6]] if change.tied else change.clause[:6]
    for token in ahead:
        if token.text in change.listed("openers"):
            break
        if token.text in said or token.text.startswith(tuple(change.listed("copulas"))):
            return [other for other in change.after if other.start > token.start]
    return ()


_JOINING = frozenset(["et", "ou", "ni", "y", "e", "o", "u", ","])


def _agreement(
    change: PronounChange, tokens: Sequence[SegmentToken], gender: str, lexicon: Lexicon | None
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
            why = f"the noun behind {quoted(change.new)} and its verb may have to follow"
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
            return Following(f"{quoted(text)} would have to agree with {quoted(change.new)}")
        words.append(Follower(token.start, token.end, _as_written(form, change, token)))
    return Following("", tuple(words))


def _same_in_both(word: str, language: str, lexicon: Lexicon | None) -> bool:
    """Whether a word that is no known adjective has certainly no other form."""
    readings = lexicon.readings(word) if lexicon else ()
    if readings:
        return all(one.category == "X" or one.gender is None for one in readings)
    return language == "es" and not word.endswith(("o", "a", "os", "as", "or", "ora", "és"))


def _as_written(form: str, change: PronounChange, token: SegmentToken) -> str:
    old = change.text[token.start : token.end]
    if old.isupper() and len(old) > 1:
        return form.upper()
    return form.capitalize() if old[:1].isupper() else form


def _subject_agreement(change: PronounChange, lexicon: Lexicon | None) -> Following:
    """What follows where the subject gets another gender; French and Spanish."""
    genders = [
        "Fem" if feature(word, change.language, "gender") == "f" else "Masc"
        for word in (change.old, change.new)
    ]
    if genders[0] == genders[1]:
        return Following()
    for token in change.clause:
        if token.text in change.listed("agreeing"):
            return Following(f"{quoted(token.text)} would have to agree with {change.new}")
    return _agreement(change, _predicate(change), genders[1], lexicon)


def _object_agreement(change: PronounChange, lexicon: Lexicon | None) -> str:
    """An adjective behind the verb that says something of its object."""
    gender = {"m": "Masc", "f": "Fem"}.get(feature(change.new, change.language, "gender"))
    adverbs = change.listed("adverbs")
    rest = [token.text for token in change.clause[1:] if token.text not in adverbs]
    if gender is None or lexicon is None or not rest:
        return ""
    genders = {one.gender for one in _agreeing_readings(rest[0], lexicon)}
    if lexicon.mostly(rest[0], ("ADJ",)) and not genders & {None, gender}:
        return f"{quoted(rest[0])} would have to agree with {quoted(change.new)}"
    return ""


def _article(change: PronounChange, lexicon: Lexicon | None) -> str:
    """Why a word before a noun, an adjective or a name is no pronoun."""
    name = change.text[change.end :].lstrip()[:1].isupper()
    name = name and not change.text[change.start : change.end].isupper()
    if name or (lexicon is not None and lexicon.mostly(change.next, (*NOUNS, *_AGREEING))):
        return f"{quoted(change.old)} seems to be no pronoun before {quoted(change.next)}"
    return ""


_SUBJECT, _STRESSED = "subject", "stressed"
_DIRECT = ("le", "la", "l'", "les")


def french(change: PronounChange, lexicon: Lexicon | None) -> Following:
    """What a change of a French pronoun brings with it."""
    role = _french_role(change)
    why = _french_contraction(change)
    if role and role not in {one.role for one in readings_of("fr").get(change.new, ())}:
        why = f"{quoted(change.new)} does not stand where {quoted(change.old)} does"
    if role == _STRESSED and "lui" in (change.old, change.new):
        why = "“lui” does not tell its gender everywhere"
    if not why and re.search(r"\b(?:lui|eux|elles?)-mêmes?\b", change.text[change.end :]):
        why = "the pronoun with -même would have to agree"
    if not why and not role:
        why = _french_object(change, lexicon)
    if why or role != _SUBJECT:
        return Following(why)
    if why := _of_number(change):
        return Following(why)
    said = " ".join(one.text for one in change.clause if one.text not in ("ne", "n'"))
    if change.old == "il" and said.startswith(_IMPERSONAL):
        return Following("“il” may stand for nothing here")
    return _subject_agreement(change, lexicon)


_IMPERSONAL = ("y a", "y en a", "y eu", "faut", "faudr", "fall", "s' agi", "pleu", "neig")


def _french_role(change: PronounChange) -> str:
    """Which place of the sentence a pronoun has; empty for one before its verb."""
    if change.old in ("il", "ils"):
        return _SUBJECT
    if change.old in (*_DIRECT, "leur") or (change.old == "lui" and change.tied):
        return ""
    opens = change.previous in change.listed("openers")
    behind = change.previous in change.listed("prepositions") and not opens
    alone = not change.next or change.next in ("qui", "et", "aussi", "même", "que", "dont")
    alone = alone or change.text[change.end : change.end + 1] == "-"
    if change.old == "eux" or (not change.tied and (behind or alone)):
        return _STRESSED
    return "" if change.old == "lui" else _SUBJECT


def _of_number(change: PronounChange) -> str:
    numbers = [feature(word, change.language, "number") for word in (change.old, change.new)]
    return OF_NUMBER[numbers[1]] if numbers[0] != numbers[1] else ""


def _french_contraction(change: PronounChange) -> str:
    """Why a pronoun cannot be written behind the word before it as that is."""
    old, new, previous = change.old, change.new, change.previous
    if change.tied:
        return ""
    vowel = new[0] in VOWELS
    if previous.endswith("'"):
        if not vowel or (previous == "s'" and old in ("il", "ils") and new not in ("il", "ils")):
            return f"{quoted(previous)} would have to be written in full"
    elif (vowel and previous in change.listed("full")) or (
        previous == "si" and new in ("il", "ils")
    ):
        return f"{quoted(previous)} would have to be shortened"
    return ""


def _french_object(change: PronounChange, lexicon: Lexicon | None) -> str:
    direct = [word in _DIRECT for word in (change.old, change.new)]
    if direct[0] != direct[1]:
        return f"the case would change with {quoted(change.new)}"
    if direct[0] and change.next in change.listed("have"):
        return f"the participle behind {quoted(change.next)} may have to agree"
    return _article(change, lexicon) or _object_agreement(change, lexicon)


_SPANISH_CLITICS = ("lo", "la", "los", "las", "le", "les")
_SPANISH_PERSONS = ("él", "ella", "ellos", "ellas")


def spanish(change: PronounChange, lexicon: Lexicon | None) -> Following:
    """What a change of a Spanish pronoun brings with it."""
    if change.old in _SPANISH_CLITICS:
        return Following(_spanish_object(change, lexicon))
    if change.previous in change.listed("prepositions") - change.listed("openers"):
        return Following(_spanish_double(change) if change.previous == "a" else "")
    why = _of_number(change)
    return Following(why) if why else _subject_agreement(change, lexicon)


def _spanish_object(change: PronounChange, lexicon: Lexicon | None) -> str:
    if not change.next or change.next in change.listed("no-verbs"):
        return f"{quoted(change.old)} seems to be no pronoun before {quoted(change.next)}"
    texts = [token.text for token in change.clause]
    clause = change.next in change.listed("be") or "todo" in texts
    if change.old == "lo" and (
        clause or change.next.startswith(tuple(change.listed("of-clauses")))
    ):
        return "“lo” may stand for a whole clause or what is said of somebody"
    if any(one == "a" and other in _SPANISH_PERSONS for one, other in pairwise(texts)):
        return "the pronoun behind “a” would have to agree"
    return _article(change, lexicon) or _object_agreement(change, lexicon)


def _spanish_double(change: PronounChange) -> str:
    """A clitic before the verb that says the same as a pronoun behind it."""
    clitics = [token.text for token in change.before if token.text in _SPANISH_CLITICS]
    if clitics and not stood_for(clitics[-1], "es").meets(stood_for(change.new, "es")):
        return f"{quoted(clitics[-1])} would have to agree with {quoted(change.new)}"
    return ""
