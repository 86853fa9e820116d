"""Predictions come in batches that fit a processor, in fewer bits where weights were rounded."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from crosspro.prediction.models import export_run
from crosspro.prediction.neural.inference import probabilities
from crosspro.prediction.neural.training.data import batches_by_extent
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import SMALL, TASK, prepared, system

CPU = torch.device("cpu")


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=60), st.integers(1, 20), st.integers(1, 300)
)
def test_every_gap_is_in_one_batch_of_limited_size(extents, size, places):
    extents = np.array(extents)
    batches = batches_by_extent(extents, size, places)
    assert sorted(gap for gaps, _ in batches for gap in gaps) == list(range(len(extents)))
    for gaps, width in batches:
        assert 1 <= len(gaps) <= size
        assert width == extents[gaps].max()
        assert len(gaps) == 1 or len(gaps) * width <= places
    if size * 50 <= places:
        assert [list(gaps) for gaps, _ in batches] == [
            list(g) for g, _ in batches_by_extent(extents, size)
        ]


@pytest.mark.parametrize("name", SMALL)
def test_batches_do_not_change_predictions(name, dev):
    made, tensors = prepared(name, dev)
    extents = made.network.extents(tensors)
    found = probabilities(made.network, tensors, len(TASK.classes), CPU)
    with torch.inference_mode():
        for gap in range(0, len(extents), 7):
            alone = made.network(tensors, torch.tensor([gap]), int(extents[gap]))
            assert found[gap] == pytest.approx(torch.softmax(alone[0], -1).numpy(), abs=1e-5)


def test_rounded_weights_are_nearly_as_good(train, dev, tmp_path):
    made = system("document_encoder", network={"width": 32}, units="joint", unit_vocabulary=150)
    made.fit(TASK, train, dev)
    made.save(tmp_path / "model")
    whole = made.predict(dev)
    for weights in ("float32", "float16", "int8"):
        export_run(tmp_path, tmp_path / "a.zip", weights)
        loaded = load_system(tmp_path / "a.zip").trainable()
        assert loaded.weights == weights
        found = loaded.predict(dev)
        assert (found == whole).all() == (weights == "float32")
        assert found == pytest.approx(whole, abs=0.1)
