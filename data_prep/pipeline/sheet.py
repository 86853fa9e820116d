"""Sheets on which people check source pronouns: are they subjects, and what translates them?

003 §3.3.3 checked by hand what the subject filter had kept and removed, 000 §2.3 the links of a
hundred pronouns, 003 §3.3.1 the precision and recall of such links. A row has a pronoun, which is
marked in the source, and the words linked to it in the target. People fill in two columns:

- `subject`: yes or no.
- `words`: yes where the marked words are right; else the words of the target that translate the
  pronoun, `il#2` for the second *il*; `-` where nothing does.

A sheet that comes back corrects the data that are made of the same text, and shows how often links
and filter are wrong.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from crosspro.data_prep.annotate.bitext import TokenisedBitext
from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.gaps.extract import source_pronouns
from crosspro.data_prep.gaps.segments import (
    KEPT,
    REMOVED,
    Correction,
    Corrections,
    PronounDecision,
)

COLUMNS = (
    *("line", "position", "pronoun", "source", "target", "filter", "rule", "linked"),
    *("subject", "words", "remark"),
)
SAMPLED = 100
"""Pronouns on a sheet: so many kept, removed, and others."""
_ANSWERS = {"yes": True, "y": True, "1": True, "no": False, "n": False, "0": False, "": None}
_NOTHING = "-"


def sheet_text(
    decisions: Sequence[PronounDecision], sampled: int = SAMPLED, seed: int = 12345
) -> str:
    """A sheet for people, with tabs, of a random sample; lines and positions count from 0."""
    random = Random(seed)  # noqa: S311 - no secret depends on it
    sample: list[PronounDecision] = []
    for outcome in sorted({decision.filter for decision in decisions}):
        same = [decision for decision in decisions if decision.filter == outcome]
        sample += random.sample(same, min(sampled, len(same)))
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for decision in sorted(sample, key=lambda decision: (decision.line, decision.position)):
        position, linked = decision.position, decision.linked
        source, target = _marked(decision.source, [position]), _marked(decision.target, linked)
        row = (decision.line, position, decision.source[position], source, target)
        places = " ".join(map(str, linked)) or _NOTHING
        writer.writerow((*row, decision.filter, decision.rule, places, "", "", ""))
    return text.getvalue()


def _marked(words: Sequence[str], places: Sequence[int]) -> str:
    return " ".join(f"[[{word}]]" if at in places else word for at, word in enumerate(words))


def read_sheet(path: Path, task: Task, bitext: TokenisedBitext) -> Corrections:
    """What people say of the pronouns of a text, by line and position."""
    lines = list(read_text_lines(path))
    delimiter = max("\t,;", key=(lines or [""])[0].count)
    reader = csv.DictReader((f"{line}\n" for line in lines), delimiter=delimiter)
    if missing := [name for name in COLUMNS if name not in (reader.fieldnames or ())]:
        raise input_error(path, "heading", ", ".join(COLUMNS), f"no {', '.join(missing)}", 1)
    corrections: dict[int, dict[int, Correction]] = {}
    for cells in reader:
        if None in cells or None in cells.values():
            expected = f"{len(reader.fieldnames or ())} cells"
            raise input_error(path, "cells", expected, "another number", reader.line_num)
        row = _Row(path, reader.line_num, {name: cell.strip() for name, cell in cells.items()})
        if row.cells["subject"] or row.cells["words"]:
            line, position, correction = row.correction(task, bitext)
            if position in corrections.setdefault(line, {}):
                raise row.fault("position", "each pronoun once")
            corrections[line][position] = correction
    if not corrections:
        raise input_error(path, "file", "at least one row that is filled in", "none")
    return corrections


@dataclass(frozen=True)
class _Row:
    """A row of a sheet in which somebody has filled in something."""

    path: Path
    line: int
    cells: Mapping[str, str]

    def fault(self, column: str, expected: str) -> InputError:
        return input_error(self.path, column, expected, quoted(self.cells[column]), self.line)

    def correction(self, task: Task, bitext: TokenisedBitext) -> tuple[int, int, Correction]:
        """Line and position of the pronoun, and what the row says of it."""
        line = self._number(self.cells["line"], "line", len(bitext))
        source, target = bitext.source[line], bitext.target[line]
        position = self._number(self.cells["position"], "position", len(source))
        if position not in source_pronouns(source, task):
            raise self.fault("position", f"a source pronoun in line {line} of this text")
        for column, words in (("source", source), ("target", target)):
            shown = self.cells[column].replace("[[", "").replace("]]", "")
            if shown.split() != " ".join(words).split():
                raise self.fault(column, f"line {line} of this text: {quoted(' '.join(words))}")
        subject = self.cells["subject"].lower()
        if subject not in _ANSWERS:
            raise self.fault("subject", "yes, no, or nothing")
        return line, position, Correction(_ANSWERS[subject], self._translation(target))

    def _number(self, text: str, column: str, size: int) -> int:
        if not (text.isascii() and text.isdigit() and int(text) < size):
            raise self.fault(column, f"a number below {size:,}, as in this text")
        return int(text)

    def _translation(self, target: Sequence[str]) -> tuple[int, ...] | None:
        """The positions of the words that translate the pronoun; None without an answer."""
        answer = self.cells["words"]
        if answer in ("", _NOTHING):
            return () if answer else None
        if _ANSWERS.get(answer.lower()) and answer not in target:  # as the sheet was written
            numbers = self.cells["linked"].replace(_NOTHING, "").split()
            return tuple(self._number(number, "linked", len(target)) for number in numbers)
        return tuple(sorted({self._position(word, target) for word in answer.split()}))

    def _position(self, word: str, target: Sequence[str]) -> int:
        """The position of a word that occurs once, or of the occurrence that is numbered."""
        if target.count(word) == 1:
            return target.index(word)
        form, _, number = word.lower().rpartition("#")
        form, number = (form, number) if form else (number, "")
        positions = [place for place, other in enumerate(target) if other.lower() == form]
        if len(positions) == 1 and not number:
            return positions[0]
        if number.isascii() and number.isdigit() and 0 < int(number) <= len(positions):
            return positions[int(number) - 1]
        expected = "yes, words of the target (il#2: the second il), - for none"
        raise self.fault("words", expected)


def checked_rates(decisions: Iterable[PronounDecision], corrections: Corrections) -> dict[str, Any]:
    """How often the filter and links were wrong, of what people have checked.

    Recall of the filter is estimated: errors among removed pronouns count as often as such
    pronouns are in the text. A pronoun without a link that has a translation is `missing`.
    """
    in_text: Counter[str] = Counter()
    checked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    links: Counter[str] = Counter()
    for decision in decisions:
        in_text[decision.filter] += 1
        answer = corrections.get(decision.line, {}).get(decision.position, Correction())
        if answer.subject is not None and decision.filter in (KEPT, REMOVED):
            checked[decision.filter] += 1
            wrong[decision.filter] += (decision.filter == KEPT) != answer.subject
        if answer.words is not None:
            linked, words = set(decision.linked), set(answer.words)
            checked["links"] += 1
            wrong["missing_links"] += not linked and bool(words)
            wrong["wrong_links"] += bool(linked) and linked != words
            links.update(proposed=len(linked), gold=len(words), correct=len(linked & words))
    precision = _share(checked[KEPT] - wrong[KEPT], checked[KEPT])
    lost = _share(wrong[REMOVED], checked[REMOVED])
    recall = None
    if precision is not None and (lost is not None or not in_text[REMOVED]):
        right = in_text[KEPT] * precision
        recall = _share(right, right + in_text[REMOVED] * (lost or 0))
    rates: dict[str, Any] = {}
    for name in (KEPT, REMOVED):
        rates[name] = {"in_text": in_text[name], "checked": checked[name], "wrong": wrong[name]}
    for name in ("missing_links", "wrong_links"):
        rates[name] = {"checked": checked["links"], "wrong": wrong[name]}
    return rates | {
        "filter_precision": precision,
        "filter_recall": recall,
        "link_precision": _share(links["correct"], links["proposed"]),
        "link_recall": _share(links["correct"], links["gold"]),
    }


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
