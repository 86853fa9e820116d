"""Judged pronouns: their APT case, what people say of them, and the kind of disagreement.

001 Table 4 sorted the disagreements by hand. What the words decide is decided here: of the pronouns
that people reject, those that APT takes for equivalent are E. Of the different ones that they
accept, an anaphoric pronoun that is another personal pronoun is V (it agrees with another
translation of the antecedent), and one that is impersonal where the reference has a personal
pronoun is I. All else is O, as are all accepted pronouns that are not anaphoric.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

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
"""The kinds and what they stand for."""

UNKNOWN_KIND = ""
KNOWN_LANGUAGES = LANGUAGES
"""Target languages whose pronouns are known to be personal or impersonal."""


COMPARED = (1, 2, 3)
"""The cases of APT that are compared with verdicts; the first two say that a pronoun is right."""


@dataclass(frozen=True, slots=True)
class JudgedPronoun:
    """One pronoun of one system: its category, its APT case, and whether people accept it.

    `correct` is None where the annotators could not judge, because the translation is too `bad` or
    for another reason. `unit` is what intervals resample: a document, a system or the example
    itself. `kind` is that of a disagreement, where it is known (`KINDS`). `reference` and
    `output` are the pronouns of both sides, and `system` whose output it is, where they are known.
    """

    category: str
    case: int
    correct: bool | None
    unit: str = ""
    bad: bool = False
    kind: str = ""
    reference: str = ""
    output: str = ""
    system: str = ""

    @property
    def disagrees(self) -> bool:
        """Whether APT and people differ."""
        if self.case not in COMPARED or self.correct is None:
            return False
        return self.correct == (self.case == COMPARED[-1])


def kind_of(
    case: int,
    correct: bool,
    anaphoric: bool,
    reference: Collection[str],
    candidate: Collection[str],
    language: str,
) -> str:
    """The kind of a disagreement; `reference` and `candidate` are the labels of both."""
    if case == 2 and not correct:
        return "E"
    if case == 3 and correct and anaphoric:
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


# Tables ------------------------------------------------------------------------------------------

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
    for number, cells in named_cells(path, heading, rows, problems):
        reading = _Row(str(path), number, cells, problems)
        judgements.append(reading.judged(names))
    if problems:
        raise InputError(problems)
    if not judgements:
        raise input_error(path, "file", "at least one judged pronoun", "none")
    return [judgement for judgement in judgements if judgement is not None]


class _Row(NamedTuple):
    """The cells of a row, and what is wrong with them."""

    path: str
    line: int
    cells: Mapping[str, str]
    problems: list[Problem]

    def problem(self, column: str, expected: str, found: str = "") -> None:
        said = found or quoted(self.cells[column])
        self.problems.append(Problem(self.path, self.line, column, expected, said))

    def judged(self, names: JudgedColumns) -> JudgedPronoun | None:
        """The pronoun; None where its case or verdict cannot be told."""
        cells = self.cells
        case, verdict = _CASES.get(cells[names.case].lower()), cells[names.human].lower()
        kind_column = names.kind or KIND
        kind = _KINDS.get(cells.get(kind_column, "").lower())
        if case is None:
            self.problem(names.case, "a case from 1 to 6")
        if verdict not in VERDICTS:
            expected = f"one of correct, incorrect, {BAD}, or nothing where it could not be judged"
            self.problem(names.human, expected)
        if not cells[names.category]:
            self.problem(names.category, "a category", "nothing")
        if kind is None:
            self.problem(kind_column, f"{choices(KINDS)}, or nothing")
        if case is None or verdict not in VERDICTS:
            return None
        found = next((pair for pair in PRONOUNS if cells.keys() >= set(pair)), None)
        reference, output = (cells[name] for name in found) if found else ("", "")
        judged = JudgedPronoun(
            cells[names.category],
            case,
            VERDICTS[verdict],
            cells[names.unit] if names.unit else "",
            verdict in (BAD, "bad"),
            kind or "",
            reference,
            output,
            cells[names.system] if names.system else "",
        )
        if kind and not judged.disagrees:
            self.problem(kind_column, "nothing, as the case and the verdict do not disagree")
        return judged


# Verdicts joined with cases -----------------------------------------------------------------------

COLUMNS = (
    "system",
    "token",
    "document",
    "line",
    "position",
    "category",
    "case",
    "human",
    "reference",
    "candidate",
    KIND,
)
"""Of a joined table; `correlate disagreement` and `correlate cases` read category, case, human."""


@dataclass(frozen=True)
class JoinedTable:
    """The rows of a joined table, how many of them were judged, and verdicts without a case."""

    rows: tuple[tuple[object, ...], ...]
    judged: int
    without_case: int

    def text(self) -> str:
        """The table as CSV."""
        return csv_text([COLUMNS, *self.rows])


def join_cases(
    path: Path, records: Sequence[CaseRecord], verdicts: Iterable[PlacedVerdict], language: str
) -> JoinedTable:
    """The verdicts on pronouns that have a case; raises if systems or words do not fit.

    The kind of a disagreement is told where the pronouns of the target language are known. A case
    belongs to a system of its name, or of its name without the last ending.
    """
    verdicts = list(verdicts)
    cases = _by_place(path, records, {verdict.system for verdict in verdicts})
    rows = []
    judged = missing = 0
    for one in verdicts:
        record = cases.get((one.system, one.line, one.position))
        if record is None:
            missing += 1
            continue
        judged += bool(one.human)
        rows.append(
            (
                *(one.system, one.token, one.document, one.line, one.position, one.category),
                *(record.case, one.human),
                *(" ".join(side.labels) for side in (record.reference, record.candidate)),
                _kind(record, one, language),
            )
        )
    if not rows:
        expected = "cases of the judged pronouns (`apt --tokens` with their list)"
        raise InputError([Problem(str(path), None, "occurrences", expected, "none of them")])
    return JoinedTable(tuple(rows), judged, missing)


def _by_place(
    path: Path, records: Iterable[CaseRecord], systems: set[str]
) -> Mapping[tuple[str, int, int], CaseRecord]:
    found: dict[tuple[str, int, int], CaseRecord] = {}
    unknown: dict[str, None] = {}
    names: dict[str, str] = {}
    for record in records:
        name = record.system
        if name not in systems:
            name = Path(name.removesuffix(".xz").removesuffix(".gz")).stem
        if name not in systems or names.setdefault(name, record.system) != record.system:
            unknown[record.system] = None
            continue
        found[name, *record.place] = record
    if unknown:
        expected = f"{choices(sorted(systems))}, each once (--name)"
        raise InputError(
            Problem(str(path), None, "system", expected, quoted(name)) for name in unknown
        )
    return found


def _kind(record: CaseRecord, verdict: PlacedVerdict, language: str) -> str:
    correct = verdict.human == CORRECT
    accepted, rejected = (
        record.case == 3 and correct,
        record.case < 3 and verdict.human == INCORRECT,
    )
    if not (accepted or rejected) or language not in KNOWN_LANGUAGES:
        return ""
    sides = record.reference.labels, record.candidate.labels
    return kind_of(record.case, correct, verdict.anaphoric, *sides, language)
