"""The evaluation of systems on a suite: automatic, silver and human parts, intervals, paired tests.

The default is the semi-automatic procedure that 001 §7 recommends: what matches a reference counts
as right without being looked at, everything else is right or wrong only if people say so, and what
nobody has judged yet is neither. The score is therefore a range while there is something to judge.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crosspro import __version__
from crosspro.evaluation.protest.categories import CATEGORIES
from crosspro.evaluation.protest.review import item_key
from crosspro.evaluation.protest.score import TokenResult
from crosspro.evaluation.protest.suite import Suite
from crosspro.evaluation.protest.verdicts import Judgement
from crosspro.evaluation.statistics.ratio_bootstrap import (
    Ratio,
    compare_ratios,
    make_ratio,
    ratio_interval,
)
from crosspro.evaluation.statistics.significance import FEW_DOCUMENTS, Difference, Resampling

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
COUNTED: Mapping[Part, tuple[Status, ...]] = {
    "automatic": ("automatic",),
    "semi-automatic": ("automatic", "silver", "right"),
}
UNDECIDED: tuple[Status, ...] = ("conflict", "open")


@dataclass(frozen=True)
class Judged:
    """A result with what people said about it, if they did, and what follows."""

    result: TokenResult
    judgement: Judgement | None
    status: Status


@dataclass(frozen=True)
class PartScore:
    """A share of right tokens with its 95% interval and how it was computed."""

    part: Part
    value: float
    signature: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class SystemScore:
    """A system: its tokens, counts of each status by category, and its scores.

    `categories` has the scores of each category of which the suite has tokens. `at_most` is what
    the semi-automatic score becomes if all that is undecided turns out right.
    """

    name: str
    tokens: tuple[Judged, ...]
    counts: Mapping[str, Mapping[Status, int]]
    scores: Mapping[Part, PartScore]
    categories: Mapping[str, Mapping[Part, PartScore]]
    at_most: float
    other_output: int

    def total(self, status: Status) -> int:
        """Tokens of all categories with a status."""
        return sum(counts[status] for counts in self.counts.values())


@dataclass(frozen=True)
class Comparison:
    """Two systems under one part of the score."""

    part: Part
    difference: Difference


@dataclass(frozen=True)
class ProtestEvaluation:
    """Everything computed for some systems on one suite."""

    suite: Suite
    systems: tuple[SystemScore, ...]
    comparisons: tuple[Comparison, ...]
    warnings: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """Tokens of each category that the suite has."""
        counts = Counter(token.category for token in self.suite.tokens)
        return {category.name: counts[category.name] for category in CATEGORIES}


@dataclass(frozen=True, slots=True)
class Settings:
    """What changes scores beside the suite and verdicts: all of it is in the signature.

    `links` says whether they were given or how they were made, `source` whose tokenisation of the
    source they belong to: the suite's or the systems' own.
    """

    lists: str
    repair: bool = True
    silver: str = "none"
    needs: Needs = "pronoun"
    links: str = "given"
    source: Literal["suite", "own"] = "suite"


def status_of(result: TokenResult, judgement: Judgement | None, needs: Needs) -> Status:
    """What is known about a result; matches are not looked at, whatever people say."""
    if result.outcome == "match":
        return "automatic"
    if result.outcome == "silver":
        return "silver"
    if judgement is None:
        return "open"
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
    judgements: Mapping[tuple[str, str, str], Judgement],
    settings: Settings,
    plan: Resampling | None = None,
) -> ProtestEvaluation:
    """Scores, intervals and paired tests of systems whose tokens have been matched."""
    documents = np.unique([token.document for token in suite.tokens], return_inverse=True)[1]
    number = int(documents.max(initial=-1)) + 1
    units = documents if number > 1 else np.arange(len(suite.tokens))
    unit = "document" if number > 1 else "token"
    categories = np.array([token.category for token in suite.tokens])
    systems: list[SystemScore] = []
    ratios: dict[tuple[str, Part], Ratio] = {}
    for name, own in results.items():
        judged = tuple(_judged(result, judgements, settings.needs) for result in own)
        scores: dict[Part, PartScore] = {}
        by_category: dict[str, dict[Part, PartScore]] = {}
        for part, statuses in COUNTED.items():
            right = np.array([one.status in statuses for one in judged], dtype=np.float64)
            text = signature(part, suite, settings, judgements, plan, unit)
            ratios[name, part] = _ratio(name, right, units)
            scores[part] = _score(part, ratios[name, part], text, plan)
            for category in CATEGORIES:
                own_tokens = categories == category.name
                if own_tokens.any():
                    ratio = _ratio(name, right[own_tokens], units[own_tokens])
                    found = by_category.setdefault(category.name, {})
                    found[part] = _score(part, ratio, text, plan)
        undecided = sum(one.status in UNDECIDED for one in judged)
        at_most = scores["semi-automatic"].value + undecided / max(1, len(judged))
        other = _other_outputs(own, judgements)
        systems.append(
            SystemScore(name, judged, _counts(judged), scores, by_category, at_most, other)
        )
    comparisons = [
        Comparison(part, compare_ratios(ratios[first, part], ratios[second, part], plan))
        for first, second in combinations(results, 2)
        for part in COUNTED
        if plan is not None
    ]
    warnings = [
        f"{one.name}: {one.other_output} verdicts are about another output and do not count"
        for one in systems
        if one.other_output
    ]
    waiting = [one.name for one in systems if any(one.total(status) for status in UNDECIDED)]
    if comparisons and judgements and waiting:
        warnings.append(
            f"{', '.join(waiting)}: not all is judged, and what is not counts as not right in the "
            "semi-automatic comparison"
        )
    if plan is not None and 1 < number < FEW_DOCUMENTS:
        warnings.append(f"{number} documents are few: intervals and p values are too small")
    return ProtestEvaluation(suite, tuple(systems), tuple(comparisons), tuple(warnings))


def signature(
    part: Part,
    suite: Suite,
    settings: Settings,
    judgements: Mapping[tuple[str, str, str], Judgement],
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
    if plan is not None:
        parts.append(f"bootstrap:{plan.resamples}")
        parts.append(f"by:{unit}")
        parts.append(f"seed:{plan.seed}")
    return "|".join([*parts, f"crosspro:{__version__}"])


def _verdict_signature(judgements: Mapping[tuple[str, str, str], Judgement]) -> str:
    """How many judged items there are, and a short name of what people said about them."""
    if not judgements:
        return "none"
    rows = sorted((*key, one.pronoun, one.antecedent or "") for key, one in judgements.items())
    return f"{len(rows)}.{hashlib.sha256(repr(rows).encode()).hexdigest()[:8]}"


def _ratio(name: str, right: NDArray[np.float64], units: NDArray[np.int64]) -> Ratio:
    """The share of right tokens; units without a token say nothing about it."""
    sizes = np.bincount(units)
    within = sizes > 0
    return make_ratio(name, np.bincount(units, weights=right)[within], sizes[within])


def _score(part: Part, ratio: Ratio, text: str, plan: Resampling | None) -> PartScore:
    """The score with its interval, which a single unit cannot give."""
    if plan is None or len(ratio.numerators) < 2:
        return PartScore(part, ratio.value, text)
    low, high = ratio_interval(ratio.numerators, ratio.denominators, plan)
    return PartScore(part, ratio.value, text, low, high)


def _judged(
    result: TokenResult, judgements: Mapping[tuple[str, str, str], Judgement], needs: Needs
) -> Judged:
    judgement = judgements.get(item_key(result))
    return Judged(result, judgement, status_of(result, judgement, needs))


def _counts(judged: Sequence[Judged]) -> dict[str, dict[Status, int]]:
    counts: dict[str, dict[Status, int]] = {
        category.name: dict.fromkeys(STATUSES, 0) for category in CATEGORIES
    }
    for one in judged:
        counts[one.result.token.category][one.status] += 1
    return counts


def _other_outputs(
    results: Sequence[TokenResult], judgements: Mapping[tuple[str, str, str], Judgement]
) -> int:
    """Verdicts on a system's tokens that were made when its output was another."""
    current = {item_key(result) for result in results}
    known = {key[:2] for key in current}
    return sum(key[:2] in known and key not in current for key in judgements)
