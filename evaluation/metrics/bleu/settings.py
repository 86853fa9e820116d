"""The settings of BLEU and chrF."""

from __future__ import annotations

from dataclasses import dataclass

from crosspro.evaluation.core.settings import setting

TITLES = {"bleu": "BLEU", "chrf": "chrF"}


@dataclass(frozen=True, slots=True)
class BleuSettings:
    """What changes the scores; the defaults are sacrebleu's."""

    tokenise: str = setting("13a", "sacrebleu's tokeniser for BLEU; none for tokenised text.")
    ignore_case: bool = setting(False, "Compare words in lower case.", "--ignore-case")
    word_order: int = setting(0, "Word n-grams of chrF; 2 is chrF++.")
    metrics: tuple[str, ...] = tuple(TITLES)
