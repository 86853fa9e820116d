"""What a document encoder reads of a token: its piece, and gender and number of its word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import NONE
from crosspro.prediction.neural.reading.fields import LEMMA, Field, source_words, target_lemmas
from crosspro.prediction.neural.reading.lexicon_fields import (
    source_agreement,
    target_agreement,
    whole_source_words,
    whole_target_words,
)
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
