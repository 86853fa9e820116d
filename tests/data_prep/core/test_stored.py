"""Sequences on the disk are like those in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.stored import store_names, store_sentences

words = st.text(st.characters(exclude_categories=("Cs", "Zs", "Cc", "Zl", "Zp")), min_size=1)
bounds = st.none() | st.integers(-6, 6)
slices = st.builds(slice, bounds, bounds, bounds.filter(lambda step: step != 0))


@given(st.lists(st.lists(words, max_size=4).map(tuple), max_size=5), slices, slices)
def test_sentences_come_back_whole_and_in_slices(sentences, cut, again):
    with tempfile.TemporaryDirectory() as folder:
        writer = store_sentences(Path(folder))
        for sentence in sentences:
            writer.add(sentence)
        stored = writer.finish()
        assert list(Path(folder).iterdir()) == []  # the files have no names
        assert len(stored) == len(sentences)
        assert list(stored) == list(stored) == sentences
        assert [stored[n] for n in range(-len(stored), len(stored))] == sentences * 2
        assert list(stored[cut]) == sentences[cut]
        assert list(stored[cut][again]) == sentences[cut][again]
        assert len(stored[cut][again]) == len(sentences[cut][again])


def test_long_sequences_are_read_in_blocks(tmp_path):
    writer = store_sentences(tmp_path)
    sentences = [(str(number), "é") * (number % 3) for number in range(5000)]
    for sentence in sentences:
        writer.add(sentence)
    stored = writer.finish()
    assert list(stored) == sentences
    assert list(stored[999:4001]) == sentences[999:4001]
    assert list(stored[::7]) == sentences[::7]


def test_no_name_is_not_the_empty_name(tmp_path):
    writer = store_names(tmp_path)
    names = ["a", None, "", "=", "é b"]
    for name in names:
        writer.add(name)
    assert list(writer.finish()) == names
