"""Means over the seeds of a sweep."""

from __future__ import annotations

import pytest

from crosspro.prediction.runs import Configuration, Run, Times
from crosspro.prediction.runs import RunScore as Score
from crosspro.scripts.train_sweep import mean_scores, means_table


def run(system, seed, value, *overrides, status="complete"):
    scores = {m: Score(m, value, "") for m in ("macro_recall", "macro_f1", "accuracy")}
    return Run(
        status=status,
        task="en-fr",
        system=system,
        seed=seed,
        versions={},
        times=Times("now"),
        scores={"test": scores},
        data=(),
        configuration=Configuration(overrides=(f"seed={seed}", f"system={system}", *overrides)),
    )


def test_runs_that_differ_in_their_seed_are_averaged():
    runs = [
        *(run("a", seed, 40.0 + seed, "task=en-fr", "x=1") for seed in (1, 2, 3)),
        *(run("a", seed, 50.0, "task=en-fr", "x=2") for seed in (1, 2)),
        run("b", 1, 30.0, "task=en-fr", "x=1"),
        run("b", 2, 90.0, "task=en-fr", "x=1", status="running"),
    ]
    rows = list(mean_scores(runs))
    assert [(row.configuration, row.seeds) for row in rows] == [
        ("a task=en-fr x=1", 3),
        ("a task=en-fr x=2", 2),
        ("b task=en-fr x=1", 1),
    ]
    first = rows[0].scores["macro_recall"]
    assert (first.value, first.low, first.high) == pytest.approx(
        (42, 42 - 2.4841, 42 + 2.4841), abs=1e-3
    )
    assert rows[2].scores["accuracy"].low is None
    table = means_table(rows)
    assert "42.00 [39.52, 44.48]" in table
    assert "50.00 [50.00, 50.00]" in table
    assert list(mean_scores([])) == []
