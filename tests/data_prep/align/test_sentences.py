"""Sentences linked to those of a translation."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.align import sentences as module
from crosspro.data_prep.align.sentence_costs import SETTINGS, SentenceCosts, length_ratio
from crosspro.data_prep.align.sentences import Bead, align_sentences, learnt_lexicon

WORDS = [f"{first}{second}{third}" for first in "bdgk" for second in "aeiou" for third in "lmnr"]


def kinds(beads):
    return [bead.kind for bead in beads]


def text(seed, size):
    """Sentences of invented words, and their translation: each word with another ending."""
    choose = random.Random(seed)
    source = [" ".join(choose.choices(WORDS, k=choose.randint(3, 15))) for _ in range(size)]
    return source, [" ".join(f"{word}ito" for word in one.split()) for one in source]


def lexicon(size=400):
    return learnt_lexicon(zip(*text(99, size), strict=True))


def test_lengths_alone_find_merged_sentences():
    source = ["a" * 100, "b" * 20, "c" * 60, "d" * 45]
    target = ["x" * 52, "y" * 50, "z" * 21, "v" * 106]
    assert kinds(align_sentences(source, target)) == [(1, 2), (1, 1), (2, 1)]


def test_words_find_what_was_left_out():
    source, target = text(1, 40)
    del target[10:14], target[25]
    found = align_sentences(source, target, lexicon())
    lost = [bead.source[0] for bead in found if bead.kind == (1, 0)]
    assert lost == [10, 11, 12, 13, 29]
    assert kinds(found).count((1, 1)) == 35


def test_words_find_what_was_added():
    source, target = text(2, 30)
    target.insert(7, "dar kem bol gun dan ker mol")
    found = align_sentences(source, target, lexicon())
    assert [bead.target for bead in found if bead.kind == (0, 1)] == [range(7, 8)]


def test_words_that_are_written_alike_need_no_lexicon():
    source, target = text(5, 9)
    source[3:5] = [f"Anna Berta Carla 1984 1985 {source[3]}", f"Dora Emma 77 78 79 {source[4]}"]
    target[3:5] = [f"Dora Emma 77 78 79 {target[4]}"]
    assert Bead(range(4, 5), range(3, 4)) in align_sentences(source, target)


def test_an_empty_side():
    assert align_sentences([], []) == []
    assert kinds(align_sentences(["a", "b"], [])) == [(1, 0), (1, 0)]
    assert kinds(align_sentences([], ["a"])) == [(0, 1)]


def test_a_long_document_is_searched_in_a_band(monkeypatch):
    source, target = text(3, 300)
    del target[40:70]
    whole = align_sentences(source, target, lexicon())
    monkeypatch.setattr(module, "_CELLS", 0)
    monkeypatch.setattr(module, "_BLOCK", 7)
    assert align_sentences(source, target, lexicon()) == whole
    lost = {bead.source[0] for bead in whole if bead.kind == (1, 0)}
    assert len(lost) > 27
    assert lost <= set(range(39, 71))


def test_blocks_have_the_costs_of_single_beads():
    source, target = text(4, 12)
    costs = SentenceCosts(source, target, lexicon(), length_ratio(source, target))
    lengths = costs.block(range(12), range(13), words=False)
    words = costs.block(range(12), range(13), words=True)
    assert lengths.keys() == words.keys() == {kind[:2] for kind in SETTINGS.kinds if kind[0]}
    # Right pairs gain by their words; those that are wrong lose.
    gain = lengths[1, 1] - words[1, 1]
    assert (np.diag(gain) > 1).all()
    assert (gain[~np.eye(12, 13, dtype=bool)] < 1).all()


SENTENCES = st.lists(st.text(alphabet="ab .", min_size=1, max_size=30), max_size=12)


@given(SENTENCES, SENTENCES)
def test_every_sentence_is_in_one_bead_and_in_order(source, target):
    beads = align_sentences(source, target)
    assert [number for bead in beads for number in bead.source] == list(range(len(source)))
    assert [number for bead in beads for number in bead.target] == list(range(len(target)))
    assert beads == align_sentences(source, target)


@given(st.integers(0, 1000), st.integers(1, 25))
def test_a_translation_sentence_by_sentence_is_found(seed, size):
    source, target = text(seed, size)
    expected = [Bead(range(n, n + 1), range(n, n + 1)) for n in range(size)]
    assert align_sentences(source, target, LEXICON) == expected


LEXICON = lexicon()


def test_nothing_to_learn_from():
    assert learnt_lexicon([]) is None
    assert learnt_lexicon([("...", "!"), ("", "a")]) is None
