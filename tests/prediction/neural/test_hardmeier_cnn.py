"""The convolutional network of UU-Hardmeier 2017: which words it hears, and where."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from crosspro.data_prep.core.example import Example, Gap
from crosspro.prediction.neural.reading.encoding import encode
from crosspro.prediction.neural.reading.tensors import gap_tensors
from tests.prediction.neural.small import TASK, prepared


def document(dev):
    """A document, and a line of it that has a gap and two lines before."""
    lines = [example for example in dev if example.document == dev[0].document]
    return lines, next(number for number, e in enumerate(lines) if number > 1 and e.gaps)


def scores(made, lines, context=1):
    data = encode(lines, made.encoder, TASK)
    tensors = gap_tensors(data, context)
    with torch.inference_mode():
        return made.network(tensors, torch.arange(len(tensors.label)))


def rows(lines, line):
    """The numbers of the gaps of a line."""
    before = sum(len(example.gaps) for example in lines[:line])
    return list(range(before, before + len(lines[line].gaps)))


@pytest.mark.parametrize("side", ["source", "target"])
def test_the_preceding_sentence_is_heard_and_no_earlier_one(side, train, dev):
    made, _ = prepared("hardmeier_cnn", train, context=1)
    lines, line = document(dev)
    known = [example for example in train if len(getattr(example, side)) > 4 and not example.gaps]
    for back, context, heard in ((1, 1, True), (1, 0, False), (2, 1, False), (2, 2, True)):
        old = lines[line - back]
        words = [getattr(known[0], side)[place % 4] for place in range(len(getattr(old, side)))]
        kept = {gap.position for gap in old.gaps} if side == "target" else set()
        words = [getattr(old, side)[n] if n in kept else word for n, word in enumerate(words)]
        other = [*lines]
        source = side == "source"
        other[line - back] = replace(old, source=tuple(words)) if source else old.with_target(words)
        one, two = (scores(made, some, context)[rows(lines, line)] for some in (lines, other))
        assert (one != two).any() == heard, (back, context)


def test_two_gaps_of_a_sentence_are_told_apart(train):
    made, _ = prepared("hardmeier_cnn", train, context=1)
    gaps = (Gap(0, 0, "il"), Gap(3, 0, "elle"))
    words = ("REPLACE_0", "être|VER", "et|KON", "REPLACE_0", "être|VER")
    found = scores(made, [Example.of_tokens(("it", "is"), words, (), gaps)])
    assert not torch.allclose(found[0], found[1])


def test_long_sentences_are_cut_on_both_sides_of_the_gap(train):
    made, _ = prepared("hardmeier_cnn", train, {"window": 2}, context=1)
    words = [e.target[0] for e in train if not e.gaps][:9]
    words[4] = "REPLACE_0"
    line = Example.of_tokens(("it",), tuple(words), (), (Gap(4, 0, "il"),))
    expected = scores(made, [line])
    for place in (0, 1, 7, 8):
        other = line.with_target((*words[:place], "manger|VER", *words[place + 1 :]))
        assert torch.equal(scores(made, [other]), expected)


def test_a_gap_without_a_word_before_it_hears_nothing_there(train):
    """The first sentence of a document has no preceding one."""
    made, _ = prepared("hardmeier_cnn", train, context=1)
    first = next(example for example in train if example.gaps)
    alone = scores(made, [first])
    with torch.no_grad():
        for filters in made.network.earlier.values():
            filters.convolution.bias.add_(100.0)
    assert torch.equal(scores(made, [first]), alone)
