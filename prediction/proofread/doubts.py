"""What proofreading says of a pronoun of a translation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from crosspro.data_prep.core.example import Side
from crosspro.prediction.proofread.text import Place


class DoubtKind(StrEnum):
    """What may be wrong: a word, or that nothing translates a pronoun of the source."""

    WORD = "word"
    MISSING = "missing"


@dataclass(frozen=True)
class StoodFor:
    """A noun that a pronoun seems to stand for.

    `gender` and `number` come from the model's lexicon, and are empty for unknown nouns.
    """

    word: str
    side: Side
    place: Place
    probability: float
    gender: str = ""
    number: str = ""


@dataclass(frozen=True)
class PronounDoubt:
    """A pronoun of a translation, what the model expects there, and how probably it is wrong.

    `place` is in the translation; the `word` of a missing pronoun is empty. `probabilities` has
    every class of the model, the most probable first; `label` is the class of the word.
    `suggestion` is a word of the best other class, as it would be written there. `wrong` is
    calibrated: of pronouns with 0.8 about four of five are wrong.
    """

    document: str | None
    kind: DoubtKind
    place: Place
    word: str
    label: str
    source_word: str
    source_place: Place
    probabilities: Mapping[str, float]
    suggestion: str
    suggestion_label: str
    wrong: float
    stands_for: tuple[StoodFor, ...] = ()
    reason: str = ""

    @property
    def probability(self) -> float:
        return self.probabilities[self.label]

    @property
    def suggestion_probability(self) -> float:
        return self.probabilities[self.suggestion_label]

    @property
    def expects_other(self) -> bool:
        """Whether something else is likelier than the word that stands there."""
        better = self.suggestion_probability > self.probability
        return better or self.kind is DoubtKind.MISSING
