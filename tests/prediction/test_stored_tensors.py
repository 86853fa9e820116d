"""Matrices in fewer bits: nearly the same numbers, in a fraction of the space."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.stored_tensors import WEIGHTS, load_tensors, narrowed


def stored(folder, content, weights):
    path = folder / f"{weights}.safetensors"
    path.write_bytes(narrowed(content, weights))
    return path


@pytest.fixture
def content():
    draw = np.random.default_rng(1)
    return {
        "matrix": draw.normal(size=(40, 64)).astype(np.float32),
        "stacked": draw.normal(size=(2, 40, 32)),
        "small": draw.normal(size=(4, 8)).astype(np.float32),
        "vector": draw.normal(size=5000).astype(np.float32),
        "numbers": draw.integers(0, 9, (64, 64)),
    }


@pytest.mark.parametrize("weights", WEIGHTS)
def test_arrays_come_back_as_they_were_but_for_rounding(weights, content, tmp_path):
    found = load_tensors(stored(tmp_path, content, weights))
    assert found.keys() == content.keys()
    for name, array in content.items():
        assert found[name].dtype == array.dtype
        if name not in ("matrix", "stacked") or weights == "float32":
            assert (found[name] == array).all()
            continue
        most = np.abs(array).max(axis=-1, keepdims=True)
        assert (np.abs(found[name] - array) <= most / 127 * 0.51).all()
        assert (found[name] != array).any()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_same_arrays_are_the_same_bytes(weights, content):
    other = dict(reversed(content.items()))
    assert narrowed(content, weights) == narrowed(other, weights)


@given(arrays(np.float32, (4, 300), elements=st.floats(-(2.0**99), 2.0**99, width=32)))
def test_what_was_rounded_once_is_not_rounded_again(tmp_path_factory, matrix):
    folder = tmp_path_factory.mktemp("rounded")
    once = load_tensors(stored(folder, {"m": matrix}, "int8"))["m"]
    again = load_tensors(stored(folder, {"m": once}, "int8"))["m"]
    assert again == pytest.approx(once, rel=1e-6)


def test_numbers_that_are_not_finite_are_refused():
    with pytest.raises(ValueError):
        narrowed({"m": np.full((32, 64), np.nan)}, "int8")


GOOD = {"m": np.ones((32, 64), np.int8), "m/scale": np.ones(32, np.float32)}
ABOUT = {"weights": "int8", "kinds": {"m": "float32"}}


@pytest.mark.parametrize(
    ("content", "about", "words"),
    [
        (GOOD, {**ABOUT, "weights": "int4"}, "weights"),
        (GOOD, {**ABOUT, "kinds": {"m": "object"}}, "kinds.m"),
        (GOOD, {**ABOUT, "kinds": {"n": "float32"}}, "n is no matrix"),
        ({"m": GOOD["m"]}, ABOUT, "no scale"),
        ({**GOOD, "m/scale": np.ones(31, np.float32)}, ABOUT, "no scale"),
        ({**GOOD, "m/scale": np.full(32, np.inf, np.float32)}, ABOUT, "no scale"),
        ({**GOOD, "m/scale": np.full(32, -1, np.float32)}, ABOUT, "no scale"),
    ],
)
def test_what_was_not_written_so_is_refused(content, about, words, tmp_path):
    path = tmp_path / "wrong.safetensors"
    path.write_bytes(save(content, {"crosspro": json.dumps(about)}))
    with pytest.raises((ValueError, InputError), match=words):
        load_tensors(path)
