"""Queries: against back-off by its definition, against KenLM, one by one and in batches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.ngram.arpa import read_arpa
from tests.baselines.ngram.models import (
    golden_a,
    read_entries,
    slow_log10,
    state_after,
    word_log10,
)

PRUNED = """\\data\\
ngram 1=6
ngram 2=5
ngram 3=3
ngram 4=1

\\1-grams:
-1.5	<unk>
-99	<s>	-0.5
-0.75	</s>
-0.5	a	-0.25
-1	b	0.125
-1.25	c

\\2-grams:
-0.5	<s> a	-0.125
-0.25	a b
-1	b a	-0.5
-0.125	a </s>
-0.5	c a	-0.0625

\\3-grams:
-0.25	<s> a c
-0.5	b a a	-0.25
-0.75	c a b	-0.125

\\4-grams:
-0.375	b a a b

\\end\\
"""
"""As SRILM prunes: neither `a c` nor `a a` nor `a a b` is there, though longer n-grams end so."""

words = st.sampled_from(["a", "b", "c", "nobody"])
sentences = st.lists(st.lists(words, max_size=8), max_size=8)


@pytest.fixture(scope="module")
def pruned(tmp_path_factory):
    path = tmp_path_factory.mktemp("pruned") / "x.arpa"
    path.write_text(PRUNED)
    return read_arpa(path), read_entries(path)


@given(sentences, st.booleans())
def test_scores_are_back_off_by_its_definition(pruned, text, begin):
    model, entries = pruned
    expected = []
    for sentence in text:
        history = ["<s>"] * begin
        total = 0.0
        for word in [*("<unk>" if word == "nobody" else word for word in sentence), "</s>"]:
            total += slow_log10(entries, tuple(history[-3:]), word)
            history.append(word)
        expected.append(total)
    assert model.log10(text, begin=begin) == pytest.approx(expected, abs=1e-5)


def test_states_forget_what_cannot_matter(pruned):
    model, _ = pruned
    assert state_after(model, ["nobody"]) == model.null_state
    assert state_after(model, ["c"], begin=False) != model.null_state  # the context of `c a`
    # `a b` is no context, without back-off
    assert state_after(model, ["a", "b"]) == state_after(model, ["b"])
    assert state_after(model, ["nobody", "b", "a", "a"]) == state_after(model, ["c", "b", "a", "a"])
    assert state_after(model, ["b", "a", "a", "b"]) == state_after(model, ["b"])


def test_scores_are_those_of_kenlms_query():
    words = ["w0", "zzz", "w1", "<unk>", "<s>", "w2"]
    expected = [-0.76915216, -5.0813727, -1.4557271, -4.3191237, 0, -1.2615372, -0.8745574]
    scores = [word_log10(golden_a(), word, words[:n]) for n, word in enumerate([*words, "</s>"])]
    assert scores == pytest.approx(expected, abs=1e-6)
    assert golden_a().log10([words]) == pytest.approx(sum(expected), abs=1e-5)
