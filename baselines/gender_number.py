"""The nouns and pronouns of a target sentence as gender and number, for a pronoun language model.

IDIAP 2016 took both from Morfette, a tagger of inflected French. Here the gender of a noun comes
from a lexicon or from a parse of the target, and its number too where the target is inflected.
Lemmas hide the number, and the source is not looked at (003 §5.2), so that it is not known there.
"""

from __future__ import annotations

from collections.abc import Iterator

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS
from crosspro.data_prep.lexicon.lexicon import Lexicon

PRONOUN_TAGS = frozenset(("PRO", "PRON"))
UNKNOWN = "?"


def gender_numbers(example: Example, lexicon: Lexicon | None) -> Iterator[tuple[int, str]]:
    """The positions of nouns and pronouns, gaps aside, and `Fem.Plur` or the like for each.

    A pronoun stands for itself, as its lemma says person and, mostly, gender.
    """
    gaps = {gap.position for gap in example.gaps}
    parse = example.target_parse
    for place, (word, tag) in enumerate(zip(example.lemmas, example.tags, strict=True)):
        if place in gaps:
            continue
        token = None if parse is None else parse.tokens[place]
        known = tag or (token.tag if token else "")
        if known in PRONOUN_TAGS:
            yield place, word.lower()
        elif known in NOUN_TAGS or (not known and lexicon is not None and lexicon.is_noun(word)):
            gender = (token.feature("Gender") if token else "") or (
                lexicon.gender(word) if lexicon else None
            )
            number = None
            if not example.tagged:
                number = (parse.number(place) if parse else "") or (
                    lexicon.number(word) if lexicon else None
                )
            yield place, f"{gender or UNKNOWN}.{number or UNKNOWN}"
