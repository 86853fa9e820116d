"""A pointer at antecedents: which noun a gap stands for is a latent variable.

Attention of the gap and of the source pronoun over the nouns before them, on both sides, gives the
probability of each noun a, and of none. Gender and number of the noun add to the scores of the
classes, so p(class) is the sum over nouns of p(a) p(class | a). No label says which noun it is.
But a pronoun agrees with its noun, so a second loss may ask the nouns that agree to have the
probability together (distant supervision).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn

from crosspro.data_prep.lexicon.agreement import PronounAgreement
from crosspro.prediction.neural.layers.network import as_float32
from crosspro.prediction.neural.reading.lexicon_fields import NO_NOUN, NOUN, NOUN_KINDS
from crosspro.prediction.neural.reading.vocabulary import Inventory

_AGREES = 2.0
"""How strongly a noun speaks for classes that agree with it at first, and against others."""


@dataclass(frozen=True)
class LatentAntecedent:
    """Log p(a) (batch, 1 + nouns) and log p(class | a) (batch, 1 + nouns, classes); none first."""

    antecedent: Tensor
    classes: Tensor

    @property
    def scores(self) -> Tensor:
        return torch.logsumexp(self.antecedent[:, :, None] + self.classes, 1)

    @property
    def given_class(self) -> Tensor:
        """(batch, classes, 1 + nouns): p(a | class)."""
        return (self.antecedent[:, :, None] + self.classes).softmax(1).transpose(1, 2)


@dataclass(frozen=True)
class PointedAntecedent(LatentAntecedent):
    """`kinds` (batch, 1 + nouns) are gender and number of each noun, as numbers of the field."""

    kinds: Tensor


class AntecedentPointer(nn.Module):
    """Chooses among nouns, and says what that means for the classes."""

    agreeing: Tensor

    def __init__(self, inventory: Inventory, width: int) -> None:
        super().__init__()
        vocabulary = inventory.vocabularies[NOUN]
        self.no_noun = vocabulary.number(NO_NOUN)
        self.queries = nn.Linear(2 * width, width)
        self.nothing = nn.Parameter(torch.zeros(width))
        self.noun_classes = nn.Embedding(len(vocabulary), len(inventory.classes))
        self.scale = 1 / sqrt(width)
        agreements = inventory.agreements or (PronounAgreement(),) * len(inventory.classes)
        agreeing = torch.zeros(len(inventory.classes), len(vocabulary), dtype=torch.bool)
        with torch.no_grad():
            self.noun_classes.weight.zero_()
            for number, agreement in enumerate(agreements):
                agreeing[number, self.no_noun] = agreement.expletive
                for word, kind in NOUN_KINDS.items():
                    noun = vocabulary.number(word)
                    agreeing[number, noun] = agreement.agrees(*kind)
                    sign = agreement.agrees(*kind) - agreement.differs(*kind)
                    self.noun_classes.weight[noun, number] = sign * _AGREES
        self.register_buffer("agreeing", agreeing, persistent=False)

    def forward(
        self, query: Tensor, states: Tensor, nouns: Tensor, scores: Tensor
    ) -> PointedAntecedent:
        """Choose for gaps whose states are in `query` (batch, 2 * width).

        `nouns` (batch, time) are the kinds of candidates, and `no_noun` elsewhere; `scores` (batch,
        classes) are those of the classes without an antecedent.
        """
        queries = self.queries(query)
        fits = torch.matmul(states.to(queries.dtype), queries[:, :, None]).squeeze(-1)
        none = torch.matmul(queries, self.nothing.to(queries.dtype))[:, None]
        fits = as_float32(torch.cat((none, fits), 1)) * self.scale
        kinds = nn.functional.pad(nouns, (1, 0), value=self.no_noun)
        masked = kinds == self.no_noun
        masked[:, 0] = False
        antecedent = fits.masked_fill(masked, -torch.inf).log_softmax(1)
        classes = (as_float32(scores)[:, None] + as_float32(self.noun_classes(kinds))).log_softmax(
            -1
        )
        return PointedAntecedent(antecedent, classes, kinds)

    def agreement_losses(self, pointed: PointedAntecedent, labels: Tensor) -> Tensor:
        """(batch,): minus log-probability of all nouns that agree with the label, if any."""
        agreeing = self.agreeing[labels].gather(1, pointed.kinds) & pointed.antecedent.isfinite()
        any_noun = agreeing[:, 1:].any(1)
        chosen = pointed.antecedent.masked_fill(~agreeing & any_noun[:, None], -torch.inf)
        return torch.where(any_noun, -torch.logsumexp(chosen, 1), 0.0)
