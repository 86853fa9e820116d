"""The batches of an epoch: gap numbers on the device where all data lies, decided by seed alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crosspro.prediction.neural.sampling import Indices, Sampler, bucketed_batches

Batch = tuple[Tensor, int, int]
"""Gap numbers, the widest context among them, and the size of the batch over all processes."""


class Batches:
    """The batches of the current epoch; Lightning iterates it once an epoch.

    `labels` and `extents` are those of all gaps; gaps of similar extent are put together.
    """

    def __init__(
        self,
        labels: NDArray[np.int32],
        extents: Indices,
        classes: int,
        size: int,
        sampler: Sampler,
        seed: int,
    ) -> None:
        self.labels = labels
        self.extents = extents
        self.classes = classes
        self.size = size
        self.sampler = sampler
        self.seed = seed
        self.epoch = 0
        self.lengths: dict[int, int] = {}
        self.rank, self.world = 0, 1
        self.device = torch.device("cpu")

    def __iter__(self) -> Iterator[Batch]:
        generator = np.random.default_rng((self.seed, self.epoch))
        gaps = self.sampler.draw(self.labels, self.classes, generator)
        batches = list(bucketed_batches(gaps, self.extents, self.size, generator))
        mine = on_device([batch[self.rank :: self.world] for batch, _ in batches], self.device)
        for own, (batch, width) in zip(mine, batches, strict=True):
            yield own, width, len(batch)

    def __len__(self) -> int:
        if self.epoch not in self.lengths:  # Lightning asks several times an epoch
            generator = np.random.default_rng((self.seed, self.epoch))
            drawn = len(self.sampler.draw(self.labels, self.classes, generator))
            self.lengths = {self.epoch: -(-drawn // self.size)}
        return self.lengths[self.epoch]


def on_device(batches: Sequence[Indices], device: torch.device) -> Sequence[Tensor]:
    """The gap numbers of batches, sent at once: a GPU would wait at each batch for its own."""
    if not batches:
        return ()
    every = torch.from_numpy(np.concatenate(batches)).to(device)
    ends = np.cumsum([len(batch) for batch in batches])
    return [every[end - len(batch) : end] for batch, end in zip(batches, ends, strict=True)]


def in_order(extents: Indices, size: int, places: int | None = None) -> list[tuple[Indices, int]]:
    """All gaps in batches of similar extent, each with its widest; the same every time.

    A batch has at most `size` gaps, and no more than have so many `places` together, but one.
    """
    order = np.argsort(extents, kind="stable")
    sorted_extents = extents[order]
    batches = []
    start = 0
    while start < len(order):
        end = min(start + size, len(order))
        if places is not None:
            rows = np.arange(1, end - start + 1)  # sorted: the last row of a batch is its widest
            fitting = int((rows * sorted_extents[start:end] <= places).sum())
            end = start + max(1, fitting)
        batches.append((order[start:end], int(sorted_extents[end - 1])))
        start = end
    return batches


class FixedBatches:
    """The same batches every time; a plain list would mean several data loaders to Lightning."""

    def __init__(self, batches: Sequence[tuple[Indices, int]]) -> None:
        self.batches = [(torch.from_numpy(gaps), width, len(gaps)) for gaps, width in batches]

    def __iter__(self) -> Iterator[Batch]:
        return iter(self.batches)

    def __len__(self) -> int:
        return len(self.batches)
