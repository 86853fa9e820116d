"""What may be asked for over HTTP, with its limits; this is what the OpenAPI document shows."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from crosspro.data_prep.pipeline.pairs.typed_text import GapMark, SentencePair
from crosspro.scripts.servers.prediction.desk import Asked, AskedPair

MOST_CHARACTERS = 2000
MOST_CONTEXT = 20
MOST_GAPS = 20
MOST_ROWS = 1000
MOST_LINE = 10_000
"""Characters of a five-column line, which has both sides, tags and links."""

Text = Annotated[str, Field(max_length=MOST_CHARACTERS)]
Place = Annotated[int, Field(ge=0, strict=True)]
Name = Annotated[str, Field(max_length=200)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GapRequest(_Strict):
    """A gap: the target token that is hidden, the source token that it translates, or both."""

    target: Place | None = Field(None, description="Token of the target, from 0.")
    source: Place | None = Field(None, description="Token of the source, from 0.")


class PairRequest(_Strict):
    """A sentence and its translation, as text."""

    source: Text
    target: Text
    links: Text | None = Field(None, description="Word links `0-0 1-2`; made if not given.")

    def pair(self) -> SentencePair:
        """The same for the pipeline."""
        return SentencePair(self.source, self.target, self.links)


class TextRequest(PairRequest):
    """A pair that is asked about, with the pairs before it."""

    context: list[PairRequest] = Field([], max_length=MOST_CONTEXT)
    gaps: list[GapRequest] | None = Field(
        None,
        max_length=MOST_GAPS,
        description="Without it: REPLACE in the target, else what the rules of the task find.",
    )

    def asked(self) -> AskedPair:
        """The same for the desk."""
        marks = None
        if self.gaps is not None:
            marks = tuple(GapMark(gap.target, gap.source) for gap in self.gaps)
        return AskedPair(self.pair(), tuple(one.pair() for one in self.context), marks)


class PredictionRequest(_Strict):
    """What is predicted: one of `text`, `lines` and `example`."""

    task: Name | None = Field(None, description="Needed if systems of several tasks are loaded.")
    systems: list[Name] | None = Field(None, max_length=50, description="All, if not given.")
    text: TextRequest | None = None
    lines: list[Annotated[str, Field(max_length=MOST_LINE)]] | None = Field(
        None,
        min_length=1,
        max_length=MOST_CONTEXT + 1,
        description="Lines of a five-column file; the last one is asked about.",
    )
    example: Name | None = Field(None, description="The name of an example of /api/systems.")

    @model_validator(mode="after")
    def _one_of_three(self) -> PredictionRequest:
        given = [one for one in (self.text, self.lines, self.example) if one is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of text, lines and example, found {len(given)}")
        return self

    def asked(self) -> Asked:
        """The same for the desk."""
        return Asked(
            self.task,
            None if self.systems is None else tuple(dict.fromkeys(self.systems)),
            None if self.text is None else self.text.asked(),
            None if self.lines is None else tuple(self.lines),
            self.example,
        )


class ExplanationRequest(PredictionRequest):
    """The same, and the gap whose class is explained."""

    gap: int = Field(1, ge=1, le=1000, strict=True, description="From 1.")
    rows: int = Field(15, ge=1, le=MOST_ROWS, strict=True, description="Rows of a table.")
