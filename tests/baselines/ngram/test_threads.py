"""Work on arrays in threads."""

from __future__ import annotations

import threading

import pytest

from crosspro.baselines.ngram import threads
from crosspro.baselines.ngram.threads import in_threads


@pytest.mark.parametrize("number", [1, 2, 7])
def test_results_are_those_of_the_pieces_in_order(number, monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: number)
    before = threading.active_count()
    assert in_threads(lambda piece: piece * piece, range(5)) == [0, 1, 4, 9, 16]
    assert in_threads(abs, []) == []
    assert threading.active_count() == before


def test_what_the_work_raises_is_raised(monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda piece: 1 // piece, [1, 0, 2])
