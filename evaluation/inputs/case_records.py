"""What APT and people say of a source pronoun in one system's output.

The six cases of APT (000 §2.4); what `crosspro apt --detail FILE.json` says of each pronoun, read
back strictly; and verdicts of people, which are joined with these cases (001 §6). What people are
to fill in is drawn from them (000 §3.1).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
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
        raise input_error(path, "file", "a list of occurrences from `apt --detail`", _shown(found))
    records: dict[tuple[str, int, int], CaseRecord] = {}
    numbers: dict[tuple[str, int, int], int] = {}
    problems: list[Problem] = []
    twice: list[Problem] = []
    for number, value in enumerate(found, start=1):
        faults = list(_faults(value))
        for field, expected, shown in faults:
            where = f"occurrence {number}, {field}"
            problems.append(Problem(str(path), None, where, expected, shown))
        if faults:
            continue
        record = _record(value)
        key = record.system, *record.place
        if records.setdefault(key, record) is not record:
            where, expected = f"occurrence {number}, position", "each pronoun once for each system"
            shown = f"the same as occurrence {numbers[key]}"
            twice.append(Problem(str(path), None, where, expected, shown))
        numbers.setdefault(key, number)
    if problems or twice:
        raise InputError([*problems, *twice])
    return list(records.values())


def _faults(value: Any) -> Iterator[tuple[str, str, str]]:
    """The fields of an occurrence that are wrong, what is expected there, and what is found."""
    if not isinstance(value, Mapping):
        yield "object", "an object", _shown(value)
        return
    wanted: list[tuple[str, str, Callable[[Any], bool]]] = [
        *((name, "a text", _is_text) for name in ("system", "source", "pronoun")),
        *((name, "a number from 0", _is_place) for name in ("sentence", "position")),
        ("case", "a case from 1 to 6", lambda case: type(case) is int and case in CASES),
    ]
    faulty = False
    for name, expected, holds in wanted:
        if not holds(value.get(name)):
            faulty = True
            yield name, expected, _shown(value.get(name))
    texts = value.get("sentences")
    if not isinstance(texts, Mapping):
        yield "sentences", "source, reference and candidate", _shown(texts)
        return
    for name in ("source", "reference", "candidate"):
        for fault in _text_faults(name, value, texts):
            faulty = True
            yield fault
    if not faulty and value["position"] >= len(_words(texts["source"])):
        expected = f"a position below {len(_words(texts['source']))}, the words of the source"
        yield "position", expected, str(value["position"])


def _text_faults(
    name: str, value: Mapping[str, Any], texts: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """What is wrong with a sentence, and with what a pronoun became in a translation."""
    if not isinstance(texts.get(name), str):
        yield f"sentences.{name}", "a sentence", _shown(texts.get(name))
    if name == "source":
        return
    side, size = value.get(name), len(_words(texts.get(name)))
    if not isinstance(side, Mapping):
        yield name, "positions, words and labels", _shown(side)
        return
    for key, kind, called in _LISTS:
        items = side.get(key)
        if not isinstance(items, list) or not all(type(item) is kind for item in items):
            yield f"{name}.{key}", f"a list of {called}", _shown(items)
        elif key == "positions":
            for at in [at for at in items if not 0 <= at < size][:1]:
                expected = f"positions below {size}, the words of the {name}"
                yield f"{name}.positions", expected, str(at)


def _record(value: Mapping[str, Any]) -> CaseRecord:
    """An occurrence without faults."""
    texts = {name: _words(text) for name, text in value["sentences"].items()}
    ours, theirs = (
        RecordedSide(
            tuple(value[name]["positions"]),
            tuple(value[name]["words"]),
            tuple(value[name]["labels"]),
            texts[name],
        )
        for name in ("reference", "candidate")
    )
    place = value["sentence"], value["position"]
    word, pronoun = value["source"], value["pronoun"]
    return CaseRecord(
        value["system"], *place, word, pronoun, ours, theirs, value["case"], texts["source"]
    )


_LISTS = (("positions", int, "positions"), ("words", str, "words"), ("labels", str, "words"))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_place(value: object) -> bool:
    return type(value) is int and 0 <= value < _LARGEST


def _words(text: object) -> tuple[str, ...]:
    return tuple(text.split(" ")) if isinstance(text, str) and text else ()


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
