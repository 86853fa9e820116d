"""The few word classes that the subject rules ask for, whatever tagger was used.

`word-classes.tsv` gives them for the tag sets of BNC (HanTa English), Penn, STTS, UD and for
the 12 universal tags.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from pathlib import Path

from crosspro.data_prep.core.files.table_file import table_rows
from crosspro.data_prep.core.token import AnnotatedSentence, Token

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
        found = table.get(("ud", f"{token.upos}/{form}")) or table.get(("ud", token.upos))
        if found:
            return found
    return table.get(("universal", token.tag), WordClass.OTHER)
