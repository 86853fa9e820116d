"""The suite of 250 tokens from ParCorFull, and what damaged references must score on it."""

from __future__ import annotations

from collections import Counter

import pytest

from crosspro.scripts.reproduce.protest_suite import build_suite, check_table, run_checks
from tests.conftest import SHARED_DATA, mostly_slow


@pytest.fixture(scope="module")
def real():
    archive = SHARED_DATA / "parcorfull" / "parcorfull-ted.tar.xz"
    if not archive.is_file():
        pytest.skip("ParCorFull is not here")
    return build_suite(archive)


def test_the_real_suite_has_the_sizes_of_002(real):
    suite, _, candidates = real
    wanted = [25, 15, 25, 5, 25, 25, 15, 10, 30, 30, 20, 15, 10]
    counts = Counter(token.category for token in suite.tokens)
    assert [counts[name] for name in candidates.usable()] == wanted
    assert candidates.forms == {"it": 692, "they": 270, "you": 562}
    assert candidates.uncategorised["you", "not annotated"] == 462
    assert sum(candidates.forms.values()) == sum(candidates.categories.values()) + sum(
        candidates.uncategorised.values()
    )


@pytest.mark.parametrize("seed", mostly_slow([1, 2], 1))
def test_the_real_suite_scores_what_it_must(real, seed):
    suite, links, _ = real
    checks = run_checks(suite, links, share=0.3, seed=seed)
    assert len(checks) == 19
    assert all(check.passed for check in checks), check_table(checks)
