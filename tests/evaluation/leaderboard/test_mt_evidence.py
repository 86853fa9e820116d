"""Evidence of MT systems and of metrics: what is computed from it, and faults of its files."""

from __future__ import annotations

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.statistics import (
    Resampling,
    exchanges,
    p_value,
    paired_tests,
    side_by_side,
)
from crosspro.evaluation.leaderboard.evidence import write_packed
from crosspro.evaluation.leaderboard.metric_values import (
    MarkedItems,
    areas,
    areas_within,
    compared_values,
    measured_values,
    read_marks,
    read_values,
    value_scores,
    write_marks,
    write_values,
)
from crosspro.evaluation.leaderboard.record import MeasuredSet, evidence_file
from crosspro.evaluation.leaderboard.system_sums import (
    MEASURES,
    SystemSums,
    compared_sums,
    read_sums,
    write_sums,
)

PLAN = Resampling(200)
ONCE = np.ones((1, 3))


def evidence(apt):
    rows = {
        "in_doubt": np.array([[0.25, 2], [0.123456789, 1], [0.5, 4]]),
        "apt": np.array(apt, dtype=float),
    }
    signatures = {"apt": "metric:APT|by:document", "in_doubt": "pronoun_doubt"}
    return SystemSums("toy", MeasuredSet(7, 3, "0" * 64), rows, signatures)


def marked(levels="0102010", documents=(3, 2, 2), segments=(3, 2, 2)):
    return MarkedItems(np.array([*map(int, levels)]), documents, segments)


def test_scores_of_sums_in_the_order_of_the_board():
    scores = evidence([[1, 2], [3, 3], [0, 1]]).scores(PLAN)
    assert list(scores) == ["apt", "in_doubt"]
    assert scores["apt"].value == pytest.approx(100 * 4 / 6)
    assert scores["in_doubt"].value == pytest.approx(100 * 0.873456789 / 7)
    assert scores["apt"].low < scores["apt"].value < scores["apt"].high
    assert scores["apt"].unit == "document"


def test_a_measure_without_anything_to_score_is_left_out():
    own = evidence([[1, 2], [3, 3], [0, 1]])
    own.sums["in_doubt"][:] = 0
    assert list(own.scores(PLAN)) == ["apt"]


def test_sums_come_back_as_they_were_written(tmp_path):
    own = evidence([[1, 2], [2.5, 3], [0, 1]])
    write_sums("toy/a", own, tmp_path)
    found = read_sums("toy/a", tmp_path)
    assert (found.test, found.measured, found.signatures) == ("toy", own.measured, own.signatures)
    assert found.digests == own.digests
    assert found.sums["in_doubt"][1, 0] == 0.123457
    for name, score in found.scores().items():
        assert score.value == pytest.approx(own.scores()[name].value, abs=1e-4)


def test_differences_are_paired_by_document():
    """What systems that share their resamples give is what a test of two alone gives."""
    generator = np.random.default_rng(4)
    pronouns = generator.integers(1, 9, 40)
    rows = {
        name: np.stack((generator.integers(0, pronouns + 1), pronouns), axis=1).astype(float)
        for name in ("a", "b", "c")
    }
    plan = Resampling(20_000)
    found = compared_sums(rows, "apt", plan)
    assert found.names == ("a", "b", "c")
    for one, first in enumerate(rows.values()):
        for other, second in enumerate(rows.values()):
            if one == other:
                continue
            table = side_by_side(first, second)
            slow = paired_tests(("", ""), table, {"apt": MEASURES["apt"]}, plan)[0]
            assert found.value[one, other] == pytest.approx(slow.difference)
            assert found.p[one, other] == pytest.approx(slow.p_randomisation, abs=0.04)
            bounds = found.low[one, other], found.high[one, other]
            assert bounds == pytest.approx((slow.low, slow.high), abs=1)


def test_systems_with_the_same_sums_do_not_differ():
    rows = np.array([[1.0, 2], [3, 3], [0, 1]])
    found = compared_sums({"a": rows, "b": rows}, "apt", PLAN)
    assert not found.value.any() and not found.low.any() and not found.high.any()
    assert (found.p == 1).all()


def test_faults_of_sums_are_told_at_once(tmp_path):
    one = {"items": 1, "documents": 1, "digest": "x"}
    content = {"test": "t", "set": one, "signatures": {"apt": "s", "bleu": "s"}}
    write_packed(
        evidence_file("t/a", tmp_path),
        {**content, "sums": {"apt": [[1]], "bleu": [[1]], "chrf": []}},
    )
    with pytest.raises(InputError) as raised:
        read_sums("t/a", tmp_path)
    told = [str(problem).partition("a.xz: ")[2] for problem in raised.value.problems]
    assert told == [
        "sums.apt: expected rows of 2 numbers, found others",
        "sums: expected one of apt, pronoun_f1, in_doubt, chrf, found bleu",
        "sums.chrf: expected rows of 18 numbers, found others",
        "signatures.chrf: expected a signature, found none",
    ]


