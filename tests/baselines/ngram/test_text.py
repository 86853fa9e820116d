"""Sentences from text and from five-column files.

Words of a text are numbered all at once as they are one by one.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.ngram.text import filled, read_sentences, split_lines, split_words
from crosspro.baselines.ngram.vocabulary import (
    LONGEST,
    PART,
    SPECIAL_WORDS,
    ModelVocabulary,
    TextWords,
    WordPlaces,
)
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Example, Gap
from tests.baselines.ngram.models import golden_a

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
    assert filled(Example(("it",), target, (), gaps)) == ["I", "I", "Mensch", "es"]


def test_inflected_targets_keep_their_case():
    gaps = (Gap(0, 0, "cela", "Cela"), Gap(2, 0, "OTHER", "NONE"), Gap(3, 0, "il", "a|b"))
    target = ("REPLACE_0", "A|B", "REPLACE_0", "REPLACE_0")
    example = Example(("it",), target, (), gaps, tagged=False)
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


@given(st.lists(st.text("aé \t\r\0\v\f\x1c\x85\u2028", max_size=8), max_size=8), st.booleans())
def test_lines_split_together_are_lines_split_one_by_one(texts, last):
    lines = [f"{text}\n".encode() for text in texts]
    if lines and last:
        lines[-1] = lines[-1][:-1]
    words, lengths = split_lines(lines)
    each = [split_words(line) for line in lines]
    assert list(words) == [word for line in each for word in line]
    assert lengths.tolist() == [len(line) for line in each]


SYLLABLES = st.sampled_from(["a", "b", "é", "語", "aaaaaaa", "x" * (PART - 1), "y" * (LONGEST - 2)])
WORDS = st.lists(SYLLABLES, min_size=1, max_size=5).map(lambda parts: "".join(parts).encode())


@given(st.sets(WORDS, max_size=20), st.lists(st.lists(WORDS, max_size=6), max_size=6))
def test_the_table_knows_what_the_dictionary_knows(known, sentences):
    vocabulary = ModelVocabulary.of([*SPECIAL_WORDS, *known])
    # Half of the words of the text are taken from the vocabulary, with others around them.
    lines = [b" ".join([*sentence, *known]) + b"\n" for sentence in sentences]
    words, _ = split_lines(lines)
    assert isinstance(words, TextWords)
    assert vocabulary.table.exact
    assert vocabulary.ids(words).tolist() == vocabulary.ids(list(words)).tolist()


def test_words_that_begin_alike_and_parts_of_words_are_told_apart():
    long = b"m" * LONGEST
    known = [b"m" * PART, b"m" * (PART + 1), long, long + b"m", b"il", b"ils"]
    vocabulary = ModelVocabulary.of([*SPECIAL_WORDS, *known])
    asked = [*known, b"i", b"ilss", b"m" * (PART + 2), long[1:], long + b"mm", b"</s>"]
    words, lengths = split_lines([b" ".join(asked)])
    assert lengths.tolist() == [len(asked)]
    assert vocabulary.ids(words).tolist() == [3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 2]


def test_words_with_the_same_key_are_not_confused():
    first, second = words_with_the_same_key()
    alone = ModelVocabulary.of([*SPECIAL_WORDS, first])
    both = ModelVocabulary.of([*SPECIAL_WORDS, first, second])
    text = TextWords(first + b" " + second, np.array([0, 17]), np.array([16, 33]))
    assert len(set(text.keys().tolist())) == 1
    assert alone.ids(text).tolist() == [3, 0]
    assert not both.table.exact
    assert both.ids(text).tolist() == [3, 4]


def words_with_the_same_key() -> tuple[bytes, bytes]:
    """Two words of two parts each; of the second one the second part makes up for the first."""
    first = b"abcdefghijklmnop"
    other = b"qrstuvwx" + bytes(PART)
    places = np.array([0]), np.array([2 * PART])
    keys = [WordPlaces(word, *places).keys() for word in (first, other)]
    second = other[:PART] + (keys[0] ^ keys[1]).tobytes()
    assert len(second.split()) == 1
    return first, second


def test_a_model_numbers_text_as_it_numbers_words():
    model = golden_a()
    words, _ = split_lines([b"w0 w1 nobody\n", b"\n", b" w4\tw6  w2 <s>"])
    assert isinstance(words, TextWords)
    assert model.ids(words).tolist() == model.ids(list(words)).tolist()


def test_the_empty_text_has_no_words():
    words, lengths = split_lines([])
    assert len(golden_a().ids(words)) == len(words) == len(lengths) == 0
