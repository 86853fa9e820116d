"""The word lists of the subject rules, from `conf/words/subjects/`."""

from __future__ import annotations

from functools import cache

from crosspro.data_prep.core.words import word_lists


@cache
def subject_words(language: str) -> dict[str, frozenset[str]]:
    """The lists of a language, by their names."""
    return {name: frozenset(words) for name, words in word_lists("subjects", language).items()}
