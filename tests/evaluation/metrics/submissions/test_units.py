"""Submissions as resampling sees them: documents or kinds of gaps with confusion counts."""

from __future__ import annotations

import numpy as np
import pytest

from crosspro.evaluation.core.statistics import (
    Resampling,
    bootstrap_sums,
    paired_tests,
)
from crosspro.evaluation.metrics.submissions.metric import agreement
from crosspro.evaluation.metrics.submissions.scores import (
    accuracy,
    confusion_counts,
    confusion_units,
    macro_recall,
    on_sums,
)
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission

PLAN = Resampling(2000, 7)


def make(seed=0, gaps=300, documents=None, quality=(0.8, 0.6)):
    generator = np.random.default_rng(seed)
    gold = generator.integers(0, 4, gaps).astype(np.int8)
    ids = None if documents is None else np.sort(generator.integers(0, documents, gaps))
    systems = []
    for index, right in enumerate(quality):
        wrong = generator.integers(0, 4, gaps)
        classes = np.where(generator.random(gaps) < right, gold, wrong).astype(np.int8)
        systems.append(Submission(f"s{index}", classes))
    return Gold("gold", gold, np.ones(gaps, dtype=np.int64), ids), systems


def compare(gold, pair, metric, plan=PLAN):
    table = confusion_units(gold, pair, 4)
    metrics = {"metric": on_sums(metric, 4)}
    return paired_tests((pair[0].name, pair[1].name), table, metrics, plan)[0]


@pytest.mark.parametrize("documents", [None, 12])
def test_the_table_holds_the_whole_test_set(documents):
    gold, systems = make(documents=documents)
    table = confusion_units(gold, systems, 4)
    for sums, system in zip(np.split(table.sums, 2), systems, strict=True):
        expected = confusion_counts(gold.classes, system.classes, 4)
        assert (sums.reshape(4, 4) == expected).all()


def test_a_resample_by_gap_has_as_many_gaps():
    gold, systems = make()
    samples = bootstrap_sums(confusion_units(gold, systems[:1], 4), Resampling(50, 1))
    assert (samples.sum(axis=1) == 300).all()


def test_a_resample_by_document_is_made_of_whole_documents():
    gold, systems = make(documents=5)
    table = confusion_units(gold, systems[:1], 4)
    for row in bootstrap_sums(table, Resampling(20, 1)):
        weights, *_ = np.linalg.lstsq(table.kinds.T, row, rcond=None)
        assert weights == pytest.approx(np.rint(weights), abs=1e-6)
        assert weights.sum() == pytest.approx(5)


def test_the_interval_by_gap_has_the_binomial_width():
    gold, systems = make(gaps=2000)
    table = confusion_units(gold, systems[:1], 4)
    values = on_sums(accuracy, 4)(bootstrap_sums(table, Resampling(4000, 3)))
    share = float(on_sums(accuracy, 4)(table.sums[None])[0]) / 100
    assert values.std() == pytest.approx(100 * np.sqrt(share * (1 - share) / 2000), rel=0.1)


@pytest.mark.parametrize("documents", [None, 30])
def test_a_clear_difference_is_found_and_none_is_not(documents):
    gold, systems = make(documents=documents)
    clear = compare(gold, (systems[0], systems[1]), macro_recall)
    assert clear.difference > 5
    assert clear.low > 0
    assert clear.p_bootstrap < 0.01
    assert clear.p_randomisation < 0.01
    same = compare(gold, (systems[0], systems[0]), macro_recall)
    assert (same.difference, same.low, same.high) == (0, 0, 0)
    assert same.p_bootstrap == same.p_randomisation == 1


def test_under_the_null_small_p_values_are_rare():
    small = {"bootstrap": 0, "randomisation": 0}
    for seed in range(80):
        gold, systems = make(seed, gaps=120, quality=(0.7, 0.7))
        found = compare(gold, (systems[0], systems[1]), accuracy, Resampling(300, seed))
        small["bootstrap"] += found.p_bootstrap < 0.05
        small["randomisation"] += found.p_randomisation < 0.05
    assert all(number <= 10 for number in small.values()), small  # 4 expected, 3 sigma below 10


def test_one_document_is_resampled_by_its_gaps():
    gold, systems = make(documents=1)
    found = compare(gold, (systems[0], systems[1]), macro_recall)
    assert found.low < found.difference < found.high
    assert gold.units.name == "gap"


def test_agreement_is_symmetric():
    _, systems = make()
    table = agreement(systems)
    assert (table == table.T).all()
    assert table.diagonal().tolist() == [100, 100]
