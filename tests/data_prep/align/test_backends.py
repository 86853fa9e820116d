"""Scores of links, and lines that cannot be aligned."""

from __future__ import annotations

import pytest

from crosspro.data_prep.align.backends import AlignerSettings, align_corpus
from crosspro.data_prep.align.symmetrise import LinkScore, score_links
from crosspro.data_prep.core.errors import InputError


def test_scores_of_all_links_and_of_pronouns():
    source = [["It", "is"], ["they"]]
    gold = [{(0, 0), (1, 1)}, {(0, 0)}]
    found = [{(0, 0), (0, 1)}, set()]
    assert score_links(found, gold) == LinkScore(right=1, found=2, gold=3)
    score = score_links(found, gold, source, ("it",))
    assert (score.precision, score.recall, score.f1) == (0.5, 1.0, pytest.approx(2 / 3))
    nothing = score_links([set()], [set()])
    assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


def test_a_line_that_was_never_cut_is_refused():
    long = ["x"] * 100_000
    with pytest.raises(InputError) as refused:
        align_corpus([["a"], long], [["a"], long], AlignerSettings())
    places = [(problem.path, problem.line) for problem in refused.value.problems]
    assert places == [("source", 2), ("target", 2)]
    allowed = AlignerSettings(most_words=3, max_length=2)
    assert align_corpus([["a", "b", "c"]], [["a", "b", "c"]], allowed)
