"""The settings of pronoun F1."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PronounF1Settings:
    """The language of the translations, and whether words count that may be something else."""

    language: str = ""
    ambiguous: bool = False
