"""APT's cases against what people say of the same pronouns (000 Table 5; 001 §6, Tables 3 and 4).

Case 1 (same) or 2 (equivalent) says that a pronoun is right, case 3 (different) that it is wrong. A
disagreement is a pronoun of which people say otherwise; other cases are not compared.

001 Table 4 sorted the disagreements by hand. Here the words decide: of the pronouns that people
reject, those that APT takes for equivalent are E. Of the different ones that they accept, an
anaphoric pronoun that is another personal pronoun is V (it agrees with another translation of the
antecedent), and one that is impersonal where the reference has a personal pronoun is I. All else is
O, as are all accepted pronouns that are not anaphoric.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import read_json_object
from crosspro.data_prep.core.settings import settings_error
from crosspro.evaluation.metrics.apt.cases import CASES
from crosspro.evaluation.pronouns import readings_of
from crosspro.evaluation.report.records import csv_text
from crosspro.evaluation.resampling import interval
from crosspro.evaluation.rows import read_rows
from crosspro.version import __version__

COMPARED = (1, 2, 3)
DIFFERENT = 3
CORRECT, INCORRECT, BAD = VERDICTS = ("correct", "incorrect", "bad translation")
"""The verdicts of 000 Table 5; a pronoun that nobody has judged has none."""
KINDS: Mapping[str, str] = {
    "V": "valid alternative",
    "E": "incorrect equivalence",
    "I": "impersonal",
    "O": "other",
}
ANAPHORIC = "anaphoric"
"""The names of categories whose pronouns have an antecedent begin so."""
TOTAL = "total"


@dataclass(frozen=True)
class PlacedVerdict:
    """What people say of the pronoun at a line and a position, both from 0; may be nothing."""

    system: str
    line: int
    position: int
    category: str
    human: str
    token: str = ""
    document: str = ""


@dataclass(frozen=True)
class PronounCase:
    """APT's case of a pronoun, and the pronouns that reference and candidate have for it."""

    case: int
    reference: tuple[str, ...] = ()
    candidate: tuple[str, ...] = ()


Cases = Mapping[tuple[str, int, int], PronounCase]
"""Cases by system, line and position."""


@dataclass(frozen=True)
class JudgedPronoun:
    """A pronoun with APT's case and people's verdict."""

    category: str
    case: int
    human: str
    kind: str = ""
    document: str = ""

    @property
    def compared(self) -> bool:
        return self.case in COMPARED and self.human in (CORRECT, INCORRECT)

    @property
    def disagrees(self) -> bool:
        return self.compared and (self.human == CORRECT) == (self.case == DIFFERENT)


# Joining verdicts with cases ----------------------------------------------------------------------


def join_cases(
    verdicts: Iterable[PlacedVerdict], cases: Cases, language: str
) -> list[JudgedPronoun]:
    """The verdicts on pronouns that have a case, with the kinds of disagreements."""
    judged = []
    for verdict in verdicts:
        case = cases.get((verdict.system, verdict.line, verdict.position))
        if case is not None:
            anaphoric = verdict.category.startswith(ANAPHORIC)
            kind = disagreement_kind(case, verdict.human, anaphoric, language)
            judged.append(
                JudgedPronoun(verdict.category, case.case, verdict.human, kind, verdict.document)
            )
    return judged


def disagreement_kind(case: PronounCase, human: str, anaphoric: bool, language: str) -> str:
    if not JudgedPronoun("", case.case, human).disagrees or not readings_of(language):
        return ""
    if case.case == 2:
        return "E"
    if case.case == DIFFERENT and anaphoric:
        if any(_is_impersonal(word, language) for word in case.candidate):
            return "I" if any(_is_personal(word, language) for word in case.reference) else "O"
        if any(_is_personal(word, language) for word in case.candidate):
            return "V"
    return "O"


def _is_personal(form: str, language: str) -> bool:
    readings = readings_of(language).get(form.lower(), ())
    return any(reading.kind == "personal" and reading.person == "3" for reading in readings)


def _is_impersonal(form: str, language: str) -> bool:
    """Whether a form agrees with no noun: a demonstrative without masculine or feminine."""
    readings = readings_of(language).get(form.lower(), ())
    return bool(readings) and all(
        reading.kind == "demonstrative" and reading.gender in ("", "n") for reading in readings
    )


# Counting -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CategoryCounts:
    """Compared pronouns of a category, with the share (in per cent) on which people differ."""

    category: str
    cases: Mapping[int, int]
    correct: int
    incorrect: int
    disagreements: int
    examples: int
    share: float
    low: float | None
    high: float | None
    kinds: Mapping[str, int]


@dataclass(frozen=True)
class DisagreementStudy:
    """Counts by category, the total as the last, and verdicts of each case.

    `precision` and `recall` (in per cent) are those of case 1 or 2 as a detector of pronouns that
    people accept.
    """

    categories: tuple[CategoryCounts, ...]
    verdicts: Mapping[int, Mapping[str, int]]
    precision: float
    recall: float
    not_judged: int
    signature: str


