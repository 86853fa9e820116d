"""Tables of judged pronouns: category, APT case and human verdict of each, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.errors import InputError, Problem, choices, input_error, quoted
from crosspro.evaluation.correlation.disagreement import JudgedPronoun
from crosspro.evaluation.correlation.score_table import read_rows

VERDICTS: Mapping[str, bool | None] = {
    **dict.fromkeys(("correct", "yes", "true", "1"), True),
    **dict.fromkeys(("incorrect", "no", "false", "0"), False),
    **dict.fromkeys(("", "-", "unjudged"), None),
}
"""What a verdict may be called; the last could not be judged."""

ALL_CASES = tuple(range(1, 7))


@dataclass(frozen=True, slots=True)
class JudgedColumns:
    """The names of the columns; intervals resample by `unit` where it is given."""

    category: str = "category"
    case: str = "case"
    human: str = "human"
    unit: str | None = None


def read_judgements(path: Path, names: JudgedColumns | None = None) -> list[JudgedPronoun]:
    """Read a CSV or TSV file with a line for each judged pronoun."""
    names = names or JudgedColumns()
    rows = read_rows(path)
    line, heading = next(rows, (1, []))
    wanted = [names.category, names.case, names.human, *([names.unit] if names.unit else [])]
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
        cells = dict(zip(heading, row, strict=True))
        case = cells[names.case].lower().removeprefix("c")
        verdict = cells[names.human].lower()
        if case not in map(str, ALL_CASES):
            found = quoted(cells[names.case])
            problems.append(Problem(str(path), number, names.case, "a case from 1 to 6", found))
        if verdict not in VERDICTS:
            expected = "one of correct, incorrect, or nothing where it could not be judged"
            found = quoted(cells[names.human])
            problems.append(Problem(str(path), number, names.human, expected, found))
        if not cells[names.category]:
            problems.append(Problem(str(path), number, names.category, "a category", "nothing"))
        if not problems:
            unit = cells[names.unit] if names.unit else ""
            judgements.append(
                JudgedPronoun(cells[names.category], int(case), VERDICTS[verdict], unit)
            )
    if problems:
        raise InputError(problems)
    if not judgements:
        raise input_error(path, "file", "at least one judged pronoun", "none")
    return judgements
