"""What single networks see, beyond what a loss would show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import AnnotatedSentence
from crosspro.prediction.neural.reading.vocabulary import UNK
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import (
    TASK,
    all_gaps,
    class_loss,
    parsed,
    prepared,
    system,
    text_of,
    with_field,
)

PARSE = {"source_tags": 4, "source_labels": 4, "head": True}


def changed_at_the_pronoun(text, field="source"):
    """The same text with another source word at each gap's source position."""
    source = text[field].clone()
    source[text.source.position] = UNK
    return with_field(text, field, source)


@pytest.mark.parametrize("inward", [False, True])
def test_source_streams_of_turku_begin_with_the_aligned_word(inward, train):
    made, text = prepared("turku_gru", train, {"inward": inward})
    with torch.inference_mode():
        made.network.embeddings["pronoun"].weight.zero_()
        first, other = (
            made.network(t, all_gaps(text)) for t in (text, changed_at_the_pronoun(text))
        )
    assert (first != other).any(dim=1).all()


def test_turku_reads_lemmas_of_the_source_if_asked_to(train, dev):
    """As in 2016 (003 §5.4): the lemma changes the scores, and no other word of the source."""
    lines = [parsed(e) for e in train]
    with pytest.raises(CrossproError):
        system("turku_gru", network={"source_lemmas": True}).fit(TASK, train, dev)
    made, text = prepared("turku_gru", lines, {"source_lemmas": True})
    assert "source_lemma" in text.fields and "source" not in text.fields
    changed = changed_at_the_pronoun(text, "source_lemma")
    with torch.inference_mode():
        first, other = (made.network(t, all_gaps(text)) for t in (text, changed))
    assert (first != other).any(dim=1).all()


def test_uppsala_sees_tags_labels_and_the_head_of_a_parse(train, dev, tmp_path):
    lines, dev_lines = ([parsed(e) for e in part] for part in (train, dev))
    made = system("uppsala_bilstm", epochs=1, network=PARSE)
    with pytest.raises(CrossproError):
        made.fit(TASK, train, dev)
    flat = [
        replace(e, source_parse=AnnotatedSentence(
            tuple(replace(token, head=-1) for token in e.source_parse.tokens)))
        for e in lines
    ]  # fmt: skip
    with pytest.raises(CrossproError):  # tags alone are no parse
        made.fit(TASK, flat, dev_lines)
    made.fit(TASK, lines, dev_lines)
    made.save(tmp_path)
    probabilities = made.predict(dev_lines)
    assert (load_system(tmp_path).predict(dev_lines) == probabilities).all()
    other = []
    for example in dev_lines:
        tokens = [replace(token, deprel="dep", head=0) for token in example.source_parse.tokens]
        other.append(replace(example, source_parse=AnnotatedSentence(tuple(tokens))))
    assert not np.allclose(made.predict(other), probabilities)
    with pytest.raises(CrossproError):
        made.predict(dev)


def test_scores_of_nyu_are_what_whole_sentences_have_with_each_class(train):
    """The log-probability of the sentence with a class in the gap, without the words before it."""
    made, text = prepared("nyu_nmt", train, {"class_loss": 0.0})
    gaps, network = all_gaps(text), made.network
    lengths = [len(e.target) - len(e.gaps) + 2 for e in train for _ in e.gaps]  # a class, the end
    before = []
    with torch.inference_mode():
        scores = network(text, gaps)
        for number in range(len(TASK.classes)):
            labelled = replace(text, label=torch.full_like(text.label, number))
            whole = -network.loss(labelled, gaps, class_loss()) * torch.tensor(lengths)
            before.append(whole - scores[:, number])
    assert all(torch.allclose(first, before[0], atol=1e-3) for first in before)
    assert (before[0] <= 1e-4).all()


@pytest.mark.parametrize(
    ("previous", "context"), [("none", 0), ("concatenated", 1), ("second_encoder", 1)]
)
def test_nyu_reads_the_sentence_before_if_asked_to(previous, context, train, dev):
    made, text = prepared("nyu_nmt", train, {"previous": previous}, context=context)
    far = text_of(system_with_context(made, 1), train)
    gap = int(torch.nonzero(far.source.low < far.source.start)[0])
    source = far["source"].clone()
    source[far.source.low[gap]] = UNK
    with torch.inference_mode():
        first, other = (
            made.network(t, torch.tensor([gap])) for t in (text, with_field(text, "source", source))
        )
    assert (first != other).any() == (previous != "none")
    if previous != "none":
        with pytest.raises(CrossproError):
            system("nyu_nmt", network={"previous": previous}).fit(TASK, train, dev)


def system_with_context(made, context):
    other = system(made.name, context=context)
    other.encoder = made.encoder
    return other


@pytest.mark.parametrize("side", ["source", "target"])
def test_the_cnn_reads_the_preceding_sentence_and_no_earlier_one(side, train, dev):
    made, _ = prepared("hardmeier_cnn", train, context=1)
    lines = [example for example in dev if example.document == dev[0].document]
    line = next(number for number, e in enumerate(lines) if number > 1 and e.gaps)
    before = sum(len(example.gaps) for example in lines[:line])
    gaps = torch.arange(before, before + len(lines[line].gaps))
    words = next(e for e in train if len(getattr(e, side)) > 4 and not e.gaps)
    for back, context, counts in ((1, 1, True), (1, 0, False), (2, 1, False), (2, 2, True)):
        old = lines[line - back]
        kept = {gap.position for gap in old.gaps} if side == "target" else set()
        new = tuple(
            token if n in kept else getattr(words, side)[n % 4]
            for n, token in enumerate(getattr(old, side))
        )
        other = [*lines]
        other[line - back] = replace(old, source=new) if side == "source" else old.with_target(new)
        reader = system_with_context(made, context)
        with torch.inference_mode():
            first, two = (made.network(text_of(reader, some), gaps) for some in (lines, other))
        assert (first != two).any() == counts, (back, context)
