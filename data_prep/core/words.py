"""The word lists of languages: `conf/words/USE/LANGUAGE.tsv`, a name and its words on each line.

docs/tutorials/add-language.md describes the uses. Lists that users may replace are YAML, read by
`evaluation.pronouns` and `evaluation.protest.language`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from unicodedata import name as character_name

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import input_error


def table_rows(path: Path, columns: int) -> Iterator[tuple[str, ...]]:
    """The rows of a table; lines that start with `# ` are comments."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.startswith("# ") or not line.strip():
                continue
            cells = tuple(line.rstrip("\n").split("\t"))
            if len(cells) != columns:
                expected = f"{columns} columns with tabs between them"
                raise input_error(path, "row", expected, str(len(cells)), number)
            yield cells


WORDS = CONF_DIR / "words"


def words_file(use: str, language: str) -> Path | None:
    """The table of a language for a use, if there is one."""
    return WORDS / use / f"{language}.tsv" if language in names_of(use) else None


@cache
def names_of(use: str, ending: str = "tsv") -> tuple[str, ...]:
    """The languages or pairs that there are lists of."""
    return tuple(sorted(path.stem for path in (WORDS / use).glob(f"*.{ending}")))


def shipped_files(use: str) -> dict[str, Path]:
    """The YAML files of a use by their names."""
    return {name: WORDS / use / f"{name}.yaml" for name in names_of(use, "yaml")}


@cache
def word_lists(use: str, language: str) -> Mapping[str, tuple[str, ...]]:
    """The lists of a language for a use, by name; none if the language has no file."""
    path = words_file(use, language)
    lists: dict[str, tuple[str, ...]] = {}
    for name, words in table_rows(path, 2) if path else ():
        lists[name] = tuple(words.split())
    return lists


@cache
def word_set(use: str, language: str, name: str) -> frozenset[str]:
    return frozenset(word_lists(use, language)[name])


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
