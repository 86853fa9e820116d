"""The settings of a document encoder, and what it reads with them of a token: its piece, and gender
and number of its word. In torch and in numpy alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field as Bounds
from pydantic import model_validator

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import NONE
from crosspro.prediction.neural.network_settings import Dropout, NetworkSettings, Size, SizeOrNone
from crosspro.prediction.neural.reading.fields import (
    LEMMA,
    TAG,
    Field,
    Reads,
    source_words,
    target_lemmas,
)
from crosspro.prediction.neural.reading.lexicon_fields import (
    INDUCED,
    SOURCE_NOUN,
    TARGET_NOUN,
    source_agreement,
    target_agreement,
    whole_source_words,
    whole_target_words,
)
from crosspro.prediction.neural.reading.subwords import WORD_START

if TYPE_CHECKING:
    from crosspro.prediction.neural.networks.document_encoder import DocumentEncoder
    from crosspro.prediction.neural.reading.vocabulary import Inventory

PIECES, AGREEMENT = "piece", "agreement"
"""The vocabularies of both sides."""


def shown_lemmas(example: Example) -> Sequence[str]:
    """The target with the words of its gaps, where they are known."""
    lemmas = list(example.lemmas)
    start = WORD_START if any(lemma.startswith(WORD_START) for lemma in lemmas) else ""
    for gap in example.gaps:
        if gap.word and gap.word != NONE:
            first = replace(gap, word=gap.word.split()[0])
            lemmas[gap.position] = f"{start}{example.gold_lemma(first)}"
    return lemmas


SOURCE_PIECE = Field("source_piece", "source", source_words, folded=True, vocabulary=PIECES)
TARGET_PIECE = Field("target_piece", "target", target_lemmas, LEMMA.word, vocabulary=PIECES)
SHOWN_PIECE = Field("shown_piece", "target", shown_lemmas, LEMMA.word, vocabulary=PIECES)
SOURCE_AGREEMENT = Field(
    "source_agreement",
    "source",
    whole_source_words,
    vocabulary=AGREEMENT,
    listed=source_agreement,
)
TARGET_AGREEMENT = Field(
    "target_agreement",
    "target",
    whole_target_words,
    vocabulary=AGREEMENT,
    listed=target_agreement,
)


@settings
class DocumentSettings(NetworkSettings):
    """`before` and `after` are how many pieces are read on each side of pronoun and gap.

    Gaps that stand within so many pieces are read `together`, from one row: that is quicker.
    """

    name: Literal["document_encoder"] = "document_encoder"
    width: Size = 384
    layers: Size = 6
    heads: Size = 6
    source_before: SizeOrNone = 100
    source_after: SizeOrNone = 40
    target_before: SizeOrNone = 120
    target_after: SizeOrNone = 40
    together: SizeOrNone = 0
    source_lexicon: str = INDUCED
    target_lexicon: str = INDUCED
    tags: bool = False
    dropout: Dropout = 0.1
    masked_words: Annotated[float, Bounds(ge=0, le=100)] = 0.0
    masked_share: Dropout = 0.15
    hidden_pronouns: Annotated[float, Bounds(ge=0, le=1)] = 1.0
    pointer: bool = False
    pointer_agreement: Annotated[float, Bounds(ge=0, le=100)] = 1.0

    may_change: ClassVar = (
        "dropout",
        "masked_words",
        "hidden_pronouns",
        "source_lexicon",
        "target_lexicon",
        "pointer",
        "pointer_agreement",
        "together",
    )
    inherits: ClassVar = True

    @model_validator(mode="after")
    def _heads_divide_width(self) -> Self:
        # Rotary positions (Su et al. 2021) turn pairs of numbers, in two groups of each head.
        if self.width % (4 * self.heads):
            raise ValueError(f"width should be a multiple of 4 * heads = {4 * self.heads}")
        return self

    @property
    def source(self) -> tuple[int, int]:
        """The pieces before and after the pronoun."""
        return self.source_before, self.source_after

    @property
    def target(self) -> tuple[int, int]:
        """The pieces before and after the gap."""
        return self.target_before, self.target_after

    @property
    def points(self) -> bool:
        """Whether it has a pointer."""
        return self.pointer

    @property
    def reads(self) -> Reads:
        """Pieces and agreement of both sides; what stood in gaps if they are shown; nouns."""
        shown = (SHOWN_PIECE,) if self.hidden_pronouns < 1 else ()
        nouns = (SOURCE_NOUN, TARGET_NOUN) if self.pointer else ()
        tags = (TAG,) if self.tags else ()
        both = (SOURCE_PIECE, TARGET_PIECE, SOURCE_AGREEMENT, TARGET_AGREEMENT)
        return Reads(
            (*both, *tags, *shown, *nouns),
            lexicons={"source": self.source_lexicon, "target": self.target_lexicon},
            nouns=self.pointer,
        )

    def build(self, inventory: Inventory) -> DocumentEncoder:
        """The network with new weights, in torch."""
        from crosspro.prediction.neural.networks.document_encoder import DocumentEncoder

        return DocumentEncoder(inventory, self)
