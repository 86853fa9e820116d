"""The word lists of languages: `conf/words/USE/LANGUAGE.tsv`, a name and its words on each line.

docs/tutorials/add-language.md describes the uses. Lists of language pairs, which users may replace,
are YAML, read by `evaluation.pronouns`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

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
