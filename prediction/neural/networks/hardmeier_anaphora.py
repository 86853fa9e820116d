"""The network of UU-Hardmeier 2016 (003 §5.10): the antecedent is a latent variable.

A feed-forward network reads the source pronoun and three source words, target lemmas and target
tags on each side. Nouns of the target before the gap are the candidates, one of which, or none, is
the antecedent a: p(class) is the sum over them of p(a) p(class | a), and no label says which it is.
p(a) sees the noun, the source word linked to it, how far away it is, and the words around the gap;
p(class | a) sees the noun and the same context. Gender and number of nouns are read where a parse
beside the data has them. How many sentences are searched for nouns is a matter of
`training.context`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.lexicon.antecedents import nouns_of
from crosspro.prediction.neural.layers.antecedent_pointer import LatentAntecedent
from crosspro.prediction.neural.layers.network import (
    SPREAD,
    Antecedents,
    Network,
    as_float32,
    small_embeddings,
)
from crosspro.prediction.neural.layers.windows import outwards
from crosspro.prediction.neural.network_settings import Fraction, NetworkSettings, Size
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.fields import LEMMA, PRONOUN, SOURCE, TAG, Field, Reads
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory

_NO_NOUN = ""
_MOST_SENTENCES = 6
"""Sentences between a noun and the gap are counted up to this."""
_OCTAVES = 12
"""Tokens between them are counted in powers of two."""


def noun_kinds(example: Example) -> Sequence[str]:
    """Gender and number of each noun of the target; nothing for other words."""
    kinds = {
        position: f"{gender or '?'} {number or '?'}"
        for position, (gender, number) in nouns_of(example, "target").items()
    }
    return [kinds.get(position, _NO_NOUN) for position in range(len(example.lemmas))]


def linked_words(example: Example) -> Sequence[str]:
    """The last source word linked to each word of the target: the noun of article and noun."""
    last = {target: source for source, target in sorted(example.links)}
    return [
        example.source[last[position]] if position in last else ""
        for position in range(len(example.lemmas))
    ]


NOUN = Field("noun", "target", noun_kinds)
LINKED = Field("linked", "target", linked_words, folded=True)


@settings
class HardmeierAnaphoraSettings(NetworkSettings):
    """Sizes, and how many nouns are candidates, within how many tokens."""

    name: Literal["hardmeier_anaphora"] = "hardmeier_anaphora"
    words: Size = 50
    tags: Size = 10
    kinds: Size = 5
    distances: Size = 10
    hidden: Size = 100
    anaphora_hidden: Size = 50
    context_words: Size = 3
    candidates: Size = 20
    window: Size = 150
    dropout: Fraction = 0.5

    @property
    def points(self) -> bool:
        return True

    @property
    def reads(self) -> Reads:
        return Reads((SOURCE, LEMMA, TAG, PRONOUN, NOUN, LINKED))

    def build(self, inventory: Inventory) -> HardmeierAnaphora:
        return HardmeierAnaphora(inventory, self)


@dataclass(frozen=True)
class Candidates:
    """The nearest nouns (batch, candidates): positions, and distances to the gap."""

    positions: Tensor
    exists: Tensor
    tokens: Tensor
    sentences: Tensor


class HardmeierAnaphora(Network):
    """A window of words, and a choice among the nouns before it."""

    def __init__(self, inventory: Inventory, settings: HardmeierAnaphoraSettings) -> None:
        super().__init__()
        self.settings = settings
        words, tags, distances = settings.words, settings.tags, settings.distances
        self.no_noun = inventory.vocabularies[NOUN.name].number(_NO_NOUN)
        sizes = {SOURCE: words, LEMMA: words, TAG: tags, PRONOUN: words, NOUN: settings.kinds}
        sizes[LINKED] = words
        of_names = {field.name: size for field, size in sizes.items()}
        self.embeddings = small_embeddings(inventory, of_names)
        self.octaves = nn.Parameter(torch.randn(_OCTAVES, distances) * SPREAD)
        self.sentences = nn.Parameter(torch.randn(_MOST_SENTENCES, distances) * SPREAD)
        self.ranks = nn.Parameter(torch.randn(settings.candidates + 1, distances) * SPREAD)
        around = 2 * settings.context_words * (2 * words + tags) + words
        noun = 2 * words + settings.kinds
        self.dropout = nn.Dropout(settings.dropout)
        self.context_to_anaphora = nn.Linear(around, settings.anaphora_hidden)
        self.noun_to_anaphora = nn.Linear(
            noun + 3 * distances, settings.anaphora_hidden, bias=False
        )
        self.antecedent = nn.Linear(settings.anaphora_hidden, 1, bias=False)
        self.context_to_hidden = nn.Linear(around, settings.hidden)
        self.noun_to_hidden = nn.Linear(noun, settings.hidden, bias=False)
        self.output = nn.Linear(settings.hidden, len(inventory.classes))

    def extents(self, text: EncodedText) -> Tensor:
        back = text.target.position - text.target.low
        return torch.clamp(back, 1, self.settings.window)

    def forward(self, text: EncodedText, gaps: Tensor) -> Tensor:
        """(batch, classes): the logarithms of probabilities."""
        return self._latent(text, gaps, self._candidates(text, gaps)).scores

    def antecedents(self, text: EncodedText, gaps: Tensor) -> Sequence[Antecedents]:
        nouns = self._candidates(text, gaps)
        latent = self._latent(text, gaps, nouns)
        probabilities, given_class = latent.antecedent.exp(), latent.given_class
        return [Antecedents("target", nouns.positions, probabilities[:, 1:], given_class[:, :, 1:])]

    def _latent(self, text: EncodedText, gaps: Tensor, nouns: Candidates) -> LatentAntecedent:
        around = self.dropout(self._around(text, gaps))
        vectors = torch.cat(
            [
                self.embeddings[field.name](
                    torch.where(nouns.exists, text[field.name][nouns.positions], PAD)
                )
                for field in (LEMMA, LINKED, NOUN)
            ],
            -1,
        )
        vectors = self.dropout(nn.functional.pad(vectors, (0, 0, 1, 0)))  # none is a noun of zeros
        distances = self._distances(nouns)
        hidden = self.context_to_anaphora(around)[:, None] + self.noun_to_anaphora(
            torch.cat((vectors, distances), -1)
        )
        scores = as_float32(self.antecedent(torch.tanh(hidden)).squeeze(-1))
        exists = nn.functional.pad(nouns.exists, (1, 0), value=True)
        antecedent = scores.masked_fill(~exists, -torch.inf).log_softmax(1)
        hidden = torch.tanh(self.context_to_hidden(around)[:, None] + self.noun_to_hidden(vectors))
        classes = as_float32(self.output(self.dropout(hidden))).log_softmax(-1)
        return LatentAntecedent(antecedent, classes)

    def _around(self, text: EncodedText, gaps: Tensor) -> Tensor:
        """The embeddings of the pronoun and of the words on each side, within the sentence."""
        parts = [self.embeddings[PRONOUN.name](text[PRONOUN.name][gaps])]
        size = self.settings.context_words
        for step in (-1, 1):
            for field in (SOURCE, LEMMA, TAG):
                spans = text.source[gaps] if field is SOURCE else text.target[gaps]
                window = outwards(spans, step, size, own_sentence=True)
                vectors = self.embeddings[field.name](window.pick(text[field.name]))
                missing = size - vectors.shape[1]
                parts.append(nn.functional.pad(vectors, (0, 0, 0, missing)).flatten(1))
        return torch.cat(parts, -1)

    def _candidates(self, text: EncodedText, gaps: Tensor) -> Candidates:
        spans = text.target[gaps]
        back = outwards(spans, -1, self.settings.window)
        width = back.positions.shape[1]
        nouns = back.inside & (text[NOUN.name][back.positions] != self.no_noun)
        rank = torch.arange(1, self.settings.candidates + 1, device=gaps.device)
        steps = torch.searchsorted(nouns.cumsum(1), rank.expand(len(gaps), -1).contiguous())
        exists = steps < width
        steps = steps.clamp(max=width - 1)
        positions = back.positions.gather(1, steps)
        sentence = torch.searchsorted(text.positions["target_starts"], positions, right=True) - 1
        between = text.positions["sentence"][gaps][:, None] - sentence
        return Candidates(positions, exists, steps + 1, between)

    def _distances(self, nouns: Candidates) -> Tensor:
        octaves = (nouns.tokens + 0.5).log2().long().clamp(max=_OCTAVES - 1)
        sentences = nouns.sentences.clamp(max=_MOST_SENTENCES - 1)
        vectors = torch.cat((self.octaves[octaves], self.sentences[sentences]), -1)
        vectors = nn.functional.pad(vectors, (0, 0, 1, 0))
        return torch.cat((vectors, self.ranks.expand(len(vectors), -1, -1)), -1)
