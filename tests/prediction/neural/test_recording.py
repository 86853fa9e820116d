"""Recorded losses are those of the network, with the same gradients and random numbers."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from crosspro.prediction.neural.training.recording import RecordedLosses
from tests.prediction.neural.small import SMALL, prepared

pytestmark = pytest.mark.parametrize("name", sorted(SMALL))


def trained(name, examples, device, record):
    """The losses of ten steps in two shapes, and the graphs that were made."""
    dropout = {} if name == "turku_gru" else {"dropout": 0.3}
    made, tensors = prepared(name, examples, dropout)
    network, data = made.network.to(device).train(), tensors.to(device)
    # As wide as recordings are, so that dropout draws the same.
    width = -(-int(network.extents(tensors).max()) // 16) * 16
    ones = torch.ones(len(made.task.classes), device=device)
    recorded = partial(network.loss, data, weights=ones, smoothing=0.0)
    if record:
        recorded = RecordedLosses(network, recorded)
    optimiser = torch.optim.SGD(network.parameters(), lr=0.1)
    torch.manual_seed(2)
    found = []
    for step in range(10):
        gaps = torch.arange(4 if step % 2 else 6, device=device) + step
        loss = recorded(gaps, width).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        found.append(float(loss.detach()))
    return found, getattr(recorded, "_graphs", {})


def test_a_processor_records_nothing(name, train):
    found, graphs = trained(name, train, "cpu", record=True)
    assert not graphs
    assert found == trained(name, train, "cpu", record=False)[0]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_learns_from_a_recording_as_without(name, train):
    found, graphs = trained(name, train, "cuda", record=True)
    expected, none = trained(name, train, "cuda", record=False)
    assert len(graphs) == 2
    assert not none
    assert found == pytest.approx(expected, rel=1e-4)
