"""Sequences on the disk are like those in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.annotate.sentence_file import SentenceFile

words = st.text(st.characters(exclude_categories=("Cs", "Zs", "Cc", "Zl", "Zp")), min_size=1)
bounds = st.none() | st.integers(-6, 6)
slices = st.builds(slice, bounds, bounds, bounds.filter(lambda step: step != 0))


def stored(folder, sentences):
    file = SentenceFile(Path(folder))
    for sentence in sentences:
        file.append(sentence)
    return file


@given(st.lists(st.lists(words, max_size=4).map(tuple), max_size=5), slices)
def test_sentences_come_back_whole_and_in_slices(sentences, cut):
    with tempfile.TemporaryDirectory() as folder:
        file = stored(folder, sentences)
        assert list(Path(folder).iterdir()) == []  # the file has no name
        assert len(file) == len(sentences)
        assert list(file) == list(file) == sentences
        assert [file[n] for n in range(-len(file), len(file))] == sentences * 2
        assert file[cut] == sentences[cut]


def test_two_readers_do_not_disturb_each_other(tmp_path):
    sentences = [(str(number), "é") * (number % 3) for number in range(5000)]
    file = stored(tmp_path, sentences)
    assert list(zip(file, file, strict=True)) == list(zip(sentences, sentences, strict=True))
    assert file[999:4001] == sentences[999:4001]
    assert file[::7] == sentences[::7]
