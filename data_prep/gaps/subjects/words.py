"""The word lists of the subject rules, from `subject-words.tsv`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from crosspro.data_prep.annotate.tables import read_table

TABLES = Path(__file__).resolve().parent
"""Where the tables of the rules are."""


@cache
def subject_words(language: str) -> dict[str, frozenset[str]]:
    """The lists of a language, by their names."""
    rows = read_table("subject-words", 3, TABLES)
    return {name: frozenset(words.split()) for lang, name, words in rows if lang == language}
