"""Sheets on which people check source pronouns: are they subjects, and what translates them?

003 §3.3.3 checked by hand what the subject filter had kept and removed, 000 §2.3 the links of a
hundred pronouns, 003 §3.3.1 the precision and recall of such links. A sheet has a row for each
pronoun, which is marked in the source, and the words linked to it in the target. People fill in
two columns:

- `subject`: yes or no.
- `words`: yes where the marked words are right; else the words of the target that translate the
  pronoun, `il#2` for the second *il*; `-` where nothing does.

Rows that are not filled in say nothing. A sheet that comes back corrects the data that are made of
the same text, and shows how often links and filter are wrong.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crosspro.data_prep.annotate.tokenise import TokenisedBitext
from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.gaps.extract import source_pronouns
from crosspro.data_prep.gaps.segments import KEPT, REMOVED, Correction, HandCheck, PronounDecision

COLUMNS = (
    *("line", "position", "pronoun", "source", "target", "filter", "rule", "linked"),
    *("subject", "words", "remark"),
)
_ANSWERS = {**dict.fromkeys(("yes", "y", "1"), True), **dict.fromkeys(("no", "n", "0"), False)}
_NOTHING = "-"


def sheet_text(decisions: Iterable[PronounDecision]) -> str:
    """A sheet for people, with tabs; lines and positions count from 0."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for decision in decisions:
        linked = " ".join(map(str, decision.linked)) or _NOTHING
        writer.writerow((
            decision.line, decision.position, decision.source[decision.position],
            _bracketed(decision.source, [decision.position]),
            _bracketed(decision.target, decision.linked),
            decision.filter, decision.rule, linked, "", "", "",
        ))  # fmt: skip
    return text.getvalue()


def _bracketed(words: Sequence[str], marked: Sequence[int]) -> str:
    return " ".join(f"[[{word}]]" if at in marked else word for at, word in enumerate(words))


def read_sheet(path: Path, task: Task, bitext: TokenisedBitext) -> dict[int, dict[int, Correction]]:
    """What people say of the pronouns of a text, by line and position."""
    lines = list(read_text_lines(path))
    delimiter = max("\t,;", key=(lines or [""])[0].count)
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
    heading = next(reader, [])
    if missing := set(COLUMNS) - set(heading):
        raise input_error(path, "heading", ", ".join(COLUMNS), f"no {', '.join(missing)}", 1)
    corrections: dict[int, dict[int, Correction]] = {}
    for cells in reader:
        if not any(cells):
            continue
        if len(cells) != len(heading):
            found = str(len(cells))
            raise input_error(path, "cells", str(len(heading)), found, reader.line_num)
        values = dict(zip(heading, map(str.strip, cells), strict=True))
        row = _SheetRow(path, reader.line_num, values)
        if values["subject"] or values["words"]:
            line, position, correction = row.correction(task, bitext)
            if position in corrections.setdefault(line, {}):
                raise row.fault("position", "each pronoun once")
            corrections[line][position] = correction
    if not corrections:
        raise input_error(path, "file", "at least one row that is filled in", "none")
    return corrections


@dataclass(frozen=True)
class _SheetRow:
    """A row that people have filled in."""

    path: Path
    number: int
    cells: Mapping[str, str]

    def fault(self, field: str, expected: str) -> InputError:
        """The error that says that a cell is not what was expected."""
        return input_error(self.path, field, expected, quoted(self.cells[field]), self.number)

    def correction(self, task: Task, bitext: TokenisedBitext) -> tuple[int, int, Correction]:
        """Line, position, and what the row says of the pronoun there."""
        line = self._number("line", len(bitext))
        source, target = bitext.source[line], bitext.target[line]
        position = self._number("position", len(source))
        if position not in source_pronouns(source, task):
            raise self.fault("position", f"a source pronoun in line {line} of this text")
        for field, words in (("source", source), ("target", target)):
            cell = self.cells[field].replace("[[", "").replace("]]", "")
            if cell.split() != " ".join(words).split():
                raise self.fault(field, f"line {line} of this text: {quoted(' '.join(words))}")
        answer = self.cells["subject"].lower()
        if answer and answer not in _ANSWERS:
            raise self.fault("subject", "yes, no, or nothing")
        return line, position, Correction(_ANSWERS.get(answer), self._words(target))

    def _number(self, field: str, size: int) -> int:
        cell = self.cells[field]
        if not (cell.isascii() and cell.isdigit() and int(cell) < size):
            raise self.fault(field, f"a number below {size:,}, as in this text")
        return int(cell)

    def _words(self, target: Sequence[str]) -> tuple[int, ...] | None:
        cell = self.cells["words"]
        if not cell:
            return None
        if cell == _NOTHING:
            return ()
        if _ANSWERS.get(cell.lower()) and cell not in target:
            return self._linked(len(target))
        places = [_place(word, target) for word in cell.split()]
        if None in places:
            expected = "yes, words of the target (il#2: the second il), - for none, or nothing"
            raise self.fault("words", expected)
        return tuple(sorted({place for place in places if place is not None}))

    def _linked(self, size: int) -> tuple[int, ...]:
        """The words that were marked when the sheet was written."""
        cell = self.cells["linked"]
        places = [] if cell == _NOTHING else cell.split()
        if not all(place.isascii() and place.isdigit() and int(place) < size for place in places):
            raise self.fault("linked", f"numbers below {size}, or -, as the sheet was written")
        return tuple(map(int, places))


