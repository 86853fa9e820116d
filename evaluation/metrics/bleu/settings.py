"""The settings of BLEU and chrF."""

from __future__ import annotations

from dataclasses import dataclass

TITLES = {"bleu": "BLEU", "chrf": "chrF"}


@dataclass(frozen=True, slots=True)
class BleuSettings:
    """The tokeniser of BLEU, and the longest word n-grams of chrF; defaults are sacrebleu's."""

    tokenise: str = "13a"
    ignore_case: bool = False
    word_order: int = 0
    metrics: tuple[str, ...] = tuple(TITLES)
