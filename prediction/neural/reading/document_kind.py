"""The settings of a document encoder and what it reads with them, in torch and in numpy alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from crosspro.prediction.neural.reading.document_fields import (
    SHOWN_PIECE,
    SOURCE_AGREEMENT,
    SOURCE_PIECE,
    TARGET_AGREEMENT,
    TARGET_PIECE,
)
from crosspro.prediction.neural.reading.fields import TAG, Reads
from crosspro.prediction.neural.reading.lexicon_fields import INDUCED, SOURCE_NOUN, TARGET_NOUN
from crosspro.prediction.neural.reading.network_kind import NetworkKind


@dataclass(frozen=True)
class DocumentSettings:
    """`before` and `after` are how many pieces are read on each side of pronoun and gap."""

    width: int = 384
    layers: int = 6
    heads: int = 6
    source_before: int = 100
    source_after: int = 40
    target_before: int = 120
    target_after: int = 40
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
