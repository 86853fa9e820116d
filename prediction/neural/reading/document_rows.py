"""What a document encoder reads: its settings, its fields, and the rows that it makes of a text.

A row has sub-words of the source around a pronoun, then sub-words of the target around a gap; both
sides reach back through the document. The layout is calculated here for torch and numpy alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field as Setting
from pydantic import model_validator

from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import NONE
from crosspro.prediction.neural.network_settings import Dropout, NetworkSettings, Size, SizeOrNone
from crosspro.prediction.neural.reading.encoding import Array, EncodedText, GapSpans
from crosspro.prediction.neural.reading.fields import (
    TAG,
    Field,
    Reads,
    lemma_or_gap,
    source_words,
    target_lemmas,
)
from crosspro.prediction.neural.reading.lexicon_fields import (
    INDUCED,
    SOURCE_AGREEMENT,
    SOURCE_NOUN,
    TARGET_AGREEMENT,
    TARGET_NOUN,
)
from crosspro.prediction.neural.reading.subwords import WORD_START
from crosspro.prediction.neural.reading.vocabulary import Inventory

if TYPE_CHECKING:  # torch
    from crosspro.prediction.neural.networks.document_encoder import DocumentEncoder

PIECES = "piece"
"""The vocabulary of both sides."""


def shown_lemmas(example: Example) -> Sequence[str]:
    """The target with the words of its gaps, where they are known."""
    lemmas = list(example.lemmas)
    start = WORD_START if any(lemma.startswith(WORD_START) for lemma in lemmas) else ""
    for gap in example.gaps:
        if gap.word and gap.word != NONE:
            first_word = replace(gap, word=gap.word.split()[0])
            lemmas[gap.position] = f"{start}{example.gold_lemma(first_word)}"
    return lemmas


SOURCE_PIECE = Field("source_piece", "source", source_words, folded=True, vocabulary=PIECES)
TARGET_PIECE = Field("target_piece", "target", target_lemmas, lemma_or_gap, vocabulary=PIECES)
SHOWN_PIECE = Field("shown_piece", "target", shown_lemmas, lemma_or_gap, vocabulary=PIECES)


@settings
class DocumentEncoderSettings(NetworkSettings):
    """Sizes of a document encoder, what it reads, and its losses.

    `source_before` … `target_after` count the sub-words before and after the pronoun and the gap.
    Gaps within so many sub-words of each other are read `together`, in one row: that is quicker.
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
    masked_words: Annotated[float, Setting(ge=0, le=100)] = 0.0
    masked_share: Dropout = 0.15
    hidden_pronouns: Annotated[float, Setting(ge=0, le=1)] = 1.0
    pointer: bool = False
    pointer_agreement: Annotated[float, Setting(ge=0, le=100)] = 1.0

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
    def _heads_are_rotated_in_pairs(self) -> Self:
        if self.width % (4 * self.heads):
            raise ValueError(f"width should be a multiple of 4 * heads = {4 * self.heads}")
        return self

    @property
    def places(self) -> int:
        """The distances that have an embedding: one for each place of the longest row."""
        reach = self.source_before + self.source_after + self.target_before + self.target_after
        return reach + 2

    @property
    def points(self) -> bool:
        """Whether the network points at antecedents."""
        return self.pointer

    @property
    def reads(self) -> Reads:
        """Sub-words and agreement of both sides; hidden words, tags and nouns if asked for."""
        fields = [SOURCE_PIECE, TARGET_PIECE, SOURCE_AGREEMENT, TARGET_AGREEMENT]
        fields += [TAG] if self.tags else []
        fields += [SHOWN_PIECE] if self.hidden_pronouns < 1 else []
        fields += [SOURCE_NOUN, TARGET_NOUN] if self.pointer else []
        lexicons: dict[Side, str] = {"source": self.source_lexicon, "target": self.target_lexicon}
        return Reads(tuple(fields), lexicons=lexicons, nouns=self.pointer)

    def build(self, inventory: Inventory) -> DocumentEncoder:
        """The network in torch with new weights."""
        from crosspro.prediction.neural.networks.document_encoder import DocumentEncoder

        return DocumentEncoder(inventory, self)


@dataclass(frozen=True)
class RowPart:
    """The part of rows that one side has: where it starts in the text, its size and its middle.

    The middle is that between the outermost gaps (or pronouns) of the row, from the start on.
    """

    start: Array
    size: Array
    middle: Array

    @classmethod
    def around(cls, spans: GapSpans, before: int, after: int) -> RowPart:
        """The parts of rows around gaps; a source may be empty."""
        start, end = spans.around(before, after)
        return cls(start, (end - start).clip(min=0), (spans.first + spans.last) // 2 - start)

    def __getitem__(self, rows: Array) -> RowPart:
        return RowPart(self.start[rows], self.size[rows], self.middle[rows])


@dataclass(frozen=True)
class Rows:
    """The rows of some gaps: first a part of the source, then one of the target.

    `gap` and `pronoun` are the columns of gap and pronoun in their rows.
    """

    source: RowPart
    target: RowPart
    gap: Array
    pronoun: Array

    @classmethod
    def of(cls, text: EncodedText, gaps: Array, settings: DocumentEncoderSettings) -> Rows:
        """The row of each gap."""
        source, target = text.source[gaps], text.target[gaps]
        of_source = RowPart.around(source, settings.source_before, settings.source_after)
        of_target = RowPart.around(target, settings.target_before, settings.target_after)
        pronoun = (source.position - of_source.start).clip(max=of_source.size - 1)
        gap = target.position - of_target.start + of_source.size
        return cls(of_source, of_target, gap, pronoun.clip(min=0))

    @property
    def size(self) -> Array:
        """The number of sub-words of each row."""
        return self.source.size + self.target.size


@dataclass(frozen=True)
class Layout:
    """Each place of rows: its side, its position in that side's text, its distance.

    `offset` counts sub-words from the middle of the gaps (or pronouns) that are read together;
    `distance` is the same with its side in one number, limited to the window.
    """

    in_source: Array
    position: Array
    offset: Array
    distance: Array


def lay_out(
    columns: Array,
    source: RowPart,
    target: RowPart,
    settings: DocumentEncoderSettings,
    where: Callable[[Array, Array, Array], Array],
) -> Layout:
    """The layout of columns of rows; `where` is numpy's or torch's.

    The parts are those of each column's row, in any shape that broadcasts with the columns.
    """
    in_source = columns < source.size
    offset = columns - where(in_source, source.middle, source.size + target.middle)
    position = columns + where(in_source, source.start, target.start - source.size)
    before, after = settings.source_before, settings.source_after
    of_source = offset.clip(-before, after) + before
    of_target = offset.clip(-settings.target_before, settings.target_after) + settings.target_before
    distance = where(in_source, of_source, of_target + before + after + 1)
    return Layout(in_source, position, offset, distance)
