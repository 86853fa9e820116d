"""What a network may read of a token: every field is declared once, here or in a network's file.

A field says on which side its tokens stand, where an example has them, and which word each becomes.
Only the fields that a network names are counted, encoded, cached and moved to its device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Literal

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import TAG_SEPARATOR, Example, Gap, Side, Token
from crosspro.data_prep.formats.shared_task import is_placeholder
from crosspro.data_prep.lexicon.lexicon import Lexicon

GAP_WORD = "<gap>"

Tokens = Callable[[Example], Sequence[str]]


@dataclass(frozen=True)
class Field:
    """A word for each token of one side, or for each gap; `name` is a Python name.

    `tokens` are those of an example as they stand there, and `word` makes a word of one. It is
    called once a type; fields with the same `tokens` share them. A `folded` field is lower-cased
    where the settings say so, a `spelled` one has a vocabulary of characters, and one that is made
    from a parse of the source (`parse`) lets no data without one pass. Fields with the same
    `vocabulary` number their words alike; without one a field has its own. `listed` makes the word
    instead, with the lexicon of its side if there is one. Words that are all known beforehand
    (`closed`) are numbered whether a text has them or not.
    """

    name: str
    side: Literal["source", "target", "gap"]
    tokens: Tokens
    word: Callable[[str], str] = str
    folded: bool = False
    spelled: bool = False
    parse: bool = False
    vocabulary: str = ""
    listed: Callable[[str, Lexicon | None], str] | None = None
    closed: tuple[str, ...] = ()

    @property
    def numbered_in(self) -> str:
        """The name of the vocabulary that its words have their numbers from."""
        return self.vocabulary or self.name

    def read(self, token: str, lowercase: bool, lexicons: Mapping[str, Lexicon]) -> str:
        """The word that a token becomes."""
        if self.listed is not None:
            return self.listed(token, lexicons.get(self.side))
        word = self.word(token)
        return word.lower() if self.folded and lowercase else word


@dataclass(frozen=True)
class Reads:
    """What a network reads of an example with certain settings.

    `parse` names the settings that ask for a parse of the source, with the values that do not, and
    is empty if all do; None needs none. `heads` does so for the dependencies in it, and `earlier`
    for sentences before the gap's own, which `training.context` gives. `lexicons` has the settings
    that name the lexicon of a side, and what they say (see `lexicon_fields`); with `nouns` those of
    languages without gender have at least that.
    """

    fields: tuple[Field, ...]
    parse: Mapping[str, object] | None = None
    heads: Mapping[str, object] | None = None
    earlier: Mapping[str, object] | None = None
    lexicons: Mapping[Side, str] = field(default_factory=dict)
    nouns: bool = False


def source_words(example: Example) -> Sequence[str]:
    """The source as it is."""
    return example.source


def parsed(example: Example) -> Sequence[Token]:
    """The parse of the source; data without one is refused before it is read."""
    if example.source_parse is None:
        raise CrossproError("expected a parse of the source, found a sentence without one")
    return example.source_parse.tokens


def target_tokens(example: Example) -> Sequence[str]:
    """The target as lemmas with their tags, which are empty where words are inflected."""
    if example.tagged:
        return example.target
    return [f"{word}{TAG_SEPARATOR}" for word in example.lemmas]


def target_lemmas(example: Example) -> Sequence[str]:
    """The target without its tags, as it is where words are inflected."""
    return example.lemmas


def _target_tags(example: Example) -> Sequence[str]:
    """The tags of the target, which are empty where words are inflected; gaps have their mark."""
    pairs = zip(example.lemmas, example.tags or repeat(None), strict=False)
    return [GAP_WORD if is_placeholder(lemma) else tag or "" for lemma, tag in pairs]


def aligned_words(example: Example) -> Sequence[str]:
    """The source words linked to each gap, joined; the source pronoun itself if there are none."""
    return [_aligned(example, gap) for gap in example.gaps]


def _aligned(example: Example, gap: Gap) -> str:
    linked = sorted({s for s, t in example.links if t == gap.position})
    return " ".join(example.source[index] for index in linked or [gap.source_index])


def _source_lemmas(example: Example) -> Sequence[str]:
    return [token.lemma for token in parsed(example)]


def _source_tags(example: Example) -> Sequence[str]:
    return [token.tag for token in parsed(example)]


def _source_labels(example: Example) -> Sequence[str]:
    return [token.deprel for token in parsed(example)]


def _lemma(lemma: str) -> str:
    return GAP_WORD if is_placeholder(lemma) else lemma


def _lemma_tag(token: str) -> str:
    if is_placeholder(token):
        return f"{GAP_WORD}{TAG_SEPARATOR}{GAP_WORD}"
    return token if TAG_SEPARATOR in token else f"{token}{TAG_SEPARATOR}"


SOURCE = Field("source", "source", source_words, folded=True)
SOURCE_LEMMA = Field("source_lemma", "source", _source_lemmas, folded=True, parse=True)
SOURCE_TAG = Field("source_tag", "source", _source_tags, parse=True)
SOURCE_LABEL = Field("source_label", "source", _source_labels, parse=True)
CHARACTER = Field("character", "source", source_words, folded=True, spelled=True)
LEMMA = Field("lemma", "target", target_lemmas, _lemma)
TAG = Field("tag", "target", _target_tags)
LEMMA_TAG = Field("lemma_tag", "target", target_tokens, _lemma_tag)
PRONOUN = Field("pronoun", "gap", aligned_words, folded=True)
