"""Scores from confusion counts, against the definitions and against the published tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.metrics.submissions import scores
from crosspro.evaluation.metrics.submissions.scores import confusion_counts, regroup
from crosspro.evaluation.published.results import published_results, read_figures

labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


def arrays(pairs):
    return np.array(pairs).T


@given(labels)
def test_per_class_scores_agree_with_scikit_learn(pairs):
    gold, predicted = arrays(pairs)
    counts = confusion_counts(gold, predicted, 4)
    for ours, theirs in (
        (scores.recall, recall_score),
        (scores.precision, precision_score),
        (scores.f1, f1_score),
    ):
        expected = 100 * theirs(gold, predicted, labels=range(4), average=None, zero_division=0)
        assert ours(counts) == pytest.approx(expected)
    assert float(scores.accuracy(counts)) == pytest.approx(100 * np.mean(gold == predicted))


@given(labels)
def test_absent_classes_are_skipped(pairs):
    gold, predicted = arrays(pairs)
    counts = confusion_counts(gold, predicted, 4)
    present = len(set(gold.tolist()))
    assert float(scores.macro_recall(counts)) * present == pytest.approx(
        scores.recall(counts).sum()
    )


@given(st.lists(labels, min_size=1, max_size=4))
def test_a_stack_of_matrices_is_scored_like_each_of_them(samples):
    stack = np.stack([confusion_counts(*arrays(pairs), 4) for pairs in samples])
    for metric in (scores.macro_recall, scores.macro_f1, scores.accuracy):
        assert metric(stack).tolist() == pytest.approx([float(metric(matrix)) for matrix in stack])


def test_regrouping_adds_rows_and_columns():
    counts = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert regroup(counts, [0, 1, 0]).tolist() == [[20, 10], [10, 5]]


@pytest.mark.parametrize("pair", ["de-en", "en-de", "es-en", "en-fr"])
def test_published_scores_follow_from_published_class_recalls(pair):
    """Macro recall and accuracy of all 43 runs of 2017 (004 Tables 5-12)."""
    task = load_task(pair)
    rows = [row for row in read_figures("class_recall_2017") if row["pair"] == pair]
    instances = {row["class"]: int(row["instances"]) for row in rows}
    for row in published_results(2017, pair):
        counts = np.zeros((len(task.classes) + 1,) * 2, dtype=np.int64)  # last column: wrong
        for index, name in enumerate(task.classes):
            number = instances.get(name, 0)
            right = round(row.class_recall[name] * number / 100) if number else 0
            counts[index, index], counts[index, -1] = right, number - right
        assert float(scores.macro_recall(counts)) == pytest.approx(row.macro_recall, abs=0.01)
        assert float(scores.accuracy(counts)) == pytest.approx(row.accuracy, abs=0.01)


def test_rare_classes_can_be_left_out_of_macro_recall():
    counts = np.array([[8, 2, 0], [1, 0, 0], [0, 5, 5]])
    assert scores.macro_recall(counts) == pytest.approx((80 + 0 + 50) / 3)
    frequent = counts.sum(axis=1) >= 10
    assert scores.frequent_macro_recall(counts, frequent) == pytest.approx((80 + 50) / 2)
