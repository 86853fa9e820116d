"""The network of UU-Hardmeier 2016 (003 §5.10): the antecedent is a latent variable.

A feed-forward network reads the source pronoun and three source words, target lemmas and target
tags on each side. Nouns of the target before the gap are the candidates, one of which, or none, is
the antecedent a: p(class) is the sum over them of p(a) p(class | a). Nobody tells which it is; what
is learnt is the sum. p(a) sees the noun, the source word linked to it, how far away it is, and what
is read around the gap; p(class | a) sees the noun and the same context. Gender and number of nouns
are read where a parse beside the data has them. How many sentences are searched for nouns is a
matter of `training.context`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import SIDES, Example
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.lexicon.antecedents import nouns_of
from crosspro.prediction.neural.layers.antecedent_pointer import LatentAntecedent
from crosspro.prediction.neural.layers.embedding import SPREAD, exact, small_embedding
from crosspro.prediction.neural.layers.network import Network, PointedTokens
from crosspro.prediction.neural.network_settings import Dropout, NetworkSettings, Size
from crosspro.prediction.neural.reading.fields import LEMMA, PRONOUN, SOURCE, TAG, Field, Reads
from crosspro.prediction.neural.reading.tensors import (
    GapTensors,
    Indices,
    inside,
    pick,
    window,
)
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory

_NO_NOUN, _FIRST = "", "first"
_SENTENCES = 6
"""Sentences between a noun and the gap are counted up to this."""
_OCTAVES = 12
"""Tokens between them are counted in powers of two."""


def noun_kinds(example: Example) -> Sequence[str]:
    """What is known of gender and number of each noun of the target; nothing of other words."""
    nouns = nouns_of(example, "target")
    found = {place: f"{gender or '?'} {number or '?'}" for place, (gender, number) in nouns.items()}
    return [found.get(place, _NO_NOUN) for place in range(len(example.lemmas))]


def linked_words(example: Example) -> Sequence[str]:
    """The last source word linked to each word of the target: the noun of article and noun."""
    last = {target: source for source, target in sorted(example.links)}
    return [
        example.source[last[place]] if place in last else "" for place in range(len(example.lemmas))
    ]


def first_words(example: Example) -> Sequence[str]:
    """Where sentences begin."""
    return [_FIRST if place == 0 else "" for place in range(len(example.lemmas))]


NOUN = Field("noun", "target", noun_kinds)
LINKED = Field("linked", "target", linked_words, folded=True)
START = Field("start", "target", first_words)


class _Candidates(NamedTuple):
    """Places of (batch, candidates) in the text, the nearest first, and which of them are any."""

    places: Tensor
    good: Tensor
    tokens: Tensor
    sentences: Tensor


@settings
class HardmeierAnaphoraSettings(NetworkSettings):
    """Sizes and choices of the network."""

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
    dropout: Dropout = 0.5

    @property
    def reads(self) -> Reads:
        """Words and tags around the gap, and the nouns before it."""
        return Reads((SOURCE, LEMMA, TAG, PRONOUN, NOUN, LINKED, START))

    @property
    def points(self) -> bool:
        """It always chooses among nouns."""
        return True

    def build(self, inventory: Inventory) -> HardmeierAnaphora:
        """The network with new weights."""
        return HardmeierAnaphora(inventory, self)


class HardmeierAnaphora(Network):
    """A window of words, and a choice among the nouns before it."""

    recorded_places = inf

    def __init__(self, inventory: Inventory, settings: HardmeierAnaphoraSettings) -> None:
        super().__init__()
        self.window = settings.window
        self.context_words = settings.context_words
        self.candidates = settings.candidates
        self.no_noun = inventory.vocabularies[NOUN.name].number(_NO_NOUN)
        self.first = inventory.vocabularies[START.name].number(_FIRST)
        sizes = {
            SOURCE: settings.words,
            LEMMA: settings.words,
            TAG: settings.tags,
            PRONOUN: settings.words,
            NOUN: settings.kinds,
            LINKED: settings.words,
        }
        self.embeddings = nn.ModuleDict(
            {
                field.name: small_embedding(inventory.size(field.name), size)
                for field, size in sizes.items()
            }
        )
        self.octaves = nn.Parameter(torch.randn(_OCTAVES, settings.distances) * SPREAD)
        self.sentences = nn.Parameter(torch.randn(_SENTENCES, settings.distances) * SPREAD)
        self.ranks = nn.Parameter(torch.randn(settings.candidates + 1, settings.distances) * SPREAD)
        around = 2 * settings.context_words * (2 * settings.words + settings.tags) + settings.words
        noun = 2 * settings.words + settings.kinds
        self.dropout = nn.Dropout(settings.dropout)
        self.context_to_anaphora = nn.Linear(around, settings.anaphora_hidden)
        self.noun_to_anaphora = nn.Linear(
            noun + 3 * settings.distances, settings.anaphora_hidden, bias=False
        )
        self.antecedent = nn.Linear(settings.anaphora_hidden, 1, bias=False)
        self.context_to_hidden = nn.Linear(around, settings.hidden)
        self.noun_to_hidden = nn.Linear(noun, settings.hidden, bias=False)
        self.output = nn.Linear(settings.hidden, len(inventory.classes))

    def extents(self, data: GapTensors) -> Indices:
        """How far back nouns are searched."""
        back = (data.target_position - data.target_low).clamp(1, self.window)
        return np.asarray(back.cpu().numpy())

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """(batch, classes): the logarithms of probabilities."""
        return self._chances(data, gaps, width)[1].scores

    def antecedents(self, data: GapTensors, gaps: Tensor) -> Sequence[PointedTokens]:
        """The probabilities of nouns, before and after the class is known."""
        found, latent = self._chances(data, gaps, None)
        shares, given = latent.antecedent.exp(), latent.given
        return [PointedTokens("target", found.places, shares[:, 1:], given[:, :, 1:])]

    def _chances(
        self, data: GapTensors, gaps: Tensor, width: int | None
    ) -> tuple[_Candidates, LatentAntecedent]:
        """The candidates, and what is thought of them."""
        around = self.dropout(self._around(data, gaps))
        found = self._found(data, gaps, width or self.window)
        nouns = torch.cat(
            [
                self.embeddings[field.name](
                    torch.where(found.good, data[field.name][found.places], PAD)
                )
                for field in (LEMMA, LINKED, NOUN)
            ],
            -1,
        )
        nouns = self.dropout(nn.functional.pad(nouns, (0, 0, 1, 0)))  # none is a noun of zeros
        where = self._where(found)
        seen = self.context_to_anaphora(around)[:, None] + self.noun_to_anaphora(
            torch.cat((nouns, where), -1)
        )
        scores = exact(self.antecedent(torch.tanh(seen)).squeeze(-1))
        good = nn.functional.pad(found.good, (1, 0), value=True)
        antecedent = scores.masked_fill(~good, -torch.inf).log_softmax(1)
        hidden = torch.tanh(self.context_to_hidden(around)[:, None] + self.noun_to_hidden(nouns))
        classes = exact(self.output(self.dropout(hidden))).log_softmax(-1)
        return found, LatentAntecedent(antecedent, classes)

    def _around(self, data: GapTensors, gaps: Tensor) -> Tensor:
        """The embeddings of the pronoun and of the words on each side, within the sentence."""
        source, target = (data.bounds(side, gaps, "start") for side in SIDES)
        parts = [self.embeddings[PRONOUN.name](data[PRONOUN.name][gaps])]
        for step in (-1, 1):
            for field, bounds in ((SOURCE, source), (LEMMA, target), (TAG, target)):
                words = pick(data[field.name], *window(*bounds, step, self.context_words))
                parts.append(self.embeddings[field.name](words).flatten(1))
        return torch.cat(parts, -1)

    def _found(self, data: GapTensors, gaps: Tensor, width: int) -> _Candidates:
        """The nouns before each gap that are nearest to it."""
        gap, low, high = data.bounds("target", gaps)
        places, lengths = window(gap, low, high, -1, width)
        nouns = inside(lengths, width) & (data[NOUN.name][places] != self.no_noun)
        counted = nouns.cumsum(1)
        wanted = torch.arange(1, self.candidates + 1, device=gap.device).expand(len(gap), -1)
        steps = torch.searchsorted(counted, wanted.contiguous())
        good = steps < width
        steps = steps.clamp(max=width - 1)
        begun = (data[START.name][places] == self.first).long()
        begun = begun.cumsum(1) - begun + (gap == data.target_start[gaps])[:, None]
        return _Candidates(places.gather(1, steps), good, steps + 1, begun.gather(1, steps))

    def _where(self, found: _Candidates) -> Tensor:
        """How far each candidate is from the gap in tokens, sentences and candidates."""
        octaves = (found.tokens + 0.5).log2().long().clamp(max=_OCTAVES - 1)
        sentences = found.sentences.clamp(max=_SENTENCES - 1)
        far = ((octaves, self.octaves), (sentences, self.sentences))
        where = torch.cat([nn.functional.embedding(*one) for one in far], -1)
        where = nn.functional.pad(where, (0, 0, 1, 0))
        ranks = self.ranks.expand(len(where), -1, -1)
        return torch.cat((where, ranks), -1)
