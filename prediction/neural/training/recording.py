"""The losses of batches as recorded CUDA graphs: starting kernels takes longer than running them.

A network of a few million weights has hundreds of small kernels a step, which a GPU runs faster
than a processor can start them. All data lies on the device, so two batches of one shape differ in
the numbers of their gaps alone: forward and backward pass are recorded when a shape recurs, and
played from then on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.layers.network import Network

_WIDTHS = 16
"""Batches are as wide as a multiple of this, so that shapes recur."""
_REPEATS, _MOST_GRAPHS = 3, 16
"""A shape is recorded when it comes so often, and only so many shapes are."""
_MEMORY = 8
"""Gradients of all graphs take at most one part in so many of the GPU's memory."""

Losses = Callable[[Tensor, int], Tensor]
"""The losses of gaps, none of which has a greater extent than a width."""


class RecordedLosses:
    """The losses of a network's batches, which are recorded on a GPU where its
    `recorded_places` allow it."""

    def __init__(self, network: Network, losses: Losses) -> None:
        self.network = network
        self.losses = losses
        self.most = network.recorded_places
        self._leaves: list[Tensor] = []
        self._seen: Counter[tuple[int, int]] = Counter()
        self._graphs: dict[tuple[int, int], nn.Module] = {}

    def __call__(self, gaps: Tensor, width: int) -> Tensor:
        """(batch,)."""
        shape = len(gaps), -(-width // _WIDTHS) * _WIDTHS
        if not gaps.is_cuda or shape[0] * shape[1] > self.most:
            return self.losses(gaps, width)
        self._leaves = self._leaves or self._new_leaves()
        self._seen[shape] += 1
        if shape not in self._graphs and self._seen[shape] >= _REPEATS and self._has_room():
            self._graphs[shape] = self._recorded(gaps, shape[1])
        found: Tensor = (
            self._graphs[shape](gaps) if shape in self._graphs else self.losses(gaps, shape[1])
        )
        return found

    def _new_leaves(self) -> list[Tensor]:
        """What keeps autograd's places for gradients on a stream of their own.

        A recording must not wait for the default stream, as where a loss of before is still alive.
        """
        with torch.cuda.stream(torch.cuda.Stream()):  # type: ignore[no-untyped-call]
            return [one.expand_as(one) for one in self.network.parameters() if one.requires_grad]

    def _has_room(self) -> bool:
        """Whether one more graph may keep gradients."""
        gradients = sum(one.nbytes for one in self.network.parameters() if one.requires_grad)
        memory = torch.cuda.mem_get_info()[1] // _MEMORY
        return len(self._graphs) < min(_MOST_GRAPHS, memory // max(1, gradients))

    def _recorded(self, gaps: Tensor, width: int) -> nn.Module:
        """Graphs of a shape, which share their memory; random numbers go on as if none was made."""
        kind, mixed = torch.get_autocast_dtype("cuda"), torch.is_autocast_enabled("cuda")
        if not self._graphs:
            self._pool = torch.cuda.graph_pool_handle()
        shape = _Shape(self.network, self.losses, width)
        with (
            torch.random.fork_rng([gaps.device]),
            torch.autocast("cuda", kind, enabled=mixed, cache_enabled=False),
        ):
            torch.cuda.make_graphed_callables(
                shape, (gaps.clone(),), allow_unused_input=True, pool=self._pool
            )
        return shape


class _Shape(nn.Module):
    """The losses of gaps of one width; it has the network's weights, which gradients are for."""

    def __init__(self, network: Network, losses: Losses, width: int) -> None:
        super().__init__()
        self.network = network
        self.losses = losses
        self.width = width

    def forward(self, gaps: Tensor) -> Tensor:
        """(batch,)."""
        return self.losses(gaps, self.width)
