"""The stacked GRU is torch's GRU, eight times, on either device."""

from __future__ import annotations

import pytest
import torch

from crosspro.prediction.neural.layers.stacked_gru import StackedGRU


def with_gradients(module, inputs, lengths):
    module.zero_grad()
    states = module(inputs, lengths)
    (
        states * torch.linspace(-1, 1, states.numel(), device=states.device).view_as(states)
    ).sum().backward()
    return states, [parameter.grad.clone() for parameter in module.parameters()]


@pytest.fixture
def sample():
    torch.manual_seed(1)
    return StackedGRU(3, 5, 7, 2), torch.randn(3, 4, 6, 5), torch.randint(0, 7, (3, 4))


def test_each_stream_is_an_ordinary_gru(sample):
    module, inputs, lengths = sample
    states = module(inputs, lengths)
    for stream in range(3):
        plain = torch.nn.GRU(5, 7, 2, batch_first=True)
        for layer in range(2):
            copies = {
                "weight_ih": module.input_weights,
                "weight_hh": module.hidden_weights,
                "bias_ih": module.biases,
            }
            for name, parameters in copies.items():
                getattr(plain, f"{name}_l{layer}").data.copy_(parameters[layer][stream])
            getattr(plain, f"bias_hh_l{layer}").data.zero_()
        for row, length in enumerate(lengths[stream].tolist()):
            if length == 0:
                assert states[stream, row].abs().sum() == 0
                continue
            expected = plain(inputs[stream, row : row + 1, :length])[0][0, -1]
            assert torch.allclose(states[stream, row], expected, atol=1e-6)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_the_gpu_gives_the_same_states_and_gradients(sample):
    module, inputs, lengths = sample
    states, gradients = with_gradients(module, inputs, lengths)
    on_gpu, gpu_gradients = with_gradients(module.cuda(), inputs.cuda(), lengths.cuda())
    assert torch.allclose(states, on_gpu.cpu(), atol=1e-5)
    for ours, theirs in zip(gradients, gpu_gradients, strict=True):
        assert torch.allclose(ours, theirs.cpu(), atol=1e-4)
