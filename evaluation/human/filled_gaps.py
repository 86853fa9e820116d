"""Filled-in sheets of gaps and their keys, read together; all faults are told at once.

A gap hides one word of a system: a pronoun of the lists, or *other*. Annotators accept one or more
of these, or say that the translation is too bad. A gap that nobody has filled in is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    input_error,
    is_whole_number,
    quoted,
)
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.inputs.anchors import target_pronoun
from crosspro.evaluation.inputs.case_names import CASES
from crosspro.evaluation.inputs.placed_verdict import BAD, CORRECT, INCORRECT
from crosspro.evaluation.inputs.pronoun_lists import PronounLists, normal_form
from crosspro.evaluation.inputs.table_rows import read_rows

EXAMPLE, ACCEPTED = "example", "accepted"
_NEEDED = ("system", "output")
_BETWEEN = re.compile(r"[\s,;/|]+")
_BAD = re.compile(r"bad(?:[\s_-]+translation)?", re.IGNORECASE)

_Tell = Callable[[str, str], None]
"""Notes a problem with a field: what was expected there."""

Row = tuple[Path, int, dict[str, str]]
"""The file and the line of a row, and its cells by column."""


@dataclass(frozen=True, slots=True)
class FilledGap:
    """A gap of one system: its word as a label, and the labels that people accept.

    `place` is the line and the position of the source pronoun, where they are known, and `case` is
    that of APT. A translation that is too bad has no accepted label.
    """

    system: str
    word: str
    accepted: frozenset[str]
    bad: bool
    pronoun: str = ""
    document: str = ""
    place: tuple[int, int] | None = None
    case: int | None = None

    @property
    def right(self) -> bool:
        """Whether people accept the system's word."""
        return self.word in self.accepted

    @property
    def verdict(self) -> str:
        """What that makes it in 000 Table 5."""
        return BAD if self.bad else CORRECT if self.right else INCORRECT


@dataclass(frozen=True)
class FilledSheets:
    """The gaps that were filled in, and how many were not."""

    gaps: tuple[FilledGap, ...]
    empty: int


def read_filled_gaps(sheets: Sequence[Path], key: Path | None, lists: PronounLists) -> FilledSheets:
    """The gaps of some sheets with what their key says; every problem of every file is raised.

    Without a key the sheets themselves say whose gaps they are and what they hide.
    """
    problems: list[Problem] = []
    rows = [
        row
        for path in sheets
        for row in _rows(path, (EXAMPLE, ACCEPTED) if key else (ACCEPTED, *_NEEDED), problems)
    ]
    if key is not None:
        rows = _with_key(rows, list(_rows(key, (EXAMPLE, *_NEEDED), problems)), key, problems)
    reader = _Reader(lists, problems)
    found = [reader.gap(row) for row in rows]
    if problems:
        raise InputError(problems)
    gaps = tuple(one for one in found if one is not None)
    if not gaps:
        raise input_error(sheets[0], ACCEPTED, "at least one gap that is filled in", "none")
    _check_places(sheets[0], gaps)
    return FilledSheets(gaps, len(found) - len(gaps))


def _rows(path: Path, needed: Iterable[str], problems: list[Problem]) -> Iterable[Row]:
    try:
        found = list(read_rows(path))
    except InputError as error:
        problems += error.problems
        return []
    line, heading = found[0] if found else (1, [])
    missing = [name for name in needed if name not in heading]
    for name in missing:
        known = choices(heading) if heading else "a heading"
        problems.append(Problem(str(path), line, "column", f"{quoted(name)} among them", known))
    for name in dict.fromkeys(name for name in heading if name and heading.count(name) > 1):
        problems.append(Problem(str(path), line, "heading", "different names", quoted(name)))
        missing.append(name)
    rows = []
    for number, cells in found[1:]:
        if len(cells) != len(heading):
            expected = f"{len(heading)} as in the heading"
            problems.append(Problem(str(path), number, "cells", expected, str(len(cells))))
        elif not missing:
            rows.append((path, number, dict(zip(heading, cells, strict=True))))
    return rows


