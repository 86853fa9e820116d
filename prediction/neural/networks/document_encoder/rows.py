"""What a document encoder reads: its settings, its fields, and the rows that it makes of a text.

A row has sub-words of the source around a pronoun, then sub-words of the target around a gap; both
sides reach back through the document. The layout is calculated here for torch and numpy alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field as Setting
from pydantic import model_validator

from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import NONE
from crosspro.prediction.neural.network_settings import Fraction, NetworkSettings, Size, SizeOrNone
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
    AGREEMENT,
    INDUCED,
    SOURCE_AGREEMENT,
    SOURCE_NOUN,
    TARGET_AGREEMENT,
    TARGET_NOUN,
)
from crosspro.prediction.neural.reading.subwords import WORD_START
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory

if TYPE_CHECKING:  # torch
    from crosspro.prediction.neural.networks.document_encoder.network import DocumentEncoder

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

SideFields = tuple[Field | None, Field]
"""A field of each side, or one of the target alone."""
PIECE_FIELDS: SideFields = (SOURCE_PIECE, TARGET_PIECE)
SHOWN_FIELDS: SideFields = (None, SHOWN_PIECE)
AGREEMENT_FIELDS: SideFields = (SOURCE_AGREEMENT, TARGET_AGREEMENT)
NOUN_FIELDS: SideFields = (SOURCE_NOUN, TARGET_NOUN)
TAG_FIELDS: SideFields = (None, TAG)
Where = Callable[[Array, Array, Array], Array]
"""`where` of numpy or torch."""


@settings
class DocumentEncoderSettings(NetworkSettings):
    """Sizes, the sub-words that are read before and after pronoun and gap, and losses."""

    name: Literal["document_encoder"] = "document_encoder"
    width: Size = 384
    layers: Size = 6
    heads: Size = 6
    source_before: SizeOrNone = 100
    source_after: SizeOrNone = 40
    target_before: SizeOrNone = 120
    target_after: SizeOrNone = 40
    source_lexicon: str = INDUCED
    target_lexicon: str = INDUCED
    tags: bool = False
    dropout: Fraction = 0.1
    masked_words: Annotated[float, Setting(ge=0, le=100)] = 0.0
    masked_share: Fraction = 0.15
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
    )

    @model_validator(mode="after")
    def _heads_are_rotated_in_pairs(self) -> Self:
        if self.width % (4 * self.heads):
            raise ValueError(f"width should be a multiple of 4 * heads = {4 * self.heads}")
        return self

    @property
    def places(self) -> int:
        reach = self.source_before + self.source_after + self.target_before + self.target_after
        return reach + 2

    def table_sizes(self, inventory: Inventory) -> dict[str, int]:
        """The rows of each table of embeddings."""
        sizes = {"pieces": inventory.size(PIECES), "agreement": inventory.size(AGREEMENT)}
        sizes["places"] = self.places
        return sizes | ({"tags": inventory.size(TAG.name)} if self.tags else {})

    @property
    def points(self) -> bool:
        return self.pointer

    @property
    def reads(self) -> Reads:
        fields = [*PIECE_FIELDS, *AGREEMENT_FIELDS]
        fields += TAG_FIELDS if self.tags else ()
        fields += SHOWN_FIELDS if self.hidden_pronouns < 1 else ()
        fields += NOUN_FIELDS if self.pointer else ()
        lexicons: dict[Side, str] = {"source": self.source_lexicon, "target": self.target_lexicon}
        return Reads(tuple(filter(None, fields)), lexicons=lexicons, nouns=self.pointer)

    def build(self, inventory: Inventory) -> DocumentEncoder:
        from crosspro.prediction.neural.networks.document_encoder.network import DocumentEncoder

        return DocumentEncoder(inventory, self)


class RowPart(NamedTuple):
    """Of one side of rows: start in the text, size, and column of the gap or pronoun."""

    start: Array
    size: Array
    centre: Array

    @classmethod
    def around(cls, spans: GapSpans, before: int, after: int) -> RowPart:
        """The parts of rows around gaps; a source may be empty."""
        start, end = spans.around(before, after)
        return cls(start, (end - start).clip(min=0), spans.position - start)

    def of_rows(self, rows: Any) -> RowPart:
        return RowPart(self.start[rows], self.size[rows], self.centre[rows])


@dataclass(frozen=True)
class Rows:
    """The rows of some gaps: first a part of the source, then one of the target."""

    source: RowPart
    target: RowPart

    @classmethod
    def of(cls, text: EncodedText, gaps: Array, settings: DocumentEncoderSettings) -> Rows:
        return cls(
            RowPart.around(text.source[gaps], settings.source_before, settings.source_after),
            RowPart.around(text.target[gaps], settings.target_before, settings.target_after),
        )

    @property
    def size(self) -> Array:
        return self.source.size + self.target.size

    @property
    def gap(self) -> Array:
        return self.source.size + self.target.centre

    @property
    def pronoun(self) -> Array:
        """The column of the source pronoun; 0 without a source."""
        return self.source.centre.clip(max=self.source.size - 1).clip(min=0)


class Layout(NamedTuple):
    """Each place of rows: its side, its position in that side's text, its distance.

    `offset` counts sub-words from the gap (or pronoun); `distance` is the same with its side in one
    number, limited to the window.
    """

    in_source: Array
    position: Array
    offset: Array
    distance: Array

    def pick(self, text: EncodedText, fields: SideFields, where: Where) -> Array:
        """The entries of a field of each side at the places of rows; PAD where there is none."""
        source, target = fields
        of_target = text[target.name]
        picked: Array = of_target[self.position.clip(0, len(of_target) - 1)]
        if source is None or not len(text[source.name]):  # a text may have no source at all
            return where(self.in_source, PAD, picked)
        of_source = text[source.name]
        return where(self.in_source, of_source[self.position.clip(0, len(of_source) - 1)], picked)


def embedded(
    text: EncodedText, layout: Layout, settings: DocumentEncoderSettings, where: Where
) -> dict[str, Array]:
    """The numbers whose embeddings are added up at each place, by the name of their table."""
    numbers = {
        "pieces": layout.pick(text, PIECE_FIELDS, where),
        "agreement": layout.pick(text, AGREEMENT_FIELDS, where),
        "places": layout.distance,
    }
    return numbers | ({"tags": layout.pick(text, TAG_FIELDS, where)} if settings.tags else {})


def lay_out(
    columns: Array,
    source: RowPart,
    target: RowPart,
    settings: DocumentEncoderSettings,
    where: Where,
) -> Layout:
    """The layout of columns of rows; the parts are those of each column's row."""
    in_source = columns < source.size
    offset = columns - where(in_source, source.centre, source.size + target.centre)
    position = columns + where(in_source, source.start, target.start - source.size)
    before, after = settings.source_before, settings.source_after
    of_source = offset.clip(-before, after) + before
    of_target = offset.clip(-settings.target_before, settings.target_after) + settings.target_before
    distance = where(in_source, of_source, of_target + before + after + 1)
    return Layout(in_source, position, offset, distance)
