"""Mending: the word of a class as it is written in a place, and which pronouns are changed.

Only pronouns whose probability of being wrong reaches a threshold are considered, and only where a
word stands: missing and additional ones are never mended, nor is one for which the model has no
word that is more probable than all others together. Another gender or number has to be demanded:
by the noun that the pronoun seems to stand for, or by the pronoun of the source. A change is made
if nothing else has to follow (`following`), or if a lexicon has what follows without doubt; else it
is a suggestion that says why. Every pronoun is decided by itself, but a possessive that is changed
as well is no hindrance to its subject.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.lexicon.agreement import PronounAgreement
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt
from crosspro.prediction.proofread.following import following, may_stand
from crosspro.prediction.proofread.reasons import demands, of_nouns, source_kinds
from crosspro.prediction.proofread.surroundings import (
    Follower,
    Following,
    PronounChange,
    elides,
    is_possessive,
    next_word,
    owned_follows,
    plain_word,
    starts_sentence,
)
from crosspro.prediction.proofread.text import Edit, TranslatedSegment, TranslatedText

_LEAST = 0.05
"""How probable a class is at least that is suggested because it can stand in a place."""
_APOSTROPHES = "'’"
_SURE = 0.5
"""How probable a word is at least that is put for another: more than all others together."""


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


class Suggestion(NamedTuple):
    """The class that might stand for a word, its word, and the chances of all classes."""

    label: str
    word: str
    chances: Mapping[str, float]


def suggested(
    label: str, chances: Mapping[str, float], word: str, before: str, after: str, task: Task
) -> Suggestion:
    """What might stand for a word of a class: the most probable that can be there.

    If what can be there is hardly probable at all, it is the most probable of all others, and no
    word where the model is sure of none of them. A class that would be written as the word itself
    is no other: *ihr* and *ihre* before a noun, *le* and *la* before a vowel. The word has its
    chances.
    """
    others = sorted((one for one in chances if one not in (label, OTHER)), key=chances.__getitem__)
    found = [(one, written(one, word, before, after, task)) for one in reversed(others)]
    same = [one for one, new in found if word and new == word]
    if len(same) < len(found):
        own = chances[label] + sum(chances[one] for one in same)
        chances = {**chances, **dict.fromkeys(same, 0.0), label: own}
        found = [(one, new) for one, new in found if one not in same]
    kept = len(word) - len(_changing(word, task.target_language))
    for one, new in found:
        change = PronounChange(
            task.target_language, plain_word(word[kept:]), plain_word(new[kept:]),
            before + word + after, len(before) + kept, len(before) + len(word),
        )  # fmt: skip
        if chances[one] >= _LEAST and may_stand(change):
            return Suggestion(one, new, chances)
    if chances.get(OTHER, 0.0) >= _SURE and chances[found[0][0]] < _LEAST:
        return Suggestion(OTHER, "", chances)
    return Suggestion(*found[0], chances)


def _changing(word: str, language: str) -> str:
    """The piece of a word that changes: of a French verb with its pronoun the pronoun alone."""
    return word.rpartition("-")[2] if language == "fr" else word


def _first(label: str, forms: list[str], bare: str, before: str, after: str) -> str:
    return forms[0]


_ABSOLUTE = {"her": "hers", "their": "theirs", "your": "yours"}


def _english(label: str, forms: list[str], bare: str, before: str, after: str) -> str:
    """hers where no noun follows his."""
    absolute = bare == "his" and not owned_follows(after)
    return _ABSOLUTE.get(label, forms[0]) if absolute else forms[0]


_POSSESSIVE = re.compile(r"(sein|ihr)(e|en|em|er|es|)")
_STEMS = {"sein": "sein", "ihre": "ihr", "ihr": "ihr"}


def _german(label: str, forms: list[str], bare: str, before: str, after: str) -> str:
    """A possessive keeps its ending; ihr and ihre are one possessive, and sein has both."""
    possessive = _POSSESSIVE.fullmatch(bare)
    return _STEMS[label] + possessive[2] if possessive and label in _STEMS else forms[0]


_ELIDED = ("le", "la", "l'", "ce")


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


_CHOSEN: dict[str, Callable[[str, list[str], str, str, str], str]] = {
    "en": _english,
    "de": _german,
    "fr": _french,
}


def _apostrophe(word: str, before: str, after: str) -> str:
    """The apostrophe of a text: that of the word itself or else the nearest one."""
    marks = [mark for mark in word + after + before[::-1] if mark in _APOSTROPHES]
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
    formal = plain_word(word).startswith(("sie", "ihn", "ihr"))
    if language == "de" and formal and not starts_sentence(before):
        return chosen
    return _initial(chosen)


def _initial(word: str) -> str:
    return word[:1].upper() + word[1:]


class MendedPronoun(NamedTuple):
    """A change that is made; `old` and `new` reach to the last word that changes with it."""

    doubt: PronounDoubt
    old: str
    new: str


class SuggestedPronoun(NamedTuple):
    """A change that a person has to make, and why."""

    doubt: PronounDoubt
    new: str
    why: str


@dataclass(frozen=True)
class Mending:
    """The edits of the translation's file, what they change, and what is only suggested."""

    edits: tuple[Edit, ...]
    changes: tuple[MendedPronoun, ...]
    suggestions: tuple[SuggestedPronoun, ...]


_ELISION = re.compile(r"['’]$")
_TOKENISED = re.compile(r"\b(?:[cdjlmnst]|qu)['’] ", re.IGNORECASE)


