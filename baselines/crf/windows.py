"""What UU-Cap's CRF reads of every target token: a window of values around it, by place.

A column has a value for each word of a text (its lemma, its tag, …) and a window of places; each
token takes the values at those places around its centre. The sparse rows of a batch are made when
they are asked for, so that a text of millions of tokens needs the memory of its columns alone.

The gender of target nouns and the gender and number of source words come from a parse where the
data has one, else from a lexicon. In lemmatised data the word is its lemma.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from crosspro.baselines.crf.chain import Ints
from crosspro.baselines.crf.model import Matrix
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import AnnotatedSentence, Example
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import check_settings, to_mapping
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS
from crosspro.data_prep.lexicon.lexicon import GENDERS, NOUNS, NUMBERS, Lexicon

NOTHING = ""
"""A value that gives no feature, as values that are too rare do."""

OUTSIDE = "\n"
"""The value before the beginning and after the end of a sentence; no word is a line end."""


@dataclass(frozen=True)
class Template:
    """Which places of a column a token sees, and the values that are features, in order."""

    name: str
    places: tuple[int, ...]
    values: tuple[str, ...]

    @property
    def width(self) -> int:
        """The number of features."""
        return len(self.places) * len(self.values)

    @property
    def says_nothing(self) -> bool:
        """Whether no word of the training data had a value."""
        return self.values == (OUTSIDE,)

    def feature(self, number: int) -> str:
        """A feature in words: `target lemma -1=être`."""
        place, value = divmod(number, len(self.values))
        shown = self.values[value]
        where = f" {self.places[place]:+d}" if len(self.places) > 1 else ""
        return f"{self.name}{where}={'(outside)' if shown == OUTSIDE else shown}"


def learn_template(
    name: str, places: Iterable[int], sentences: Iterable[Sequence[str]], min_count: int
) -> Template:
    """The values of a column that occur often enough, the most frequent first."""
    counts = Counter(chain.from_iterable(sentences))
    counts.pop(NOTHING, None)
    frequent = [value for value, count in counts.items() if count >= min_count]
    frequent.sort(key=lambda value: (-counts[value], value))
    return Template(name, tuple(places), (OUTSIDE, *frequent))


@dataclass(frozen=True)
class _Column:
    """Numbers of values, from 1 (0 gives no feature), and where the centre of each token is."""

    numbers: NDArray[np.int32]
    centres: Ints
    first: int
    template: Template


class Windows:
    """The features of the tokens of some sentences."""

    def __init__(self) -> None:
        self.columns: list[_Column] = []
        self.width = 0

    def add(
        self,
        template: Template,
        sentences: Sequence[Sequence[str]],
        centres: Sequence[Sequence[int | None]] | None = None,
    ) -> None:
        """A column: the values of each sentence, and for each token the word that it looks at.

        Tokens look at the word in their own place if nothing is said, and at nothing for None.
        """
        number_of = {value: number for number, value in enumerate(template.values, start=1)}
        margin = max(map(abs, template.places), default=0)
        between = [OUTSIDE] * margin
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        firsts = np.cumsum(lengths + margin) - lengths
        flat = chain(between, *(chain(sentence, between) for sentence in sentences))
        size = int(lengths.sum()) + margin * (len(sentences) + 1)
        numbers = np.fromiter((number_of.get(value, 0) for value in flat), np.int32, size)
        if centres is None:
            starts = np.cumsum(lengths) - lengths
            where = np.repeat(firsts - starts, lengths) + np.arange(int(lengths.sum()))
        else:
            centred = chain.from_iterable(
                (-1 if place is None else first + place for place in row)
                for first, row in zip(firsts.tolist(), centres, strict=True)
            )
            where = np.fromiter(centred, np.int64)
        self.columns.append(_Column(numbers, where, self.width, template))
        self.width += template.width

    def feature(self, number: int) -> str:
        """A feature in words."""
        column = next(one for one in reversed(self.columns) if one.first <= number)
        return column.template.feature(number - column.first)

    def rows(self, tokens: Ints) -> Matrix:
        """The features of the tokens with these numbers, as a sparse array of ones."""
        parts = []
        for column in self.columns:
            centres = column.centres[tokens]
            template = column.template
            numbers = column.numbers[centres[:, None] + np.array(template.places, dtype=np.int64)]
            shift = column.first - 1 + np.arange(len(template.places)) * len(template.values)
            there = (numbers > 0) & (centres >= 0)[:, None]
            parts.append(np.where(there, numbers + shift, -1))
        features = np.concatenate([np.zeros((len(tokens), 0), np.int64), *parts], axis=1)
        there = features >= 0
        indices = features[there].astype(np.int32)
        starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
        ones = np.ones(len(indices), dtype=np.float32)
        return sparse.csr_array((ones, indices, starts), shape=(len(tokens), self.width))


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
        return _with_gaps(example, [example.tag(place) for place in range(len(example.lemmas))])
    return _with_gaps(example, [token.tag for token in parse.tokens])


def _with_gaps(example: Example, values: Values) -> Values:
    for gap in example.gaps:
        values[gap.position] = GAP
    return values


def _target_genders(example: Example, lexicon: Lexicon | None) -> Values:
    """Of nouns: by a parse, else by the lexicon."""
    parsed = _parsed(example.target_parse, "Gender", GENDERS)
    gaps = {gap.position for gap in example.gaps}
    words = zip(example.lemmas, parsed or [NOTHING] * len(example.lemmas), strict=True)
    values = []
    for place, (lemma, known) in enumerate(words):
        found = NOTHING if place in gaps else known
        if not found and lexicon is not None and place not in gaps:
            noun = example.tag(place) in NOUN_TAGS if example.tagged else lexicon.is_noun(lemma)
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


@dataclass(frozen=True)
class _Saved:
    """What the file of templates holds."""

    templates: tuple[Template, ...]


def save_templates(path: Path, templates: Sequence[Template]) -> None:
    """Write templates."""
    content = to_mapping(_Saved(tuple(templates)))
    write_text(path, json.dumps(content, ensure_ascii=False) + "\n")


def load_templates(path: Path, columns: Sequence[TokenColumn]) -> list[Template]:
    """Read the templates of columns."""
    templates = list(check_settings(_Saved, read_json_object(path), path).templates)
    expected = [(column.name, tuple(column.places)) for column in columns]
    if [(template.name, template.places) for template in templates] != expected:
        names = ", ".join(name for name, _ in expected)
        raise input_error(
            path, "templates", f"those of {names}, in windows of the settings", "others"
        )
    return templates
