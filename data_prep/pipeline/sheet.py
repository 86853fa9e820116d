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
from pathlib import Path
from random import Random
from typing import Any

from crosspro.data_prep.annotate.tokenise import TokenisedBitext
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
_ANSWERS = {"yes": True, "y": True, "1": True, "no": False, "n": False, "0": False, "": None}
_NOTHING = "-"


def sheet_text(
    decisions: Sequence[PronounDecision], sampled: int = SAMPLED, seed: int = 12345
) -> str:
    """A sheet for people, with tabs, of a random sample; lines and positions count from 0."""
    random = Random(seed)  # noqa: S311 - no secret depends on it
    chosen: list[PronounDecision] = []
    for outcome in sorted({decision.filter for decision in decisions}):
        same = [decision for decision in decisions if decision.filter == outcome]
        chosen += random.sample(same, min(sampled, len(same)))
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for decision in sorted(chosen, key=lambda decision: (decision.line, decision.position)):
        line, position, linked = decision.line, decision.position, decision.linked
        source, target = _marked(decision.source, [position]), _marked(decision.target, linked)
        places = " ".join(map(str, linked)) or _NOTHING
        row = line, position, decision.source[position], source, target, decision.filter
        writer.writerow((*row, decision.rule, places, "", "", ""))
    return text.getvalue()


def _marked(words: Sequence[str], places: Sequence[int]) -> str:
    return " ".join(f"[[{word}]]" if at in places else word for at, word in enumerate(words))


def read_sheet(path: Path, task: Task, bitext: TokenisedBitext) -> Corrections:
    """What people say of the pronouns of a text, by line and position."""
    lines = list(read_text_lines(path))
    delimiter = max("\t,;", key=(lines or [""])[0].count)
    reader = csv.DictReader((f"{line}\n" for line in lines), delimiter=delimiter)
    if missing := set(COLUMNS) - set(reader.fieldnames or ()):
        raise input_error(path, "heading", ", ".join(COLUMNS), f"no {', '.join(missing)}", 1)
    corrections: dict[int, dict[int, Correction]] = {}
    for row in reader:
        if None in row or None in row.values():
            expected = f"{len(reader.fieldnames or ())} cells"
            raise input_error(path, "cells", expected, "another number", reader.line_num)
        cells = {name: cell.strip() for name, cell in row.items()}
        if cells["subject"] or cells["words"]:
            try:
                line, position, correction = _correction(cells, task, bitext)
                if position in corrections.setdefault(line, {}):
                    raise _CellError("position", "each pronoun once")
            except _CellError as error:
                field, expected = error.args
                content = quoted(cells[field])
                raise input_error(path, field, expected, content, reader.line_num) from None
            corrections[line][position] = correction
    if not corrections:
        raise input_error(path, "file", "at least one row that is filled in", "none")
    return corrections


class _CellError(ValueError):
    """The column of a cell that is wrong, and what was expected there."""


def _correction(
    cells: Mapping[str, str], task: Task, bitext: TokenisedBitext
) -> tuple[int, int, Correction]:
    """Line, position, and what the row says of the pronoun there."""
    line = _number(cells["line"], "line", len(bitext))
    source, target = bitext.source[line], bitext.target[line]
    position = _number(cells["position"], "position", len(source))
    if position not in source_pronouns(source, task):
        raise _CellError("position", f"a source pronoun in line {line} of this text")
    for field, words in (("source", source), ("target", target)):
        shown = cells[field].replace("[[", "").replace("]]", "")
        if shown.split() != " ".join(words).split():
            raise _CellError(field, f"line {line} of this text: {quoted(' '.join(words))}")
    subject = cells["subject"].lower()
    if subject not in _ANSWERS:
        raise _CellError("subject", "yes, no, or nothing")
    return line, position, Correction(_ANSWERS[subject], _words(cells, target))


def _number(text: str, field: str, size: int) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < size):
        raise _CellError(field, f"a number below {size:,}, as in this text")
    return int(text)


def _words(cells: Mapping[str, str], target: Sequence[str]) -> tuple[int, ...] | None:
    """The places of the words that translate a pronoun; None without an answer."""
    answer = cells["words"]
    if answer in ("", _NOTHING):
        return () if answer else None
    if _ANSWERS.get(answer.lower()) and answer not in target:  # as the sheet was written
        numbers = [] if cells["linked"] == _NOTHING else cells["linked"].split()
        return tuple(_number(number, "linked", len(target)) for number in numbers)
    return tuple(sorted({_place(word, target) for word in answer.split()}))


def _place(word: str, target: Sequence[str]) -> int:
    """The place of a word that stands there once, or of the one that is numbered."""
    lowered = [other.lower() for other in target]
    for words, form in ((target, word), (lowered, word.lower())):
        if words.count(form) == 1:
            return words.index(form)
    form, _, number = word.lower().rpartition("#")
    places = [place for place, other in enumerate(lowered) if other == form]
    if number.isascii() and number.isdigit() and 0 < int(number) <= len(places):
        return places[int(number) - 1]
    raise _CellError("words", "yes, words of the target (il#2: the second il), - for none")


def checked_rates(decisions: Iterable[PronounDecision], corrections: Corrections) -> dict[str, Any]:
    """How often the filter and links were wrong, of what people have checked.

    Recall of the filter is estimated: errors among removed pronouns count as often as such
    pronouns are in the text. A pronoun without a link that has a translation is `missing`.
    """
    in_text: Counter[str] = Counter()
    checked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    ours = people = both = 0
    for decision in decisions:
        in_text[decision.filter] += 1
        answer = corrections.get(decision.line, {}).get(decision.position, Correction())
        if answer.subject is not None and decision.filter in (KEPT, REMOVED):
            checked[decision.filter] += 1
            wrong[decision.filter] += (decision.filter == KEPT) != answer.subject
        if answer.words is not None:
            linked, words = set(decision.linked), set(answer.words)
            checked.update(("missing", "wrong"))
            wrong["missing"] += not linked and bool(words)
            wrong["wrong"] += bool(linked) and linked != words
            ours, people, both = ours + len(linked), people + len(words), both + len(linked & words)
    precision = _share(checked[KEPT] - wrong[KEPT], checked[KEPT])
    lost = _share(wrong[REMOVED], checked[REMOVED])
    recall = None
    if precision is not None and (lost is not None or not in_text[REMOVED]):
        right = in_text[KEPT] * precision
        recall = _share(right, right + in_text[REMOVED] * (lost or 0))
    return {
        **{
            name: {"in_text": in_text[name], "checked": checked[name], "wrong": wrong[name]}
            for name in (KEPT, REMOVED)
        },
        **{
            f"{name}_links": {"checked": checked[name], "wrong": wrong[name]}
            for name in ("missing", "wrong")
        },
        "filter_precision": precision,
        "filter_recall": recall,
        "link_precision": _share(both, ours),
        "link_recall": _share(both, people),
    }


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