def replacement(text: TranslatedText, segment: int, start: int, end: int, new: str) -> Edit | None:
    """The edit of the file that puts a word for these characters of a segment's translation.

    A space comes where a word is no longer elided (l'aime, les aime) and goes where it is. None if
    there are tags in it in the file, or the line ends there.
    """
    placed = text.segments[segment].target
    old = placed.text[start:end]
    if _ELISION.search(old) and not _ELISION.search(new) and placed.text[end : end + 1].isalpha():
        new += " "
    elif _ELISION.search(new) and not _ELISION.search(old) and not _TOKENISED.search(placed.text):
        end += placed.text[end : end + 1] == " "
    return placed.edit(start, end, new) if placed.stands_together(start, end) else None


class _Candidate(NamedTuple):
    """A pronoun that is to be changed, and the characters of its segment that change."""

    doubt: PronounDoubt
    start: int
    new: str


def mend(
    found: Sequence[PronounDoubt],
    text: TranslatedText,
    task: Task,
    threshold: float,
    lexicon: Lexicon | None = None,
) -> Mending:
    """What to change in a translation, of what was found there; `lexicon` is of its language."""
    doubts: dict[int, list[PronounDoubt]] = {}
    for doubt in found:
        wanted = doubt.kind is DoubtKind.WORD and doubt.wrong >= threshold
        if wanted and doubt.suggestion != doubt.word:
            doubts.setdefault(doubt.segment, []).append(doubt)
    edits: set[Edit] = set()
    changes: list[MendedPronoun] = []
    suggestions: list[SuggestedPronoun] = []
    for segment, its in doubts.items():
        for one, follows in _consequences(its, text, segment, task, lexicon):
            why = follows.why
            words = [Follower(one.start, one.doubt.end, one.new), *follows.words]
            made = [] if why else [replacement(text, segment, *word) for word in words]
            done = [edit for edit in made if edit is not None]
            if not why and (len(done) < len(words) or _overlap(done, edits)):
                why = "the file has tags or a line break there"
            if why:
                suggestions.append(SuggestedPronoun(one.doubt, one.doubt.suggestion, why))
                continue
            edits.update(done)
            changes.append(MendedPronoun(one.doubt, *_old_and_new(text, segment, words, one)))
    return Mending(tuple(sorted(edits)), tuple(changes), tuple(suggestions))


def _consequences(
    doubts: Sequence[PronounDoubt],
    text: TranslatedText,
    segment: int,
    task: Task,
    lexicon: Lexicon | None,
) -> list[tuple[_Candidate, Following]]:
    """What each change of a segment brings with it, given the possessives that change."""
    pair, language = text.segments[segment], task.target_language
    candidates = [_candidate(doubt, language) for doubt in doubts]
    found: list[tuple[_Candidate, Following]] = []
    changed: dict[int, str] = {}
    for one in sorted(candidates, key=lambda one: not is_possessive(one.doubt.word, language)):
        follows = _follows(one, pair, task, changed, lexicon)
        found.append((one, follows))
        if not follows.why:
            changed[one.start] = plain_word(one.new)
    return sorted(found, key=lambda one: one[0].start)


def _candidate(doubt: PronounDoubt, language: str) -> _Candidate:
    kept = len(doubt.word) - len(_changing(doubt.word, language))
    return _Candidate(doubt, doubt.start + kept, doubt.suggestion[kept:])


def _follows(
    one: _Candidate,
    pair: TranslatedSegment,
    task: Task,
    changed: Mapping[int, str],
    lexicon: Lexicon | None,
) -> Following:
    chance = one.doubt.suggestion_probability
    if not one.new or any(other > chance for other in one.doubt.probabilities.values()):
        return Following("the model expects another word, or none")
    if chance < _SURE:
        return Following(f"the model is not sure of another word ({chance:.2f})")
    target = pair.target.text
    old = plain_word(target[one.start : one.doubt.end])
    change = PronounChange(
        task.target_language, old, plain_word(one.new), target, one.start, one.doubt.end,
        one.doubt.source_word, pair.source.text, task.source_language, changed,
    )  # fmt: skip
    follows = following(change, lexicon)
    if not follows.why and not _demanded(one.doubt, change):
        return Following("no noun is known that it stands for")
    return follows


def _demanded(doubt: PronounDoubt, change: PronounChange) -> bool:
    """Whether another gender or number is asked for by a noun, or by the word of the source.

    In English only numbers are: genders are those of persons, whose names tell nothing.
    """
    language = change.language
    old, new = (of_nouns(word, language) for word in (change.old, change.new))
    if language == "en":
        old, new = (PronounAgreement(tuple((None, one) for _, one in a.kinds)) for a in (old, new))
    source = source_kinds(change.source_word, change.source_language)
    if old.meets(new) or not source.meets(old):
        return True
    words = change.old, change.new, change.source_word
    return demands(*words, doubt.stands_for, language)


def _overlap(some: Iterable[Edit], others: Iterable[Edit]) -> bool:
    others = tuple(others)
    return any(
        one != other and one.start < other.end and other.start < one.end
        for one in some
        for other in others
    )


def _old_and_new(
    text: TranslatedText, segment: int, words: Sequence[Follower], one: _Candidate
) -> tuple[str, str]:
    """A change as people read it: from the pronoun to the last word that changes with it."""
    target = text.segments[segment].target.text
    start, end = one.doubt.start, max(word.end for word in words)
    parts, done = [], start
    for word in sorted(words):
        parts += [target[done : word.start], word.text]
        done = word.end
    return target[start:end], "".join(parts)
