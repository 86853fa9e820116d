"""Input fields: what a network may read of each token or gap. A network names those it reads.

Only the fields that a network names are counted, encoded and moved to its device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Literal

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import TAG_SEPARATOR, Example, Side
from crosspro.data_prep.formats.shared_task import is_placeholder
from crosspro.data_prep.lexicon.lexicon import Lexicon

GAP_MARKER = "<gap>"

Tokens = Callable[[Example], Sequence[str]]


@dataclass(frozen=True)
class Field:
    """A word for each token of one side, or for each gap.

    `tokens` takes the tokens from an example, and `word` turns a token type into a word. A `folded`
    field is lower-cased where the settings say so; a `spelled` field has a vocabulary of
    characters; `parse` marks fields that need a parse of the source. Fields with the same
    `vocabulary` share it. `lookup` replaces `word` for fields that look a token up in the lexicon
    of their side. `closed` lists the words of a field that are all known beforehand.
    """

    name: str
    side: Literal["source", "target", "gap"]
    tokens: Tokens
    word: Callable[[str], str] = str
    folded: bool = False
    spelled: bool = False
    parse: bool = False
    vocabulary: str = ""
    lookup: Callable[[str, Lexicon | None], str] | None = None
    closed: tuple[str, ...] = ()

    @property
    def vocabulary_name(self) -> str:
        return self.vocabulary or self.name

    def read(self, token: str, lowercase: bool, lexicons: Mapping[str, Lexicon]) -> str:
        if self.lookup is not None:
            return self.lookup(token, lexicons.get(self.side))
        word = self.word(token)
        return word.lower() if self.folded and lowercase else word


@dataclass(frozen=True)
class Reads:
    """What a network reads with its settings.

    `heads` asks for dependencies of the source, `earlier` for sentences before the gap's own
    (`training.context`). `lexicons` names the lexicon of each side; with `nouns`, sides in
    languages without gender get a list of nouns.
    """

    fields: tuple[Field, ...]
    heads: bool = False
    earlier: bool = False
    lexicons: Mapping[Side, str] = field(default_factory=dict)
    nouns: bool = False

    @property
    def needs_parse(self) -> bool:
        return self.heads or any(field.parse for field in self.fields)


def source_words(example: Example) -> Sequence[str]:
    return example.source


def target_tokens(example: Example) -> Sequence[str]:
    """The target as lemmas with their tags, which are empty where words are inflected."""
    if example.tagged:
        return example.target
    return [f"{word}{TAG_SEPARATOR}" for word in example.lemmas]


def target_lemmas(example: Example) -> Sequence[str]:
    return example.lemmas


def _target_tags(example: Example) -> Sequence[str]:
    """The tags of the target, empty where words are inflected; a gap has the gap word."""
    pairs = zip(example.lemmas, example.tags or repeat(None), strict=False)
    return [GAP_MARKER if is_placeholder(lemma) else tag or "" for lemma, tag in pairs]


def aligned_words(example: Example) -> Sequence[str]:
    """The source words linked to each gap, joined; the source pronoun itself if there are none."""
    words = []
    for gap in example.gaps:
        linked = sorted({source for source, target in example.links if target == gap.position})
        words.append(" ".join(example.source[index] for index in linked or [gap.source_index]))
    return words


def _of_parse(attribute: str) -> Tokens:
    def tokens(example: Example) -> Sequence[str]:
        if example.source_parse is None:
            raise CrossproError("expected a parse of the source, found a sentence without one")
        return [getattr(token, attribute) for token in example.source_parse.tokens]

    return tokens


def lemma_or_gap(lemma: str) -> str:
    return GAP_MARKER if is_placeholder(lemma) else lemma


def _lemma_tag(token: str) -> str:
    if is_placeholder(token):
        return f"{GAP_MARKER}{TAG_SEPARATOR}{GAP_MARKER}"
    return token if TAG_SEPARATOR in token else f"{token}{TAG_SEPARATOR}"


SOURCE = Field("source", "source", source_words, folded=True)
SOURCE_LEMMA = Field("source_lemma", "source", _of_parse("lemma"), folded=True, parse=True)
SOURCE_TAG = Field("source_tag", "source", _of_parse("tag"), parse=True)
SOURCE_LABEL = Field("source_label", "source", _of_parse("deprel"), parse=True)
CHARACTER = Field("character", "source", source_words, folded=True, spelled=True)
LEMMA = Field("lemma", "target", target_lemmas, lemma_or_gap)
TAG = Field("tag", "target", _target_tags)
LEMMA_TAG = Field("lemma_tag", "target", target_tokens, _lemma_tag)
PRONOUN = Field("pronoun", "gap", aligned_words, folded=True)
