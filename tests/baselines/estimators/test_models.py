"""Models of arrays: they say what scikit-learn's do, and damaged arrays are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from crosspro.baselines.estimators.forest import Forest, RandomForest
from crosspro.baselines.estimators.linear import (
    LinearModel,
    LinearSVM,
    MaxEnt,
    SGDLogistic,
    calibrated,
)
from crosspro.baselines.estimators.steps import (
    Fitting,
    fit_steps,
    steps_from_files,
    steps_to_files,
)
from crosspro.data_prep.core.errors import InputError

SMALL = {kind.name: kind() for kind in (LinearSVM, MaxEnt, SGDLogistic, RandomForest)}
SMALL["random_forest"] = RandomForest(trees=10, threads=1)


def data(classes=4, rows=300, features=40, seed=0):
    """Rows of 0 and 1, in which the first features tell the class more often than not."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, classes, rows)
    full = generator.random((rows, features)) < 0.15
    hit = generator.random(rows) < 0.8
    full[np.flatnonzero(hit), labels[hit]] = True
    return csr_matrix(full.astype(np.float32)), labels


def _diverging(penalty):
    """A penalty that settings refuse."""
    estimator = SGDLogistic()
    object.__setattr__(estimator, "penalty", penalty)
    return estimator


@pytest.mark.parametrize("penalty", [1e-300, 1e300])
@pytest.mark.filterwarnings("error")
def test_a_training_that_diverges_is_told(penalty):
    matrix, labels = data(3)
    with pytest.raises(InputError, match="estimator"):
        _diverging(penalty).fit(matrix, labels, np.ones(len(labels)), 1)


@pytest.mark.parametrize("classes", [2, 4])
def test_a_forest_of_arrays_is_that_of_scikit_learn(classes):
    matrix, labels = data(classes)
    weights = np.ones(len(labels))
    ours = RandomForest(trees=15, least_leaf=2, threads=1).fit(matrix, labels, weights, seed=3)
    theirs = RandomForestClassifier(15, min_samples_leaf=2, random_state=3)
    theirs.fit(matrix, labels, sample_weight=weights)
    unseen, _ = data(classes, rows=100, seed=1)
    assert ours.probabilities(unseen) == pytest.approx(theirs.predict_proba(unseen), abs=1e-6)


def test_a_forest_read_in_parts_is_the_same(monkeypatch):
    matrix, labels = data()
    forest = RandomForest(trees=5, threads=1).fit(matrix, labels, np.ones(len(labels)), seed=1)
    whole = forest.probabilities(matrix)
    monkeypatch.setattr("crosspro.baselines.estimators.forest._CELLS", 100)
    assert (forest.probabilities(matrix) == whole).all()
    assert forest.probabilities(matrix[:0]).shape == (0, 4)


def test_weights_are_those_of_scikit_learn():
    matrix, labels = data()
    weights = np.linspace(0.5, 2, len(labels))
    svm = LinearSVM(cost=0.5).fit(matrix, labels, weights, seed=1)
    theirs = LinearSVC(C=0.5, tol=0.1, max_iter=100, dual=True, random_state=1)
    theirs.fit(matrix.astype(float), labels, sample_weight=weights)
    assert svm.scores(matrix) == pytest.approx(theirs.decision_function(matrix), abs=1e-4)
    maxent = MaxEnt(cost=0.5, tolerance=1e-6, iterations=1000).fit(matrix, labels, weights, 1)
    exact = LogisticRegression(C=0.5, tol=1e-6, max_iter=1000)
    exact.fit(matrix.astype(float), labels, sample_weight=weights)
    assert maxent.probabilities(matrix) == pytest.approx(exact.predict_proba(matrix), abs=1e-4)


def test_two_classes_are_two_rows_of_weights():
    matrix, labels = data(2)
    ours = MaxEnt(tolerance=1e-6).fit(matrix, labels, np.ones(len(labels)), 1)
    exact = LogisticRegression(C=0.1, tol=1e-6).fit(matrix.astype(float), labels)
    assert ours.weights.shape == (2, 40)
    assert ours.probabilities(matrix) == pytest.approx(exact.predict_proba(matrix), abs=1e-4)


@pytest.mark.parametrize("name", SMALL)
def test_contributions_add_up_to_what_decides(name):
    matrix, labels = data()
    model = SMALL[name].fit(matrix, labels, np.ones(len(labels)), 1)
    for number in range(5):
        found = model.contributions(matrix[number])
        total = found.base + found.values.sum(axis=0)
        if isinstance(model, LinearModel):
            assert total == pytest.approx(model.scores(matrix[number])[0], abs=1e-4)
        else:
            assert total == pytest.approx(model.probabilities(matrix[number])[0], abs=1e-6)


