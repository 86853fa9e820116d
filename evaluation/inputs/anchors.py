"""Anchors: the pronouns of a text that a metric scores, and how pronouns are found in words.

An *anchor* is a word of the source (000 §2.3), or one of a list of tokens (001 §5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.inputs.linked_text import Text
from crosspro.evaluation.inputs.pronoun_lists import PronounLists

Parts = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A pronoun to be scored: its line and position from 0, as written, and as in the list."""

    sentence: int
    position: int
    word: str
    pronoun: str


def target_pronoun(word: str, lists: PronounLists) -> str | None:
    """The pronoun of the lists that a lower-cased target word is or contains."""
    return _first_part(word, frozenset(lists.target_pronouns), parts_by(lists.target_separator))


def source_pronoun(word: str, lists: PronounLists) -> str | None:
    """The pronoun of the lists that a lower-cased source word is or contains."""
    return _first_part(word, frozenset(lists.source_pronouns), parts_by(lists.source_separator))


def parts_by(separator: str) -> Parts:
    """How words are divided into parts that may be pronouns."""
    if separator:
        return lambda word: word.split(separator)
    return lambda word: (word,)


def source_anchors(source: Text, lists: PronounLists) -> list[Anchor]:
    """Every source pronoun of the lists."""
    pronouns = PronounOf(lists.source_pronouns, lists.source_separator)
    found = []
    for line in range(len(source.lines)):
        for position, word in enumerate(source.raw_words(line)):
            pronoun = pronouns[word]
            if pronoun is not None:
                found.append(Anchor(line, position, word.decode("utf-8"), pronoun))
    return found


def token_anchors(
    path: str | Path, source: Text, lists: PronounLists, problems: list[Problem]
) -> list[Anchor]:
    """The tokens of a list: a line and a position from 0 on each line, separated by white space.

    A token that is no source pronoun of the lists is a problem: the numbers are likely to be off.
    """
    found: list[Anchor] = []
    wanted = frozenset(lists.source_pronouns)
    parts = parts_by(lists.source_separator)

    def problem(number: int, field: str, expected: str, what: str) -> None:
        problems.append(Problem(str(path), number, field, expected, what))

    try:
        lines = list(read_text_lines(Path(path)))
    except InputError as error:
        problems += error.problems
        return found
    if not source.readable:
        return found
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if len(fields) != 2 or not all(f.isascii() and f.isdigit() and len(f) < 10 for f in fields):
            problem(number, "token", "a line and a position from 0", quoted(line))
            continue
        sentence, position = map(int, fields)
        if sentence >= len(source.lines):
            expected = f"a line below {len(source.lines)}, the lines of {source.path}"
            problem(number, "token", expected, str(sentence))
        elif position >= source.lengths[sentence]:
            expected = f"a position below {source.lengths[sentence]}, the words of line {sentence}"
            problem(number, "token", expected, str(position))
        else:
            word = source.words(sentence)[position]
            pronoun = _first_part(word.lower(), wanted, parts)
            if pronoun is None and wanted:
                problem(number, "word", choices(lists.source_pronouns), quoted(word))
            else:
                found.append(Anchor(sentence, position, word, pronoun or word.lower()))
    return found


class PronounOf(dict[bytes, str | None]):
    """The pronoun that a word is or contains, in lower case; each word is worked out once."""

    def __init__(self, pronouns: Iterable[str], separator: str) -> None:
        super().__init__()
        self.pronouns = frozenset(pronouns)
        self.parts = parts_by(separator)

    def __missing__(self, word: bytes) -> str | None:
        found = _first_part(word.decode("utf-8").lower(), self.pronouns, self.parts)
        self[word] = found
        return found


def _first_part(word: str, wanted: frozenset[str], parts: Parts) -> str | None:
    if word in wanted:
        return word
    return next((part for part in parts(word) if part in wanted), None)
