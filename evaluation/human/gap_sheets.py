"""Gaps for people to fill, as in the human evaluation of DiscoMT 2015 (000 §3).

Annotators see the source and a system's translation in which the pronoun is hidden, and write which
pronouns could stand there; nothing that a system wrote can then prime them. A *sheet* is what they
get, in an order that says nothing about systems. The *key* says what each gap hides, and whose it
is; APT's case goes with it, so that both can be compared (000 Table 5).

A gap hides one word of a system: a pronoun of the lists, or *other*. Annotators accept one or more
of these, or say that the translation is too bad. A gap that nobody has filled in is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    input_error,
    is_whole_number,
    quoted,
)
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.human.exchange import BETWEEN_LINES, csv_line
from crosspro.evaluation.inputs.anchors import target_pronoun
from crosspro.evaluation.inputs.case_records import BAD, CASES, CORRECT, INCORRECT
from crosspro.evaluation.inputs.linked_text import Text
from crosspro.evaluation.inputs.plain_text import Documents
from crosspro.evaluation.inputs.pronoun_lists import PronounLists, normal_form
from crosspro.evaluation.inputs.sheets import FILLED_COLUMNS, GAP_COLUMNS, named_cells, read_rows
from crosspro.evaluation.metrics.apt.cases import Occurrence
from crosspro.evaluation.output.tables import csv_text

GAP = "____"
SHEET_COLUMNS = (*GAP_COLUMNS, *FILLED_COLUMNS)
KEY_COLUMNS = ("example", "system", "document", "line", "position", "pronoun", "case", "output")


@dataclass(frozen=True)
class DrawnGaps:
    """A sheet and its key, as files with tabs, and how many examples they have."""

    sheet: bytes
    key: bytes
    examples: int


def draw_gaps(
    evaluation: Evaluation,
    documents: Documents | None,
    sample: int | None,
    context: int,
    seed: int,
) -> DrawnGaps:
    """The same pronouns of each candidate, all or a random sample of them, in random order.

    `context` is how many earlier lines of the document are shown.
    """
    generator = np.random.default_rng(seed)
    data, occurrences = evaluation.scored.data, evaluation.scored.items
    chosen = generator.permutation(evaluation.scored.size)[:sample].tolist()
    pairs = [(system, one) for system in range(len(occurrences)) for one in sorted(chosen)]
    sheet, key = [csv_line(SHEET_COLUMNS)], [csv_line(KEY_COLUMNS)]
    for number, at in enumerate(generator.permutation(len(pairs)).tolist(), start=1):
        system, one = pairs[at]
        occurrence = occurrences[system][one]
        anchor = occurrence.anchor
        lines = _around(anchor.sentence, context, documents)
        text = data.candidates[system].text
        hidden = hidden_positions(occurrence, data.pronouns)
        source = _shown(data.source, lines, {anchor.position: f"[[{anchor.word}]]"})
        translation = _shown(text, lines, dict.fromkeys(hidden, GAP))
        sheet.append(csv_line((str(number), source, translation, "", "")))
        words = text.words(anchor.sentence)
        key.append(
            csv_line(
                (
                    str(number),
                    evaluation.names[system],
                    "" if documents is None else _document(anchor.sentence, documents),
                    *map(str, (anchor.sentence, anchor.position)),
                    anchor.pronoun,
                    str(occurrence.case),
                    " ".join(words[position] for position in hidden),
                )
            )
        )
    return DrawnGaps(b"".join(sheet), b"".join(key), len(pairs))


def hidden_positions(occurrence: Occurrence, lists: PronounLists) -> tuple[int, ...]:
    """The words of the candidate that are hidden: its pronouns, else all that is linked."""
    side = occurrence.candidate
    pronouns = tuple(
        position
        for position, word in zip(side.positions, side.words, strict=True)
        if target_pronoun(normal_form(word), lists) is not None
    )
    return pronouns or side.positions


def _around(line: int, context: int, documents: Documents | None) -> range:
    first = max(0, line - context)
    if documents is not None:
        while documents.of_line[first] != documents.of_line[line]:
            first += 1
    return range(first, line + 1)


def _document(line: int, documents: Documents) -> str:
    return documents.names[int(documents.of_line[line])]


def _shown(text: Text, lines: Sequence[int], instead: dict[int, str]) -> str:
    """Some lines, in the last of which words are replaced."""
    shown = [text.words(line) for line in lines]
    for position, word in instead.items():
        shown[-1][position] = word
    return BETWEEN_LINES.join(" ".join(words) for words in shown)


# Filled-in sheets ---------------------------------------------------------------------------------

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
    rows = [(path, *row) for row in named_cells(path, heading, found[1:], problems)]
    return [] if missing else rows


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


JUDGED_COLUMNS = ("system", "document", "line", "position", "category", "case", "human")


def judged_csv(sheets: FilledSheets) -> str:
    """A row for each gap with its case and its verdict, for `crosspro correlate cases`."""
    rows = [
        (
            *(one.system, one.document),
            *(one.place or ("", "")),
            one.pronoun or "all",
            "" if one.case is None else one.case,
            one.verdict,
        )
        for one in sheets.gaps
    ]
    return csv_text([JUDGED_COLUMNS, *rows])
