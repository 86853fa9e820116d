"""Our own aligner on small texts, and on the news text where it is present."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosspro.data_prep.align.backends import (
    AlignerSettings,
    align_both_directions,
    align_corpus,
    beyond_limits,
    default_settings,
)
from crosspro.data_prep.align.blocks import paired_text
from crosspro.data_prep.align.prior import save_prior
from crosspro.data_prep.align.symmetrise import score_links
from crosspro.data_prep.align.text import make_form, numbered_text
from crosspro.data_prep.core.errors import InputError
from tests.data_prep.align.corpora import SOURCE, TARGET, made_up_text, news_text

WORD = AlignerSettings(form="word")
SMALL = replace(WORD, variational=0.0)


def paired(source, target, form=str.lower, longest=100, ratio=None):
    text = numbered_text(source, target, form, longest, ratio)
    return paired_text(text, lambda done, total: None)


words = st.lists(st.sampled_from("abcdefgh"), max_size=9)


@pytest.mark.parametrize("model", ["ibm1", "hmm"])
@pytest.mark.parametrize("variational", [0.0, 0.01])
def test_a_tiny_text_is_aligned(model, variational):
    chosen = replace(WORD, model=model, variational=variational)
    found = align_corpus(SOURCE, TARGET, chosen)
    assert found[0] == ((0, 0), (1, 1), (2, 2), (3, 3))
    assert found == align_corpus(SOURCE, TARGET, chosen)


@pytest.mark.parametrize("model", ["ibm1", "hmm"])
def test_swapped_words_are_found(model):
    source, target = made_up_text(300)
    gold = [
        {
            (i, j)
            for i, s in enumerate(a)
            for j, t in enumerate(b)
            if s[1:] == t[1:] and abs(i - j) < 2
        }
        for a, b in zip(source, target, strict=True)
    ]
    assert score_links(align_corpus(source, target, replace(WORD, model=model)), gold).f1 > 0.97


@settings(max_examples=40)
@given(st.lists(st.tuples(words, words), max_size=6), st.sampled_from(["ibm1", "hmm"]))
def test_any_text_gets_links_inside_it(pairs, model):
    source, target = [list(one) for one, _ in pairs], [list(other) for _, other in pairs]
    found = align_corpus(source, target, replace(WORD, model=model, max_length=6, iterations=3))
    assert len(found) == len(pairs)
    for links, one, other in zip(found, source, target, strict=True):
        assert all(s < len(one) and t < len(other) for s, t in links)
        assert list(links) == sorted(set(links))


def test_the_reverse_text_has_the_reverse_directions():
    source, target = made_up_text(40)
    one = align_both_directions(source, target, WORD)
    other = align_both_directions(target, source, WORD)
    for (forward, backward), (back, forth) in zip(one.directed, other.directed, strict=True):
        assert {(t, s) for s, t in forward} == set(forth)
        assert {(t, s) for s, t in backward} == set(back)


@pytest.mark.parametrize("model", ["ibm1", "hmm"])
def test_the_number_of_processes_changes_nothing(monkeypatch, tmp_path, model):
    """Neither links nor counts, with a prior and without; segments beyond the limits, too."""
    monkeypatch.setattr("crosspro.data_prep.align.blocks._BLOCK_CELLS", 2**12)
    monkeypatch.setattr("crosspro.data_prep.align.blocks._BATCH_CELLS", 2**10)
    monkeypatch.setattr("crosspro.data_prep.align.blocks._KEYS_AT_ONCE", 2**8)
    monkeypatch.setattr("crosspro.data_prep.align.text._PAIRS_AT_ONCE", 2**7)
    source, target = made_up_text(300)
    chosen = replace(WORD, model=model, max_length=8, back_off="ibm1")
    found = []
    for jobs in (1, 2, 3, 5):
        prior, kept = None, []
        for text in ((source[:150], target[:150]), (source[100:], target[100:])):
            alignment = align_both_directions(*text, chosen, prior, True, jobs)
            assert alignment.beyond
            prior = alignment.prior
            save_prior(tmp_path / "prior.npz", prior)
            kept += [list(alignment.directed), (tmp_path / "prior.npz").read_bytes()]
        found.append(kept)
    assert found == found[:1] * 4


def test_segments_without_words_have_no_links_and_long_ones_do():
    source, target = [*SOURCE, [], ["house"] * 150], [*TARGET, ["x"], ["maison"] * 150]
    found = align_corpus(source, target, replace(SMALL, max_length=20))
    assert found[: len(SOURCE)] == align_corpus(SOURCE, TARGET, replace(SMALL, max_length=20))
    assert found[len(SOURCE)] == ()
    assert set(found[-1]) >= {(place, place) for place in range(150)}


def test_a_long_segment_is_linked_by_ibm1_some_rows_at_a_time(monkeypatch):
    source, target = made_up_text(60)
    long = [word for sentence in source for word in sentence]
    other = [word for sentence in target for word in sentence]
    texts = [*source, long], [*target, other]
    at_once = align_corpus(*texts, WORD)
    assert score_links([at_once[-1]], [{(n, n) for n in range(len(long))}]).recall > 0.8
    monkeypatch.setattr("crosspro.data_prep.align.model._LONG_CELLS", 1000)
    assert align_corpus(*texts, WORD) == at_once


def outside_text():
    """A text with a segment that is too long and one that is too unequal."""
    source, target = made_up_text(60)
    long = [[word for sentence in side for word in sentence] for side in (source, target)]
    Random(1).shuffle(long[1])  # an order that no model expects
    return [*source, long[0], source[0][:1]], [*target, long[1], long[1][:20]]


def test_segments_beyond_the_limits_are_counted_and_not_learnt_from():
    texts = outside_text()
    limited = replace(WORD, max_ratio=9.0)
    assert beyond_limits(*texts, WORD) == 1
    assert beyond_limits(*texts, limited) == 2
    assert beyond_limits([[], ["a"]], [["b"] * 20, ["b"] * 9], limited) == 0
    text = paired(*texts, ratio=limited.max_ratio)
    assert text.outside.tolist() == [60, 61]
    learnt = [n for block in text.blocks for batch in block.batches for n in batch.segments]
    assert sorted(learnt) == list(range(60))


def test_the_back_off_is_an_ibm1_of_its_own():
    """003 §3.3.1: what GIZA++ could not take was left to fast_align."""
    texts = outside_text()
    same = replace(WORD, max_ratio=9.0)
    backed = align_corpus(*texts, replace(same, back_off="ibm1"), jobs=1)
    ibm1 = align_corpus(*texts, replace(same, model="ibm1"), jobs=1)
    hmm = align_corpus(*texts, same, jobs=1)
    assert backed[:60] == hmm[:60]
    assert backed[60:] == ibm1[60:]
    assert all(backed[60:])
    assert backed[60:] != hmm[60:]


def test_a_prefix_brings_forms_together_and_lower_case_too():
    form = make_form("prefix", 5)
    text = paired([["Nation", "nationale"]], [["nations"]], form)
    assert list(text.source.words) == ["natio"]
    assert make_form("word", 5)("Nationale") == "nationale"


def test_pairs_are_numbered_alike_in_all_blocks(monkeypatch):
    monkeypatch.setattr("crosspro.data_prep.align.blocks._BLOCK_CELLS", 500)
    monkeypatch.setattr("crosspro.data_prep.align.blocks._BATCH_CELLS", 300)
    source, target = made_up_text(50)
    text = paired(source, target)
    assert len(text.blocks) > 3
    left, right = text.keys.words_of(np.arange(text.keys.size))
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
                assert (
                    text.keys.numbers(*np.broadcast_arrays(a[None, :], b[:, None])) == cells
                ).all()
    assert sorted(seen) == list(range(50))


def test_progress_goes_from_nothing_to_everything():
    calls = []
    align_both_directions(SOURCE, TARGET, WORD, jobs=1, progress=lambda *call: calls.append(call))
    for name in ("forward", "backward"):
        steps = [(done, total) for called, done, total in calls if called == name]
        assert steps[0][0] == 0
        assert steps[-1][0] == steps[-1][1] == WORD.iterations + 1
    told = []
    align_corpus(SOURCE, TARGET, WORD, jobs=1, progress=told.append)
    assert told[1:3] == ["forward", "forward: 10%"]
    assert told[-1] == "backward: 100%"
    assert len(set(told)) == len(told)


def test_faulty_settings_are_named_together():
    wrong = AlignerSettings(
        "ibm4", form="stem", null=1.5, prefix_length=0, max_ratio=0.5, back_off="hmm"
    )
    with pytest.raises(InputError) as caught:
        wrong.check()
    assert [problem.field for problem in caught.value.problems] == [
        "model",
        "form",
        "prefix_length",
        "null",
        "max_ratio",
        "back_off",
    ]
    with pytest.raises(InputError):
        align_corpus(SOURCE, TARGET[1:], WORD)
    with pytest.raises(InputError):
        align_corpus(SOURCE, TARGET, replace(WORD, iterations=0))


def test_the_task_gives_the_symmetrisation(en_fr):
    chosen = default_settings(en_fr)
    assert chosen.symmetrisation == en_fr.symmetrisation
    assert chosen.model == "hmm"
    assert (chosen.max_length, chosen.max_ratio, chosen.back_off) == (100, 9.0, "ibm1")


@pytest.mark.slow
def test_quality_on_news_text():
    """Against GIZA++ links, trained on these 4,954 sentences alone (issue: .74 and .73)."""
    source, target, gold = news_text()
    found = align_corpus(source, target, AlignerSettings())
    assert score_links(found, gold).f1 > 0.755
    assert score_links(found, gold, source, ("it", "they")).f1 > 0.733
