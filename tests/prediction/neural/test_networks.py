"""What single networks see, beyond what a loss would show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import SIDES, AnnotatedSentence
from crosspro.prediction.neural.network_settings import network_settings
from crosspro.prediction.neural.networks.turku_gru import TurkuGRUSettings
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


def test_nyu_needs_a_context_to_read_the_sentence_before(train, dev):
    for previous in ("concatenated", "second_encoder"):
        with pytest.raises(CrossproError):
            system("nyu_nmt", network={"previous": previous}).fit(TASK, train, dev)


@pytest.mark.parametrize(
    ("name", "network", "sides"),
    [
        ("hardmeier_cnn", {}, SIDES),
        ("document_encoder", {}, SIDES),
        ("nyu_nmt", {"previous": "concatenated"}, ["source"]),
        ("nyu_nmt", {"previous": "second_encoder"}, ["source"]),
        ("nyu_nmt", {"previous": "none"}, []),
    ],
)
def test_sentences_are_read_as_far_back_as_the_context(name, network, sides, train, dev):
    made, _ = prepared(name, train, network, context=1)
    lines = [example for example in dev if example.document == dev[0].document]
    place = next(number for number, e in enumerate(lines) if number > 1 and e.gaps)
    gap = torch.tensor([sum(len(example.gaps) for example in lines[:place])])
    for side, word in (("source", "the"), ("target", "de|PRP")):
        for back, is_read in ((1, side in sides), (2, False)):
            old, other = lines[place - back], [*lines]
            gaps = {gap.position for gap in old.gaps} if side == "target" else set()
            new = tuple(t if n in gaps else word for n, t in enumerate(getattr(old, side)))
            changed = replace(old, source=new) if side == "source" else old.with_target(new)
            other[place - back] = changed
            with torch.inference_mode():
                first, two = (made.network(text_of(made, some), gap) for some in (lines, other))
            assert (first != two).any() == is_read, (side, back)


def test_a_network_that_could_not_be_found_again_is_refused():
    misnamed = TurkuGRUSettings()
    object.__setattr__(misnamed, "name", "mean_words")
    with pytest.raises(ValueError, match="turku_gru"):
        network_settings(misnamed)
