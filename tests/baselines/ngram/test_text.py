"""Sentences from text and from five-column files."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.ngram.model import Numbering, Words
from crosspro.baselines.ngram.text import filled, read_sentences, split_lines
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Example, Gap

LINES = (
    "elle\tElle|PRO\tit is red\tREPLACE_0 être|VER rouge|ADJ\t0-0\n"
    "OTHER il\tNONE|NONE Il|PRO\tit it\tREPLACE_0 donc|ADV REPLACE_1\t0-0\n"
    "\t\tThank you\tmerci|NOM\t\n"
)


def sentences(path, task):
    batches = read_sentences([path], task)
    return [[word.decode() for word in words] for batch in batches for words in batch.sentences]


def test_gold_words_fill_the_gaps_of_lemmatised_targets(tmp_path, en_fr):
    (tmp_path / "x.data").write_text(LINES, encoding="utf-8")
    assert sentences(tmp_path / "x.data", en_fr) == [
        ["elle", "être", "rouge"],
        ["donc", "il"],
        ["merci"],
    ]


def test_words_of_other_keep_the_case_that_lemmas_have():
    gaps = (Gap(0, 0, "OTHER", "I|PRON"), Gap(2, 0, "OTHER", "Mensch|NOUN"), Gap(3, 0, "es", "Es"))
    target = ("REPLACE_0", "I|PRON", "REPLACE_0", "REPLACE_0")
    assert filled(Example.of_tokens(("it",), target, (), gaps)) == ["I", "I", "Mensch", "es"]


def test_inflected_targets_keep_their_case():
    gaps = (Gap(0, 0, "cela", "Cela"), Gap(2, 0, "OTHER", "NONE"), Gap(3, 0, "il", "a|b"))
    target = ("REPLACE_0", "A|B", "REPLACE_0", "REPLACE_0")
    example = Example.of_tokens(("it",), target, (), gaps, tagged=False)
    assert filled(example) == ["Cela", "A|B", "a|b"]


def test_gaps_without_gold_words_are_named(tmp_path, en_fr):
    blind = "\t\tIt rains .\tREPLACE_0 pleuvoir|VER .|.\t0-0\n"
    (tmp_path / "x.data").write_text(LINES + blind + blind, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        sentences(tmp_path / "x.data", en_fr)
    assert [problem.line for problem in caught.value.problems] == [4, 5]
    assert "a gold word for every gap" in str(caught.value)


def test_lines_are_counted_across_batches(tmp_path):
    (tmp_path / "x").write_text("a\n" * 10_000 + "b")
    batches = list(read_sentences([tmp_path / "x"]))
    assert len(batches) > 1
    assert [batch.first_line for batch in batches][1] == len(batches[0].lengths) + 1
    assert sum(len(batch.lengths) for batch in batches) == 10_001


@given(st.lists(st.text("aé \t\r\0\v\f\x1c\x85\u2028", max_size=8), min_size=1))
def test_words_lie_between_the_spaces_of_kenlm(given_lines):
    lines = [line.encode() for line in given_lines]
    words, lengths = split_lines(b"\n".join(lines))
    each = [[word for word in re.split(rb"[ \t\r\0]+", line) if word] for line in lines]
    assert [*words] == [word for line in each for word in line]
    expected = [*map(len, each)]
    assert lengths.tolist() == (expected if lines[-1] else expected[:-1] or [0])


@given(st.lists(st.text("ab\0é", max_size=30).map(str.encode), unique=True))
def test_different_words_have_different_hashes(words):
    hashes = Words.of([*words, *words]).hashes().tolist()
    assert hashes[: len(words)] == hashes[len(words) :]
    assert len(set(hashes)) == len(words)


def test_words_are_numbered_as_they_come():
    numbering = Numbering()
    assert numbering.of(Words.of([b"b", b"longer than a piece", b"b"])).tolist() == [3, 4, 3]
    assert numbering.of(Words.of([b"a", b"longer than a piece", b"</s>"])).tolist() == [5, 4, 2]
    assert numbering.words[3:] == [b"b", b"longer than a piece", b"a"]
