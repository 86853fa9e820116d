"""The six cases of APT against what people say (000 §4.3, Table 5).

A pronoun is correct, incorrect, or in a translation too bad to be judged; what nobody has judged is
left out. Unlike the disagreements of 001, all six cases count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import CrossproError
from crosspro.evaluation.core.score import make_signature
from crosspro.evaluation.core.statistics import (
    Interval,
    Resampling,
    bootstrap_sums,
    interval,
    percentage,
    ratio_statistics,
    tally,
)
from crosspro.evaluation.correlation.judged import TOTAL, JudgedPronoun
from crosspro.evaluation.correlation.study import Values, pearson, spearman
from crosspro.evaluation.inputs.case_records import BAD, CASE_NAMES, CASES, CORRECT, INCORRECT
from crosspro.evaluation.output.tables import PLAIN, Style, csv_number, csv_text

VERDICT_NAMES = (CORRECT, INCORRECT, BAD)


@dataclass(frozen=True, slots=True)
class CaseVerdicts:
    """The judged pronouns of a case (or of all: `total`): how many are correct, incorrect, bad."""

    case: str
    counts: tuple[int, int, int]

    @property
    def total(self) -> int:
        """All judged pronouns."""
        return sum(self.counts)

    @property
    def percentages(self) -> tuple[float | None, ...]:
        """The verdicts in per cent of the judged pronouns, if there are any."""
        return tuple(100 * count / self.total if self.total else None for count in self.counts)


@dataclass(frozen=True)
class CaseStudy:
    """The verdicts of each case and the total, 95% intervals of the correct ones, and the rest."""

    cases: tuple[CaseVerdicts, ...]
    intervals: Mapping[str, Interval]
    unjudged: int
    signature: str
    unit: str = "example"
    """What intervals resample."""


def study_cases(
    judgements: Sequence[JudgedPronoun], plan: Resampling | None = None, unit: str = "example"
) -> CaseStudy:
    """Count verdicts by case; with a resampling plan also intervals of the correct ones."""
    judged = [one for one in judgements if _column(one) is not None]
    table = []
    intervals: dict[str, Interval] = {}
    for name in (*map(str, CASES), TOTAL):
        own = [one for one in judged if name in (str(one.case), TOTAL)]
        columns = [_column(one) for one in own]
        table.append(CaseVerdicts(name, (columns.count(0), columns.count(1), columns.count(2))))
        if plan is not None and own:
            intervals[name] = _interval(own, plan)
    parts = ["case-verdicts", f"examples:{len(judged)}"]
    unjudged = len(judgements) - len(judged)
    signature = make_signature(parts, plan, unit)
    return CaseStudy(tuple(table), intervals, unjudged, signature, unit)


def _column(one: JudgedPronoun) -> int | None:
    if one.bad:
        return 2
    return None if one.correct is None else 1 - one.correct


def _interval(judged: Sequence[JudgedPronoun], plan: Resampling) -> Interval:
    sums: dict[object, list[int]] = {}
    for number, one in enumerate(judged):
        cell = sums.setdefault(one.unit or number, [0, 0])
        cell[0] += _column(one) == 0
        cell[1] += 1
    right, all_of_them = zip(*sums.values(), strict=True)
    return interval(percentage(bootstrap_sums(tally(ratio_statistics(right, all_of_them)), plan)))


# Weights that are tuned ---------------------------------------------------------------------------
#
# 000 §4.1 and §4.2 would have tuned them, but had no data for it. Two ways of doing so:
#
# - *accepted*: the weight of a case is the share of its pronouns that people accept. No other
#   weights have a smaller squared error, and APT becomes an estimate of the human score.
# - *correlation*: cases 1, 3, 4 and 5 keep 1, 0, 0 and 0, and those of 2 and 6 are searched in
#   steps of 0.05 for the highest Pearson correlation over systems, as 000 Table 4 does in steps of
#   0.5.
#
# Weights that were tuned fit the data that they were tuned on. So both ways are also judged on
# pronouns that were held out: units are dealt into ten folds, and each pronoun is weighed by what
# was tuned on the other nine.

APT_A = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
APT_B = (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)
"""The two settings of 001 §5; the second is the default of `crosspro apt`."""

FOLDS = 10
FEWEST_SYSTEMS = 3
_STEPS = np.linspace(0, 1, 21)


@dataclass(frozen=True, slots=True)
class TunedWeights:
    """Weights of the six cases, and how well APT with them agrees with people.

    Correlations are over systems and not there for fewer than three. `error` is the mean squared
    difference of weights and verdicts. What is `held_out` is of pronouns that were not tuned on.
    """

    name: str
    weights: tuple[float, ...]
    pearson: float | None
    spearman: float | None
    pearson_held_out: float | None
    error_held_out: float


@dataclass(frozen=True)
class WeightStudy:
    """The two settings of 001 and the weights that were tuned, over how many pronouns."""

    settings: tuple[TunedWeights, ...]
    examples: int
    systems: tuple[str, ...]
    signature: str
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class _Verdicts:
    """Judged pronouns as arrays: case from 0, whether it is accepted, its system, its fold."""

    cases: NDArray[np.int64]
    accepted: Values
    systems: NDArray[np.int64]
    folds: NDArray[np.int64]

    def among(self, chosen: NDArray[np.bool_]) -> _Verdicts:
        """Some of the pronouns; systems without any are gone."""
        systems = np.unique(self.systems[chosen], return_inverse=True)[1]
        return _Verdicts(self.cases[chosen], self.accepted[chosen], systems, self.folds[chosen])

    def by_system(self, values: Values) -> Values:
        """The mean of values over the pronouns of each system."""
        return np.asarray(np.bincount(self.systems, values) / np.bincount(self.systems))


Tuning = Callable[[_Verdicts], tuple[float, ...]]


def tune_weights(
    judgements: Sequence[JudgedPronoun], seed: int = 12345, unit: str = "example"
) -> WeightStudy:
    """Tune weights on the pronouns that people could judge; `unit` is what a unit is called."""
    judged = [one for one in judgements if one.correct is not None]
    systems = tuple(dict.fromkeys(one.system for one in judged))
    if len({one.correct for one in judged}) < 2:
        raise CrossproError("weights: expected accepted and rejected pronouns, found one of them")
    verdicts = _Verdicts(
        np.array([one.case - 1 for one in judged]),
        np.array([float(one.correct or 0) for one in judged]),
        np.array([systems.index(one.system) for one in judged]),
        _folds([one.unit or str(number) for number, one in enumerate(judged)], seed),
    )
    enough = len(systems) >= FEWEST_SYSTEMS
    ways: dict[str, Tuning] = {"APT-A": lambda _: APT_A, "APT-B": lambda _: APT_B}
    ways["accepted"] = accepted_shares
    if enough:
        ways["correlation"] = best_correlation
    settings = tuple(_judged(name, tune, verdicts, enough) for name, tune in ways.items())
    parts = ["case-weights", f"examples:{len(judged)}", f"systems:{len(systems)}"]
    parts += [f"folds:{verdicts.folds.max() + 1}", f"by:{unit}", f"seed:{seed}"]
    warnings = [] if enough else [f"{len(systems)} systems: no correlation, and none to tune for"]
    absent = [case for case in CASES if not (verdicts.cases == case - 1).any()]
    if absent:
        named = ", ".join(map(str, absent))
        warnings.append(f"no judged pronoun of case {named}: its weight stays that of APT-B")
    return WeightStudy(
        settings, len(judged), systems, make_signature(parts, None, unit), tuple(warnings)
    )


def _folds(units: Sequence[str], seed: int) -> NDArray[np.int64]:
    names = list(dict.fromkeys(units))
    dealt = np.random.default_rng(seed).permutation(len(names)) % min(FOLDS, len(names))
    of_unit = dict(zip(names, dealt.tolist(), strict=True))
    return np.array([of_unit[unit] for unit in units])


def accepted_shares(verdicts: _Verdicts) -> tuple[float, ...]:
    """The share of each case that people accept; that of APT-B where there is no example."""
    size = np.bincount(verdicts.cases, minlength=len(CASES))
    right = np.bincount(verdicts.cases, verdicts.accepted, minlength=len(CASES))
    shares = np.where(size > 0, right / np.maximum(size, 1), APT_B)
    return tuple(shares.tolist())


def best_correlation(verdicts: _Verdicts) -> tuple[float, ...]:
    """The weights of cases 2 and 6 with the highest Pearson correlation over systems.

    Of equally good ones, and where no correlation is defined, those nearest to APT-B.
    """
    grid = sorted(product(_STEPS.tolist(), repeat=2), key=lambda w: abs(w[0] - 0.5) + abs(w[1]))
    counts = np.stack(
        [verdicts.by_system((verdicts.cases == case).astype(float)) for case in (0, 1, 5)]
    )
    scores = counts[0] + np.array(grid) @ counts[1:]
    human = verdicts.by_system(verdicts.accepted)
    found = np.nan_to_num(pearson(scores, np.broadcast_to(human, scores.shape)), nan=-2.0)
    second, sixth = grid[int(np.argmax(found > found.max() - 1e-12))]
    return 1.0, second, 0.0, 0.0, 0.0, sixth


def _judged(name: str, tune: Tuning, verdicts: _Verdicts, enough: bool) -> TunedWeights:
    weights = tune(verdicts)
    weighed = np.array(weights)[verdicts.cases]
    held_out = np.empty_like(weighed)
    for fold in range(int(verdicts.folds.max()) + 1):
        own = verdicts.folds == fold
        tuned = tune(verdicts.among(~own)) if not own.all() else APT_B
        held_out[own] = np.array(tuned)[verdicts.cases[own]]
    error = float(((held_out - verdicts.accepted) ** 2).mean())
    if not enough:
        return TunedWeights(name, weights, None, None, None, error)
    human = verdicts.by_system(verdicts.accepted)
    ours, unseen = verdicts.by_system(weighed), verdicts.by_system(held_out)
    return TunedWeights(
        name,
        weights,
        _defined(pearson(ours, human)),
        _defined(spearman(ours, human)),
        _defined(pearson(unseen, human)),
        error,
    )


def _defined(value: Values) -> float | None:
    return None if np.isnan(value) else float(value)


# The reports -------------------------------------------------------------------------------------


def case_text(study: CaseStudy, style: Style = PLAIN) -> str:
    """Table 5 of 000."""
    rows = []
    for one in study.cases:
        shares = ["–" if share is None else f"{share:.1f}%" for share in one.percentages]
        low, high = study.intervals.get(one.case, (None, None))
        if low is not None and high is not None:
            shares[0] += f" [{low:.1f}, {high:.1f}]"
        rows.append((_name(one), *shares, str(one.total)))
    parts = [style.table(("case", *VERDICT_NAMES, "total"), rows)]
    if study.intervals:
        parts.append(f"[95% interval by {study.unit}]\n")
    if study.unjudged:
        parts.append(f"{study.unjudged:,} pronouns that nobody has judged are left out.\n")
    return "\n".join([*parts, *style.signed([study.signature])])


def case_json(study: CaseStudy) -> str:
    """The same for other programs."""
    content = {
        "cases": [
            {
                "case": one.case,
                "name": _name(one),
                **dict(zip(VERDICT_NAMES, one.counts, strict=True)),
                "total": one.total,
                "percentages": dict(zip(VERDICT_NAMES, one.percentages, strict=True)),
                "interval": study.intervals.get(one.case),
            }
            for one in study.cases
        ],
        "unjudged": study.unjudged,
        "signature": study.signature,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def case_csv(study: CaseStudy) -> str:
    """One line per case: counts, and per cent of correct pronouns with its interval."""
    names = (name.replace(" ", "_") for name in VERDICT_NAMES)
    heading = ("case", *names, "total", "correct_percentage", "low", "high", "signature")
    rows = [
        (
            one.case,
            *one.counts,
            one.total,
            csv_number(one.percentages[0]),
            *map(csv_number, study.intervals.get(one.case, (None, None))),
            study.signature,
        )
        for one in study.cases
    ]
    return csv_text([heading, *rows])


def _name(one: CaseVerdicts) -> str:
    return one.case if one.case == TOTAL else f"{one.case} {CASE_NAMES[int(one.case) - 1]}"


def weights_text(study: WeightStudy, style: Style = PLAIN) -> str:
    """Weights of the cases, how well they agree with people, and how `crosspro apt` takes them."""
    rows = [
        (
            one.name,
            *(f"{weight:.2f}" for weight in one.weights),
            *(_shown(value) for value in (one.pearson, one.spearman, one.pearson_held_out)),
            f"{one.error_held_out:.4f}",
        )
        for one in study.settings
    ]
    heading = ("weights", *(f"w{case}" for case in CASES), "Pearson", "Spearman")
    held_out = ("Pearson, held out", "squared error, held out")
    options = [
        f"{one.name}: crosspro apt --weights {','.join(f'{weight:.4g}' for weight in one.weights)}"
        for one in study.settings
    ]
    what = f"{study.examples:,} judged pronouns of {len(study.systems)} systems"
    parts = [
        style.title(what),
        style.table((*heading, *held_out), rows),
        "".join(f"{option}\n{style.after}" for option in options),
    ]
    return "\n".join([*parts, *style.signed([study.signature])])


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def weights_json(study: WeightStudy) -> str:
    """The same for other programs."""
    return json.dumps(asdict(study), ensure_ascii=False, indent=2) + "\n"


def weights_csv(study: WeightStudy) -> str:
    """One line per setting."""
    scores = ("pearson", "spearman", "pearson_held_out", "error_held_out")
    rows = [
        (
            one.name,
            *map(csv_number, one.weights),
            *(csv_number(getattr(one, name)) for name in scores),
            study.signature,
        )
        for one in study.settings
    ]
    return csv_text([("weights", *(f"w{case}" for case in CASES), *scores, "signature"), *rows])
