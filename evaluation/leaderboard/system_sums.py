"""Evidence of MT systems: sums of statistics by document, and scores from them.

`{"test": "wmt23.en-de", "set": …, "sums": {"apt": [[weights, pronouns], …], "chrf": …},
"signatures": {"apt": …}}`: a row of numbers for each document that has something to score, and no
text. Rows are those of `crosspro report`, and so are scores and intervals; APT is in per cent here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path

import numpy as np

from crosspro.data_prep.core.errors import InputError, Problem, choices
from crosspro.data_prep.core.files import read_json_object
from crosspro.data_prep.core.settings import checked
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.statistics import (
    Floats,
    Measure,
    Resampling,
    draws,
    exchanges,
    percentage,
    quotient,
    scores_of,
    tally,
)
from crosspro.evaluation.leaderboard.evidence import MeasuredEvidence, digest_of, write_packed
from crosspro.evaluation.leaderboard.ranking import PairwiseTests, pairwise_tests
from crosspro.evaluation.leaderboard.record import (
    FOLDER,
    MeasuredSet,
    Record,
    evidence_file,
)
from crosspro.evaluation.metrics.bleu.line_statistics import chrf_of_sums

SUMS_PLAN = Resampling(1000)
"""How intervals are made, as in `crosspro report`."""


def _f1(sums: Floats) -> Floats:
    matched, candidate, reference = sums.T
    return 100 * quotient(2 * matched, candidate + reference)


def _in_doubt(sums: Floats) -> Floats:
    wrong, pronouns = sums.T
    return 100 * quotient(wrong, pronouns)


MEASURES: Mapping[str, Measure] = {
    "apt": percentage,
    "pronoun_f1": _f1,
    "in_doubt": _in_doubt,
    "chrf": chrf_of_sums,
}
"""The measures of MT systems, each from its sums."""
WIDTHS = {"apt": 2, "pronoun_f1": 3, "in_doubt": 2, "chrf": 18}
LOWER_IS_BETTER = frozenset({"in_doubt"})
WITHOUT_REFERENCE = frozenset({"in_doubt"})
_DIGITS = 6


@dataclass(frozen=True)
class SystemSums:
    """What an MT system's scores are computed from: by measure a row of sums for each document.

    `measured` says what the test is, `signatures` how sums were made.
    """

    test: str
    measured: MeasuredSet
    sums: Mapping[str, Floats]
    signatures: Mapping[str, str]

    def scores(self, plan: Resampling = SUMS_PLAN) -> dict[str, Score]:
        """All scores with their intervals, without those that are not defined."""
        found: dict[str, Score] = {}
        for name in (name for name in MEASURES if name in self.sums):
            measure, rows = {name: MEASURES[name]}, self.sums[name]
            found |= scores_of(tally(rows), measure, plan, {name: self.signatures[name]})
        return {name: score for name, score in found.items() if not isnan(score.value)}

    @property
    def digests(self) -> dict[str, str]:
        """The digests of sums by test and measure."""
        return {
            f"{self.test} {name}": digest_of(repr(_plain(rows))) for name, rows in self.sums.items()
        }


def kept_sums(rows: Floats) -> Floats:
    """Sums as exact as they are written."""
    return np.round(rows, _DIGITS)


def _plain(rows: Floats) -> list[list[float]]:
    """Rows of numbers as they are written: whole ones without a point."""
    return [
        [int(value) if value == int(value) else round(value, _DIGITS) for value in row]
        for row in kept_sums(rows).tolist()
    ]


def write_sums(name: str, evidence: SystemSums, results: Path = FOLDER) -> None:
    """Write the sums of a record beside it."""
    content = {
        "test": evidence.test,
        "set": asdict(evidence.measured),
        "sums": {measure: _plain(rows) for measure, rows in evidence.sums.items()},
        "signatures": dict(evidence.signatures),
    }
    write_packed(evidence_file(name, results), content)


@dataclass(frozen=True)
class _PackedSums:
    """The sums of a record as they lie in a file."""

    test: str
    set: MeasuredSet
    sums: Mapping[str, tuple[tuple[float, ...], ...]]
    signatures: Mapping[str, str]


def read_sums(name: str, results: Path = FOLDER) -> SystemSums:
    """The sums of a record; raises `InputError` with all that is wrong with them."""
    path = evidence_file(name, results)
    found = checked(_PackedSums, read_json_object(path), path)
    problems = []
    for measure, rows in found.sums.items():
        if measure not in MEASURES:
            expected = choices(MEASURES)
            problems.append(Problem(str(path), None, "sums", expected, measure))
        elif not rows or any(len(row) != WIDTHS[measure] for row in rows):
            expected = f"rows of {WIDTHS[measure]} numbers"
            problems.append(Problem(str(path), None, f"sums.{measure}", expected, "others"))
        if measure not in found.signatures:
            where = f"signatures.{measure}"
            problems.append(Problem(str(path), None, where, "a signature", "none"))
    if problems:
        raise InputError(problems)
    sums = {name: np.array(rows, dtype=np.float64) for name, rows in found.sums.items()}
    return SystemSums(found.test, found.set, sums, found.signatures)


def compared_sums(
    rows: Mapping[str, Floats], measure: str, plan: Resampling = SUMS_PLAN
) -> PairwiseTests:
    """All systems compared under a measure by their sums, which are of the same documents.

    Systems share resamples and exchanges, so that what a pair costs is the measure alone.
    """
    units = len(next(iter(rows.values())))
    drawn = np.concatenate((np.ones((1, units)), *draws(units, None, plan)))
    score = MEASURES[measure]
    values = np.stack([score(drawn @ own) for own in rows.values()], axis=1)
    swapped = np.concatenate([*exchanges(units, None, plan)]).astype(np.float64)
    parts = [(swapped @ own, own.sum(axis=0)) for own in rows.values()]

    def exchanged(first: int, second: int) -> Floats:
        (moved, whole), (other, all_of_it) = parts[first], parts[second]
        return score(whole - moved + other) - score(all_of_it - other + moved)

    return pairwise_tests([*rows], values, exchanged)


def measured_sums(evidence: SystemSums) -> MeasuredEvidence:
    """What the sums of an MT system say."""
    test = evidence.test
    scores = {test: evidence.scores()}
    return MeasuredEvidence({test: evidence.measured}, scores, {}, evidence.digests)


def measured_translations(record: Record, results: Path = FOLDER) -> MeasuredEvidence:
    """What the evidence of an MT system's record says."""
    return measured_sums(read_sums(record.name, results))
