"""Questions for annotators about pronouns in translations, as tables out and verdicts in.

A *review file* is a tab-separated table with a row for each question: the texts (the words in
question in [[double brackets]]), the words of references and output, and columns for a verdict.
A verdict of a store has the same row, with its annotator and its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from crosspro.data_prep.core.errors import InputError, choices, input_error, quoted
from crosspro.evaluation.people.verdicts import (
    ANTECEDENT_VERDICTS,
    KINDS,
    PRONOUN_VERDICTS,
    Item,
    ItemKey,
    Kind,
    Verdict,
)
from crosspro.evaluation.report.records import csv_text
from crosspro.evaluation.rows import read_rows

Value = TypeVar("Value", bound=str)
MarkedLine = tuple[tuple[str, Literal["", "pronoun", "head"]], ...]
"""The words of a line, each with its mark."""

FILLED_IN = ("pronoun", "antecedent", "remark", "annotator", "kind")
COLUMNS = (
    *("item", "system", "category", "source", "reference", "output"),
    *("reference_pronoun", "reference_head", "output_pronoun", "output_head", "why"),
    *FILLED_IN,
)
_ITEM = re.compile(r"(.+)/([0-9a-f]{12})")


@dataclass(frozen=True)
class Question:
    """A translation of a pronoun token, which is judged once for all systems that have it.

    Source, reference and output are the lines that are needed to judge it. `why` says why it does
    not match a reference.
    """

    item: Item
    category: str
    label: str
    anaphoric: bool
    source: tuple[MarkedLine, ...]
    reference: tuple[MarkedLine, ...]
    output: tuple[MarkedLine, ...]
    reference_pronoun: str
    reference_head: str
    why: str

    @property
    def name(self) -> str:
        """Token and digest; never taken for a number by a spreadsheet."""
        return "/".join(self.item.key)


def bracketed(lines: Iterable[MarkedLine]) -> str:
    """Lines with marked words in [[double brackets]]."""
    return " / ".join(
        " ".join(f"[[{word}]]" if mark else word for word, mark in line) for line in lines
    )


def review_table(questions: Iterable[Question]) -> str:
    empty = [""] * len(FILLED_IN)
    return _table([[*_cells(question), *empty] for question in questions])


def verdict_table(questions: Mapping[ItemKey, Question], verdicts: Iterable[Verdict]) -> str:
    rows = []
    for verdict in verdicts:
        question = questions.get(verdict.item.key)
        if question is not None:
            filled = (verdict.pronoun, verdict.antecedent or "", verdict.remark,
                      verdict.annotator, verdict.kind)  # fmt: skip
            rows.append([*_cells(question), *filled])
    return _table(rows)


def _cells(question: Question) -> list[str]:
    item = question.item
    texts = (bracketed(lines) for lines in (question.source, question.reference, question.output))
    words = question.reference_pronoun, question.reference_head, item.pronoun, item.head
    return [question.name, item.system, question.category, *texts, *words, question.why]


def _table(rows: Iterable[Iterable[str]]) -> str:
    # A space keeps a spreadsheet from taking a text for a formula.
    cells = (
        [f" {cell}" if cell.startswith(("=", "+", "-", "@")) else cell for cell in row]
        for row in rows
    )
    return csv_text([COLUMNS, *cells], "\t")


def read_review(
    path: Path, anaphoric: Mapping[str, bool], annotator: str | None, kind: Kind = "verdict"
) -> list[Verdict]:
    """The verdicts of a filled-in review file; rows without one are passed over.

    `anaphoric` has the tokens of the suite. `annotator` and `kind` are for rows that name none.
    """
    verdicts = []
    for line, row in read_rows(path, COLUMNS, padded=True):
        filled = {name: row[name] for name in FILLED_IN}
        if any(filled.values()):
            filled["annotator"] = filled["annotator"] or annotator or ""
            filled["kind"] = filled["kind"] or kind
            verdicts.append(read_verdict(path, line, row | filled, anaphoric))
    return verdicts


def read_verdict(
    path: Path, line: int | None, row: Mapping[str, str], anaphoric: Mapping[str, bool]
) -> Verdict:
    def fault(field: str, expected: str) -> InputError:
        return input_error(path, field, expected, quoted(row[field]), line)

    def chosen(field: str, values: Sequence[Value]) -> Value:
        for value in values:
            if value == row[field].lower():
                return value
        raise fault(field, choices(values))

    item = _ITEM.fullmatch(row["item"])
    if item is None or item[1] not in anaphoric:
        raise fault("item", "TOKEN/DIGEST with a token of the suite")
    pronoun = chosen("pronoun", PRONOUN_VERDICTS)
    if row["antecedent"] and not anaphoric[item[1]]:
        raise fault("antecedent", "nothing: the pronoun is not anaphoric")
    asked = anaphoric[item[1]] and pronoun != "bad"
    antecedent = chosen("antecedent", ANTECEDENT_VERDICTS) if asked else None
    if not row["annotator"] or not row["annotator"].isprintable():
        raise fault("annotator", "a name (--judge)")
    kind = chosen("kind", KINDS)
    judged = Item(item[1], item[2], row["system"], row["output_pronoun"], row["output_head"])
    return Verdict(judged, row["annotator"], pronoun, antecedent, row["remark"], kind)
