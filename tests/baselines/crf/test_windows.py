"""Features of every token: exactly those of the windows, whatever rows are asked for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.crf.windows import NOTHING, OUTSIDE, Windows, learn_template

WORDS = [["le", "chat", "dort"], ["le", "chien"], []]


def shown(windows, templates):
    """The features of each token in words."""
    names = [t.feature(number) for t in templates for number in range(t.width)]
    tokens = len(windows.columns[0].centres)
    matrix = windows.rows(np.arange(tokens))
    return [[names[i] for i in matrix[[row]].indices] for row in range(tokens)]


def test_a_token_sees_its_window():
    template = learn_template("word", (-1, 0), WORDS, 1)
    assert template.values == (OUTSIDE, "le", "chat", "chien", "dort")
    windows = Windows()
    windows.add(template, WORDS)
    assert windows.width == 10
    assert shown(windows, [template]) == [
        ["word -1=(outside)", "word +0=le"],
        ["word -1=le", "word +0=chat"],
        ["word -1=chat", "word +0=dort"],
        ["word -1=(outside)", "word +0=le"],
        ["word -1=le", "word +0=chien"],
    ]


def test_rare_values_and_nothing_give_no_feature():
    template = learn_template("word", (0,), [*WORDS, [NOTHING, NOTHING]], 2)
    assert template.values == (OUTSIDE, "le")
    windows = Windows()
    windows.add(template, WORDS)
    assert shown(windows, [template]) == [["word=le"], [], [], ["word=le"], []]


def test_a_token_may_look_elsewhere_or_nowhere():
    other = [["the", "cat"], ["dogs"], []]
    templates = [learn_template("word", (0,), WORDS, 1), learn_template("source", (0, 1), other, 1)]
    windows = Windows()
    windows.add(templates[0], WORDS)
    windows.add(templates[1], other, [[1, None, 0], [None, 0], []])
    assert shown(windows, templates) == [
        ["word=le", "source +0=cat", "source +1=(outside)"],
        ["word=chat"],
        ["word=dort", "source +0=the", "source +1=cat"],
        ["word=le"],
        ["word=chien", "source +0=dogs", "source +1=(outside)"],
    ]


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=6), st.data())
def test_rows_do_not_depend_on_what_else_is_asked_for(sentences, data):
    windows = Windows()
    windows.add(learn_template("word", (-2, -1, 0, 1), sentences, 1), sentences)
    tokens = sum(map(len, sentences))
    whole = windows.rows(np.arange(tokens)).toarray()
    some = data.draw(st.lists(st.integers(0, max(tokens - 1, 0)), max_size=8 if tokens else 0))
    assert (windows.rows(np.array(some, dtype=np.int64)).toarray() == whole[some]).all()
    assert (whole.sum(axis=1) == 4).all()
