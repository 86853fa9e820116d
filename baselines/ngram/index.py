"""Finds n-grams: from a context and a word to the node of the two together.

All pairs of all orders are in one table of hash buckets, about one pair in each. Thousands of
pairs are looked up at once, in as many steps as the fullest bucket has entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.workspace import Workspace

IntArray = NDArray[np.int64]

_MULTIPLIERS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Index:
    """Pairs as keys (context times vocabulary size plus word), and the node of each.

    The pairs of bucket b are the entries from `starts[b]` to `starts[b + 1]`.
    """

    starts: NDArray[np.uint32]
    keys: IntArray
    nodes: NDArray[np.uint32]

    def find(self, keys: IntArray) -> IntArray:
        """The node of each key, 0 where there is none."""
        nodes = np.zeros(len(keys), np.int64)
        if not len(self.keys):
            return nodes
        buckets = bucket_of(keys, len(self.starts) - 1)
        entries = self.starts.take(buckets).astype(np.int64)
        # The first entry is compared even if the bucket is empty: another bucket's key differs.
        same = self.keys.take(entries, mode="clip") == keys
        hits = np.flatnonzero(same)
        nodes[hits] = self.nodes.take(entries.take(hits))
        places = np.flatnonzero(~same)
        entries = entries.take(places) + 1
        ends = self.starts.take(buckets.take(places) + 1)
        left = np.flatnonzero(entries < ends)
        while len(left):
            places, entries, ends = places.take(left), entries.take(left), ends.take(left)
            same = self.keys.take(entries) == keys.take(places)
            hits = np.flatnonzero(same)
            nodes[places.take(hits)] = self.nodes.take(entries.take(hits))
            entries += 1
            left = np.flatnonzero(~same & (entries < ends))
        return nodes


def bucket_of(keys: IntArray, buckets: int) -> IntArray:
    """The bucket of each key: a well-mixed 32-bit hash, scaled to the number of buckets."""
    mixed = keys.view(np.uint64) * _MULTIPLIERS[0]
    mixed ^= mixed >> _HALF
    mixed *= _MULTIPLIERS[1]
    mixed >>= _HALF
    mixed *= np.uint64(buckets)
    mixed >>= _HALF
    return mixed.view(np.int64)


def index_of(keys: IntArray) -> Index:
    """The index of keys in memory; the node of each is its place."""
    buckets = 2 * max(1, len(keys))  # half of them empty: such an index is small, and may be quick
    places = bucket_of(keys, buckets)
    order = _order(places)
    sizes = np.bincount(places, minlength=buckets)
    starts = np.concatenate([np.zeros(1, np.uint32), np.cumsum(sizes, dtype=np.uint32)])
    return Index(starts, keys[order], order.astype(np.uint32))


def build_index(
    parts: Callable[[], Iterable[tuple[int, IntArray]]], total: int, space: Workspace
) -> Index:
    """The index of `total` keys, which come in parts with the node of their first key.

    Only as many buckets as fit into memory are sorted at a time, so the parts are asked for once
    for each range of buckets.
    """
    buckets = max(1, total)
    starts = space.empty(buckets + 1, np.uint32)
    index = Index(starts, space.empty(total, np.int64), space.empty(total, np.uint32))
    starts[0] = 0
    done = 0
    for low in range(0, buckets, space.chunk):
        high = min(low + space.chunk, buckets)
        chosen = [_in_range(first, keys, buckets, low, high) for first, keys in parts()]
        keys, nodes, places = (np.concatenate(column) for column in zip(*chosen, strict=True))
        order = _order(places)
        filled = slice(done, done + len(order))
        index.keys[filled] = keys[order]
        index.nodes[filled] = nodes[order]
        sizes = np.bincount(places - low, minlength=high - low)
        starts[low + 1 : high + 1] = done + np.cumsum(sizes)
        done += len(order)
    return index


def _order(buckets: IntArray) -> IntArray:
    """The places of keys, sorted by their buckets.

    One sort of bucket and place in a single number is much faster than sorting places.
    """
    return np.sort((buckets << 32) | np.arange(len(buckets))) & 0xFFFFFFFF


def _in_range(
    first: int, keys: IntArray, buckets: int, low: int, high: int
) -> tuple[IntArray, NDArray[np.uint32], IntArray]:
    places = bucket_of(keys, buckets)
    chosen = np.flatnonzero((places >= low) & (places < high))
    return keys[chosen], (chosen + first).astype(np.uint32), places[chosen]