def test_calibration_makes_dev_more_likely_and_changes_no_decision():
    matrix, labels = data()
    unseen, gold = data(seed=5)
    raw = LinearSVM().fit(matrix, labels, np.ones(len(labels)), 1)
    made = calibrated(raw, unseen, gold)

    def likelihood(model):
        return np.log(model.probabilities(unseen)[np.arange(len(gold)), gold]).mean()

    assert likelihood(made) > likelihood(raw)
    assert (made.scores(unseen) == raw.scores(unseen)).all()
    mean_of_best = made.probabilities(unseen).max(axis=1).mean()
    accuracy = (made.probabilities(unseen).argmax(axis=1) == gold).mean()
    assert mean_of_best == pytest.approx(accuracy, abs=0.1)
    assert calibrated(raw, unseen[:0], gold[:0]) is raw
    huge = replace(raw, weights=raw.weights * 5000, bias=raw.bias * 5000)
    same = calibrated(huge, unseen, gold).probabilities(unseen)
    assert same == pytest.approx(made.probabilities(unseen), abs=0.01)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("other", [None, 3])
def test_steps_are_deterministic_proper_and_saved_whole(name, other):
    train, dev = data(), data(seed=2)
    fitting = Fitting(SMALL[name], 0.5, 1)
    fitted = fit_steps(fitting, train, dev, other)
    chances = fitted.probabilities(dev[0], 5)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert (chances[:, 4] == 0).all()
    assert (chances == fit_steps(fitting, train, dev, other).probabilities(dev[0], 5)).all()
    assert len(fitted.steps) == (1 if other is None else 2)
    loaded = steps_from_files(*steps_to_files(fitted), 5, train[0].shape[1])
    assert (loaded.probabilities(dev[0], 5) == chances).all()


def test_two_steps_multiply():
    train, dev = data(), data(seed=2)
    first, second = fit_steps(Fitting(LinearSVM(), 0, 1), train, dev, 3).steps
    chances = fit_steps(Fitting(LinearSVM(), 0, 1), train, dev, 3).probabilities(dev[0], 4)
    assert first.groups == ((0, 1, 2), (3,))
    assert chances[:, 3] == pytest.approx(first.probabilities(dev[0])[:, 1])
    share = chances[:, :3] / chances[:, :3].sum(axis=1, keepdims=True)
    assert share == pytest.approx(second.probabilities(dev[0]))


def test_one_class_alone_is_certain_and_unlabelled_rows_are_not_learnt_from():
    matrix, labels = data()
    alone = fit_steps(
        Fitting(LinearSVM(), 0, 1), (matrix, np.zeros_like(labels)), (matrix, labels), 1
    )
    assert (alone.probabilities(matrix, 2) == [1, 0]).all()
    known = np.where(np.arange(len(labels)) % 2, labels, -1)
    half = matrix[known >= 0], labels[known >= 0]
    one = fit_steps(Fitting(LinearSVM(), 1, 1), (matrix, known), (matrix, labels), None)
    other = fit_steps(Fitting(LinearSVM(), 1, 1), half, (matrix, labels), None)
    assert (one.probabilities(matrix, 4) == other.probabilities(matrix, 4)).all()


def changed(arrays, name, value):
    return {**arrays, name: value}


def test_damaged_arrays_are_refused():
    matrix, labels = data(3)
    forest = RandomForest(trees=3, threads=1).fit(matrix, labels, np.ones(len(labels)), 1)
    arrays = forest.arrays()
    assert isinstance(Forest.from_arrays(arrays, 3, 40), Forest)
    inner = int(np.flatnonzero(forest.feature >= 0)[1])
    for name in ("absent", "present"):
        circle = arrays[name].copy()
        circle[inner] = inner
        with pytest.raises(ValueError):
            Forest.from_arrays(changed(arrays, name, circle), 3, 40)
    for wrong in (
        changed(arrays, "roots", np.array([len(forest.feature)], np.int32)),
        changed(arrays, "shares", forest.shares[:, :2]),
        changed(arrays, "shares", -forest.shares),
        changed(arrays, "shares", forest.shares * 2),
        changed(arrays, "feature", forest.feature.astype(np.float32)),
        changed(arrays, "feature", forest.feature + 40),
    ):
        with pytest.raises(ValueError):
            Forest.from_arrays(wrong, 3, 40)
    linear = LinearSVM().fit(matrix, labels, np.ones(len(labels)), 1).arrays()
    assert isinstance(LinearModel.from_arrays(linear, 3, 40), LinearModel)
    for wrong in (
        changed(linear, "bias", linear["bias"][:1]),
        changed(linear, "weights", np.full_like(linear["weights"], np.nan)),
    ):
        with pytest.raises(ValueError):
            LinearModel.from_arrays(wrong, 3, 40)
