"""What UU-Cap's CRF reads of every target token, and of the source word behind a placeholder.

The gender of target nouns and the gender and number of source words come from a parse where the
data has one, else from a lexicon. In lemmatised data the word is its lemma.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crosspro.baselines.crf.windows import NOTHING
from crosspro.data_prep.core.example import AnnotatedSentence, Example
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS
from crosspro.data_prep.lexicon.lexicon import GENDERS, NOUNS, NUMBERS, Lexicon

GAP = "REPLACE"

_TOLD = (*NOUNS, "PRON")
"""The words whose gender and number a lexicon is asked for."""

Values = list[str]


@dataclass(frozen=True)
class TokenColumn:
    """A value for each word of a sentence, and how far around the token it is looked at.

    A column `of_source` has values of the source words; a placeholder looks at its source pronoun,
    and other tokens look at nothing.
    """

    name: str
    values: Callable[[Example], Values]
    window: int
    of_source: bool = False

    @property
    def places(self) -> range:
        """The places from so far before to so far after."""
        return range(-self.window, self.window + 1)


def token_columns(
    window: int, lexicon: Lexicon | None, source_lexicon: Lexicon | None
) -> list[TokenColumn]:
    """The columns of UU-Cap (003 §5.9)."""

    def target_genders(example: Example) -> Values:
        return _target_genders(example, lexicon)

    def source_feature(feature: str, known: Sequence[str]) -> Callable[[Example], Values]:
        return lambda example: [
            _source_feature(example, place, feature, known, source_lexicon)
            for place in range(len(example.source))
        ]

    return [
        TokenColumn("target lemma", _lemmas, window),
        TokenColumn("target tag", _tags, window),
        TokenColumn("target gender", target_genders, window),
        TokenColumn("source pronoun", lambda example: list(example.source), 0, True),
        TokenColumn("source number", source_feature("Number", NUMBERS), window, True),
        TokenColumn("source gender", source_feature("Gender", GENDERS), window, True),
    ]


def _lemmas(example: Example) -> Values:
    return _with_gaps(example, list(example.lemmas))


def _tags(example: Example) -> Values:
    parse = example.target_parse
    if example.tagged or parse is None:
        return _with_gaps(example, list(example.tags))
    return _with_gaps(example, [token.tag for token in parse.tokens])


def _with_gaps(example: Example, values: Values) -> Values:
    for gap in example.gaps:
        values[gap.position] = GAP
    return values


def _target_genders(example: Example, lexicon: Lexicon | None) -> Values:
    """Of nouns: by a parse, else by the lexicon."""
    parsed = _parsed(example.target_parse, "Gender", GENDERS)
    gaps = {gap.position for gap in example.gaps}
    words = zip(
        example.lemmas, example.tags, parsed or [NOTHING] * len(example.target), strict=True
    )
    values = []
    for place, (lemma, tag, known) in enumerate(words):
        found = NOTHING if place in gaps else known
        if not found and lexicon is not None and place not in gaps:
            noun = tag in NOUN_TAGS if example.tagged else lexicon.is_noun(lemma)
            found = (lexicon.gender(lemma) if noun else None) or NOTHING
        values.append(found)
    return values


def _source_feature(
    example: Example, place: int, feature: str, known: Sequence[str], lexicon: Lexicon | None
) -> str:
    parse = example.source_parse
    if parse is not None:
        number = feature == "Number"
        value = parse.number(place) if number else parse.tokens[place].feature(feature)
        if value in known:
            return value
    if lexicon is None:
        return NOTHING
    told = lexicon.number if feature == "Number" else lexicon.gender
    return told(example.source[place], _TOLD) or NOTHING


def _parsed(parse: AnnotatedSentence | None, feature: str, known: Sequence[str]) -> Values:
    """A feature of each token of a parse; nothing where there is no parse."""
    if parse is None:
        return []
    values = (token.feature(feature) for token in parse.tokens)
    return [value if value in known else NOTHING for value in values]
