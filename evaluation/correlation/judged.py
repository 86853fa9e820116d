"""Judged pronouns: their APT case, what people say of them, and the kind of disagreement.

001 Table 4 sorted the disagreements by hand. What the words decide is decided here: of the pronouns
that people reject, those that APT takes for equivalent are E. Of the different ones that they
accept, an anaphoric pronoun that is another personal pronoun is V (it agrees with another
translation of the antecedent), and one that is impersonal where the reference has a personal
pronoun is I. All else is O, as are all accepted pronouns that are not anaphoric.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.evaluation.inputs.case_records import (
    BAD,
    CASE_NAMES,
    CASES,
    CORRECT,
    INCORRECT,
    CaseRecord,
    PlacedVerdict,
)
from crosspro.evaluation.inputs.pronoun_forms import LANGUAGES, readings_of
from crosspro.evaluation.inputs.sheets import named_cells, read_rows
from crosspro.evaluation.output.tables import csv_text

KINDS: Mapping[str, str] = {
    "V": "valid alternative",
    "E": "incorrect equivalence",
    "I": "impersonal",
    "O": "other",
}
COMPARED = (1, 2, 3)
"""The cases of APT that are compared with verdicts; the first two say that a pronoun is right."""
COLUMNS = (
    *("system", "token", "document", "line", "position", "category"),
    *("case", "human", "reference", "candidate", "kind"),
)
"""Of a table of verdicts joined with cases."""
ANAPHORIC = "anaphoric"
"""How the names of categories begin whose pronouns have an antecedent."""
_PLACE = ("system", "line", "position", "category", "human")
_CASES = {str(case): case for case in CASES} | dict(zip(CASE_NAMES, CASES, strict=True))
_VERDICTS = {
    **dict.fromkeys((CORRECT, "right"), CORRECT),
    **dict.fromkeys((INCORRECT, "wrong"), INCORRECT),
    **dict.fromkeys((BAD, "bad"), BAD),
    **dict.fromkeys(("", "unclear"), ""),
}


@dataclass(frozen=True, slots=True)
class JudgedPronoun:
    """One pronoun of one system: its category, its APT case, and what people say of it.

    `human` is empty where they did not judge it. `unit` is what intervals resample. `kind` is that
    of a disagreement, `reference` and `output` are the pronouns of both sides, where known.
    """

    category: str
    case: int
    human: str
    unit: str = ""
    kind: str = ""
    reference: str = ""
    output: str = ""

    @property
    def compared(self) -> bool:
        """Whether APT and people both say that it is right or wrong."""
        return self.case in COMPARED and self.human in (CORRECT, INCORRECT)

    @property
    def disagrees(self) -> bool:
        """Whether APT and people differ."""
        return self.compared and (self.human == CORRECT) == (self.case == COMPARED[-1])


# Kinds of disagreement ----------------------------------------------------------------------------


def disagreement_kind(
    case: int,
    human: str,
    anaphoric: bool,
    sides: tuple[Sequence[str], Sequence[str]],
    language: str,
) -> str:
    """The kind of a disagreement by the labels of reference and candidate; empty if there is none.

    Kinds are told where the pronouns of the target language are known.
    """
    reference, candidate = sides
    if not JudgedPronoun("", case, human).disagrees or language not in LANGUAGES:
        return ""
    if case == 2:
        return "E"
    if case == 3 and anaphoric:
        if any(is_impersonal(word, language) for word in candidate):
            return "I" if any(is_personal(word, language) for word in reference) else "O"
        if any(is_personal(word, language) for word in candidate):
            return "V"
    return "O"


def is_personal(form: str, language: str) -> bool:
    """Whether a form may be a personal pronoun of the third person."""
    readings = readings_of(language).get(form.lower(), ())
    return any(reading.kind == "personal" and reading.person == "3" for reading in readings)


def is_impersonal(form: str, language: str) -> bool:
    """Whether a form agrees with no noun: a demonstrative without masculine or feminine."""
    readings = readings_of(language).get(form.lower(), ())
    return bool(readings) and all(
        reading.kind == "demonstrative" and reading.gender in ("", "n") for reading in readings
    )


# Tables -------------------------------------------------------------------------------------------


def read_judgements(path: Path, unit: str | None = None) -> list[JudgedPronoun]:
    """A table (CSV, TSV) with category, case and human; perhaps kind and the pronouns.

    Intervals resample by the column `unit`, if it is named.
    """
    pronouns = []
    for line, cells in _rows(path, ("category", "case", "human", *([unit] if unit else []))):
        case = _CASES.get(cells["case"].lower())
        if case is None:
            raise input_error(path, "case", "a case from 1 to 6", quoted(cells["case"]), line)
        if not cells["category"]:
            raise input_error(path, "category", "a category", "nothing", line)
        kind = cells.get("kind", "")
        pronoun = JudgedPronoun(
            cells["category"],
            case,
            _verdict(path, line, cells["human"]),
            cells[unit] if unit else "",
            kind,
            cells.get("reference", ""),
            cells.get("candidate", ""),
        )
        if kind and (kind not in KINDS or not pronoun.disagrees):
            expected = f"{choices(KINDS)} where case and verdict disagree, or nothing"
            raise input_error(path, "kind", expected, quoted(kind), line)
        pronouns.append(pronoun)
    if not pronouns:
        raise input_error(path, "file", "at least one judged pronoun", "none")
    return pronouns


def read_placed_verdicts(path: Path) -> list[PlacedVerdict]:
    """A table with system, line and position (both from 0), category and human."""
    verdicts = []
    for line, cells in _rows(path, _PLACE):
        for name in ("line", "position"):
            if not cells[name].isdecimal():
                raise input_error(path, name, "a number from 0", quoted(cells[name]), line)
        verdicts.append(
            PlacedVerdict(
                cells["system"],
                int(cells["line"]),
                int(cells["position"]),
                cells["category"],
                _verdict(path, line, cells["human"]),
                cells.get("token", ""),
                cells.get("document", ""),
                cells["category"].startswith(ANAPHORIC),
            )
        )
    return verdicts


def verdict_table(verdicts: Iterable[PlacedVerdict]) -> str:
    """The table that `read_placed_verdicts` reads, as CSV."""
    rows = [
        (v.system, v.line, v.position, v.category, v.human, v.token, v.document) for v in verdicts
    ]
    return csv_text([(*_PLACE, "token", "document"), *rows])


def _rows(path: Path, needed: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    rows = read_rows(path)
    line, heading = next(rows, (1, []))
    for name in needed:
        if name not in heading:
            expected = choices(heading) if heading else "a heading"
            raise input_error(path, "column", expected, quoted(name), line)
    problems: list[Problem] = []
    cells = list(named_cells(path, heading, rows, problems))
    if problems:
        raise InputError(problems)
    return cells


def _verdict(path: Path, line: int, written: str) -> str:
    verdict = _VERDICTS.get(written.lower())
    if verdict is None:
        expected = f"one of {CORRECT}, {INCORRECT}, {BAD}, or nothing where it was not judged"
        raise input_error(path, "human", expected, quoted(written), line)
    return verdict


# Verdicts joined with cases -----------------------------------------------------------------------


@dataclass(frozen=True)
class JoinedTable:
    """The rows of a joined table, how many of them were judged, and verdicts without a case."""

    rows: tuple[tuple[object, ...], ...]
    judged: int
    without_case: int

    def pronouns(self, unit: str | None = None) -> list[JudgedPronoun]:
        """The same as judged pronouns; intervals resample by the column `unit`, if it is named."""
        by_name = [dict(zip(COLUMNS, map(str, row), strict=True)) for row in self.rows]
        return [
            JudgedPronoun(
                row["category"],
                int(row["case"]),
                row["human"],
                row[unit] if unit else "",
                row["kind"],
                row["reference"],
                row["candidate"],
            )
            for row in by_name
        ]


def join_cases(
    path: Path, records: Sequence[CaseRecord], verdicts: Iterable[PlacedVerdict], language: str
) -> JoinedTable:
    """The verdicts on pronouns that have a case; raises if systems do not fit.

    A case belongs to a system of its name, or of its name without the last ending.
    """
    verdicts = list(verdicts)
    cases = _by_place(path, records, {verdict.system for verdict in verdicts})
    rows = []
    for verdict in verdicts:
        record = cases.get((verdict.system, verdict.line, verdict.position))
        if record is None:
            continue
        sides = record.reference.labels, record.candidate.labels
        kind = disagreement_kind(record.case, verdict.human, verdict.anaphoric, sides, language)
        place = verdict.system, verdict.token, verdict.document, verdict.line, verdict.position
        labels = (" ".join(side) for side in sides)
        rows.append((*place, verdict.category, record.case, verdict.human, *labels, kind))
    if not rows:
        raise input_error(path, "occurrences", "cases of the judged pronouns", "none of them")
    judged = sum(bool(row[COLUMNS.index("human")]) for row in rows)
    return JoinedTable(tuple(rows), judged, len(verdicts) - len(rows))


def _by_place(
    path: Path, records: Iterable[CaseRecord], systems: set[str]
) -> Mapping[tuple[str, int, int], CaseRecord]:
    by_place: dict[tuple[str, int, int], CaseRecord] = {}
    names: dict[str, str] = {}
    for record in records:
        name = record.system
        if name not in systems:
            name = Path(name.removesuffix(".xz").removesuffix(".gz")).stem
        if name not in systems or names.setdefault(name, record.system) != record.system:
            expected = f"{choices(sorted(systems))}, each once (NAME=FILE)"
            raise input_error(path, "system", expected, quoted(record.system))
        by_place[name, *record.place] = record
    return by_place
