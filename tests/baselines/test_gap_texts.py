"""Lines as a language model reads them: the words of the parts between gaps, by number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.gap_texts import GapTextReader, target_words
from crosspro.baselines.ngram.arpa import read_arpa
from crosspro.data_prep.core.example import Example
from tests.conftest import GOLDEN

MODEL = read_arpa(GOLDEN / "lm_baseline" / "toy.fr.arpa")
# Tokens of one word, of none and of several (no-break spaces, which readers leave in), and gaps.
TOKENS = ("il|PRO", "venir|VER", "xyz", "|PUN", "à\u00a0il|X", "être|VER", "REPLACE_0", "REPLACE_1")
LINES = st.lists(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=12), max_size=4)


def parts_of(texts):
    """The numbers of each part of each line."""
    found = []
    for first, gaps in zip(texts.first, texts.gaps, strict=True):
        rows = range(first, first + gaps + 1)
        pieces = [(texts.starts[row], texts.lengths[row]) for row in rows]
        found.append([texts.ids[start : start + length].tolist() for start, length in pieces])
    return found


@given(LINES)
def test_the_words_of_lines_are_those_of_the_released_program(lines):
    examples = [Example((), tuple(line), (), ()) for line in lines]
    expected = [[MODEL.ids(part).tolist() for part in target_words(one)] for one in examples]
    reader = GapTextReader(MODEL)
    assert parts_of(reader.read(examples)) == expected
    assert parts_of(reader.read(examples)) == expected


@given(LINES, st.integers(0, 3))
def test_near_gaps_are_the_words_before_and_after_them(lines, reach):
    examples = [Example((), tuple(line), (), ()) for line in lines]
    whole = GapTextReader(MODEL).read(examples)
    for parts, near in zip(parts_of(whole), parts_of(whole.near_gaps(reach)), strict=True):
        for number, (words, kept) in enumerate(zip(parts, near, strict=True)):
            places = range(len(words))
            after = [place for place in places if number and place < reach]
            last = number == len(parts) - 1
            before = [place for place in places if not last and place >= len(words) - reach]
            assert kept == [words[place] for place in sorted({*after, *before})]