def study_disagreement(
    pronouns: Sequence[JudgedPronoun], resamples: int = 0, seed: int = 12345
) -> DisagreementStudy:
    """Count cases and verdicts; intervals resample documents, or examples where none are named."""
    compared = [pronoun for pronoun in pronouns if pronoun.compared]
    names = dict.fromkeys(pronoun.category for pronoun in compared)
    groups = {name: [pronoun for pronoun in compared if pronoun.category == name] for name in names}
    judged = Counter((pronoun.case, pronoun.human) for pronoun in pronouns)
    verdicts = {case: {name: judged[case, name] for name in VERDICTS} for case in CASES}
    hits = verdicts[1][CORRECT] + verdicts[2][CORRECT]
    unit = "document" if any(pronoun.document for pronoun in compared) else "example"
    drawn = [f"bootstrap:{resamples}", f"by:{unit}", f"seed:{seed}"] if resamples else []
    signature = ["disagreement", f"crosspro:{__version__}", f"examples:{len(compared)}", *drawn]
    false_alarms = verdicts[1][INCORRECT] + verdicts[2][INCORRECT]
    return DisagreementStudy(
        tuple(
            _count_category(name, group, resamples, seed)
            for name, group in {**groups, TOTAL: compared}.items()
        ),
        verdicts,
        _percent(hits, hits + false_alarms),
        _percent(hits, hits + verdicts[DIFFERENT][CORRECT]),
        sum(not pronoun.human for pronoun in pronouns),
        "|".join(signature),
    )


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else float("nan")


def _count_category(
    name: str, group: Sequence[JudgedPronoun], resamples: int, seed: int
) -> CategoryCounts:
    cases = Counter(pronoun.case for pronoun in group)
    verdicts = Counter(pronoun.human for pronoun in group)
    kinds = Counter(pronoun.kind for pronoun in group if pronoun.disagrees)
    low = high = None
    if group and resamples:
        units = [pronoun.document or str(place) for place, pronoun in enumerate(group)]
        _, index = np.unique(units, return_inverse=True)
        sizes = np.bincount(index)
        disagreements = np.bincount(index, [pronoun.disagrees for pronoun in group])
        drawn = np.random.default_rng(seed).multinomial(
            len(sizes), np.full(len(sizes), 1 / len(sizes)), size=resamples
        )
        low, high = interval(100 * (drawn @ disagreements) / (drawn @ sizes))
    return CategoryCounts(
        name,
        {case: cases[case] for case in COMPARED},
        verdicts[CORRECT],
        verdicts[INCORRECT],
        kinds.total(),
        len(group),
        _percent(kinds.total(), len(group)),
        low,
        high,
        {kind: kinds[kind] for kind in KINDS} if any(kinds) else {},
    )


# Files --------------------------------------------------------------------------------------------


def read_placed_verdicts(path: Path) -> list[PlacedVerdict]:
    """A table with system, line and position (both from 0), category and human."""
    verdicts = []
    for line, row in read_rows(path, ("system", "line", "position", "category", "human")):
        for name in ("line", "position"):
            if not row[name].isdecimal():
                raise input_error(path, name, "a number from 0", quoted(row[name]), line)
        human = row["human"].lower()
        if human not in ("", *VERDICTS):
            expected = f"one of {', '.join(VERDICTS)}, or nothing where nobody has judged it"
            raise input_error(path, "human", expected, quoted(row["human"]), line)
        place = int(row["line"]), int(row["position"])
        token, document = row.get("token", ""), row.get("document", "")
        verdicts.append(
            PlacedVerdict(row["system"], *place, row["category"], human, token, document)
        )
    return verdicts


def verdict_table(verdicts: Iterable[PlacedVerdict]) -> str:
    heading = [field.name for field in fields(PlacedVerdict)]
    return csv_text([heading, *map(astuple, verdicts)])


@pydantic_dataclass(frozen=True, config=ConfigDict(strict=True))
class _Side:
    labels: tuple[str, ...]


@pydantic_dataclass(frozen=True, config=ConfigDict(strict=True))
class _Case:
    """What is read of an item of APT; its other fields are for people."""

    candidate: str
    sentence: Annotated[int, Field(ge=0)]
    position: Annotated[int, Field(ge=0)]
    case: Annotated[int, Field(ge=1, le=len(CASES))]
    reference: _Side
    translation: _Side


def read_cases(path: Path) -> Cases:
    """APT's case of each pronoun by system, line and position, from `score -m apt --detail`."""
    try:
        items = _ITEMS.validate_json(json.dumps(read_json_object(path).get("apt")))
    except ValidationError as error:
        raise settings_error(error, path, "apt") from None
    cases = {
        (item.candidate, item.sentence, item.position): PronounCase(
            item.case, item.reference.labels, item.translation.labels
        )
        for item in items
    }
    if len(cases) < len(items):
        raise input_error(path, "apt", "each pronoun of a candidate once", "one of them twice")
    return cases


_ITEMS = TypeAdapter(list[_Case])


def count_cases(cases: Cases) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for (system, _, _), pronoun in cases.items():
        counts.setdefault(system, [0] * len(CASES))[pronoun.case - 1] += 1
    return counts
