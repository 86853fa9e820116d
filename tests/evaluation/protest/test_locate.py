"""Words found again in another tokenisation."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.protest.locate import locate

SENTENCE = ["It", "'s", "a", "well-known", "fact", ",", "isn", "'t", "it", "?", '"', "Yes", '"']


@pytest.mark.parametrize(
    ("other", "places"),
    [
        ("It's a well-known fact, isn't it? \"Yes\"", "0 0 1 2 3 3 4 4 5 5 6 6 6"),
        (
            "it &apos;s a well - known fact , is n&apos;t it ? &quot; yes &quot;",
            "0 1 2 3,4,5 6 7 8,9 9 10 11 12 13 14",
        ),
        (
            "I t ’ s a well - known fact , isn ’t it ? `` Yes ''",
            "0,1 2,3 4 5,6,7 8 9 10 11 12 13 14 15 16",
        ),
    ],
)
def test_styles_of_tokenisation(other, places):
    located = locate(SENTENCE, other.split())
    assert [",".join(map(str, positions)) for positions in located] == places.split()


def test_words_that_are_gone_are_nowhere():
    located = locate(
        ["I", "think", "it", "rains", "today"], ["I", "think", "he", "rains", "a", "lot", "today"]
    )
    assert located[2] == ()
    assert [located[at] for at in (0, 1, 3, 4)] == [(0,), (1,), (3,), (6,)]


words = st.text("abcé.", min_size=1, max_size=5)


@given(st.lists(words, max_size=8), st.data())
def test_a_text_cut_anywhere_is_found_completely(tokens, data):
    text = "".join(tokens)
    cuts = data.draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=6))
    ends = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    others = [text[a:b] for a, b in pairwise(ends) if a < b]
    located = locate(tokens, others)
    begin = 0
    for token, places in zip(tokens, located, strict=True):
        inside = set(range(begin, begin + len(token)))
        starts = [0]
        for piece in others:
            starts.append(starts[-1] + len(piece))
        expected = tuple(
            n for n in range(len(others)) if inside & set(range(starts[n], starts[n + 1]))
        )
        assert places == expected
        begin += len(token)
