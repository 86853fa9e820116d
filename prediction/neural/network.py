"""What a network is: it says what it reads, scores gaps, and may own its loss and pre-training.

A network is one file in `networks/` and one in `conf/system/`; nothing else knows its name. Its
constructor takes an `Inventory` and keyword settings with defaults, which are those that
`system.network_settings` may have.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import Side
from crosspro.data_prep.core.processes import Report
from crosspro.data_prep.lexicon.agreement import PronounAgreement
from crosspro.prediction.neural.encoding import EncodedData
from crosspro.prediction.neural.fields import Field
from crosspro.prediction.neural.sampling import Indices
from crosspro.prediction.neural.tensors import GapTensors, widest_sides
from crosspro.prediction.neural.vocabulary import Vocabulary

ANTECEDENTS = "Antecedents"
"""The title of a choice among antecedents."""


@dataclass(frozen=True)
class Inventory:
    """What every network is made for: the words of its fields, with their counts, and the classes.

    A spelled field has characters instead of words. `agreements` say which nouns each class stands
    for, where that is known.
    """

    vocabularies: Mapping[str, Vocabulary]
    classes: tuple[str, ...]
    agreements: tuple[PronounAgreement, ...] = ()

    def size(self, field: str) -> int:
        """How many words a field has, the padding and the unknown word among them."""
        return len(self.vocabularies[field])

    def counts(self, field: str) -> Tensor:
        """How often each word of a field was seen in training."""
        return torch.tensor(self.vocabularies[field].counts)


@dataclass(frozen=True)
class Reads:
    """What a network reads of an example with certain settings.

    `parse` names the settings that ask for a parse of the source, with the values that do not, and
    is empty if all do; None needs none. `heads` does so for the dependencies in it, and `earlier`
    for sentences before the gap's own, which `training.context` gives. `lexicons` has the settings
    that name the lexicon of a side, and what they say (see `lexicon_input`); with `nouns` those of
    languages without gender have at least that.
    """

    fields: tuple[Field, ...]
    parse: Mapping[str, object] | None = None
    heads: Mapping[str, object] | None = None
    earlier: Mapping[str, object] | None = None
    lexicons: Mapping[Side, str] = field(default_factory=dict)
    nouns: bool = False


@dataclass(frozen=True)
class Focus:
    """Tokens of one side among which a network chose, with the probability of each: a row a gap.

    `tokens` and `shares` are (batch, tokens): positions in the text, and probabilities, 0 for what
    fills a row up. What is missing to 1 is the probability that none was chosen. `given` (batch,
    classes, tokens) are the probabilities once the class is known, where that tells more. Where it
    chose among the tokens of both sides, two of the same title are one choice.
    """

    title: str
    side: Side
    tokens: Tensor
    shares: Tensor
    given: Tensor | None = None


def gap_losses(scores: Tensor, labels: Tensor, weights: Tensor, smoothing: float) -> Tensor:
    """The cross-entropy of each gap, with weights of the classes and smoothed labels."""
    return nn.functional.cross_entropy(
        scores.float(), labels, weight=weights, reduction="none", label_smoothing=smoothing
    )


class Network(nn.Module, ABC):
    """Scores of each class for a batch of gaps."""

    fields: ClassVar[tuple[Field, ...]] = ()
    """What it reads, if its settings change nothing about that (else see `reads`)."""

    window: int
    """How many tokens it reads on each side at most."""

    limits: ClassVar[Mapping[str, tuple[float, float]]] = {}
    """Where settings may lie, if not from 1 (whole numbers) or from 0 to 0.999 (others)."""

    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """What settings that are texts may say."""

    multiples: ClassVar[Mapping[str, tuple[int, str]]] = {}
    """Settings that are so many times another one, or a multiple of that."""

    may_change: ClassVar[tuple[str, ...]] = ("dropout",)
    """Settings in which fine-tuning may differ from the run it begins with."""

    inherits: ClassVar[bool] = False
    """Whether fine-tuning takes all other settings from that run, instead of refusing others."""

    class_layers: ClassVar[tuple[str, ...]] = ()
    """Beginnings of the names of weights that classes decide on. A network that names them may go
    on from a run with other classes, with these weights new."""

    optional_layers: ClassVar[tuple[str, ...]] = ()
    """Beginnings of the names of weights that settings which may change decide on: where the run to
    go on from has none, they are new."""

    pointing: ClassVar[Mapping[str, object] | None] = None
    """The settings with which it points at antecedents; empty: always, None: never."""

    pretraining: ClassVar[type[Any] | None] = None
    """The settings of its pre-training, a dataclass that has `epochs` (0: none); None has none."""

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """Its settings with their defaults: the keyword arguments of the constructor."""
        parameters = inspect.signature(cls).parameters.values()
        return {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY}

    @classmethod
    def reads(cls, settings: Mapping[str, Any]) -> Reads:
        """What it reads with these settings, which are complete."""
        return Reads(cls.fields)

    def extents(self, data: GapTensors) -> Indices:
        """How much is read of each gap's context: gaps that are alike in it share a batch.

        Unless a network says otherwise, the longest side of it, at most `window` tokens.
        """
        return widest_sides(data, self.window)

    @abstractmethod
    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """Scores of (batch, classes); no gap of the batch has a greater extent than `width`."""

    def antecedents(self, data: GapTensors, gaps: Tensor) -> Sequence[Focus]:
        """The words that gaps may stand for; of a network that points at them (`pointing`)."""
        return ()

    def focus(self, data: GapTensors, gaps: Tensor) -> Sequence[Focus]:
        """What it chose to look at on the way to its scores, for explanations."""
        return self.antecedents(data, gaps)

    def loss(
        self, data: GapTensors, gaps: Tensor, width: int, weights: Tensor, smoothing: float
    ) -> Tensor:
        """The loss of each gap: cross-entropy with weights of the classes and smoothed labels."""
        scores = self(data, gaps, width)
        labels = data.label[gaps].clamp(min=0)  # a gap that counts nothing may have none
        return gap_losses(scores, labels, weights, smoothing)

    def pretrain(
        self,
        data: EncodedData,
        inventory: Inventory,
        settings: Any,
        seed: int,
        device: torch.device,
        report: Report,
    ) -> None:
        """Learn from the training data before the training; `settings` are of `pretraining`.

        What takes long may `report` how far it is, under a name for each part of it.
        """
        raise TypeError(f"{type(self).__name__} has settings of a pre-training, but none")
