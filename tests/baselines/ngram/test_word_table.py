"""Words of a text are numbered all at once as they are one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.ngram.sentences import split_lines
from crosspro.baselines.ngram.vocabulary import SPECIAL_WORDS, ModelVocabulary
from crosspro.baselines.ngram.word_table import LONGEST, PART, TextWords, WordPlaces
from tests.baselines.ngram.models import golden_a

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
