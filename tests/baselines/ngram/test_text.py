"""Sentences from text and from five-column files."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.ngram.text import filled, read_sentences, split_words
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


@given(st.text("aé \t\r\0\v\f\x1c\x85\u2028", max_size=8))
def test_words_lie_between_the_spaces_of_kenlm(text):
    line = text.encode()
    assert split_words(line) == [word for word in re.split(rb"[ \t\r\n\0]+", line) if word]
