"""A pointer at antecedents: which noun a gap stands for is a latent variable.

Attention of the gap and of the source pronoun over the nouns before them, on both sides, gives the
probability of each noun a, and of none. What is known of the noun's gender and number is added to
the scores of the classes, so that p(class) is the sum over nouns of p(a) p(class | a). Nobody tells
which noun it is; but a pronoun agrees with its noun, and so the nouns that do may be asked to have
the probability together (distant supervision).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn

from crosspro.data_prep.lexicon.agreement import PronounAgreement
from crosspro.prediction.neural.layers.embedding import exact, few_rows
from crosspro.prediction.neural.reading.lexicon_fields import KINDS, NO_NOUN, NOUN_VOCABULARY
from crosspro.prediction.neural.reading.vocabulary import Inventory

_AGREES = 2.0
"""With so much a noun speaks at first for classes that agree with it, and against those that do
not."""


@dataclass(frozen=True)
class LatentAntecedent:
    """Logarithms of p(a) (batch, 1 + time) and of p(class | a) (batch, 1 + time, classes).

    The first is none.
    """

    antecedent: Tensor
    classes: Tensor

    @property
    def scores(self) -> Tensor:
        """The logarithms of p(class)."""
        return torch.logsumexp(self.antecedent[:, :, None] + self.classes, 1)

    @property
    def given(self) -> Tensor:
        """(batch, classes, 1 + time): p(a | class)."""
        return (self.antecedent[:, :, None] + self.classes).softmax(1).transpose(1, 2)


@dataclass(frozen=True)
class PointedRows(LatentAntecedent):
    """`kinds` are the numbers of what is known of each (batch, 1 + time)."""

    kinds: Tensor


class AntecedentPointer(nn.Module):
    """Chooses among nouns, and tells what that says about the classes."""

    agreeing: Tensor

    def __init__(self, inventory: Inventory, width: int) -> None:
        super().__init__()
        vocabulary = inventory.vocabularies[NOUN_VOCABULARY]
        self.no_noun = vocabulary.number(NO_NOUN)
        self.queries = nn.Linear(2 * width, width)
        self.nothing = nn.Parameter(torch.zeros(width))
        self.noun_classes = nn.Embedding(len(vocabulary), len(inventory.classes))
        self.scale = 1 / sqrt(width)
        agreements = inventory.agreements or (PronounAgreement(),) * len(inventory.classes)
        agreeing = torch.zeros(len(inventory.classes), len(vocabulary), dtype=torch.bool)
        with torch.no_grad():
            self.noun_classes.weight.zero_()
            for number, one in enumerate(agreements):
                agreeing[number, self.no_noun] = one.expletive
                for word, kind in KINDS.items():
                    noun = vocabulary.number(word)
                    agreeing[number, noun] = one.agrees(*kind)
                    sign = one.agrees(*kind) - one.differs(*kind)
                    self.noun_classes.weight[noun, number] = sign * _AGREES
        self.register_buffer("agreeing", agreeing, persistent=False)

    def forward(self, query: Tensor, states: Tensor, nouns: Tensor, scores: Tensor) -> PointedRows:
        """Choose for gaps whose states are in `query` (batch, 2·width).

        `nouns` (batch, time) have what is known of candidates, and `no_noun` elsewhere; `scores`
        (batch, classes) are those of the classes, whatever the noun is.
        """
        asked = self.queries(query)
        fits = torch.matmul(states.to(asked.dtype), asked[:, :, None]).squeeze(-1)
        none = torch.matmul(asked, self.nothing.to(asked.dtype))[:, None]
        fits = exact(torch.cat((none, fits), 1)) * self.scale
        kinds = nn.functional.pad(nouns, (1, 0), value=self.no_noun)
        outside = kinds == self.no_noun
        outside[:, 0] = False
        antecedent = fits.masked_fill(outside, -torch.inf).log_softmax(1)
        told = exact(few_rows(self.noun_classes, kinds))
        classes = (exact(scores)[:, None] + told).log_softmax(-1)
        return PointedRows(antecedent, classes, kinds)

    def agreement_losses(self, rows: PointedRows, labels: Tensor) -> Tensor:
        """(batch,): minus the logarithm of the probability of all nouns that agree with the label.

        0 where there are none. A class that may stand for nothing agrees with none, too.
        """
        agreeing = self.agreeing[labels].gather(1, rows.kinds) & rows.antecedent.isfinite()
        known = agreeing[:, 1:].any(1)
        chosen = rows.antecedent.masked_fill(~agreeing & known[:, None], -torch.inf)
        return torch.where(known, -torch.logsumexp(chosen, 1), 0.0)
