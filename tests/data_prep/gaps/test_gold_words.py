"""Gold words in the places of their placeholders."""

from __future__ import annotations

from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.gaps.extract import with_gold_words

NOTHING, HERS = Gap(1, 0, "OTHER", "NONE"), Gap(3, 2, "elle", "elle")
LINE = Example.of_tokens(
    ("it", "says", "it", "NONE"),
    ("dit", "REPLACE_0", "NONE", "REPLACE_2", "ici"),
    ((0, 1), (1, 0), (2, 3), (3, 2)),
    (NOTHING, HERS),
    "film",
    tagged=False,
)


def test_words_come_back_and_what_stood_for_none_goes():
    found = with_gold_words(LINE)
    assert found.target == ("dit", "NONE", "elle", "ici")  # NONE is a word of this text
    assert found.links == ((1, 0), (2, 2), (3, 1))
    assert (found.gaps, found.document, found.tagged) == ((), "film", False)


def test_one_gap_may_be_kept_where_it_is_then():
    found = with_gold_words(LINE, HERS)
    assert found.target == ("dit", "NONE", "REPLACE_2", "ici")
    assert found.gaps == (Gap(2, 2, "elle", "elle"),)
    found = with_gold_words(LINE, NOTHING)
    assert found.target == ("dit", "REPLACE_0", "NONE", "elle", "ici")
    assert found.gaps == (NOTHING,)
