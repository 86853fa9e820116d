"""What APT and people say of a source pronoun in one system's output.

The six cases of APT (000 §2.4); what `crosspro apt --detail FILE.json` says of each pronoun, read
back strictly; and verdicts of people, which are joined with these cases (001 §6). What people are
to fill in is drawn from them (000 §3.1).
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.files import parse_json, read_bytes

CASES = (1, 2, 3, 4, 5, 6)
CASE_NAMES = ("same", "equivalent", "different", "not in cand.", "not in ref.", "in neither")
"""The cases as the paper's Table 5 calls them."""
CORRECT, INCORRECT, BAD = "correct", "incorrect", "bad translation"
"""The verdicts of 000 Table 5; a pronoun that nobody has judged has none."""

_TEXTS = ("system", "source", "pronoun")
_LARGEST = 10**9


@dataclass(frozen=True, slots=True)
class RecordedSide:
    """What a pronoun became in a translation: positions, words and labels, and the sentence."""

    positions: tuple[int, ...]
    words: tuple[str, ...]
    labels: tuple[str, ...]
    sentence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """A source pronoun in one system's output: where it is, both translations, and the case."""

    system: str
    line: int
    position: int
    word: str
    pronoun: str
    reference: RecordedSide
    candidate: RecordedSide
    case: int
    source: tuple[str, ...]

    @property
    def place(self) -> tuple[int, int]:
        """The line and the position, from 0."""
        return self.line, self.position


def read_case_records(path: Path) -> list[CaseRecord]:
    """The occurrences of a file; every problem is raised."""
    content = read_bytes(path)
    try:
        found = parse_json(content)
    except ValueError as error:
        raise input_error(path, "file", "JSON from `apt --detail FILE.json`", str(error)) from error
    if not isinstance(found, list) or not found:
        shown = quoted(json.dumps(found, ensure_ascii=False))
        raise input_error(path, "file", "a list of occurrences from `apt --detail`", shown)
    reader = _Reader(str(path))
    records = [reader.record(number, one) for number, one in enumerate(found, start=1)]
    seen: dict[tuple[str, int, int], int] = {}
    for number, record in enumerate(records, start=1):
        if record is None:
            continue
        first = seen.setdefault((record.system, *record.place), number)
        if first != number:
            expected = "each pronoun once for each system"
            reader.problem(number, "position", expected, f"the same as occurrence {first}")
    if reader.problems:
        raise InputError(reader.problems)
    return [record for record in records if record is not None]


class _Reader:
    """Checks the values of one file and collects its problems."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []

    def problem(self, number: int, field: str, expected: str, found: str) -> None:
        where = f"occurrence {number}, {field}"
        self.problems.append(Problem(self.path, None, where, expected, found))

    def record(self, number: int, value: Any) -> CaseRecord | None:
        before = len(self.problems)
        if not isinstance(value, Mapping):
            self.problem(number, "object", "an object", _shown(value))
            return None
        system, word, pronoun = (self.text(number, name, value.get(name)) for name in _TEXTS)
        line, position = (
            self.whole(number, name, value.get(name)) for name in ("sentence", "position")
        )
        case = self.whole(number, "case", value.get("case"), "a case from 1 to 6", CASES)
        sentences = value.get("sentences")
        if not isinstance(sentences, Mapping):
            self.problem(number, "sentences", "source, reference and candidate", _shown(sentences))
            return None
        source = self.sentence(number, "source", sentences)
        ours, theirs = (
            self.side(number, name, value, sentences) for name in ("reference", "candidate")
        )
        if len(self.problems) > before:
            return None
        if position >= len(source):
            expected = f"a position below {len(source)}, the words of the source"
            self.problem(number, "position", expected, str(position))
            return None
        return CaseRecord(system, line, position, word, pronoun, ours, theirs, case, source)

    def side(
        self, number: int, name: str, value: Mapping[str, Any], sentences: Mapping[str, Any]
    ) -> RecordedSide:
        sentence = self.sentence(number, name, sentences)
        given = value.get(name)
        if not isinstance(given, Mapping):
            self.problem(number, name, "positions, words and labels", _shown(given))
            return RecordedSide((), (), (), sentence)
        lists = {}
        for key, kind in (("positions", int), ("words", str), ("labels", str)):
            items = given.get(key)
            if not isinstance(items, list) or not all(type(one) is kind for one in items):
                self.problem(number, f"{name}.{key}", f"a list of {_KINDS[kind]}", _shown(items))
                items = []
            lists[key] = tuple(items)
        outside = [at for at in lists["positions"] if not 0 <= at < len(sentence)]
        if outside:
            expected = f"positions below {len(sentence)}, the words of the {name}"
            self.problem(number, f"{name}.positions", expected, str(outside[0]))
        return RecordedSide(lists["positions"], lists["words"], lists["labels"], sentence)

    def sentence(self, number: int, name: str, sentences: Mapping[str, Any]) -> tuple[str, ...]:
        text = sentences.get(name)
        if not isinstance(text, str):
            self.problem(number, f"sentences.{name}", "a sentence", _shown(text))
            return ()
        return tuple(text.split(" ")) if text else ()

    def text(self, number: int, name: str, value: object) -> str:
        if isinstance(value, str) and value.strip():
            return value
        self.problem(number, name, "a text", _shown(value))
        return ""

    def whole(
        self,
        number: int,
        name: str,
        value: object,
        expected: str = "a number from 0",
        allowed: Container[int] = range(_LARGEST),
    ) -> int:
        if type(value) is int and value in allowed:
            return value
        self.problem(number, name, expected, _shown(value))
        return 0


_KINDS = {int: "positions", str: "words"}


def _shown(value: object) -> str:
    return "nothing" if value is None else quoted(json.dumps(value, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class PlacedVerdict:
    """A verdict on the pronoun at a line and a position, both from 0; `human` may be empty."""

    system: str
    line: int
    position: int
    category: str
    human: str
    token: str = ""
    document: str = ""
    anaphoric: bool = False
