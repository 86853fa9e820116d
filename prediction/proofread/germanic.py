"""What follows a changed pronoun in German and English: numbers of verbs, cases, possessives."""

from __future__ import annotations

import re

from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.evaluation.inputs.pronoun_forms import readings_of
from crosspro.prediction.proofread.reasons import stood_for
from crosspro.prediction.proofread.surroundings import (
    OF_NUMBER,
    Following,
    PronounChange,
    is_possessive,
    owned_follows,
    quoted,
    starts_sentence,
)

_ADDRESSED = re.compile(r"\b(?:you|your|yours|yourself|yourselves)\b", re.IGNORECASE)
_SUBJECTS = ("er", "sie", "es")


def german(change: PronounChange, lexicon: Lexicon | None) -> Following:
    """What a change of a German pronoun brings with it."""
    why = _formal(change) or _german_place(change)
    if not why and change.new in _SUBJECTS and change.old in _SUBJECTS:
        why = _german_number(change) or _companions(change)
    return Following(why)


def asked_case(change: PronounChange) -> str:
    """The case that a German preposition before a pronoun asks for, as the role of that pronoun."""
    if change.language != "de" or any(is_possessive(one, "de") for one in (change.old, change.new)):
        return ""
    if change.previous == "um" and any(token.text == "zu" for token in change.clause):
        return ""
    cases = (("object", "accusative"), ("indirect", "dative"))
    return next((role for role, case in cases if change.previous in change.listed(case)), "")


def _formal(change: PronounChange) -> str:
    written = change.text[change.start : change.end]
    formal = change.old in ("sie", "ihnen") or change.old.startswith("ihr")
    if not formal or not written[:1].isupper():
        return ""
    inside = not written.isupper() and not starts_sentence(change.text[: change.start])
    if inside or _ADDRESSED.search(change.source_text):
        return f"{quoted(written)} may be formal address"
    return ""


def _german_place(change: PronounChange) -> str:
    """Places that es cannot have, subjects that are there already, and es that is no noun's."""
    if change.new == "es" and change.previous in change.listed("prepositions"):
        return f"“es” does not stand behind {quoted(change.previous)}"
    if change.new == "er" and change.previous in change.listed("nominatives"):
        return f"{quoted(change.previous)} is the subject"
    if change.old != "es":
        return ""
    around = {one.text for one in (*change.before, *change.clause)}
    verbs = change.listed("of-nothing") | (
        change.listed("of-nothing-about") if around & {"um", "darum", "worum"} else set()
    )
    verb = next((one for one in (change.next, change.previous) if one in verbs), "")
    if verb or change.previous == "was":
        return f"“es” may stand for no noun with {quoted(verb or change.previous)}"
    ahead = [token.text for token in change.after[len(change.clause) :][:2]]
    return "“es” may stand for the clause that follows" if ahead in _CLAUSES else ""


_CLAUSES = ([",", "dass"], [",", "ob"])


def _german_number(change: PronounChange) -> str:
    """Why the verb does not go with the new subject, as far as words beside it tell its number."""
    if change.new == "sie":
        plural = change.source_word.lower() == "they" and change.old != "sie"
        return OF_NUMBER["pl"] if plural and _german_verb_number(change) != "pl" else ""
    number = _german_verb_number(change)
    plural = number == "pl" or (not number and change.old == "sie" and _plural_by_ending(change))
    return OF_NUMBER["sg"] if plural else ""


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
        kinds = stood_for(word, change.language)
        if kinds.meets(old) and not kinds.meets(new):
            return f"{quoted(word)} may have to follow"
    return ""


_PLURAL_VERB = ("they", "we", "you")


def english(change: PronounChange, lexicon: Lexicon | None) -> Following:
    """What a change of an English pronoun brings with it."""
    own, roles = (
        {one.role for one in readings_of("en").get(word, ())} for word in (change.old, change.new)
    )
    if "determiner" in own:
        owned = owned_follows(change.text[change.end :])
        own &= {"determiner"} if owned else {"object", "pronoun"} & own or own
    elif change.previous in change.listed("prepositions") or not change.next:
        own &= {"object"} & own or own
    if not own & roles:
        return Following(f"{quoted(change.new)} does not stand where {quoted(change.old)} does")
    if "subject" not in own & roles:
        return Following()
    plural = [word in _PLURAL_VERB for word in (change.old, change.new)]
    if plural[0] != plural[1] and not _same_in_both_numbers(change):
        return Following(OF_NUMBER["pl" if plural[1] else "sg"])
    if change.old == "it" and _announces(change):
        return Following("“it” may stand for the clause that follows")
    return Following(_companions(change))


def _said(change: PronounChange) -> list[str]:
    return [token.text for token in change.clause if token.text not in change.listed("adverbs")]


def _announces(change: PronounChange) -> bool:
    """Whether a clause may follow that is the subject: it is hard to say."""
    texts = _said(change)
    verb = bool(texts) and texts[0] in change.listed("finite") | change.listed("modals")
    return verb and bool({"that", "to"} & set(texts[2:5]))


def _same_in_both_numbers(change: PronounChange) -> bool:
    """Whether the verb of a subject is known to have one form for all: would, said, worked."""
    verb = next(iter(_said(change)), "")
    if change.listed("finite") & {verb, change.previous}:
        return False
    past = verb.endswith("ed") and len(verb) > 4 and not verb.endswith("eed")
    modals = change.listed("modals")
    return past or verb in modals | change.listed("pasts") or change.previous in modals
