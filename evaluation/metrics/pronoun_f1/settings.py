"""The settings of pronoun F1."""

from __future__ import annotations

from dataclasses import dataclass

from crosspro.evaluation.core.settings import setting


@dataclass(frozen=True)
class PronounF1Settings:
    """The language of the translations, and whether words count that may be something else."""

    language: str = setting(
        "",
        "The language of the translations: de, en, es, fr, or a table of your own (it.tsv); else "
        "the one that names end in.",
        "--language -l",
    )
    ambiguous: bool = setting(
        False, "Also count words that may be articles, verbs and so on.", "--ambiguous"
    )
