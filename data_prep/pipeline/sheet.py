"""Sheets on which people check source pronouns: are they subjects, and what translates them?

003 §3.3.3 checked by hand what the subject filter had kept and removed, 000 §2.3 the links of a
hundred pronouns, 003 §3.3.1 the precision and recall of such links. A row has a pronoun, which is
marked in the source, and the words linked to it in the target. People fill in two columns:

- `subject`: yes or no.
- `words`: yes where the marked words are right; else the words of the target that translate the
  pronoun, by their positions from 0 where a word is there twice; `-` where nothing does.

A sheet that comes back corrects the data that are made of the same text, and shows how often links
and filter are wrong.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from crosspro.data_prep.annotate.bitext import TokenisedBitext
from crosspro.data_prep.core.errors import input_error, quoted
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
_SUBJECT = {"yes": True, "no": False, "": None}
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
    reader = csv.DictReader((f"{line}\n" for line in read_text_lines(path)), delimiter="\t")
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise input_error(path, "heading", ", ".join(COLUMNS), "others", 1)
    corrections: dict[int, dict[int, Correction]] = {}
    for cells in reader:
        if None in cells or None in cells.values():
            expected = f"{len(COLUMNS)} cells"
            raise input_error(path, "cells", expected, "another number", reader.line_num)
        row = {name: cell.strip() for name, cell in cells.items()}
        if row["subject"] or row["words"]:
            try:
                line, position, correction = _correction(row, task, bitext)
            except _WrongCellError as fault:
                column, expected = fault.args
                found = quoted(row[column])
                raise input_error(path, column, expected, found, reader.line_num) from None
            corrections.setdefault(line, {})[position] = correction
    if not corrections:
        raise input_error(path, "file", "at least one row that is filled in", "none")
    return corrections


class _WrongCellError(Exception):
    """The column of a cell, and what is expected there."""


def _correction(
    row: dict[str, str], task: Task, bitext: TokenisedBitext
) -> tuple[int, int, Correction]:
    """Line and position of the pronoun, and what somebody has filled in."""
    line = _number(row, "line", len(bitext))
    source, target = bitext.source[line], bitext.target[line]
    position = _number(row, "position", len(source))
    if position not in source_pronouns(source, task):
        raise _WrongCellError("position", f"a source pronoun in line {line} of this text")
    for column, words in (("source", source), ("target", target)):
        shown = row[column].replace("[[", "").replace("]]", "")
        if shown.split() != " ".join(words).split():
            raise _WrongCellError(column, f"line {line} of this text: {quoted(' '.join(words))}")
    if (subject := row["subject"].lower()) not in _SUBJECT:
        raise _WrongCellError("subject", "yes, no, or nothing")
    answer = row["words"]
    if answer.lower() == "yes":  # as the sheet was written
        answer = row["linked"]
    if answer in ("", _NOTHING):
        return line, position, Correction(_SUBJECT[subject], () if answer else None)
    places = {_place(word, target) for word in answer.split()}
    return line, position, Correction(_SUBJECT[subject], tuple(sorted(places)))


def _number(row: dict[str, str], column: str, size: int) -> int:
    if not (row[column].isdecimal() and int(row[column]) < size):
        raise _WrongCellError(column, f"a number below {size:,}, as in this text")
    return int(row[column])


def _place(word: str, target: Sequence[str]) -> int:
    """The position of a word, or the position that is written in its place."""
    places = [place for place, token in enumerate(target) if token.lower() == word.lower()]
    if word.isdecimal() and int(word) < len(target):
        places = [int(word)]
    if len(places) != 1:
        expected = "yes, words of the target that are there once, or positions; - for none"
        raise _WrongCellError("words", expected)
    return places[0]


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