def slow_area(values, wrong):
    pairs = [(one, other) for one in values[wrong] for other in values[~wrong]]
    return 100 * np.mean([(one > other) + (one == other) / 2 for one, other in pairs])


@pytest.mark.parametrize("least", [1, 2])
def test_the_area_is_the_share_of_pairs_in_order(least):
    marks = marked()
    for seed in range(5):
        values = np.random.default_rng(seed).integers(0, 4, 7).astype(float)
        found = areas(least, marks, values, ONCE)
        assert found == pytest.approx(slow_area(values, marks.levels >= least))


def test_weights_repeat_documents():
    marks = marked()
    values = np.array([3.0, 1, 2, 5, 4, 0, 6])
    twice = [0, 1, 2, 0, 1, 2, 5, 6]
    expected = slow_area(values[twice], marks.levels[twice] >= 1)
    assert areas(1, marks, values, np.array([[2.0, 0, 1]])) == pytest.approx(expected)


def test_within_segments_only_outputs_of_one_segment_are_compared():
    marks = marked("0110010")  # the second segment has one marked and one unmarked output
    values = np.array([1.0, 5, 1, 9, 9, 3, 2])
    assert [pair.tolist() for pair in marks.pairs] == [[1, 2, 5], [0, 0, 6]]
    assert areas_within(marks, values, ONCE) == pytest.approx(100 * (1 + 0.5 + 1) / 3)
    assert areas_within(marks, values, np.array([[1.0, 1, 0]])) == pytest.approx(75)


def test_a_measure_without_marks_is_left_out():
    marks = marked("0101010")
    assert list(value_scores("toy", marks, np.arange(7.0), PLAN)) == ["auc", "auc_within"]


def test_values_and_marks_come_back(tmp_path):
    sets = {"pronouns": marked()}
    values = {"pronouns": np.array([0.123456789, 1, 2, 3, 4, 5, -6e-9])}
    write_marks("toy", sets, tmp_path)
    write_values("toy/m", values, tmp_path)
    found = read_marks("toy", tmp_path)
    assert found["pronouns"].measured == sets["pronouns"].measured
    again = read_values("toy/m", found, tmp_path)
    assert measured_values(found, again).digests == measured_values(sets, values).digests
    assert measured_values(found, again).scores == measured_values(sets, values).scores


def test_faults_of_values_and_marks(tmp_path):
    write_values("toy/m", {"pronouns": [1, 2], "others": [1]}, tmp_path)
    with pytest.raises(InputError) as raised:
        read_values("toy/m", {"pronouns": marked()}, tmp_path)
    assert [str(one).partition("m.xz: ")[2] for one in raised.value.problems] == [
        "pronouns: expected 7 values, found 2",
        "others: expected a set of one of pronouns, found another",
    ]
    write_marks("toy", {"pronouns": marked(documents=(3, 2))}, tmp_path)
    with pytest.raises(InputError, match="pronouns: expected a level of 0, 1 or 2 for each item"):
        read_marks("toy", tmp_path)


def test_a_metric_less_itself_is_nothing_and_less_noise_is_something():
    documents, generator = 30, np.random.default_rng(1)
    levels = generator.integers(0, 2, 4 * documents)
    marks = MarkedItems(levels, (4,) * documents, (4,) * documents)
    good, noise = levels + generator.normal(0, 0.3, len(levels)), generator.normal(size=len(levels))
    found = compared_values({"good": good, "same": good, "noise": 1000 * noise}, marks, PLAN)
    assert (found.value[0, 1], found.p[0, 1]) == (0, 1)
    assert found.value[0, 2] > 30
    assert found.low[0, 2] > 0
    assert found.p[0, 2] < 0.01


def test_metrics_are_tested_by_exchanging_their_ranks():
    """Areas after ranks were exchanged, document by document, are those that the test counts."""
    generator = np.random.default_rng(3)
    levels = generator.integers(0, 2, 40)
    marks = MarkedItems(levels, (4,) * 10, (4,) * 10)
    values = [2.0 * levels * more + generator.integers(0, 9, 40) for more in (0, 1)]
    found = compared_values({"a": values[0], "b": values[1]}, marks, PLAN)
    once = np.ones((1, 10))
    ranks = [mean_ranks(own) for own in values]
    changes = []
    for swapped in np.concatenate([*exchanges(10, None, PLAN)]):
        moved = swapped[marks.unit_of_item] == 1
        one, other = np.where(moved, ranks[::-1], ranks)
        changes.append((areas(1, marks, one, once) - areas(1, marks, other, once))[0])
    observed = (areas(1, marks, values[0], once) - areas(1, marks, values[1], once))[0]
    assert found.value[0, 1] == pytest.approx(observed)
    assert found.p[0, 1] == p_value(np.array(changes), observed)


def mean_ranks(values):
    below, same = (values[:, None] > values).sum(axis=1), (values[:, None] == values).sum(axis=1)
    return below + (same + 1) / 2
