"""`crosspro lm` as a user calls it."""

from __future__ import annotations

import pytest

from crosspro.baselines.ngram.files import load_ngram_model
from tests.baselines.ngram.models import CASES, assert_same, entries_of, read_entries
from tests.scripts.run import crosspro


@pytest.mark.parametrize("name", ["b.npz", "b.arpa.gz"])
def test_estimate_writes_both_forms(tmp_path, name):
    result = crosspro("lm", "estimate", CASES / "b.txt.xz", "-n", 3, "-o", tmp_path / name)
    assert result.code == 0, result.stderr
    for number in (b"24,124", b"3,000"):
        assert number in result.stderr
    found = entries_of(load_ngram_model(tmp_path / name), tmp_path)
    assert_same(found, read_entries(CASES / "b.3gram.arpa.xz"))


def test_orders_without_an_estimate_of_discounts_are_named(tmp_path):
    model = tmp_path / "odd.arpa"
    result = crosspro("lm", "estimate", CASES / "odd.txt", "-n", 4, "-o", model)
    assert result.code == 0, result.stderr
    assert b"1-grams: too few" in result.stderr
    assert_same(read_entries(model), read_entries(CASES / "odd.4gram.fallback.arpa"))
