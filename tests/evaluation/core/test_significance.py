"""Resampling: exact where it can be, sensible where it is random."""

from __future__ import annotations

import numpy as np
import pytest

from crosspro.evaluation.core.score import UNIT, Scale, Score, interval_note, make_signature
from crosspro.evaluation.core.statistics import (
    Resampling,
    UnitTable,
    bootstrap_sums,
    draws,
    exchanged_sums,
    interval,
    p_value,
    paired_tests,
    ratio,
    scores_of,
    side_by_side,
    tally,
)
from crosspro.version import __version__

PLAN = Resampling(400, 7)
STATISTICS = np.array([[1.0, 1.0], [0.0, 1.0], [2.5, 1.0], [0.0, 1.0]])


def single(statistics):
    """A table in which each unit has a row of its own."""
    return UnitTable(statistics, None, statistics.sum(axis=0))


@pytest.mark.parametrize("table", [tally(STATISTICS), single(STATISTICS)], ids=["kinds", "units"])
def test_a_resample_has_as_many_units(table):
    sums = bootstrap_sums(table, PLAN)
    assert sums.shape == (400, 2)
    assert (sums[:, 1] == 4).all()


@pytest.mark.parametrize("make", [tally, single], ids=["kinds", "units"])
def test_exchanges_keep_the_total(make):
    both = np.concatenate((STATISTICS, STATISTICS[:, ::-1]), axis=1)
    sums = exchanged_sums(make(both), PLAN)
    assert np.allclose(sums[:, :2] + sums[:, 2:], STATISTICS.sum())


def test_both_ways_of_drawing_have_one_distribution():
    generator = np.random.default_rng(3)
    statistics = generator.integers(0, 3, (40, 2)).astype(float)
    plan = Resampling(20_000, 1)
    kinds, units = (
        bootstrap_sums(table, plan) for table in (tally(statistics), single(statistics))
    )
    assert kinds.mean(axis=0) == pytest.approx(units.mean(axis=0), abs=0.25)
    assert kinds.std(axis=0) == pytest.approx(units.std(axis=0), rel=0.03)


def test_blocks_do_not_change_what_is_drawn():
    few, many = (np.concatenate(list(draws(3, None, Resampling(n, 5)))) for n in (10, 1000))
    assert (many[:10] == few).all()
    assert (many.sum(axis=1) == 3).all()


def test_the_seed_decides():
    table = side_by_side(STATISTICS, STATISTICS[:, ::-1].copy())
    names, metrics = ("a", "b"), {"ratio": ratio}
    first = paired_tests(names, table, metrics, PLAN)
    assert first == paired_tests(names, table, metrics, PLAN)
    assert first != paired_tests(names, table, metrics, Resampling(400, 8))


def test_a_score_that_is_not_defined_has_no_interval_and_no_difference():
    nothing = {"nothing": lambda sums: np.full(len(sums), np.nan), "ratio": ratio}
    signatures = {"nothing": "n", "ratio": "r"}
    scores = scores_of(tally(STATISTICS), nothing, PLAN, signatures)
    assert (scores["nothing"].low, scores["nothing"].high) == (None, None)
    assert scores["ratio"].low is not None
    assert scores_of(tally(STATISTICS), nothing, None, signatures)["ratio"].low is None
    pair = side_by_side(STATISTICS, STATISTICS)
    assert [one.metric for one in paired_tests(("a", "b"), pair, nothing, PLAN)] == ["ratio"]
    assert interval(np.full(3, np.nan)) == (None, None)


def test_p_values_are_never_0_where_values_were_drawn():
    null = np.array([-3.0, 1.0, 2.0, np.nan])
    assert p_value(null, 5) == pytest.approx(1 / 4)
    assert p_value(null, 2) == pytest.approx(3 / 4)
    assert p_value(null[:3], 5, drawn=False) == 0


def test_signatures_name_resampling_and_versions():
    assert make_signature(["m", "n:3"], None, "gap") == f"m|n:3|crosspro:{__version__}"
    found = make_signature(["m"], Resampling(10, 2), "gap", ["other|x"])
    assert found == f"m|bootstrap:10|by:gap|seed:2|crosspro:{__version__}|other|x"


def test_scores_are_shown_with_their_intervals():
    assert str(Score("a", 12.345, "s")) == "12.35"
    assert Score("a", 0.5, "s", 0.25, 0.75).shown(Scale(digits=1)) == "0.5 [0.2, 0.8]"


def test_a_scale_is_how_scores_are_shown():
    share, correlation = Scale(digits=1, factor=100), Scale(1, 3, -1)
    assert Score("a", 0.0667, "s", 0.05, 0.1).shown(share) == "6.7 [5.0, 10.0]"
    assert share.percent(0.25) == 25 and share.number(-0.1, "+") == "-10.0"
    assert (correlation.percent(-1), correlation.percent(0), correlation.percent(1)) == (0, 50, 100)
    assert correlation.number(0.5, "+") == "+0.500"


def test_a_score_that_is_not_defined_is_a_dash():
    assert Score("x", float("nan"), "s").shown(UNIT) == "–"


def test_a_table_says_by_what_its_intervals_are():
    by_gap, by_document = (
        Score("x", 1.0, make_signature(["x"], Resampling(10), unit), 0.5, 1.5)
        for unit in ("gap", "document")
    )
    assert interval_note([by_gap, by_gap]) == "[95% interval by gap]"
    assert interval_note([by_document]) == "[95% interval by document]"
    assert interval_note([by_document, by_gap]) == "[95% interval by document and gap]"
    assert interval_note([Score("x", 1.0, by_gap.signature), Score("x", 1.0, "x")]) == ""
