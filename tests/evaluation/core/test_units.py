"""What is resampled, and the table of its statistics."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from crosspro.evaluation.core.statistics import choose_units, side_by_side, tally

rows = st.integers(0, 20).flatmap(
    lambda size: arrays(np.float64, (size, 3), elements=st.integers(0, 3).map(float))
)


@given(rows)
def test_a_table_has_every_unit_once(statistics):
    table = tally(statistics)
    assert table.counts.sum() == len(statistics)
    assert np.allclose(table.counts @ table.kinds, statistics.sum(axis=0))
    assert table.sums.tolist() == statistics.sum(axis=0).tolist()
    assert len({tuple(kind) for kind in table.kinds}) == len(table.kinds)


@given(rows)
def test_kinds_are_in_the_order_of_their_columns(statistics):
    table = tally(statistics)
    kinds, counts = np.unique(statistics.reshape(-1, 3), axis=0, return_counts=True)
    assert table.kinds.tolist() == kinds.tolist()
    assert table.counts.tolist() == counts.tolist()


def test_very_many_kinds_have_a_row_for_each_unit():
    statistics = np.arange(24_000, dtype=float).reshape(-1, 2)
    table = tally(statistics)
    assert table.counts is None
    assert table.kinds is statistics
    assert table.sums.tolist() == statistics.sum(axis=0).tolist()
    assert tally(np.concatenate([statistics] * 3)).counts.tolist() == [3] * 12_000


@given(rows)
def test_two_systems_stand_side_by_side(statistics):
    table = side_by_side(statistics, 2 * statistics)
    assert (table.kinds[:, 3:] == 2 * table.kinds[:, :3]).all()


def test_the_first_division_with_two_units_counts():
    lines = [0, 0, 1, 4]
    found = choose_units(document=["a", "a", "b", "b"], sentence=lines)
    assert (found.name, found.of_item.tolist(), found.count) == ("document", [0, 0, 1, 1], 2)
    for documents in (["a"] * 4, None):
        found = choose_units(document=documents, sentence=lines)
        assert (found.name, found.of_item.tolist(), found.count) == ("sentence", [0, 0, 1, 2], 3)
    assert choose_units(document=None, sentence=[]).count == 0


def test_sums_of_values_and_of_rows():
    units = choose_units(sentence=[5, 5, 7])
    assert units.sums([1, 2, 4]).tolist() == [3, 4]
    assert units.sums([[1, 0], [2, 1], [4, 1]]).tolist() == [[3, 1], [4, 1]]
    among = units.among(np.array([False, False, True]))
    assert (among.of_item.tolist(), among.count) == ([0], 1)
