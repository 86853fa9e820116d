"""The aligner on small texts, and on the news text where it is present."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosspro.data_prep.align import model, numbering
from crosspro.data_prep.align.align import align, learn
from crosspro.data_prep.align.model import Direction
from crosspro.data_prep.align.numbering import number_pairs, number_sides
from crosspro.data_prep.align.symmetrise import LinkScore, score_links
from crosspro.data_prep.core.errors import InputError
from tests.data_prep.align.corpora import PAIRS, made_up_pairs, news_text

words = st.lists(st.sampled_from("abcdefgh"), max_size=9)


def test_a_tiny_text_is_aligned():
    links = align(PAIRS)
    assert links[0] == ((0, 0), (1, 1), (2, 2), (3, 3))
    assert links == align(PAIRS)


def test_swapped_words_are_linked():
    pairs = made_up_pairs(300)
    gold = [
        {
            (i, j)
            for i, s in enumerate(source)
            for j, t in enumerate(target)
            if s[1:] == t[1:] and abs(i - j) < 2
        }
        for source, target in pairs
    ]
    assert score_links(align(pairs), gold).f1 > 0.97


@settings(max_examples=40)
@given(st.lists(st.tuples(words, words), max_size=6))
def test_any_text_gets_links_inside_it(pairs):
    aligned = align(pairs)
    assert len(aligned) == len(pairs)
    for links, (source, target) in zip(aligned, pairs, strict=True):
        assert all(s < len(source) and t < len(target) for s, t in links)
        assert list(links) == sorted(set(links))


def test_the_reverse_text_has_the_reverse_directions():
    pairs = made_up_pairs(40)
    there = learn(pairs)
    back = learn([(target, source) for source, target in pairs])
    assert np.array_equal(there.forward, back.backward)
    assert np.array_equal(there.backward, back.forward)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(numbering, "_BLOCK_CELLS", 2**11)
    monkeypatch.setattr(numbering, "_BATCH_CELLS", 2**10)
    monkeypatch.setattr(numbering, "MAX_LENGTH", 12)


@pytest.mark.usefixtures("small_blocks")
def test_the_number_of_threads_changes_nothing():
    """Neither links nor counts, with a prior and without; segments beyond the limits, too."""
    pairs = made_up_pairs(300)
    results = []
    for jobs in (1, 3):
        first = learn(pairs[:150], jobs=jobs)
        second = learn(pairs[100:], first.prior(), jobs)
        assert second.backed_off
        results.append((second.forward, second.backward, second.prior().forward.pairs))
    for left, right in zip(*results, strict=True):
        assert np.array_equal(left, right)


@pytest.mark.usefixtures("small_blocks")
def test_pairs_are_numbered_alike_in_all_blocks():
    text = number_pairs(*number_sides(made_up_pairs(50)))
    assert len(text.blocks) > 1
    left, right = text.pair_words
    seen = [*text.outside]
    for block in text.blocks:
        for batch in block.batches:
            for row, segment in enumerate(batch.segments):
                seen.append(int(segment))
                a, b = text.source.segment(segment), text.target.segment(segment)
                cells = block.pairs[batch.cells[: len(b), row, : len(a)]]
                assert (left[cells] == a).all()
                assert (right[cells] == b[:, None]).all()
                assert not batch.cells[len(b) :, row].any()
                meeting = text.pair_numbers(*np.broadcast_arrays(a[None, :], b[:, None]))
                assert (meeting == cells).all()
    assert sorted(seen) == list(range(50))


def test_words_are_compared_by_their_first_letters():
    source, _ = number_sides([(["Nation", "nationale"], ["x"])])
    assert list(source.words) == ["natio"]


def test_segments_without_words_have_no_links():
    links = align([*PAIRS, ([], ["x"])])
    assert links[: len(PAIRS)] == align(PAIRS)
    assert links[-1] == ()


def test_segments_beyond_the_limits_are_linked_by_an_ibm1_of_their_own():
    """003 §3.3.1, 004 §3.3: the segments that GIZA++ could not take were left to fast_align."""
    pairs = made_up_pairs(60)
    long = [[word for pair in pairs for word in pair[side]] for side in (0, 1)]
    Random(1).shuffle(long[1])  # an order that no model expects
    outside = [(long[0], long[1]), (pairs[0][0][:1], long[1][:20])]
    alignment = learn([*pairs, *outside])
    assert alignment.text.outside == [60, 61]
    links = list(alignment.links("grow-diag-final-and"))
    assert all(links)
    text = number_pairs(*number_sides([*pairs, *outside]))
    ibm1 = Direction(text, backward=False)
    for _ in range(model.ITERATIONS):
        ibm1._train(hmm=False)
    expected = np.full(len(text.target.tokens), model.NO_LINK, np.int32)
    ibm1._link_outside(expected)
    start = text.target.starts[60]
    assert np.array_equal(alignment.forward[start:], expected[start:])


def test_progress_goes_from_nothing_to_everything():
    calls = []
    learn(PAIRS, progress=lambda *call: calls.append(call))
    for name in ("forward", "backward"):
        steps = [(done, total) for step, done, total in calls if step == name]
        assert steps[0] == (0, model.ITERATIONS + 1)
        assert steps[-1] == (model.ITERATIONS + 1, model.ITERATIONS + 1)


def test_a_line_that_was_never_cut_is_refused(tmp_path):
    long = ["x"] * 100_000
    with pytest.raises(InputError) as refused:
        align([(["a"], ["a"]), (long, ["a"])])
    assert refused.value.problems[0].line == 2
    with pytest.raises(InputError) as refused:
        learn([(long, ["a"])], names=(tmp_path / "s", tmp_path / "t"))
    (problem,) = refused.value.problems
    assert (problem.path, problem.line) == (str(tmp_path / "s"), 1)


def test_scores_of_all_links_and_of_pronouns():
    source = [["It", "is"], ["they"]]
    gold = [{(0, 0), (1, 1)}, {(0, 0)}]
    proposed = [{(0, 0), (0, 1)}, set()]
    assert score_links(proposed, gold) == LinkScore(correct=1, proposed=2, gold=3)
    score = score_links(proposed, gold, source, ("it",))
    assert (score.precision, score.recall, score.f1) == (0.5, 1.0, pytest.approx(2 / 3))
    nothing = score_links([set()], [set()])
    assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


@pytest.mark.slow
def test_quality_on_news_text():
    """Against GIZA++ links, trained on these 4,954 sentences alone."""
    source, target, gold = news_text()
    links = align(zip(source, target, strict=True))
    assert score_links(links, gold).f1 > 0.755
    assert score_links(links, gold, source, ("it", "they")).f1 > 0.733
