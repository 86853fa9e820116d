"""The aligner on small texts, and on the news text where it is present."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from crosspro.data_prep.align import model, numbering
from crosspro.data_prep.align.align import (
    AlignerSettings,
    align,
    default_settings,
    learn,
    read_token_pairs,
    segments_beyond_limits,
)
from crosspro.data_prep.align.numbering import number_pairs, number_sides, word_form
from crosspro.data_prep.align.symmetrise import LinkScore, score_links
from crosspro.data_prep.core.errors import InputError
from tests.data_prep.align.corpora import PAIRS, made_up_pairs, news_text

WORD = AlignerSettings(form="word")
words = st.lists(st.sampled_from("abcdefgh"), max_size=9)


@pytest.mark.parametrize("kind", ["ibm1", "hmm"])
@pytest.mark.parametrize("variational", [0.0, 0.01])
def test_a_tiny_text_is_aligned(kind, variational):
    chosen = replace(WORD, model=kind, variational=variational)
    links = align(PAIRS, settings=chosen)
    assert links[0] == ((0, 0), (1, 1), (2, 2), (3, 3))
    assert links == align(PAIRS, settings=chosen)


@pytest.mark.parametrize("kind", ["ibm1", "hmm"])
def test_swapped_words_are_found(kind):
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
    assert score_links(align(pairs, settings=replace(WORD, model=kind)), gold).f1 > 0.97


@settings(max_examples=40)
@given(st.lists(st.tuples(words, words), max_size=6), st.sampled_from(["ibm1", "hmm"]))
def test_any_text_gets_links_inside_it(pairs, kind):
    chosen = replace(WORD, model=kind, max_length=6, iterations=3)
    aligned = align(pairs, settings=chosen)
    assert len(aligned) == len(pairs)
    for links, (source, target) in zip(aligned, pairs, strict=True):
        assert all(s < len(source) and t < len(target) for s, t in links)
        assert list(links) == sorted(set(links))


def test_the_reverse_text_has_the_reverse_directions():
    pairs = made_up_pairs(40)
    there = learn(pairs, settings=WORD)
    back = learn([(target, source) for source, target in pairs], settings=WORD)
    assert np.array_equal(there.forward, back.backward)
    assert np.array_equal(there.backward, back.forward)


def small_blocks(monkeypatch):
    monkeypatch.setattr(numbering, "_BLOCK_CELLS", 2**12)
    monkeypatch.setattr(numbering, "_BATCH_CELLS", 2**10)
    monkeypatch.setattr(numbering, "_KEYS_AT_ONCE", 2**8)
    monkeypatch.setattr(model, "_PAIRS_AT_ONCE", 2**7)


def test_the_number_of_threads_changes_nothing(monkeypatch):
    """Neither links nor counts, with a prior and without; segments beyond the limits, too."""
    small_blocks(monkeypatch)
    pairs = made_up_pairs(300)
    chosen = replace(WORD, max_length=8, back_off="ibm1")
    results = []
    for jobs in (1, 3):
        first = learn(pairs[:150], settings=chosen, jobs=jobs)
        second = learn(pairs[100:], first.prior(), chosen, jobs)
        assert second.backed_off
        results.append((second.forward, second.backward, second.prior().forward.pairs))
    for left, right in zip(*results, strict=True):
        assert np.array_equal(left, right)


def test_pairs_are_numbered_alike_in_all_blocks(monkeypatch):
    small_blocks(monkeypatch)
    pairs = made_up_pairs(50)
    text = number_pairs(*number_sides(pairs, str.lower, ({}, {})), 100, None)
    assert len(text.blocks) > 1
    left, right = text.pair_words
    seen = []
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


def test_a_prefix_brings_forms_together_and_lower_case_too():
    source, _ = number_sides([(["Nation", "nationale"], ["x"])], word_form("prefix", 5), ({}, {}))
    assert list(source.words) == ["natio"]
    assert word_form("word", 5)("Nationale") == "nationale"


def test_segments_without_words_have_no_links_and_long_ones_do():
    chosen = replace(WORD, variational=0.0, max_length=20)
    links = align([*PAIRS, ([], ["x"]), (["house"] * 150, ["maison"] * 150)], settings=chosen)
    assert links[: len(PAIRS)] == align(PAIRS, settings=chosen)
    assert links[len(PAIRS)] == ()
    assert set(links[-1]) >= {(place, place) for place in range(150)}


def pairs_with_outside():
    """A text with a segment that is too long and one that is too unequal."""
    pairs = made_up_pairs(60)
    long = [[word for pair in pairs for word in pair[side]] for side in (0, 1)]
    Random(1).shuffle(long[1])  # an order that no model expects
    return [*pairs, (long[0], long[1]), (pairs[0][0][:1], long[1][:20])]


def test_segments_beyond_the_limits_are_counted_and_not_learnt_from():
    pairs = pairs_with_outside()
    limited = replace(WORD, max_ratio=9.0)
    lengths = [(len(source), len(target)) for source, target in pairs]
    assert segments_beyond_limits(lengths, WORD) == 1
    assert segments_beyond_limits(lengths, limited) == 2
    assert segments_beyond_limits([(0, 20), (1, 9)], limited) == 0
    alignment = learn(pairs, settings=limited)
    assert alignment.text.outside == [60, 61]
    blocks = alignment.text.blocks
    learnt = [n for block in blocks for batch in block.batches for n in batch.segments]
    assert sorted(learnt) == list(range(60))


def test_the_back_off_is_an_ibm1_of_its_own():
    """003 §3.3.1, 004 §3.3: what GIZA++ could not take was left to fast_align."""
    pairs = pairs_with_outside()
    same = replace(WORD, max_ratio=9.0)
    backed = align(pairs, settings=replace(same, back_off="ibm1"))
    ibm1 = align(pairs, settings=replace(same, model="ibm1"))
    hmm = align(pairs, settings=same)
    assert backed[:60] == hmm[:60]
    assert backed[60:] == ibm1[60:]
    assert all(backed[60:])
    assert backed[60:] != hmm[60:]


def test_progress_goes_from_nothing_to_everything():
    calls = []
    learn(PAIRS, settings=WORD, progress=lambda *call: calls.append(call))
    for name in ("forward", "backward"):
        steps = [(done, total) for step, done, total in calls if step == name]
        assert steps[0][0] == 0
        assert steps[-1][0] == steps[-1][1] == WORD.iterations + 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": "ibm4"},
        {"form": "stem"},
        {"symmetrisation": "grow"},
        {"null": 1.5},
        {"prefix_length": 0},
        {"max_ratio": 0.5},
        {"back_off": "hmm"},
    ],
)
def test_faulty_settings_are_refused(wrong):
    with pytest.raises(ValidationError):
        AlignerSettings(**wrong)


def test_nothing_can_be_linked_without_passes_or_a_prior():
    with pytest.raises(InputError):
        align(PAIRS, settings=replace(WORD, iterations=0))


def test_a_line_that_was_never_cut_is_refused(tmp_path):
    long = ["x"] * 100_000
    with pytest.raises(InputError) as refused:
        align([(["a"], ["a"]), (long, ["a"])])
    assert refused.value.problems[0].line == 2
    (tmp_path / "s").write_text("a\n" + " ".join(long) + "\n", "utf-8")
    with pytest.raises(InputError) as refused:
        read_token_pairs(tmp_path / "s", tmp_path / "s")
    assert (refused.value.problems[0].path, refused.value.problems[0].line) == (
        str(tmp_path / "s"),
        2,
    )


def test_the_task_gives_the_symmetrisation(en_fr):
    chosen = default_settings(en_fr)
    assert chosen.symmetrisation == en_fr.symmetrisation
    assert (chosen.max_length, chosen.max_ratio, chosen.back_off) == (100, 9.0, "ibm1")


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
    """Against GIZA++ links, trained on these 4,954 sentences alone (issue: .74 and .73)."""
    source, target, gold = news_text()
    links = align(zip(source, target, strict=True))
    assert score_links(links, gold).f1 > 0.755
    assert score_links(links, gold, source, ("it", "they")).f1 > 0.733
