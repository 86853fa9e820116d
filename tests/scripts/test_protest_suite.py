"""The suite of 250 tokens from ParCorFull, and what damaged references must score on it."""

from __future__ import annotations

from collections import Counter

import pytest

from crosspro.evaluation.protest.categories import CATEGORIES
from crosspro.evaluation.protest.language import target_words
from crosspro.scripts.reproduce.protest_suite import built_suite, score_damaged
from tests.conftest import SHARED_DATA, mostly_slow


@pytest.fixture(scope="module")
def built():
    archive = SHARED_DATA / "parcorfull" / "parcorfull-ted.tar.xz"
    if not archive.is_file():
        pytest.skip("ParCorFull is not here")
    return built_suite(archive)


def test_the_real_suite_has_the_sizes_of_002(built):
    counts = Counter(token.category for token in built.suite.tokens)
    assert counts == {category.name: category.wanted for category in CATEGORIES}
    candidates = built.candidates
    assert candidates.forms == {"it": 692, "they": 270, "you": 562}
    assert candidates.uncategorised["you", "not annotated"] == 462
    assert candidates.forms.total() == (
        candidates.categories.total() + candidates.uncategorised.total()
    )


@pytest.mark.parametrize("seed", mostly_slow([1, 2], 1))
def test_the_real_suite_scores_what_it_must(built, seed):
    scored, wrong = score_damaged(built, target_words("fr"), share=0.3, seed=seed)
    assert not wrong
    outcomes = {
        name: Counter(result.outcome for result in results)
        for name, results in scored.results.items()
    }
    assert outcomes["reference"] == {"match": 250}
    assert outcomes["damaged"]["mismatch"] > 70
