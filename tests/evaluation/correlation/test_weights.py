"""Weights of APT's cases that are tuned on verdicts (000 §4.2)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from crosspro.data_prep.core.errors import CrossproError
from crosspro.evaluation.correlation.judged import JudgedPronoun
from crosspro.evaluation.correlation.weights import APT_B, tune_weights


def pronouns(system: str, *verdicts: tuple[int, int, int]) -> list[JudgedPronoun]:
    """For each case: how many people accept, and how many they reject."""
    return [
        JudgedPronoun("x", case, accepted, system=system)
        for case, right, wrong in verdicts
        for accepted in [True] * right + [False] * wrong
    ]


JUDGED = [
    *pronouns("a", (1, 30, 4), (2, 2, 8), (3, 10, 30), (6, 1, 3)),
    *pronouns("b", (1, 40, 2), (2, 9, 3), (3, 6, 20), (6, 0, 9)),
    *pronouns("c", (1, 50, 3), (2, 6, 1), (3, 9, 15), (6, 5, 1)),
    *pronouns("d", (1, 45, 9), (2, 1, 12), (3, 2, 15), (5, 3, 1)),
]


def setting(name: str, judged: list[JudgedPronoun] = JUDGED):
    return next(one for one in tune_weights(judged).settings if one.name == name)


def test_a_case_weighs_what_people_accept_of_it():
    found = setting("accepted").weights
    assert found[0] == pytest.approx(165 / 183)
    assert found[1] == pytest.approx(18 / 42)
    assert found[2] == pytest.approx(27 / 107)
    assert found[3] == APT_B[3]  # no example
    assert found[4] == pytest.approx(3 / 4)
    assert any("case 4" in warning for warning in tune_weights(JUDGED).warnings)


def test_no_weights_have_a_smaller_error():
    verdicts = np.array([(one.case, one.correct) for one in JUDGED], dtype=float)

    def error(weights) -> float:
        return float(
            ((np.array(weights)[verdicts[:, 0].astype(int) - 1] - verdicts[:, 1]) ** 2).mean()
        )

    best = list(setting("accepted").weights)
    for place, step in product(range(6), (-0.05, 0.05)):
        other = [*best[:place], best[place] + step, *best[place + 1 :]]
        assert error(other) >= error(best)


def test_no_weights_of_cases_2_and_6_correlate_better():
    systems = sorted({one.system for one in JUDGED})
    human = [np.mean([one.correct for one in JUDGED if one.system == name]) for name in systems]

    def correlation(second: float, sixth: float) -> float:
        weights = (1, second, 0, 0, 0, sixth)
        scores = [
            np.mean([weights[one.case - 1] for one in JUDGED if one.system == name])
            for name in systems
        ]
        return float(np.corrcoef(scores, human)[0, 1])

    found = setting("correlation")
    grid = {(w2, w6): correlation(w2, w6) for w2, w6 in product(np.linspace(0, 1, 21), repeat=2)}
    assert found.pearson == pytest.approx(max(grid.values()))
    assert correlation(found.weights[1], found.weights[5]) == pytest.approx(found.pearson)
    assert (found.weights[0], *found.weights[2:5]) == (1, 0, 0, 0)
    assert found.pearson >= setting("APT-B").pearson


def test_what_is_held_out_was_not_tuned_on():
    """A case in one unit alone: held out it weighs what APT-B says, and is wrong."""
    judged = [
        JudgedPronoun("x", case, accepted, unit, system=system)
        for system, unit, case, accepted in (
            ("a", "1", 1, True), ("a", "2", 3, False), ("b", "1", 1, True), ("b", "2", 3, False),
            ("c", "3", 5, True),
        )
    ]  # fmt: skip
    found = setting("accepted", judged)
    assert found.weights[4] == 1
    assert found.error_held_out == pytest.approx(1 / 5)
    fixed = setting("APT-B", judged)
    assert (fixed.pearson, fixed.error_held_out) == (fixed.pearson_held_out, pytest.approx(1 / 5))


def test_what_people_could_not_judge_does_not_count():
    more = [*JUDGED, JudgedPronoun("x", 1, None, bad=True, system="a")]
    assert tune_weights(more) == tune_weights(JUDGED)


def test_two_systems_have_no_correlation():
    study = tune_weights([one for one in JUDGED if one.system in "ab"])
    assert [one.name for one in study.settings] == ["APT-A", "APT-B", "accepted"]
    assert np.isnan([one.pearson for one in study.settings]).all()
    assert study.warnings[0].startswith("2 systems")


def test_verdicts_that_are_all_alike_are_refused():
    with pytest.raises(CrossproError, match="accepted and rejected"):
        tune_weights(pronouns("a", (1, 5, 0)))
