"""Patterns of pleonastic and event `it`; the first that fits decides, else `it` is anaphoric.

The names of the patterns in `PATTERNS`, by example: weather (it rains), seeming (it turns out),
reported (it is said that), extraposed_adjective (it is hard to say), extraposed_noun (it is time
to), taking (it took years to), set_phrase (when it comes to), time (it was the summer of), object
(I find it hard to believe), cleft (it was John who), happening (it depends), doing (we did it).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from crosspro.baselines.it_classifier.context import (
    ANAPHORIC,
    EVENT,
    LABELS,
    PLEONASTIC,
    ItContext,
    ItProbabilities,
    annotated,
)
from crosspro.data_prep.annotate.light_tagger import word_list
from crosspro.data_prep.core.example import Token

REACH = 12
"""How many words after `it` a clause that it announces begins at the latest."""
_END = Token("", "", ".")


class ItClause:
    """An `it` with the words around it: its verb, and what follows that."""

    def __init__(self, tokens: Sequence[Token], position: int) -> None:
        self.tokens = tokens
        self.position = position
        self.verbs, self.rest = self._verbs(position + 1)
        self.inverted = self._auxiliary_before()

    def at(self, place: int) -> Token:
        """The token at a place; beyond the ends it is as a full stop."""
        return self.tokens[place] if 0 <= place < len(self.tokens) else _END

    def word(self, place: int) -> str:
        return self.at(place).form.lower()

    def _skipped(self, place: int) -> bool:
        token = self.at(place)
        return token.tag == "ADV" or token.form.lower() in word_list("negation")

    def _verbs(self, place: int) -> tuple[list[str], int]:
        lemmas: list[str] = []
        while True:
            while place < len(self.tokens) and self._skipped(place):
                place += 1
            token = self.at(place)
            infinitive = bool(lemmas) and token.form.lower() == "to"
            if infinitive and lemmas[-1] in ("have", "go", "use", "be"):
                place += 1
                continue
            if token.tag != "VERB" or (lemmas and lemmas[-1] not in word_list("auxiliary")):
                return lemmas, place
            lemmas.append(token.lemma.lower())
            place += 1

    def _auxiliary_before(self) -> str:
        """The auxiliary of a question: is it possible, does it matter."""
        before = self.at(self.position - 1)
        if before.form.lower() in word_list("negation"):
            before = self.at(self.position - 2)
        lemma = before.lemma.lower()
        return lemma if lemma in word_list("auxiliary") else ""

    @property
    def main_verb(self) -> str:
        """The verb of which it is the subject, empty if there is none."""
        if self.verbs:
            return self.verbs[-1]
        return self.inverted

    @property
    def is_copula(self) -> bool:
        """Whether it is the subject of a form of to be (or of what is like it)."""
        return self.main_verb in ("be", "become", "remain", "seem", "appear")

    def announces(self, start: int, openers: frozenset[str]) -> bool:
        """Whether a clause begins soon after a place, before the sentence is cut by a mark."""
        for place in range(start, min(start + REACH, len(self.tokens))):
            token = self.at(place)
            if token.tag == "." and token.form not in (",", '"', "'", "``", "''"):
                return False
            if token.form.lower() in openers:
                return True
        return False

    @property
    def governor(self) -> str:
        """The verb of which it is the object, empty if it is none."""
        before = self.at(self.position - 1)
        if before.tag != "VERB" or self.verbs or before.lemma.lower() == "be":
            return ""
        return before.lemma.lower()


_TO_THAT = frozenset(("to", "that", "for", "when", "if", "how", "whether", "what", "why"))
_THAT = frozenset(("that", "to", "whether", "how", "why", "what"))


def _weather(clause: ItClause) -> bool:
    follower = clause.word(clause.rest)
    end = clause.at(clause.rest + 1).tag in (".", "ADV", "ADP", "CONJ")
    cold = clause.main_verb in ("be", "get") and follower in word_list("weather-adjectives")
    return clause.main_verb in word_list("weather") or (cold and end)


def _seeming(clause: ItClause) -> bool:
    if clause.main_verb not in word_list("seeming"):
        return False
    after = clause.word(clause.rest)
    if clause.main_verb == "turn":
        return after == "out"
    if clause.main_verb in ("seem", "appear"):
        return after != "to" or clause.word(clause.rest + 1) in ("be", "me", "us", "have")
    return after == "that"


def _reported(clause: ItClause) -> bool:
    passive = "be" in clause.verbs[:-1] or clause.inverted == "be"
    place = clause.rest - 1 if passive else clause.rest
    reported = clause.word(place) in word_list("reported")
    return reported and clause.announces(place + 1, frozenset(("that", "to", "whether")))


def _extraposed_adjective(clause: ItClause) -> bool:
    if not clause.is_copula:
        return False
    place = clause.rest
    while clause.at(place).tag == "ADV" and place < clause.rest + 4:
        place += 1
    token = clause.at(place)
    if token.form.lower() in word_list("clause-adjectives"):
        after = clause.word(place + 1)
        return clause.announces(place + 1, _TO_THAT) or (after.endswith("ing") and len(after) > 4)
    return token.tag == "ADJ" and clause.word(place + 1) in _THAT


def _extraposed_noun(clause: ItClause) -> bool:
    if clause.main_verb != "be":
        return False
    for place in range(clause.rest, clause.rest + 5):
        if clause.word(place) in word_list("clause-nouns"):
            return clause.announces(place + 1, _TO_THAT)
    return clause.word(clause.rest) == "up" and clause.word(clause.rest + 1) == "to"


def _taking(clause: ItClause) -> bool:
    if clause.main_verb in word_list("taking"):
        return clause.announces(clause.rest, frozenset(("to",)))
    if clause.main_verb != "make":
        return False
    nouns = (clause.word(place) for place in range(clause.rest, clause.rest + 4))
    return any(noun in word_list("idiom-nouns") for noun in nouns)


def _set_phrase(clause: ItClause) -> bool:
    before, after = clause.word(clause.position - 1), clause.word(clause.rest)
    if clause.main_verb == "come":
        return before == "when" and after == "to"
    if clause.main_verb == "go":
        return after == "without"
    if clause.main_verb != "be":
        return False
    return after == "that" or (after == "worth" and before == "what")


def _time(clause: ItClause) -> bool:
    if clause.main_verb != "be":
        return False
    near = [clause.word(place) for place in range(clause.rest, clause.rest + 4)]
    return any(word in word_list("time-nouns") for word in near) and near[0] != "like"


def _object(clause: ItClause) -> bool:
    if clause.governor not in word_list("finding"):
        return False
    place = clause.position + 1
    while clause.at(place).tag == "ADV":
        place += 1
    token = clause.at(place)
    fits = token.tag == "ADJ" or token.form.lower() in word_list("clause-adjectives")
    return fits and clause.announces(place + 1, _TO_THAT)


def _cleft(clause: ItClause) -> bool:
    if clause.main_verb != "be":
        return False
    described = clause.word(clause.rest) in ("a", "an", "one", "about", "something")
    if described or clause.at(clause.rest).tag in (".", "VERB", "ADJ"):
        return False  # it is a tool that: it has an antecedent, which is described
    return clause.announces(clause.rest + 1, frozenset(("who", "that", "which")))


def _happening(clause: ItClause) -> bool:
    return clause.main_verb in ("happen", "depend", "matter", "mean", "occur")


def _doing(clause: ItClause) -> bool:
    after = clause.at(clause.position + 1)
    return clause.governor in ("do", "try") and after.tag in (".", "CONJ", "ADV", "ADP")


class Pattern(NamedTuple):
    """A pattern, the label that it tells, and how sure that is."""

    name: str
    fits: Callable[[ItClause], bool]
    label: str
    chance: float


PATTERNS = (
    Pattern("weather", _weather, PLEONASTIC, 0.8),
    Pattern("seeming", _seeming, PLEONASTIC, 0.8),
    Pattern("reported", _reported, PLEONASTIC, 0.9),
    Pattern("extraposed_adjective", _extraposed_adjective, PLEONASTIC, 0.9),
    Pattern("extraposed_noun", _extraposed_noun, PLEONASTIC, 0.8),
    Pattern("taking", _taking, PLEONASTIC, 0.7),
    Pattern("set_phrase", _set_phrase, PLEONASTIC, 0.8),
    Pattern("time", _time, PLEONASTIC, 0.6),
    Pattern("object", _object, PLEONASTIC, 0.9),
    Pattern("cleft", _cleft, PLEONASTIC, 0.6),
    Pattern("happening", _happening, EVENT, 0.6),
    Pattern("doing", _doing, EVENT, 0.5),
)
DEFAULT = Pattern("none", lambda clause: True, ANAPHORIC, 0.75)


def pattern_of(tokens: Sequence[Token], position: int) -> Pattern:
    clause = ItClause(tokens, position)
    return next((pattern for pattern in PATTERNS if pattern.fits(clause)), DEFAULT)


def pattern_probabilities(contexts: Sequence[ItContext]) -> ItProbabilities:
    """The chance of the pattern that fits for its label; the others share the rest."""
    rows = np.zeros((len(contexts), len(LABELS)))
    for row, context in zip(rows, contexts, strict=True):
        pattern = pattern_of(annotated(context.words), context.position)
        row[:] = (1 - pattern.chance) / (len(LABELS) - 1)
        row[LABELS.index(pattern.label)] = pattern.chance
    return rows


_COMPLEMENT_REACH = 5
"""How far from the verb the complement may begin."""
_FITS, _FITS_NOT = 0.9, 0.1
_AFTER_SEEMING = frozenset(("that", "as", "out", "to"))


def short_pattern_probabilities(contexts: Sequence[ItContext]) -> ItProbabilities:
    """Pleonastic with 0.9 where a pattern fits and with 0.1 where none does, else anaphoric.

    The few classical patterns of an `it` that refers to nothing, by word forms alone. They stand
    for NADA (Bergsma & Yarowsky 2011), which systems of the shared tasks used as a feature of gaps.
    """
    chances = np.array([_FITS if _short_fits(context) else _FITS_NOT for context in contexts])
    rows = np.zeros((len(contexts), len(LABELS)))
    rows[:, LABELS.index(PLEONASTIC)] = chances
    rows[:, LABELS.index(ANAPHORIC)] = 1 - chances
    return rows


def _short_fits(context: ItContext) -> bool:
    """Whether `it` stands before a verb of weather or seeming, or for a complement."""
    first = context.position + 1
    after = [word.lower() for word in context.words[first : first + 2 + _COMPLEMENT_REACH]]
    if any(word in word_list("weather-forms") for word in after[:3]):
        return True
    for place, word in enumerate(after[:3]):
        rest = after[place + 1 :]
        if word in word_list("seeming-forms"):
            return not _AFTER_SEEMING.isdisjoint(rest[:3])
        if word in word_list("copula-forms") or word in word_list("taking-forms"):
            return any(opener in word_list("complement-openers") for opener in rest[1:])
    return False
