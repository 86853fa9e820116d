"""Models of arrays: they say what scikit-learn's do, and arrays of another model are refused."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from scipy.sparse import csr_matrix
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from crosspro.baselines.estimators.forest import RandomForest
from crosspro.baselines.estimators.linear import (
    LabelledRows,
    LinearModel,
    LinearSVM,
    MaxEnt,
    SGDLogistic,
)
from crosspro.baselines.estimators.steps import Steps
from crosspro.data_prep.core.errors import InputError

SMALL = [LinearSVM(), MaxEnt(), SGDLogistic(), RandomForest(trees=10, threads=1)]
EACH = pytest.mark.parametrize("estimator", SMALL, ids=lambda estimator: estimator.name)


def data(classes=4, rows=300, features=40, seed=0):
    """Rows of 0 and 1, in which the first features tell the class more often than not."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, classes, rows)
    full = generator.random((rows, features)) < 0.15
    hit = generator.random(rows) < 0.8
    full[np.flatnonzero(hit), labels[hit]] = True
    return LabelledRows(csr_matrix(full.astype(np.float32)), labels)


def fit(estimator, rows, weights=None, seed=1):
    weights = np.ones(len(rows.labels)) if weights is None else weights
    return estimator.fit(rows.matrix, rows.labels, weights, seed)


@pytest.mark.parametrize("penalty", [1e-300, 1e300])
@pytest.mark.filterwarnings("error")
def test_a_training_that_diverges_is_told(penalty):
    estimator = SGDLogistic()
    object.__setattr__(estimator, "penalty", penalty)  # settings refuse it
    with pytest.raises(InputError, match="estimator"):
        fit(estimator, data(3))


@pytest.mark.parametrize("classes", [2, 4])
def test_a_forest_of_arrays_is_that_of_scikit_learn(classes, monkeypatch):
    rows, unseen = data(classes), data(classes, rows=100, seed=1).matrix
    forest = fit(RandomForest(trees=15, least_leaf=2, threads=1), rows, seed=3)
    exact = RandomForestClassifier(15, min_samples_leaf=2, random_state=3)
    exact.fit(rows.matrix, rows.labels, sample_weight=np.ones(len(rows.labels)))
    whole = forest.probabilities(unseen)
    assert whole == pytest.approx(exact.predict_proba(unseen), abs=1e-6)
    monkeypatch.setattr("crosspro.baselines.estimators.forest._DENSE_CELLS", 100)
    assert (forest.probabilities(unseen) == whole).all()
    assert forest.probabilities(unseen[:0]).shape == (0, classes)


@pytest.mark.parametrize("classes", [2, 4])
def test_linear_models_are_those_of_scikit_learn(classes):
    rows = data(classes)
    weights = np.linspace(0.5, 2, len(rows.labels))
    model = fit(MaxEnt(cost=0.5, tolerance=1e-6, iterations=1000), rows, weights)
    exact = LogisticRegression(C=0.5, tol=1e-6, max_iter=1000)
    exact.fit(rows.matrix.astype(float), rows.labels, sample_weight=weights)
    assert model.weights.shape == (classes, 40)
    expected = exact.predict_proba(rows.matrix)
    assert model.probabilities(rows.matrix) == pytest.approx(expected, abs=1e-4)
    svm = LinearSVC(C=0.5, tol=0.1, max_iter=100, dual=True, random_state=1)
    svm.fit(rows.matrix.astype(float), rows.labels, sample_weight=weights)
    best = fit(LinearSVM(cost=0.5), rows, weights).scores(rows.matrix).argmax(axis=1)
    assert (best == svm.predict(rows.matrix)).all()


def test_calibration_makes_dev_more_likely_and_changes_no_decision():
    dev = data(seed=5)
    raw = fit(LinearSVM(), data())
    model = raw.calibrated(dev)

    def likelihood(chances):
        return np.log(chances[np.arange(len(dev.labels)), dev.labels]).mean()

    chances = model.probabilities(dev.matrix)
    assert likelihood(chances) > likelihood(raw.probabilities(dev.matrix))
    assert (model.scores(dev.matrix) == raw.scores(dev.matrix)).all()
    accuracy = (chances.argmax(axis=1) == dev.labels).mean()
    assert chances.max(axis=1).mean() == pytest.approx(accuracy, abs=0.1)
    assert raw.calibrated(LabelledRows(dev.matrix[:0], dev.labels[:0])) is raw
    huge = LinearModel(raw.weights * 5000, raw.bias * 5000).calibrated(dev)
    assert huge.probabilities(dev.matrix) == pytest.approx(chances, abs=0.01)


@EACH
@pytest.mark.parametrize("other", [None, 3])
def test_steps_are_deterministic_and_saved_whole(estimator, other, tmp_path):
    train, dev = data(), data(seed=2)
    steps = Steps.fit(estimator, train, dev, other, 0.5)
    chances = steps.probabilities(dev.matrix, 5)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert (chances[:, 4] == 0).all()
    again = Steps.fit(estimator, train, dev, other, 0.5)
    assert (chances == again.probabilities(dev.matrix, 5)).all()
    assert len(steps.steps) == (1 if other is None else 2)
    steps.save(tmp_path)
    assert (Steps.load(tmp_path, 5, 40).probabilities(dev.matrix, 5) == chances).all()
    for classes, features in ((2, 40), (5, 4)):
        with pytest.raises(InputError, match=r"steps\.safetensors"):
            Steps.load(tmp_path, classes, features)


def test_two_steps_multiply():
    train, dev = data(), data(seed=2)
    steps = Steps.fit(LinearSVM(), train, dev, 3)
    first, second = steps.steps
    chances = steps.probabilities(dev.matrix, 4)
    assert first.groups == ((0, 1, 2), (3,))
    assert chances[:, 3] == pytest.approx(first.probabilities(dev.matrix)[:, 1])
    share = chances[:, :3] / chances[:, :3].sum(axis=1, keepdims=True)
    assert share == pytest.approx(second.probabilities(dev.matrix))


def test_one_class_alone_is_certain_and_unlabelled_rows_are_not_learnt_from():
    rows = data()
    only = LabelledRows(rows.matrix, np.zeros_like(rows.labels))
    alone = Steps.fit(LinearSVM(), only, rows, 1)
    assert (alone.probabilities(rows.matrix, 2) == [1, 0]).all()
    labels = np.where(np.arange(len(rows.labels)) % 2, rows.labels, -1)
    half = LabelledRows(rows.matrix[labels >= 0], labels[labels >= 0])
    one, other = (
        Steps.fit(LinearSVM(), part, rows, class_weight_power=1).probabilities(rows.matrix, 4)
        for part in (LabelledRows(rows.matrix, labels), half)
    )
    assert (one == other).all()


@EACH
@pytest.mark.parametrize("damage", ["missing", "shape", "nan"])
def test_damaged_arrays_are_refused(estimator, damage, tmp_path):
    train, path = data(3), tmp_path / "steps.safetensors"
    Steps.fit(estimator, train, train).save(tmp_path)
    arrays = load_file(path)
    name = max(arrays, key=lambda name: arrays[name].size * (arrays[name].dtype.kind == "f"))
    if damage == "missing":
        del arrays[name]
    elif damage == "shape":
        arrays[name] = arrays[name][:-1]
    else:
        arrays[name][0] = np.nan
    save_file(arrays, path)
    with pytest.raises(InputError, match=r"steps\.safetensors"):
        Steps.load(tmp_path, 3, 40)
