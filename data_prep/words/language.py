"""A guess at the language of a text by its script and its frequent words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from unicodedata import name as character_name

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.words.lists import names_of, word_set

LONG_TEXT = 200
"""Lines below which a few quotations may look like a text in another language."""

_LETTERS = re.compile(r"[^\W\d_]+")
_NO_WORD = re.compile(r"\bREPLACE(_\d+)?\b|(?<=\S)\|\S+")
"""Gaps, and the tags of lemmas."""
_LOOKED_AT = 2000
_MANY = 4


def looks_otherwise(lines: Iterable[str], language: str, few: int = 5) -> str | None:
    """The language of a text by its first lines, if it is clearly another than `language`.

    It is another if many frequent words of that language are there, at least `few` different ones,
    and hardly any of this one. A word counts once a line. Languages without a list always pass.
    """
    if language not in names_of("frequent"):
        return None
    words_of_lines = [
        _LETTERS.findall(_NO_WORD.sub("", line)) for line in islice(lines, _LOOKED_AT)
    ]
    letters = Counter(letter for words in words_of_lines for word in words for letter in word)
    latin = sum(
        count for letter, count in letters.items() if "LATIN" in character_name(letter, "LATIN")
    )
    if latin < letters.total() / 2:
        return "letters of another script"
    counts = Counter(word for words in words_of_lines for word in set(map(str.lower, words)))
    expected_words = word_set("frequent", language, "words")
    others: dict[str, int] = {}
    for other in names_of("frequent"):
        other_words = word_set("frequent", other, "words")
        foreign = [counts[word] for word in other_words - expected_words if word in counts]
        native = sum(counts[word] for word in expected_words - other_words)
        if len(foreign) >= few and sum(foreign) >= _MANY * native:
            others[other] = sum(foreign)
    return f"what looks like {max(others, key=others.__getitem__)}" if others else None


def same_language(tag: str, wanted: str) -> bool:
    """Whether a language tag is the wanted language: `en` accepts en, EN-GB and en_US."""
    tag, wanted = (name.strip().lower().replace("_", "-") for name in (tag, wanted))
    return tag == wanted or tag.startswith(f"{wanted}-")


def language_problems(texts: Iterable[tuple[str, str, Sequence[str]]]) -> list[Problem]:
    """Problems of those of (place, language, lines) that look like another language.

    For a long text, where this is hardly by chance, it is an error.
    """
    problems = []
    for place, language, lines in texts:
        if other := looks_otherwise(lines, language):
            problem = Problem(place, None, "language", f"text in {language}", other)
            if len(lines) >= LONG_TEXT:
                raise InputError([problem], "any-language accepts it")
            problems.append(problem)
    return problems
