"""The gaps and batches of an epoch: decided by seed alone, split over processes without a loss."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from crosspro.prediction.neural.training.data import Batches, Sampler, bucketed_batches, on_device


def batches(rank=0, world=1, gaps=23):
    labels = np.arange(gaps, dtype=np.int32) % 3
    made = Batches(labels, np.arange(gaps) % 7 + 1, 3, 5, Sampler(), seed=4)
    made.rank, made.world = rank, world
    return made


def test_numbers_are_sent_at_once_and_come_as_batches():
    parts = [np.array([4, 2]), np.array([], dtype=np.int64), np.array([9])]
    found = on_device(parts, torch.device("cpu"))
    assert [part.tolist() for part in found] == [[4, 2], [], [9]]
    assert {part.dtype for part in found} == {torch.int64}
    assert len(on_device([], torch.device("cpu"))) == 0


def test_an_epoch_reads_every_gap_once_and_the_same_way_every_time():
    first, again = ([(b.tolist(), *more) for b, *more in batches()] for _ in range(2))
    assert first == again
    assert sorted(gap for gaps, *_ in first for gap in gaps) == list(range(23))
    assert all(width == max(gap % 7 + 1 for gap in gaps) for gaps, width, _ in first)
    assert len(batches()) == len(first) == 5


@pytest.mark.parametrize("world", [2, 7])
def test_processes_share_the_gaps_of_each_batch(world):
    """Also where a batch has fewer gaps than there are processes."""
    split = zip(*(batches(rank, world) for rank in range(world)), strict=True)
    for (whole, width, size), parts in zip(batches(), split, strict=True):
        assert sorted(torch.cat([part[0] for part in parts]).tolist()) == sorted(whole.tolist())
        assert {part[1:] for part in parts} == {(width, size)}


def test_samplers_follow_their_policy():
    labels = np.array([0] * 900 + [1] * 90 + [2] * 10, dtype=np.int32)
    generator = np.random.default_rng(1)
    equal = Sampler("equal", 0.1).draw(labels, 3, generator)
    counts = np.bincount(labels[equal], minlength=3)
    assert counts[2] == 10
    assert counts[0] == pytest.approx(33, abs=16)
    shares = Sampler("proportional", 0.1, (0.5, 0.4, 0.1)).draw(labels, 3, generator)
    assert np.bincount(labels[shares], minlength=3)[0] == pytest.approx(50, abs=20)
    everything = Sampler().draw(labels, 3, generator)
    assert sorted(everything) == list(range(1000))


def test_batches_hold_every_gap_once_with_a_wide_enough_window():
    generator = np.random.default_rng(1)
    widths = generator.integers(1, 50, 1000)
    seen = []
    for batch, width in bucketed_batches(np.arange(1000), widths, 64, generator):
        assert widths[batch].max() == width
        seen += batch.tolist()
    assert sorted(seen) == list(range(1000))
