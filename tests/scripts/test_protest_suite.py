"""The suite of 250 tokens from ParCorFull, and what damaged references must score on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from crosspro.evaluation.protest.categories import CATEGORIES
from crosspro.evaluation.protest.language import target_words
from crosspro.evaluation.protest.match import score_system
from crosspro.scripts.reproduce.protest_suite import built_suite, damaged_reference
from tests.conftest import SHARED_DATA


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


def test_the_damaged_reference_loses_what_was_exchanged(built):
    lists = target_words("fr")
    output, exchanged = damaged_reference(built, lists)
    assert len(exchanged) > 70
    results = score_system(built.suite, output, lists)
    assert {result.token.name for result in results if result.outcome != "match"} == exchanged
    reference = replace(output, output=built.suite.references[0])
    assert {result.outcome for result in score_system(built.suite, reference, lists)} == {"match"}
