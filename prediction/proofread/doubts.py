"""What proofreading says of a pronoun of a translation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from crosspro.data_prep.core.example import Side
from crosspro.prediction.proofread.text import FilePlace


class DoubtKind(StrEnum):
    """What may be wrong with a pronoun: the word itself, that it is missing, or that it is there.

    A missing pronoun is one of the source that nothing translates; an additional one stands in the
    translation and nothing in the source is linked to it.
    """

    WORD = "word"
    MISSING = "missing"
    ADDITIONAL = "additional"


@dataclass(frozen=True)
class StoodFor:
    """A noun that a pronoun seems to stand for.

    `gender` and `number` are what the model's lexicon says of it, empty where it says nothing.
    """

    word: str
    side: Side
    place: FilePlace
    probability: float
    gender: str = ""
    number: str = ""


@dataclass(frozen=True)
class PronounDoubt:
    """A pronoun of a translation, what the model would say there, and how probably it is wrong.

    `segment` counts from 0, `start` and `end` are characters of the segment's target text, `place`
    is where they stand in the file. `word` is as it is written; of a missing pronoun it is empty,
    and `start` equals `end`. `source_place` is None for additional pronouns. `probabilities` has
    every class of the model, the most probable first; `label` is the class of the word.
    `probability` is that of the word that stands there, `suggestion` a word to put for it, as it
    would be written there: the best of another class. `wrong` is calibrated: of pronouns with 0.8
    about four of five are wrong. `reason` is one sentence.
    """

    segment: int
    document: str | None
    kind: DoubtKind
    start: int
    end: int
    place: FilePlace
    word: str
    label: str
    source_word: str
    source_place: FilePlace | None
    probabilities: Mapping[str, float]
    probability: float
    suggestion: str
    suggestion_label: str
    suggestion_probability: float
    wrong: float
    stands_for: tuple[StoodFor, ...]
    reason: str

    @property
    def expects_other(self) -> bool:
        """Whether something else is likelier than the word that stands there."""
        better = self.suggestion_probability > self.probability
        return better or self.kind is not DoubtKind.WORD
