"""The evaluation of systems on a suite: automatic, silver and human parts, intervals, paired tests.

The default is the semi-automatic procedure that 001 §7 recommends: what matches a reference counts
as right unless people say otherwise (001 found 8% of the matches wrong), everything else is right
or wrong only if people say so, and what nobody has judged yet is neither. The score is therefore a
range while there is something to judge. The automatic score knows nothing of people.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from crosspro.evaluation.core.score import Score, make_signature
from crosspro.evaluation.core.statistics import (
    Difference,
    Floats,
    ResampledUnits,
    Resampling,
    choose_units,
    paired_tests,
    ratio,
    ratio_statistics,
    scores_of,
    side_by_side,
    tally,
)
from crosspro.evaluation.human.verdicts import Judgement, Judgements
from crosspro.evaluation.protest.categories import CATEGORIES
from crosspro.evaluation.protest.match import Outcome, TokenResult
from crosspro.evaluation.protest.suite import Suite

Status = Literal["automatic", "silver", "right", "wrong", "unclear", "conflict", "open"]
STATUSES: tuple[Status, ...] = (
    "automatic",
    "silver",
    "right",
    "wrong",
    "unclear",
    "conflict",
    "open",
)
Needs = Literal["pronoun", "both"]
Part = Literal["automatic", "semi-automatic"]
PARTS: tuple[Part, ...] = ("automatic", "semi-automatic")
RIGHT: tuple[Status, ...] = ("automatic", "silver", "right")
UNDECIDED: tuple[Status, ...] = ("conflict", "open")


@dataclass(frozen=True)
class JudgedToken:
    """A result with what people said about it, if they did, and what follows."""

    result: TokenResult
    judgement: Judgement | None
    status: Status

    def counts(self, part: Part) -> bool:
        """Whether a score counts the token as right."""
        return self.result.outcome == "match" if part == "automatic" else self.status in RIGHT


@dataclass(frozen=True)
class SuiteResult:
    """A system: its tokens, counts of each status by category, and its scores, which go to 1.

    `categories` has the scores of each category of which the suite has tokens. `at_most` is what
    the semi-automatic score becomes if all that is undecided turns out right.
    """

    name: str
    tokens: tuple[JudgedToken, ...]
    counts: Mapping[str, Mapping[Status, int]]
    scores: Mapping[Part, Score]
    categories: Mapping[str, Mapping[Part, Score]]
    at_most: float
    other_output: int

    def matches(self, category: str | None = None) -> int:
        """Tokens that match a reference, whatever people say; of one category or of all."""
        return sum(
            one.counts("automatic")
            for one in self.tokens
            if category in (None, one.result.token.category)
        )

    def total(self, *statuses: Status, category: str | None = None) -> int:
        """Tokens with one of some statuses; of one category or of all."""
        return sum(
            counts[status]
            for name, counts in self.counts.items()
            if category in (None, name)
            for status in statuses
        )


@dataclass(frozen=True)
class ProtestEvaluation:
    """Everything computed for some systems on one suite."""

    suite: Suite
    systems: tuple[SuiteResult, ...]
    comparisons: tuple[Difference, ...]
    warnings: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """Tokens of each category that the suite has."""
        counts = Counter(token.category for token in self.suite.tokens)
        return {category.name: counts[category.name] for category in CATEGORIES}


@dataclass(frozen=True, slots=True)
class ProtestSettings:
    """What changes scores beside the suite and verdicts: all of it is in the signature.

    `links` says whether they were given or how they were made, `source` whose tokenisation of the
    source they belong to: the suite's or the systems' own.
    """

    lists: str
    repair: bool = False
    silver: str = "none"
    needs: Needs = "pronoun"
    links: str = "given"
    source: Literal["suite", "own"] = "suite"


def status_of(result: TokenResult, judgement: Judgement | None, needs: Needs) -> Status:
    """What is known about a result: what people said, else whether it matches."""
    if judgement is None:
        unjudged: dict[Outcome, Status] = {"match": "automatic", "silver": "silver"}
        return unjudged.get(result.outcome, "open")
    values = [judgement.pronoun]
    if needs == "both" and judgement.antecedent is not None:
        values.append(judgement.antecedent)
    for value in ("conflict", "wrong", "unclear"):
        if value in values:
            return value
    return "right"


def evaluate_systems(
    suite: Suite,
    results: Mapping[str, Sequence[TokenResult]],
    judgements: Judgements,
    settings: ProtestSettings,
    plan: Resampling | None = None,
) -> ProtestEvaluation:
    """Scores, intervals and paired tests of systems whose tokens have been matched."""
    units = choose_units(
        document=[token.document for token in suite.tokens], token=range(len(suite.tokens))
    )
    categories = np.array([token.category for token in suite.tokens])
    systems: list[SuiteResult] = []
    counted: dict[tuple[str, Part], Floats] = {}
    for name, own in results.items():
        said = ((one, judgements.get(one.item.key)) for one in own)
        judged = tuple(JudgedToken(*pair, status_of(*pair, settings.needs)) for pair in said)
        scores: dict[Part, Score] = {}
        by_category: dict[str, dict[Part, Score]] = {}
        for part in PARTS:
            right = np.array([one.counts(part) for one in judged], dtype=np.float64)
            text = signature(part, suite, settings, judgements, plan, units.name)
            counted[name, part] = _statistics(right, units)
            scores[part] = _score(part, counted[name, part], text, plan)
            for category in CATEGORIES:
                within = categories == category.name
                if within.any():
                    statistics = _statistics(right[within], units.among(within))
                    found = by_category.setdefault(category.name, {})
                    found[part] = _score(part, statistics, text, plan)
        undecided = sum(one.status in UNDECIDED for one in judged)
        at_most = scores["semi-automatic"].value + undecided / max(1, len(judged))
        other = _other_outputs(own, judgements)
        systems.append(
            SuiteResult(name, judged, _counts(judged), scores, by_category, at_most, other)
        )
    comparisons: list[Difference] = []
    if plan is not None:
        for pair in combinations(results, 2):
            for part in PARTS:
                table = side_by_side(*(counted[name, part] for name in pair))
                comparisons += paired_tests(pair, table, {part: ratio}, plan)
    warnings = [
        f"{one.name}: {one.other_output} verdicts are about another output and do not count"
        for one in systems
        if one.other_output
    ]
    waiting = [one.name for one in systems if one.total(*UNDECIDED)]
    if comparisons and judgements and waiting:
        warnings.append(
            f"{', '.join(waiting)}: not all is judged, and what is not counts as not right in the "
            "semi-automatic comparison"
        )
    if plan is not None and units.few_documents:
        warnings.append(f"{units.count} documents are few: intervals and p values are too small")
    return ProtestEvaluation(suite, tuple(systems), tuple(comparisons), tuple(warnings))


def signature(
    part: Part,
    suite: Suite,
    settings: ProtestSettings,
    judgements: Judgements,
    plan: Resampling | None,
    unit: str,
) -> str:
    """How a score was computed, in one line that can be quoted with it."""
    parts = [
        f"protest-{part}",
        f"suite:{suite.digest}",
        f"tokens:{len(suite.tokens)}",
        f"references:{len(suite.references)}",
        f"lists:{settings.lists}",
        "match:overlap,no-case,elision",
        f"repair:{'yes' if settings.repair else 'no'}",
        f"links:{settings.links}",
        f"source:{settings.source}",
    ]
    if part == "semi-automatic":
        parts.append(f"silver:{settings.silver}")
        parts.append(f"verdicts:{_verdict_signature(judgements)}")
        parts.append(f"needs:{settings.needs}")
    return make_signature(parts, plan, unit)


def _verdict_signature(judgements: Judgements) -> str:
    """How many judged items there are, and a short name of what people said about them."""
    if not judgements:
        return "none"
    rows = sorted((*key, one.pronoun, one.antecedent or "") for key, one in judgements.items())
    return f"{len(rows)}.{hashlib.sha256(repr(rows).encode()).hexdigest()[:8]}"


def _statistics(right: Floats, units: ResampledUnits) -> Floats:
    """Right tokens and all tokens of each unit."""
    return ratio_statistics(units.sums(right), units.sums(np.ones(len(right))))


def _score(part: Part, statistics: Floats, text: str, plan: Resampling | None) -> Score:
    """The share of right tokens with its interval, which a single unit cannot give."""
    plan = plan if len(statistics) > 1 else None
    return scores_of(tally(statistics), {part: ratio}, plan, {part: text})[part]


def _counts(judged: Sequence[JudgedToken]) -> dict[str, dict[Status, int]]:
    counts: dict[str, dict[Status, int]] = {
        category.name: dict.fromkeys(STATUSES, 0) for category in CATEGORIES
    }
    for one in judged:
        counts[one.result.token.category][one.status] += 1
    return counts


def _other_outputs(results: Sequence[TokenResult], judgements: Judgements) -> int:
    """Verdicts on a system's tokens that were made when its output was another."""
    current = {result.item.key for result in results}
    known = {key[:2] for key in current}
    return sum(key[:2] in known and key not in current for key in judgements)
