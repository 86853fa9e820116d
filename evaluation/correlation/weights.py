"""Weights of APT's cases, tuned on verdicts of people.

000 §4.1 and §4.2 would have tuned them, but had no data for it. Two ways of doing so:

- *accepted*: the weight of a case is the share of its pronouns that people accept. No other weights
  have a smaller squared error, and APT becomes an estimate of the human score.
- *correlation*: cases 1, 3, 4 and 5 keep 1, 0, 0 and 0, and those of 2 and 6 are searched in steps
  of 0.05 for the highest Pearson correlation over systems, as 000 Table 4 does in steps of 0.5.

Weights that were tuned fit the data that they were tuned on. So both ways are also judged on
pronouns that were held out: units are dealt into ten folds, and each pronoun is weighed by what was
tuned on the other nine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import nan

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import CrossproError
from crosspro.evaluation.core.score import Score, make_signature
from crosspro.evaluation.core.tables import Cell, Table
from crosspro.evaluation.correlation.judged import JudgedPronoun
from crosspro.evaluation.correlation.score_table import Values
from crosspro.evaluation.correlation.study import SCALE, pearson, spearman
from crosspro.evaluation.inputs.case_records import CASES
from crosspro.evaluation.output.tables import PLAIN, Style, csv_number, csv_text
from crosspro.evaluation.output.text import tables_text

APT_A = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
APT_B = (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)
"""The two settings of 001 §5; the second is the default of `crosspro apt`."""

FOLDS = 10
FEWEST_SYSTEMS = 3
_STEPS = np.linspace(0, 1, 21)


@dataclass(frozen=True, slots=True)
class TunedWeights:
    """Weights of the six cases, and how well APT with them agrees with people.

    Correlations are over systems, not a number for fewer than three. `error` is the mean squared
    difference of weights and verdicts. What is `held_out` is of pronouns that were not tuned on.
    """

    name: str
    weights: tuple[float, ...]
    pearson: float
    spearman: float
    pearson_held_out: float
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
    judged = [judgement for judgement in judgements if judgement.correct is not None]
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
        return TunedWeights(name, weights, nan, nan, nan, error)
    human = verdicts.by_system(verdicts.accepted)
    ours, unseen = verdicts.by_system(weighed), verdicts.by_system(held_out)
    r, rho, held_out_r = map(
        float, (pearson(ours, human), spearman(ours, human), pearson(unseen, human))
    )
    return TunedWeights(name, weights, r, rho, held_out_r, error)


def weights_text(study: WeightStudy, style: Style = PLAIN) -> str:
    """Weights of the cases, how well they agree with people, and how `crosspro apt` takes them."""
    rows: list[list[Cell]] = [
        [
            setting.name,
            *(f"{weight:.2f}" for weight in setting.weights),
            *(
                Score("", value, "")
                for value in (setting.pearson, setting.spearman, setting.pearson_held_out)
            ),
            f"{setting.error_held_out:.4f}",
        ]
        for setting in study.settings
    ]
    heading = ("weights", *(f"w{case}" for case in CASES), "Pearson", "Spearman")
    held_out = ("Pearson, held out", "squared error, held out")
    options = (
        f"{one.name}: crosspro apt --weights {','.join(f'{weight:.4g}' for weight in one.weights)}"
        for one in study.settings
    )
    tables = [Table((*heading, *held_out), rows), Table((), (), notes=tuple(options))]
    title = f"{study.examples:,} judged pronouns of {len(study.systems)} systems"
    return tables_text(title, tables, SCALE, [study.signature], style)


def weights_csv(study: WeightStudy) -> str:
    """One line per setting."""
    scores = ("pearson", "spearman", "pearson_held_out", "error_held_out")
    rows = [
        (
            setting.name,
            *map(csv_number, (*setting.weights, *(getattr(setting, name) for name in scores))),
            study.signature,
        )
        for setting in study.settings
    ]
    return csv_text([("weights", *(f"w{case}" for case in CASES), *scores, "signature"), *rows])
