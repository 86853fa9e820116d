"""Cuts in the flat text: where sentences begin and end, and what a number of a word carries."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from crosspro.prediction.neural.reading.encoding import EncodedText, Reading, fit_and_encode
from crosspro.prediction.neural.reading.fields import LEMMA, SOURCE
from crosspro.prediction.neural.reading.tensors import (
    gap_tensors,
    pick,
    span,
)
from crosspro.prediction.neural.training.data import training_data
from crosspro.prediction.neural.training.settings import Training
from tests.prediction.neural.small import TASK


def test_a_gap_knows_where_its_own_sentence_begins_whatever_the_context(train):
    _, data = fit_and_encode(train, Reading((SOURCE, LEMMA)), TASK)
    near, far = gap_tensors(data), gap_tensors(data, context=2)
    for side in ("source", "target"):
        low, start = (getattr(far, f"{side}_{name}") for name in ("low", "start"))
        assert torch.equal(start, getattr(near, f"{side}_low"))
        assert torch.equal(start, getattr(near, f"{side}_start"))
        assert (low < start).any()
        assert (start <= getattr(far, f"{side}_position")).all()
    lengths = [len(example.source) for example in train for _ in example.gaps]
    assert (far.source_high - far.source_start).tolist() == lengths


def test_a_span_is_cut_at_its_end_and_at_its_width():
    flat = torch.arange(10) + 1
    places, lengths = span(torch.tensor([0, 2, 4, 10]), torch.tensor([3, 9, 4, 10]), 4)
    assert lengths.tolist() == [3, 4, 0, 0]
    assert pick(flat, places, lengths).tolist() == [
        [1, 2, 3, 0], [3, 4, 5, 6], [0, 0, 0, 0], [0, 0, 0, 0],
    ]  # fmt: skip


def test_gaps_may_read_back_by_different_numbers_of_sentences(train):
    _, data = fit_and_encode(train, Reading((SOURCE, LEMMA)), TASK)
    contexts = np.arange(len(data.label), dtype=np.int32) % 3
    mixed = gap_tensors(data, contexts)
    for number in range(3):
        same, own = gap_tensors(data, number), torch.from_numpy(contexts == number)
        for side in ("source", "target"):
            low = f"{side}_low"
            assert torch.equal(getattr(mixed, low)[own], getattr(same, low)[own])


def test_a_share_of_the_training_gaps_has_a_short_context(train):
    _, data = fit_and_encode(train, Reading((SOURCE, LEMMA)), TASK)
    kept = training_data(data, data, TASK, Training(context=2))
    cut = training_data(data, data, TASK, Training(context=2, short_context=1.0))
    own = kept.train.target_start - kept.train.target_low
    shorter = cut.train.target_start - cut.train.target_low
    assert (shorter <= own).all() and (shorter < own).any()
    assert torch.equal(cut.dev.target_low, kept.dev.target_low)  # dev is read as it is


@st.composite
def texts(draw):
    """The places of sentences, documents and gaps, without words."""
    sizes = draw(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 6)), min_size=1, max_size=8))
    source, target = (np.cumsum([0, *side]) for side in zip(*sizes, strict=True))
    first = np.zeros(len(sizes), int)
    for number in range(1, len(sizes)):
        first[number] = first[number - 1] if draw(st.booleans()) else number
    gaps = [
        (
            number,
            place,
            draw(st.integers(source[number], max(source[number], source[number + 1] - 1))),
        )
        for number in range(len(sizes))
        for place in range(target[number], target[number + 1])
        if draw(st.booleans())
    ]
    sentence, places, pronouns = (
        np.array([gap[at] for gap in gaps], dtype=np.int32) for at in range(3)
    )
    nothing = np.zeros(len(gaps), np.int32)
    return EncodedText({}, {}, source, target, first, sentence, places, pronouns, pronouns, nothing)


@given(text=texts(), context=st.integers(0, 3), together=st.integers(1, 9))
def test_gaps_that_are_read_together_stand_near_each_other_in_one_document(text, context, together):
    alone, spans = text.spans(context), text.spans(context, together)
    for side, places in (("target", text.target_position), ("source", text.source_position)):
        first, last, low, high = (
            getattr(spans, f"{side}_{name}") for name in ("from", "to", "low", "high")
        )
        assert (last - first <= together).all()
        assert (first <= places).all() and (places <= last).all()
        assert (getattr(alone, f"{side}_low") >= low).all()
        assert (getattr(alone, f"{side}_high") <= high).all()
    assert (np.diff(spans.row) >= 0).all() and (np.diff(spans.row) <= 1).all()
    document = text.first_of_document[text.sentence]
    for row in range(int(spans.row.max(initial=-1)) + 1):
        own = spans.row == row
        assert len(set(document[own])) == 1
        assert len(set(spans.target_low[own])) == 1


@given(text=texts(), context=st.integers(0, 3))
def test_alone_each_gap_has_a_row(text, context):
    spans = text.spans(context)
    assert spans.row.tolist() == list(range(len(text.label)))
    assert np.array_equal(spans.target_from, text.target_position)
    assert np.array_equal(spans.source_to, text.source_position)
