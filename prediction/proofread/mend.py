"""Mending: the word of a class as it is written in a place."""

from __future__ import annotations

import re

from crosspro.data_prep.core.task import NONE, Task

APOSTROPHES = "'’"
_OPENING = " \t\n\r\xa0\u202f\"'’“”„«»‘‚()[]{}¿¡-–—*_"
_ENDS = ".!?…:"


def written(label: str, word: str, before: str, after: str, task: Task) -> str:
    """The word of a class as it would be written for another word.

    `before` and `after` are the text of the segment around `word`, which may be empty (a pronoun
    that is missing there). Capitals and the kind of apostrophe are kept, of a German possessive the
    ending, of a French verb and its pronoun (dit-il) the verb. A French pronoun is elided where it
    must be, without the space that has to go or to come. Of several forms the one that is nearest
    in kind to the word is chosen. Empty for a class without words.
    """
    forms = [form for form in task.forms[label] if form != NONE]
    if not forms:
        return ""
    language = task.target_language
    if language == "fr" and "-" in word:
        verb, hyphen, clitic = word.rpartition("-")
        return verb + hyphen + written(label, clitic, before + verb + hyphen, after, task)
    bare = plain_word(word)
    if bare in forms and label not in _ELIDED:
        return word
    chosen = _CHOSEN.get(language, _first)(label, forms, bare, before, after)
    if bare == chosen:
        return word
    if "'" in chosen:
        chosen = chosen.replace("'", _apostrophe(word, before, after))
    return _cased(chosen, word, before, after, language)


def plain_word(word: str) -> str:
    """A word in lower case with the plain apostrophe, as classes have it."""
    return word.lower().replace("’", "'")


def starts_sentence(before: str) -> bool:
    """Whether a sentence begins behind this text, as far as marks say."""
    rest = before.rstrip(_OPENING)
    return not rest or rest[-1] in _ENDS


def next_word(after: str) -> str:
    """The first word behind a place in lower case, empty where a mark comes first."""
    found = re.match(r"[\s\xa0]*([^\W\d_]+)", after)
    return found[1].lower() if found else ""


def _first(label: str, forms: list[str], bare: str, before: str, after: str) -> str:
    return forms[0]


_NO_NOUN_FOLLOWS = frozenset(
    "and or but than as because when if is was are were in on at to for by from with too".split()
)
_ABSOLUTE = {"her": "hers", "their": "theirs", "your": "yours"}
_COUNTERPARTS = {"this": "these", "that": "those", "these": "this", "those": "that"}


def _english(label: str, forms: list[str], bare: str, before: str, after: str) -> str:
    """A demonstrative of the same distance; hers where no noun follows his."""
    following = next_word(after)
    if bare == "his" and (not following or following in _NO_NOUN_FOLLOWS):
        return _ABSOLUTE.get(label, forms[0])
    counterpart = _COUNTERPARTS.get(bare, "")
    return counterpart if counterpart in forms else forms[0]


_POSSESSIVE = re.compile(r"(sein|ihr)(e|en|em|er|es|)")
_STEMS = {"sein": "sein", "ihre": "ihr"}


def _german(label: str, forms: list[str], bare: str, before: str, after: str) -> str:
    """A possessive keeps its ending; ihr and ihre are one possessive, and sein has both."""
    possessive = _POSSESSIVE.fullmatch(bare)
    if possessive and label in _STEMS:
        return _STEMS[label] + possessive[2]
    if possessive and possessive[1] == "sein" and label == "ihr":
        return "ihr" + possessive[2]
    near = "dies" if bare.startswith("dies") else forms[0]
    return near if near in forms else forms[0]


_NEAR = ("este", "ese", "esto", "eso", "esta", "esa")


def _spanish(label: str, forms: list[str], bare: str, before: str, after: str) -> str:
    """A demonstrative of the same distance."""
    near = "esto" if bare in _NEAR and bare.startswith("est") else forms[0]
    return near if near in forms else forms[0]


_ELIDED = ("le", "la", "l'", "ce")
_VOWELS = frozenset("aâàäeéèêëiîïoôöuùûüœæ")
_ASPIRATED = tuple(
    "hach haï hais hait halet handicap hant happ harangu harass harcel harcèl harponn hasard hât"
    " hauss hél hèl hériss heurt hiss hoch honn hue hué hurl".split()
)
"""How verbs begin whose h elides nothing."""


def elides(after: str) -> bool:
    """Whether a French word is elided before this text: a vowel, a mute h, or y."""
    following = next_word(after)
    if following.startswith("h"):
        return not following.startswith(_ASPIRATED)
    return following == "y" or following[:1] in _VOWELS


def _french(label: str, forms: list[str], bare: str, before: str, after: str) -> str:
    """l' before vowels, le or la elsewhere; ça where the text says so, too; c' before est."""
    tied = before.endswith("-")
    vowel = elides(after) and not tied
    if label in ("le", "la", "l'"):
        if vowel:
            return "l'"
        return label if label != "l'" else "la" if bare in ("la", "elle", "elles") else "le"
    if label == "ce" and vowel:
        return "ç'" if next_word(after).startswith("a") else "c'"
    if label == "ce":
        return "ce"
    if label == "cela" and re.search(r"\bça\b", f"{before} {after}", re.IGNORECASE):
        return "ça"
    return forms[0]


_CHOSEN = {"en": _english, "de": _german, "es": _spanish, "fr": _french}


def _apostrophe(word: str, before: str, after: str) -> str:
    """The apostrophe of a text: that of the word itself or else the nearest one."""
    marks = [mark for mark in word + after + before[::-1] if mark in APOSTROPHES]
    return marks[0] if marks else "'"


def _cased(chosen: str, word: str, before: str, after: str, language: str) -> str:
    letters = [letter for letter in word if letter.isalpha()]
    if not letters:
        return _initial(chosen) if starts_sentence(before) else chosen
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return chosen.upper()
    if not letters[0].isupper():
        return chosen
    if len(letters) == 1:
        beside = re.match(r"\W*([^\W\d_]{2,})", after)
        if beside and beside[1].isupper():
            return chosen.upper()
    if language == "de" and not starts_sentence(before):
        return chosen  # a capital is of formal address there
    return _initial(chosen)


def _initial(word: str) -> str:
    return word[:1].upper() + word[1:]
