"""People's verdicts joined with the cases of APT: the table that 001 §6 compares.

A verdict and a case belong together if they are about the same source pronoun, a line and a
position, in the output of the same system.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.evaluation.correlation.judged_table import KIND
from crosspro.evaluation.correlation.kinds import KNOWN_LANGUAGES, kind_of
from crosspro.evaluation.inputs.case_records import CaseRecord
from crosspro.evaluation.inputs.placed_verdict import CORRECT, INCORRECT, PlacedVerdict
from crosspro.evaluation.output.tables import csv_text

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
    cases = _by_place(path, records, {one.system for one in verdicts})
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
