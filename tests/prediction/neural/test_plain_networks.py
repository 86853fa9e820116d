"""Networks against plain transcriptions of them, with the same weights."""

from __future__ import annotations

import pytest
import torch

from crosspro.prediction.neural.networks.nyu_nmt import NyuNMT
from crosspro.prediction.neural.networks.ukyoto_attention import UkyotoAttention
from tests.prediction.neural.full_rows import INVENTORY, make_rows
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
    data = make_rows(31)
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
    ("plain", "context"),
    [(PlainHardmeierCNN, 1), (PlainHardmeierAnaphora, 3), (PlainUppsala, 0)],
)
def test_a_plain_network_that_shares_all_weights_has_the_loss_of_ours(plain, context):
    data = make_rows(31, context)
    network = plain(INVENTORY).eval()
    gaps, ones = torch.arange(5, 10), torch.ones(len(INVENTORY.classes))
    width = int(network.inner.extents(data).max())
    with torch.inference_mode():
        found, expected = (
            one.loss(data, gaps, width, ones, 0.0) for one in (network.inner, network)
        )
    assert found == pytest.approx(expected, rel=1e-4)
