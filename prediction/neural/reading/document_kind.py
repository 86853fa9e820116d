"""The settings of a document encoder, and what it reads with them of a token: its piece, and gender
and number of its word. In torch and in numpy alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import NONE
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
from crosspro.prediction.neural.reading.network_kind import NetworkKind
from crosspro.prediction.neural.reading.subwords import WORD_START

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


@dataclass(frozen=True)
class DocumentSettings:
    """`before` and `after` are how many pieces are read on each side of pronoun and gap.

    Gaps that stand within so many pieces are read `together`, from one row: that is quicker.
    """

    width: int = 384
    layers: int = 6
    heads: int = 6
    source_before: int = 100
    source_after: int = 40
    target_before: int = 120
    target_after: int = 40
    together: int = 0
    source_lexicon: str = INDUCED
    target_lexicon: str = INDUCED
    tags: bool = False
    dropout: float = 0.1
    masked_words: float = 0.0
    masked_share: float = 0.15
    hidden_pronouns: float = 1.0
    pointer: bool = False
    pointer_agreement: float = 1.0

    @property
    def source(self) -> tuple[int, int]:
        """The pieces before and after the pronoun."""
        return self.source_before, self.source_after

    @property
    def target(self) -> tuple[int, int]:
        """The pieces before and after the gap."""
        return self.target_before, self.target_after


class DocumentKind(NetworkKind):
    """What settings may be, and what is read with them."""

    multiples: ClassVar = {"width": (4, "heads")}
    pointing: ClassVar = {"pointer": True}
    limits: ClassVar = {
        "pointer_agreement": (0, 100),
        "masked_words": (0, 100),
        "source_before": (0, 1e6),
        "source_after": (0, 1e6),
        "target_before": (0, 1e6),
        "target_after": (0, 1e6),
        "together": (0, 1e6),
        "hidden_pronouns": (0, 1),
    }

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """Those of `DocumentSettings`."""
        return asdict(DocumentSettings())

    @classmethod
    def reads(cls, settings: Mapping[str, Any]) -> Reads:
        """Pieces and agreement of both sides; what stood in gaps if they are shown; nouns."""
        shown = (SHOWN_PIECE,) if settings["hidden_pronouns"] < 1 else ()
        nouns = (SOURCE_NOUN, TARGET_NOUN) if settings["pointer"] else ()
        tags = (TAG,) if settings["tags"] else ()
        both = (SOURCE_PIECE, TARGET_PIECE, SOURCE_AGREEMENT, TARGET_AGREEMENT)
        return Reads(
            (*both, *tags, *shown, *nouns),
            lexicons={
                "source": settings["source_lexicon"],
                "target": settings["target_lexicon"],
            },
            nouns=settings["pointer"],
        )
