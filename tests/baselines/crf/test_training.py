"""Training of chains: gradients, what is learnt, the same weights each time, and files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from crosspro.baselines.crf.chain import expectation, pack, path_score
from crosspro.baselines.crf.model import (
    ChainModel,
    ChainTraining,
    averaged_class_weights,
    gradient,
    load_chain,
    train_chain,
)
from crosspro.data_prep.core.errors import InputError

FEATURES, LABELS = 12, 3
LENGTHS = np.array([4, 1, 6, 2, 2, 5] * 5)


@pytest.mark.parametrize("change", [{"learning_rate": 1e300}, {"l2": 1e300}])
@pytest.mark.filterwarnings("error")
def test_a_training_that_diverges_is_told(data, change):
    rows, labels = data
    settings = ChainTraining(epochs=2)
    for name, value in change.items():  # which settings refuse
        object.__setattr__(settings, name, value)
    with pytest.raises(InputError, match=r"learning_rate, system\.l2"):
        train_chain(rows.__getitem__, FEATURES, LENGTHS, labels, LABELS, settings)


@pytest.fixture(scope="module")
def data():
    generator = np.random.default_rng(7)
    tokens = int(LENGTHS.sum())
    dense = (generator.random((tokens, FEATURES)) < 0.3) * generator.integers(1, 3, (1, FEATURES))
    labels = (dense @ generator.normal(size=(FEATURES, LABELS))).argmax(axis=1)
    return sparse.csr_array(dense.astype(np.float64)), labels


def whole(matrix, labels):
    packed = pack(np.cumsum(LENGTHS) - LENGTHS, LENGTHS, np.arange(len(LENGTHS)))
    return matrix[packed.rows], labels[packed.rows], packed


def unfolded(vector):
    cut = FEATURES * LABELS
    return ChainModel(
        vector[:cut].reshape(FEATURES, LABELS),
        vector[cut : cut + LABELS],
        vector[cut + LABELS :].reshape(LABELS, LABELS),
    )


def loss(vector, matrix, labels, packed):
    model = unfolded(vector)
    scores = model.scores(matrix)
    total = expectation(scores, model.transitions, packed).log_total
    return total - path_score(scores, model.transitions, labels, packed)


SIZE = FEATURES * LABELS + LABELS + LABELS**2


def test_gradients_are_those_of_finite_differences(data):
    parts = whole(*data)
    vector = np.random.default_rng(3).normal(size=SIZE)
    found = gradient(unfolded(vector), *parts)
    ours = np.concatenate([found.features.ravel(), found.bias, found.transitions.ravel()])
    assert found.loss == pytest.approx(loss(vector, *parts))
    step = 1e-5
    for place in range(SIZE):
        moved = np.zeros(SIZE)
        moved[place] = step
        change = loss(vector + moved, *parts) - loss(vector - moved, *parts)
        assert ours[place] == pytest.approx(change / (2 * step), abs=1e-5)


def test_a_sequence_that_weighs_two_is_as_two_of_them(data):
    matrix, labels = data
    firsts, every = np.cumsum(LENGTHS) - LENGTHS, np.arange(len(LENGTHS))
    heavy = every % 3 == 0
    weighted = pack(firsts, LENGTHS, every, 1.0 + heavy)
    twice = pack(firsts, LENGTHS, np.concatenate([every, every[heavy]]))
    model = unfolded(np.random.default_rng(3).normal(size=SIZE))
    one, other = (
        gradient(model, matrix[packed.rows], labels[packed.rows], packed)
        for packed in (weighted, twice)
    )
    assert one.loss == pytest.approx(other.loss)
    for name in ("features", "bias", "transitions"):
        assert getattr(one, name) == pytest.approx(getattr(other, name))


def test_a_sequence_weighs_what_its_gaps_do_on_average():
    labels, lengths = np.array([0, 0, -1, 0, 1]), np.array([1, 2, 2])
    assert averaged_class_weights(labels, lengths, 2, 0.0).tolist() == [1, 1, 1]
    found = averaged_class_weights(labels, lengths, 2, 1.0)
    assert found == pytest.approx([2 / 3, 2 / 3, (2 / 3 + 2) / 2])  # both classes weigh 2 together


def objective(model, parts, l2):
    penalty = l2 / 2 * ((model.features**2).sum() + (model.transitions**2).sum())
    return gradient(model, *parts).loss + penalty


def learnt(data, **settings):
    matrix, labels = data
    rows = sparse.csr_array(matrix, dtype=np.float32).__getitem__
    chosen = replace(ChainTraining(epochs=200, batch_tokens=40), **settings)
    return train_chain(rows, FEATURES, LENGTHS, labels, LABELS, chosen)


def test_training_comes_near_the_optimum(data):
    parts = whole(*data)

    def value(vector):
        model = unfolded(vector)
        found = gradient(model, *parts)
        slopes = (
            found.features + model.features,
            found.bias,
            found.transitions + model.transitions,
        )
        return objective(model, parts, 1.0), np.concatenate([slope.ravel() for slope in slopes])

    best = minimize(value, np.zeros(SIZE), jac=True, method="L-BFGS-B").fun
    assert objective(learnt(data), parts, 1.0) == pytest.approx(best, rel=0.01)


def test_a_larger_penalty_makes_smaller_weights(data):
    sizes = [
        float(np.abs(learnt(data, l2=l2, epochs=40).features).sum()) for l2 in (0.1, 1.0, 10.0)
    ]
    assert sizes == sorted(sizes, reverse=True)


def test_the_same_seed_gives_the_same_weights(data):
    first, second, other = (learnt(data, epochs=5, seed=seed) for seed in (1, 1, 2))
    for name in ("features", "bias", "transitions"):
        assert (getattr(first, name) == getattr(second, name)).all()
    assert (first.features != other.features).any()


def test_a_chain_learns_transitions_that_no_feature_shows():
    """Labels go round; only the first token says where they begin."""
    lengths = np.full(60, 5)
    first = np.arange(60) % LABELS
    labels = ((first[:, None] + np.arange(5)) % LABELS).ravel()
    dense = np.zeros((300, LABELS), dtype=np.float32)
    dense[np.arange(0, 300, 5), first] = 1
    rows = sparse.csr_array(dense).__getitem__
    model = train_chain(rows, LABELS, lengths, labels, LABELS, ChainTraining(epochs=40, l2=0.1))
    assert (model.marginals(rows, lengths).argmax(axis=1) == labels).all()
    assert (model.paths(rows, lengths)[0] == labels).all()


def test_labels_that_are_not_allowed_are_not_taken(data):
    matrix, labels = data
    model = learnt(data, epochs=5)
    allowed = np.ones((len(labels), LABELS), dtype=bool)
    allowed[::2, 0] = False
    found, _ = model.paths(matrix.__getitem__, LENGTHS, allowed)
    assert allowed[np.arange(len(labels)), found].all()


def test_a_saved_chain_is_the_same(data, tmp_path):
    model = learnt(data, epochs=2)
    model.save(tmp_path / "chain.npz")
    loaded = load_chain(tmp_path / "chain.npz", FEATURES, LABELS)
    for name in ("features", "bias", "transitions"):
        assert (getattr(model, name) == getattr(loaded, name)).all()


def test_arrays_of_another_shape_or_kind_are_refused(data, tmp_path):
    path = tmp_path / "chain.npz"
    model = learnt(data, epochs=1)
    model.save(path)
    with pytest.raises(InputError, match=r"features: "):
        load_chain(path, FEATURES + 1, LABELS)
    replace(model, bias=np.full(LABELS, np.nan)).save(path)
    with pytest.raises(InputError, match="bias"):
        load_chain(path, FEATURES, LABELS)
    path.write_bytes(b"PK")
    with pytest.raises(InputError, match=r"chain\.npz: file"):
        load_chain(path, FEATURES, LABELS)
    with pytest.raises(InputError, match=r"chain\.npz: file"):
        load_chain(tmp_path / "none" / "chain.npz", FEATURES, LABELS)
