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
from collections.abc import Callable, Iterable, Sequence
from functools import partial
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
    for row in reader:
        if None in row or None in row.values():
            expected = f"{len(COLUMNS)} cells"
            raise input_error(path, "cells", expected, "another number", reader.line_num)
        cells = {name: cell.strip() for name, cell in row.items()}
        if cells["subject"] or cells["words"]:
            wrong = partial(_wrong_cell, path, reader.line_num, cells)
            line, position, correction = _correction(cells, task, bitext, wrong)
            corrections.setdefault(line, {})[position] = correction
    if not corrections:
        raise input_error(path, "file", "at least one row that is filled in", "none")
    return corrections


def _wrong_cell(
    path: Path, line: int, cells: dict[str, str], column: str, expected: str
) -> InputError:
    return input_error(path, column, expected, quoted(cells[column]), line)


def _correction(
    cells: dict[str, str],
    task: Task,
    bitext: TokenisedBitext,
    wrong: Callable[[str, str], InputError],
) -> tuple[int, int, Correction]:
    """Line and position of the pronoun, and what somebody has filled in."""

    def number(column: str, size: int) -> int:
        if not (cells[column].isdecimal() and int(cells[column]) < size):
            raise wrong(column, f"a number below {size:,}, as in this text")
        return int(cells[column])

    def place(word: str) -> int:
        if word.isdecimal() and int(word) < len(target):
            return int(word)
        places = [place for place, token in enumerate(target) if token.lower() == word.lower()]
        if len(places) != 1:
            expected = "yes, words of the target that are there once, or positions; - for none"
            raise wrong("words", expected)
        return places[0]

    line = number("line", len(bitext))
    source, target = bitext.source[line], bitext.target[line]
    position = number("position", len(source))
    if position not in source_pronouns(source, task):
        raise wrong("position", f"a source pronoun in line {line} of this text")
    for column, words in (("source", source), ("target", target)):
        if cells[column].replace("[[", "").replace("]]", "").split() != " ".join(words).split():
            raise wrong(column, f"line {line} of this text: {quoted(' '.join(words))}")
    if (subject := cells["subject"].lower()) not in _SUBJECT:
        raise wrong("subject", "yes, no, or nothing")
    answer = cells["linked"] if cells["words"].lower() == "yes" else cells["words"]
    if answer in ("", _NOTHING):
        return line, position, Correction(_SUBJECT[subject], () if answer else None)
    correct = tuple(sorted({place(word) for word in answer.split()}))
    return line, position, Correction(_SUBJECT[subject], correct)


def checked_rates(decisions: Iterable[PronounDecision], corrections: Corrections) -> dict[str, Any]:
    """Precision and recall of the filter and of links, by what people have checked.

    Recall of the filter is estimated: errors among removed pronouns count as often as such
    pronouns are in the text.
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
            links.update(proposed=len(linked), gold=len(words), correct=len(linked & words))
    precision = _share(checked[KEPT] - wrong[KEPT], checked[KEPT])
    lost = _share(wrong[REMOVED], checked[REMOVED])
    recall = None
    if precision is not None and (lost is not None or not in_text[REMOVED]):
        right = in_text[KEPT] * precision
        recall = _share(right, right + in_text[REMOVED] * (lost or 0))
    return {
        **{name: {"checked": checked[name], "wrong": wrong[name]} for name in (KEPT, REMOVED)},
        "filter_precision": precision,
        "filter_recall": recall,
        "link_precision": _share(links["correct"], links["proposed"]),
        "link_recall": _share(links["correct"], links["gold"]),
    }


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
