"""Which pronoun to suggest for another, and how a class is written in a place.

A suggestion can stand in the same place of the sentence (*er* for *es*, never *ihm* for *er*) and
is more than another style (*das* for *es*, *man* for *sie*, *this* for *it*). The rules look at the
words beside the pronoun and not at a parse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.words.lists import word_set
from crosspro.evaluation.pronouns import PronounReading, readings_of

_LEAST_CHANCE = 0.05
"""A class below this chance is not preferred because it can stand in the place."""
_MAJORITY = 0.5

_OPENING_MARKS = " \t\n\r\xa0\u202f\"'’“”„«»‘‚()[]{}¿¡-–—*_"
_APOSTROPHES = "'’"
_VOWELS = frozenset("aâàäeéèêëiîïoôöuùûüœæ")


class Suggestion(NamedTuple):
    """The class that might stand for a word, its word, and the chances of all classes."""

    label: str
    word: str
    chances: Mapping[str, float]


def suggested(
    label: str, chances: Mapping[str, float], word: str, before: str, after: str, task: Task
) -> Suggestion:
    """The most probable word of another class that can stand in the place.

    If none that can stand there is probable, it is the most probable of all others; no word where
    the model gives most of the probability to OTHER. A class that would be written as the word
    itself is no other class (*ihr* and *ihre* before a noun, *le* and *la* before a vowel): its
    chance is added to that of the word.
    """
    others = sorted(
        (other for other in chances if other not in (label, OTHER)), key=chances.__getitem__
    )
    candidates = [(other, written(other, word, before, after, task)) for other in reversed(others)]
    same = [other for other, form in candidates if word and form == word]
    if len(same) < len(candidates):
        total = chances[label] + sum(chances[other] for other in same)
        chances = {**chances, **dict.fromkeys(same, 0.0), label: total}
        candidates = [(other, form) for other, form in candidates if other not in same]
    language = task.target_language
    verb = len(word) - len(word.rpartition("-")[2]) if language == "fr" else 0
    for other, form in candidates:
        fits = _can_stand(_plain(form[verb:]), _plain(word[verb:]), language)
        if fits and chances[other] >= _LEAST_CHANCE:
            return Suggestion(other, form, chances)
    if chances.get(OTHER, 0.0) >= _MAJORITY and chances[candidates[0][0]] < _LEAST_CHANCE:
        return Suggestion(OTHER, "", chances)
    return Suggestion(*candidates[0], chances)


def _plain(word: str) -> str:
    """A word in lower case with the plain apostrophe, as in classes and word lists."""
    return word.lower().replace("’", "'")


def _starts_sentence(before: str) -> bool:
    rest = before.rstrip(_OPENING_MARKS)
    return not rest or rest[-1] in ".!?…:"


# How a class is written ---------------------------------------------------------------------------

_ELIDED = ("le", "la", "l'", "ce")


def written(label: str, word: str, before: str, after: str, task: Task) -> str:
    """The word of a class as it would be written in the place of `word`; empty for OTHER.

    `before` and `after` are the text of the segment around `word`, which is empty for a missing
    pronoun. Kept are capitals, the kind of apostrophe, the ending of a German possessive and the
    verb before a French pronoun (dit-il).
    """
    forms = [form for form in task.forms[label] if form != NONE]
    if not forms:
        return ""
    language = task.target_language
    if language == "fr" and "-" in word:
        verb, hyphen, clitic = word.rpartition("-")
        return verb + hyphen + written(label, clitic, before + verb + hyphen, after, task)
    bare = _plain(word)
    if bare in forms and label not in _ELIDED:
        return word
    form_in_place = _FORMS.get(language)
    form = form_in_place(label, bare, before, after) if form_in_place else None
    form = form or forms[0]
    if bare == form:
        return word
    if "'" in form:
        marks = [mark for mark in word + after + before[::-1] if mark in _APOSTROPHES]
        form = form.replace("'", marks[0] if marks else "'")
    return _cased(form, word, before, after, language)


def _german_form(label: str, bare: str, before: str, after: str) -> str | None:
    """A possessive keeps its ending; the classes *ihr* and *ihre* are one possessive."""
    possessive = re.fullmatch(r"(sein|ihr)(e|en|em|er|es|)", bare)
    stems = {"sein": "sein", "ihre": "ihr", "ihr": "ihr"}
    return stems[label] + possessive[2] if possessive and label in stems else None


def _french_form(label: str, bare: str, before: str, after: str) -> str | None:
    """*l'* and *c'* before vowels; *ça* in a text that has it."""
    vowel = _elides(after) and not before.endswith("-")
    if label in ("le", "la", "l'"):
        if vowel:
            return "l'"
        return label if label != "l'" else "la" if bare in ("la", "elle", "elles") else "le"
    if label == "ce" and vowel:
        return "ç'" if _next_word(after).startswith("a") else "c'"
    if label == "cela" and re.search(r"\bça\b", f"{before} {after}", re.IGNORECASE):
        return "ça"
    return "ce" if label == "ce" else None


_FORMS: Mapping[str, Callable[[str, str, str, str], str | None]] = {
    "de": _german_form,
    "fr": _french_form,
}


def _next_word(after: str) -> str:
    match = re.match(r"[\s\xa0]*([^\W\d_]+)", after)
    return match[1].lower() if match else ""


def _elides(after: str) -> bool:
    """Whether a French word is elided before this text: before a vowel, a mute h, or *y*."""
    word = _next_word(after)
    if word.startswith("h"):
        return not word.startswith(tuple(word_set("suggest", "fr", "aspirated")))
    return word == "y" or word[:1] in _VOWELS


def _cased(form: str, word: str, before: str, after: str, language: str) -> str:
    letters = [letter for letter in word if letter.isalpha()]
    capitalised = form[:1].upper() + form[1:]
    if not letters:
        return capitalised if _starts_sentence(before) else form
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return form.upper()
    if not letters[0].isupper():
        return form
    if len(letters) == 1:
        neighbour = re.match(r"\W*([^\W\d_]{2,})", after)
        if neighbour and neighbour[1].isupper():
            return form.upper()
    formal = _plain(word).startswith(("sie", "ihn", "ihr"))
    return form if language == "de" and formal and not _starts_sentence(before) else capitalised


# Which word can stand in a place ------------------------------------------------------------------

_DEMONSTRATIVE_ROLES = {
    "de": ("subject", "object"),
    "fr": ("subject", "stressed"),
    "es": ("subject",),
    "en": ("subject", "object"),
}
"""Where demonstratives stand for other pronouns; elsewhere the order of words differs."""
_CLITICS = frozenset(["object", "indirect"])


def _can_stand(form: str, word: str, language: str) -> bool:
    """Whether a form can stand in the place of a word, and is more than another style."""
    if not word or language not in _DEMONSTRATIVE_ROLES:
        return True
    if form in ("man", "on") or _differ_in_style(form, word, language):
        return False
    form_roles, word_roles = _roles(form, language), _roles(word, language)
    both_clitics = language == "fr" and form_roles & _CLITICS and word_roles & _CLITICS
    return bool(form_roles & word_roles or both_clitics)


def _differ_in_style(form: str, word: str, language: str) -> bool:
    """Whether one of two words is a demonstrative, and gender and number may be the same."""
    return any(
        "demonstrative" in (first.kind, second.kind)
        and (first.gender, first.number) == (second.gender, second.number)
        for first in _readings(word, language)
        for second in _readings(form, language)
    )


def _readings(word: str, language: str) -> list[PronounReading]:
    """The readings of a word; only those of the third person in languages other than English."""
    readings = readings_of(language).get(word, ())
    return [reading for reading in readings if reading.person == "3" or language == "en"]


def _roles(word: str, language: str) -> set[str]:
    roles: set[str] = set()
    for reading in _readings(word, language):
        if reading.kind == "demonstrative" and reading.role == "any":
            roles.update(_DEMONSTRATIVE_ROLES[language])
        elif reading.kind == "possessive":
            roles.add(f"possessive {reading.role}")
        else:
            roles.add(reading.role)
    return roles


def noun_may_follow(before: str, language: str, is_noun: Callable[[str], bool]) -> bool:
    """Whether a word behind this text that a lexicon lists as a noun may be one.

    German nouns have capitals, which tell nothing at the beginning of a sentence. In French and
    Spanish an article or a preposition precedes a noun; without one the word is an adjective (*la
    parte trasera*, *caliente y lista*).
    """
    if language == "de":
        return not _starts_sentence(before)
    if language not in ("fr", "es"):
        return True
    words = [_plain(word) for word in re.findall(r"[^\W\d_]+['’]?", before[-60:])][-2:]
    openers = word_set("suggest", language, "before-nouns")
    if words and words[-1] in openers:
        return True
    return len(words) > 1 and words[0] in openers and not is_noun(words[-1])
