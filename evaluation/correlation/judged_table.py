"""Tables of judged pronouns: category, APT case and human verdict of each, read strictly.

Review files that people have filled in are such tables: their verdicts are right, wrong and
unclear, and those of APT's own items have the name of the case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.evaluation.correlation.disagreement import JudgedPronoun
from crosspro.evaluation.correlation.kinds import KINDS
from crosspro.evaluation.inputs.case_names import CASE_NAMES, CASES
from crosspro.evaluation.inputs.placed_verdict import BAD, CORRECT, INCORRECT
from crosspro.evaluation.inputs.table_rows import read_rows

VERDICTS: Mapping[str, bool | None] = {
    **dict.fromkeys((CORRECT, "right", "yes", "true", "1"), True),
    **dict.fromkeys((INCORRECT, "wrong", "no", "false", "0"), False),
    **dict.fromkeys(("", "-", "unjudged", "unclear", BAD, "bad"), None),
}
"""What a verdict may be called; the last could not be judged."""

KIND = "kind"
"""The column of kinds, which a table may have."""

PRONOUNS = (("reference", "candidate"), ("reference_pronoun", "output_pronoun"))
"""Columns with the pronouns of both sides: of tables that were joined, and of review files."""

_CASES: Mapping[str, int] = {
    name: case
    for case, full in zip(CASES, CASE_NAMES, strict=True)
    for name in (str(case), f"c{case}", full, f"{case} {full}")
}
_KINDS: Mapping[str, str] = {
    "": "",
    **{name.lower(): kind for kind, full in KINDS.items() for name in (kind, full)},
}


@dataclass(frozen=True, slots=True)
class JudgedColumns:
    """The names of the columns; intervals resample by `unit` where it is given.

    The column of kinds is looked for under its usual name where none is given.
    """

    category: str = "category"
    case: str = "case"
    human: str = "human"
    unit: str | None = None
    kind: str | None = None
    system: str | None = None


def read_judgements(path: Path, names: JudgedColumns | None = None) -> list[JudgedPronoun]:
    """Read a CSV or TSV file with a line for each judged pronoun."""
    names = names or JudgedColumns()
    rows = read_rows(path)
    line, heading = next(rows, (1, []))
    optional = [name for name in (names.unit, names.kind, names.system) if name]
    wanted = [names.category, names.case, names.human, *optional]
    missing = [name for name in wanted if name not in heading]
    if missing:
        known = choices(heading) if heading else "a heading"
        raise InputError(Problem(str(path), line, "column", known, quoted(n)) for n in missing)
    problems: list[Problem] = []
    judgements = []
    for number, row in rows:
        if len(row) != len(heading):
            expected = f"{len(heading)} as in the heading"
            problems.append(Problem(str(path), number, "cells", expected, str(len(row))))
            continue
        reading = _Row(path, number, dict(zip(heading, row, strict=True)), names)
        found = list(reading.problems())
        problems += found
        if not found:
            judgements.append(reading.judged())
    if problems:
        raise InputError(problems)
    if not judgements:
        raise input_error(path, "file", "at least one judged pronoun", "none")
    return judgements


class _Row:
    """The cells of a row, and what they say."""

    def __init__(
        self, path: Path, line: int, cells: Mapping[str, str], names: JudgedColumns
    ) -> None:
        self.path = str(path)
        self.line = line
        self.names = names
        self.cells = cells
        self.case = _CASES.get(cells[names.case].lower())
        self.verdict = cells[names.human].lower()
        self.kind_column = names.kind or KIND
        self.kind = _KINDS.get(cells.get(self.kind_column, "").lower())
        known = (pair for pair in PRONOUNS if all(name in cells for name in pair))
        self.pronouns = [cells[name] for name in next(known, ())] or ["", ""]

    def problems(self) -> Iterator[Problem]:
        names = self.names
        if self.case is None:
            yield self.problem(names.case, "a case from 1 to 6")
        if self.verdict not in VERDICTS:
            expected = f"one of correct, incorrect, {BAD}, or nothing where it could not be judged"
            yield self.problem(names.human, expected)
        if not self.cells[names.category]:
            yield Problem(self.path, self.line, names.category, "a category", "nothing")
        if self.kind is None:
            yield self.problem(self.kind_column, f"{choices(KINDS)}, or nothing")
        elif self.kind and self.case and self.verdict in VERDICTS and not self.judged().disagrees:
            expected = "nothing, as the case and the verdict do not disagree"
            yield self.problem(self.kind_column, expected)

    def problem(self, column: str, expected: str) -> Problem:
        found = quoted(self.cells[column])
        return Problem(self.path, self.line, column, expected, found)

    def judged(self) -> JudgedPronoun:
        names = self.names
        return JudgedPronoun(
            self.cells[names.category],
            self.case or 0,
            VERDICTS[self.verdict],
            self.cells[names.unit] if names.unit else "",
            self.verdict in (BAD, "bad"),
            self.kind or "",
            reference=self.pronouns[0],
            output=self.pronouns[1],
            system=self.cells[names.system] if names.system else "",
        )
