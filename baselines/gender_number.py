"""The nouns and pronouns of a target sentence as gender and number, for a pronoun language model.

IDIAP 2016 took both from Morfette, a tagger of inflected French. Here the gender of a noun comes
from a lexicon or from a parse of the target. Its number comes from the word where the target is
inflected; lemmas have none, and it is read off the English noun that is linked to it: from its
parse, else from its final s.
"""

from __future__ import annotations

from collections.abc import Iterator

from crosspro.data_prep.antecedents import NOUN_TAGS
from crosspro.data_prep.example import Example
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.words import word_set

PRONOUN_TAGS = frozenset(("PRO", "PRON"))
UNKNOWN = "?"
_PLURAL_WITHOUT_S = word_set("number", "en", "plurals-without-s")


def gender_numbers(example: Example, lexicon: Lexicon | None) -> Iterator[tuple[int, str]]:
    """The positions of nouns and pronouns, gaps aside, and `Fem.Plur` or the like for each.

    A pronoun stands for itself, as its lemma says person and, mostly, gender.
    """
    gaps = {gap.position for gap in example.gaps}
    partners: dict[int, list[int]] = {}
    for source, target in example.links:
        partners.setdefault(target, []).append(source)
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
            number = (token.feature("Number") if token and not example.tagged else "") or (
                _source_number(example, partners.get(place, []))
                if example.tagged or lexicon is None
                else lexicon.number(word)
            )
            yield place, f"{gender or UNKNOWN}.{number or UNKNOWN}"


def _source_number(example: Example, places: list[int]) -> str | None:
    """The number of the last linked source word that shows one."""
    for place in sorted(places, reverse=True):
        if example.source_parse is not None:
            number = example.source_parse.tokens[place].feature("Number")
            if number:
                return number
        word = example.source[place].lower()
        if len(word) > 3:
            plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
            return "Plur" if plural or word in _PLURAL_WITHOUT_S else "Sing"
    return None