def _with_key(
    rows: Iterable[Row], keys: Iterable[Row], key: Path, problems: list[Problem]
) -> list[Row]:
    """Rows of sheets with what the key says of their examples, each of which is there once."""
    known: dict[str, Mapping[str, str]] = {}
    for path, line, cells in keys:
        if cells[EXAMPLE] in known:
            found = f"{quoted(cells[EXAMPLE])} again"
            problems.append(Problem(str(path), line, EXAMPLE, "each example once", found))
        known[cells[EXAMPLE]] = cells
    seen: dict[str, str] = {}
    joined = []
    for path, line, cells in rows:
        name = cells[EXAMPLE]
        if name not in known:
            expected = f"an example of {key}"
            problems.append(Problem(str(path), line, EXAMPLE, expected, quoted(name)))
            continue
        if cells[ACCEPTED] and name in seen:
            expected = f"each example filled in once; it is in {seen[name]}"
            problems.append(Problem(str(path), line, EXAMPLE, expected, quoted(name)))
        if cells[ACCEPTED]:
            seen.setdefault(name, f"{path}:{line}")
        joined.append((path, line, {**known[name], ACCEPTED: cells[ACCEPTED]}))
    return joined


class _Reader:
    """Turns rows into gaps and collects what is wrong with them."""

    def __init__(self, lists: PronounLists, problems: list[Problem]) -> None:
        self.lists = lists
        self.problems = problems
        names = dict.fromkeys(lists.label(word) for word in lists.target_pronouns)
        self.expected = f"{choices([*names, 'other'])}, or {BAD}"

    def gap(self, row: Row) -> FilledGap | None:
        """A gap, or nothing if nobody has filled it in."""
        path, line, cells = row

        def problem(field: str, expected: str) -> None:
            found = quoted(cells[field]) if cells.get(field) else "nothing"
            self.problems.append(Problem(str(path), line, field, expected, found))

        if not cells["system"]:
            problem("system", "a name")
        place = self._numbers(cells, problem)
        case = cells.get("case", "")
        if case and case not in map(str, CASES):
            problem("case", "a case from 1 to 6")
            case = ""
        written = cells[ACCEPTED]
        if not written:
            return None
        bad = _BAD.fullmatch(written) is not None
        accepted = frozenset() if bad else self._accepted(written, problem)
        return FilledGap(
            cells["system"],
            self.label(cells["output"]),
            accepted,
            bad,
            cells.get("pronoun", ""),
            cells.get("document", ""),
            place,
            int(case) if case else None,
        )

    def label(self, words: str) -> str:
        """The label of what a gap hides: the first pronoun of the lists, or *other*."""
        for word in words.split():
            pronoun = target_pronoun(normal_form(word), self.lists)
            if pronoun is not None:
                return self.lists.label(pronoun)
        return OTHER

    def _accepted(self, written: str, problem: _Tell) -> frozenset[str]:
        labels = set()
        for word in filter(None, _BETWEEN.split(written)):
            label = self.lists.labels.get(normal_form(word))
            if word.upper() in (OTHER, NONE):
                label = OTHER
            if label is None:
                problem(ACCEPTED, self.expected)
                break
            labels.add(label)
        return frozenset(labels)

    def _numbers(self, cells: Mapping[str, str], problem: _Tell) -> tuple[int, int] | None:
        written = [cells.get(name, "") for name in ("line", "position")]
        if not any(written):
            return None
        for name, text in zip(("line", "position"), written, strict=True):
            if not is_whole_number(text):
                problem(name, "a number from 0")
        return (int(written[0]), int(written[1])) if all(map(is_whole_number, written)) else None


def _check_places(path: Path, gaps: Iterable[FilledGap]) -> None:
    """Each pronoun is there once for each system."""
    seen: set[tuple[str, tuple[int, int]]] = set()
    problems = []
    for one in gaps:
        if one.place is None:
            continue
        if (one.system, one.place) in seen:
            found = f"{one.system}, line {one.place[0]}, position {one.place[1]} twice"
            problems.append(Problem(str(path), None, "pronoun", "each once for each system", found))
        seen.add((one.system, one.place))
    if problems:
        raise InputError(problems)
