"""What follows a changed pronoun in German and English: numbers of verbs, cases, possessives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.evaluation.inputs.pronoun_forms import readings_of
from crosspro.prediction.proofread.reasons import stood_for
from crosspro.prediction.proofread.surroundings import (
    OF_NUMBER,
    Following,
    PronounChange,
    owned_follows,
    quoted,
    starts_sentence,
)

_ADDRESSED = re.compile(r"\b(?:you|your|yours|yourself|yourselves)\b", re.IGNORECASE)
_GERMAN_POSSESSIVE = re.compile(r"(?:sein|ihr)(?:e|en|em|er|es)?")
_GERMAN_SUBJECTS = ("er", "sie", "es", "das", "dies", "man")


def german(change: PronounChange, lexicon: Lexicon | None) -> Following:
    """What a change of a German pronoun brings with it."""
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
        return f"{quoted(written)} may be formal address"
    return ""


def _german_kind(change: PronounChange) -> str:
    """Possessives stay possessives; das may be an article, sein a verb; ihr is of both kinds."""
    old, new = (bool(_GERMAN_POSSESSIVE.fullmatch(word)) for word in (change.old, change.new))
    if old != new and "ihr" not in (change.old, change.new):
        return f"{quoted(change.old)} and {quoted(change.new)} are not of one kind"
    if change.old == "sein" and (not change.next or change.next in _german_verbs(change)):
        return "“sein” may be a verb"
    if change.old == "ihr" and change.new != "ihm" and new and not change.next:
        return "“ihr” may be no possessive"
    if change.old in ("das", "dies"):
        noun = re.match(r"\s*(?:[a-zäöüß]+e\s+){0,2}[A-ZÄÖÜ]", change.text[change.end :])
        relative = change.previous == "," and change.next not in _german_verbs(change)
        if noun or relative:
            return f"{quoted(change.old)} may be an article or a relative pronoun"
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
    return f"the case would change with {quoted(change.new)}"


def _german_place(change: PronounChange) -> str:
    if change.new == "es" and change.previous in change.listed("prepositions"):
        return f"“es” does not stand behind {quoted(change.previous)}"
    second = [token.text for token in change.clause[1:2]]
    first = starts_sentence(change.text[: change.start])
    if change.new == "es" and first and second and second[0] in change.listed("nominatives"):
        return "“es” is no object at the beginning of a sentence"
    if change.new in ("er", "man") and change.previous in change.listed("nominatives"):
        return f"{quoted(change.previous)} is the subject"
    verb = next((one for one in (change.next, change.previous) if one in _OF_NOTHING), "")
    about = {one.text for one in (*change.before, *change.clause)} & {"um", "darum", "worum"}
    if change.old == "es" and verb and (about or verb not in ("geht", "ging", "handelt")):
        return f"“es” may stand for nothing with {quoted(verb)}"
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
        return OF_NUMBER["pl"] if plural and _german_verb_number(change) != "pl" else ""
    if change.old in _OF_WHATEVER and change.new in _OF_WHATEVER:
        return ""
    number = _german_verb_number(change)
    if not number and change.old == "sie" and _plural_by_ending(change):
        number = "pl"
    return OF_NUMBER["sg"] if number == "pl" else ""


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
            return f"{quoted(word)} may have to follow"
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


def english(change: PronounChange, lexicon: Lexicon | None) -> Following:
    """What a change of an English pronoun brings with it."""
    roles = [_ENGLISH_ROLES.get(word, ()) for word in (change.old, change.new)]
    shared = set(roles[0]) & set(roles[1])
    if "possessive" in roles[0] and len(roles[0]) > 1:
        alone = "object" if change.old == "her" else "absolute"
        owned = owned_follows(change.text[change.end :])
        shared &= {"possessive" if owned else alone}
    if not shared:
        return Following(f"the sentence would be built otherwise with {quoted(change.new)}")
    verb = _english_verb(change)
    opens = change.opens_clause or change.previous in change.listed("openers")
    relative = change.old == "that" and not opens
    if change.old in _DEMONSTRATIVES and change.next and (relative or not verb):
        return Following(f"{quoted(change.old)} may be no pronoun before {quoted(change.next)}")
    if shared == {"subject", "object"}:
        behind = change.previous in change.listed("prepositions") or not change.next
        shared = {"object"} if behind else {"subject"}
    if "subject" not in shared:
        return Following()
    if (change.old in _PLURAL_VERB) != (change.new in _PLURAL_VERB) and verb != "invariant":
        return Following(OF_NUMBER["pl" if change.new in _PLURAL_VERB else "sg"])
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
