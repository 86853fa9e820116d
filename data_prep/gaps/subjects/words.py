"""What the subject rules share: their judgements, word lists, and a few word classes.

`word-classes.tsv` gives the classes for the tag sets of BNC (HanTa English), Penn, STTS, UD and for
the 12 universal tags, so that any tagger will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.words.lists import table_rows, word_lists


@dataclass(frozen=True, slots=True)
class SubjectJudgement:
    """Whether the pronoun is a subject, and the name of the rule that said so."""

    subject: bool
    rule: str
    expletive: bool = False


@cache
def subject_words(language: str) -> dict[str, frozenset[str]]:
    """The lists of a language, by their names."""
    return {name: frozenset(words) for name, words in word_lists("subjects", language).items()}


WordClass = Enum(
    "WordClass",
    "ADJ ADV BASE COMPARE COORD DET FINITE ING NOUN NUM OTHER PARTICIPLE PARTICLE PREP PRON PUNCT "
    "REFLEXIVE RELATIVE SUBORD TO WH",
)
"""BASE, FINITE, ING and PARTICIPLE are verbs; COMPARE is `als`, `wie`; TO marks an infinitive."""


@cache
def _classes() -> dict[tuple[str, str], WordClass]:
    rows = table_rows(Path(__file__).resolve().parent / "word-classes.tsv", 3)
    return {(scheme, tag): WordClass[name] for scheme, tag, name in rows}


def word_classes(sentence: AnnotatedSentence) -> list[WordClass]:
    """The class of each token, from the best tag that it has."""
    return [_class_of(token, sentence.scheme) for token in sentence.tokens]


def _class_of(token: Token, scheme: str) -> WordClass:
    table = _classes()
    if token.xpos and (scheme, token.xpos) in table:
        return table[scheme, token.xpos]
    if token.upos:
        form = token.feature("VerbForm")
        word_class = table.get(("ud", f"{token.upos}/{form}")) or table.get(("ud", token.upos))
        if word_class:
            return word_class
    return table.get(("universal", token.tag), WordClass.OTHER)
