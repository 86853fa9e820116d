"""The bench of the review server: annotators at work while their server is killed."""

from __future__ import annotations

import pytest

from crosspro.evaluation.human.verdicts import Verdict, VerdictStore
from tests.scripts.servers.review.conftest import NEEDED, PACKAGES


def test_what_was_acknowledged_outlives_a_killed_server():
    for package in PACKAGES:
        pytest.importorskip(package, reason=NEEDED)
    from crosspro.scripts.bench.review import Manner, measured

    load, row = measured(4, 80, Manner("killed", pages=True, kills=2))
    assert len(load.acknowledged) == 80
    assert len(load.killed_at) == 2
    told = [row.figures[name] for name in ("acknowledged", "lost", "doubled")]
    assert [row.size, *told] == [80, 80, 0, 0]


def test_lost_and_doubled_verdicts_are_counted(tmp_path):
    for package in PACKAGES:
        pytest.importorskip(package, reason=NEEDED)
    from crosspro.scripts.bench.review import Load, lost_and_doubled, make_items

    first, second, third = (one.item for one in make_items(3).items)
    with VerdictStore(tmp_path / "v.sqlite", "load") as store:
        said = ((first, "right"), (second, "right"), (second, "wrong"))
        store.record(Verdict(item, "Anna", value, None) for item, value in said)
    load = Load(acknowledged={("Anna", "t0"): "right", ("Anna", "t1"): "right"})
    load.acknowledged["Anna", third.token] = "wrong"
    assert lost_and_doubled(tmp_path, load) == (3, 2, 1)
