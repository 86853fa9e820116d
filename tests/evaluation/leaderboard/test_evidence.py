"""Evidence of predictors: labels and gold, and scores computed from them."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.leaderboard.evidence import (
    GoldLabels,
    labelled_sets,
    measured_labels,
    read_gold_labels,
    read_labels,
    write_gold,
    write_labels,
)
from tests.conftest import ROOT

TASK = load_task("en-de")
GOLD = {
    "a": GoldLabels(("er", "sie", "es", "es"), (1, 3)),
    "b": GoldLabels(("er", "OTHER"), (2,)),
    "news": GoldLabels(("sie",), (1,), apart=True),
}
LABELS = {
    "news": {"1": ("es",), "2": ("sie",)},
    "a": {"1": ("er", "sie", "es", "sie"), "2": ("er", "er", "es", "es")},
    "b": {"1": ("er", "OTHER"), "2": ("OTHER", "OTHER")},
}


def test_scores_are_means_over_seeds_and_sets_of_other_domains_stay_apart():
    found = measured_labels(TASK, GOLD, LABELS, ROOT)
    assert list(found.scores) == ["a", "b", "news", "pooled"]
    assert found.scores["a"]["accuracy"].value == pytest.approx(75)
    assert found.scores["pooled"]["accuracy"].value == pytest.approx(100 * (5 + 4) / 12)
    assert found.scores["news"]["accuracy"].value == pytest.approx(50)
    assert found.classes["pooled"]["es"].gold == 2
    assert found.classes["pooled"]["es"].recall == pytest.approx(75)
    assert found.classes["pooled"]["er"].predicted == pytest.approx(2)
    assert "frequent_macro_recall" not in found.scores["a"], "no class has ten gaps"
    assert found.sets["a"].documents == 2
    assert found.digests["a 1"] != found.digests["a 2"]


def test_gold_and_labels_are_read_as_they_were_written(tmp_path):
    write_gold("en-de", GOLD, tmp_path)
    write_gold("en-de", {"b": GOLD["b"]}, tmp_path)
    write_labels("en-de/one", LABELS, tmp_path)
    assert read_gold_labels("en-de", tmp_path) == GOLD
    assert read_labels("en-de/one", tmp_path) == LABELS


@pytest.mark.parametrize(
    "other", [GoldLabels(("er", "er"), (2,)), GoldLabels(("er", "OTHER"), (2,), apart=True)]
)
def test_other_gold_of_a_set_is_refused(other, tmp_path):
    write_gold("en-de", GOLD, tmp_path)
    with pytest.raises(InputError, match="another set needs another name"):
        write_gold("en-de", {"b": other}, tmp_path)


def test_labels_that_do_not_fit_gold_are_all_told():
    labels = {"a": {"1": ("er",), "2": ("er", "il", "es", "es")}, "c": {"1": ("er",)}}
    with pytest.raises(InputError) as error:
        labelled_sets(TASK, GOLD, labels, ROOT)
    assert [problem.field for problem in error.value.problems] == ["a 1", "a 2", "c"]
