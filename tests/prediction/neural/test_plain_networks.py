"""Networks against plain transcriptions of them, with the same weights."""

from __future__ import annotations

import pytest
import torch

from crosspro.prediction.neural.networks.nyu_nmt import NyuNMT
from crosspro.prediction.neural.networks.ukyoto_attention import UkyotoAttention
from crosspro.scripts.bench.networks import INVENTORY, NETWORKS, make_data
from tests.prediction.neural.plain_networks import (
    PlainHardmeierAnaphora,
    PlainHardmeierCNN,
    PlainNyu,
    PlainUkyoto,
    PlainUppsala,
)


@pytest.mark.parametrize(
    ("ours", "plain", "reader"),
    [(NyuNMT, PlainNyu, "encoder"), (UkyotoAttention, PlainUkyoto, "source_reader")],
)
def test_a_plain_network_has_the_loss_of_ours(ours, plain, reader):
    """With the same weights: what is compared is the same work."""
    data = make_data(31, "cpu")
    network = plain(INVENTORY).eval()
    inner = network.inner
    assert isinstance(inner, ours)
    both = getattr(inner, reader)
    for way, suffix in ((both.forwards[0], ""), (both.backwards[0], "_reverse")):
        for name, weight in way.named_parameters():
            getattr(network.encoder, name + suffix).data.copy_(weight)
    gaps, ones = torch.arange(5), torch.ones(len(INVENTORY.classes))
    with torch.inference_mode():
        found, expected = (one.loss(data, gaps, 31, ones, 0.0) for one in (inner, network))
    assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("hardmeier_cnn", PlainHardmeierCNN),
        ("hardmeier_anaphora", PlainHardmeierAnaphora),
        ("uppsala_bilstm", PlainUppsala),
    ],
)
def test_a_plain_network_that_shares_all_weights_has_the_loss_of_ours(name, plain):
    data = make_data(31, "cpu", NETWORKS[name].context)
    network = plain(INVENTORY).eval()
    gaps, ones = torch.arange(5, 10), torch.ones(len(INVENTORY.classes))
    width = int(network.inner.extents(data).max())
    with torch.inference_mode():
        found, expected = (
            one.loss(data, gaps, width, ones, 0.0) for one in (network.inner, network)
        )
    assert found == pytest.approx(expected, rel=1e-4)