def _place(word: str, target: Sequence[str]) -> int | None:
    """Where a word stands, if that is clear: once, or the one that is numbered."""
    for same in (str, str.lower):
        places = [place for place, other in enumerate(target) if same(other) == same(word)]
        if len(places) == 1:
            return places[0]
    form, _, number = word.rpartition("#")
    places = [place for place, other in enumerate(target) if other.lower() == form.lower()]
    if number.isascii() and number.isdigit() and 0 < int(number) <= len(places):
        return places[int(number) - 1]
    return None


# How often the program was wrong ------------------------------------------------------------------


@dataclass(frozen=True)
class ErrorRate:
    """Decisions that people checked, those that were wrong, and how many are in the text."""

    name: str
    checked: int
    wrong: int
    in_text: int | None = None

    @property
    def rate(self) -> float | None:
        """The share that is wrong, if any was checked."""
        return self.wrong / self.checked if self.checked else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of that share (Wilson's)."""
        if self.rate is None:
            return None
        z, size = 1.959964, self.checked
        centre = self.rate + z * z / (2 * size)
        spread = z * math.sqrt(self.rate * (1 - self.rate) / size + z * z / (4 * size * size))
        below = 1 + z * z / size
        return max(0.0, (centre - spread) / below), min(1.0, (centre + spread) / below)

    @property
    def record(self) -> dict[str, Any]:
        """All numbers, for the report of `prepare`."""
        return {**asdict(self), "rate": self.rate, "interval": self.interval}


@dataclass(frozen=True)
class CheckedPronouns:
    """How often the filter, its rules and the links were wrong, of what people have checked.

    Pronouns without a link that have a translation are `missing`.
    """

    filter: tuple[ErrorRate, ...]
    rules: tuple[ErrorRate, ...]
    links: tuple[ErrorRate, ...]
    link_precision: float | None
    link_recall: float | None

    @property
    def precision(self) -> float | None:
        """Subjects among the pronouns that the filter kept."""
        kept = self.filter[0].rate
        return None if kept is None else 1 - kept

    @property
    def recall(self) -> float | None:
        """Subjects that the filter kept; errors count as often as there are such decisions."""
        kept, removed = self.filter
        if kept.rate is None or (removed.rate is None and removed.in_text):
            return None
        right = (kept.in_text or 0) * (1 - kept.rate)
        lost = (removed.in_text or 0) * (removed.rate or 0)
        return right / (right + lost) if right + lost else None

    @property
    def record(self) -> dict[str, object]:
        """Everything, for the report of `prepare`."""
        return {
            "filter": [rate.record for rate in self.filter],
            "rules": [rate.record for rate in self.rules],
            "filter_precision": self.precision,
            "filter_recall": self.recall,
            "links": [rate.record for rate in self.links],
            "link_precision": self.link_precision,
            "link_recall": self.link_recall,
        }


def checked_pronouns(check: HandCheck) -> CheckedPronouns:
    """Compare what was decided with what people say."""
    answered = [(one, check.corrections[one.line][one.position]) for one in check.checked]
    filtered = [
        (decision, (decision.filter == KEPT) != answer.subject)
        for decision, answer in answered
        if decision.filter in (KEPT, REMOVED) and answer.subject is not None
    ]
    wrong_by_rule: dict[str, list[bool]] = {}
    for decision, wrong in filtered:
        wrong_by_rule.setdefault(f"{decision.filter}: {decision.rule}", []).append(wrong)
    rates = []
    for name in (KEPT, REMOVED):
        wrongs = [wrong for decision, wrong in filtered if decision.filter == name]
        rates.append(ErrorRate(name, len(wrongs), sum(wrongs), check.totals[name]))
    linked = [
        (set(decision.linked), set(answer.words))
        for decision, answer in answered
        if answer.words is not None
    ]
    links, translations, both = (
        sum(map(len, words))
        for words in (
            [ours for ours, _ in linked],
            [people for _, people in linked],
            [ours & people for ours, people in linked],
        )
    )
    missing = sum(not ours and bool(people) for ours, people in linked)
    wrong_links = sum(bool(ours) and ours != people for ours, people in linked)
    return CheckedPronouns(
        tuple(rates),
        tuple(
            ErrorRate(name, len(wrongs), sum(wrongs))
            for name, wrongs in sorted(wrong_by_rule.items())
        ),
        (
            ErrorRate("missing", len(linked), missing),
            ErrorRate("wrong", len(linked), wrong_links),
        ),
        both / links if links else None,
        both / translations if translations else None,
    )
