"""The payload of an output: parts, sentences, shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.metrics.expected_forms.outputs import (
    SEPARATORS,
    chosen_part,
    last_sentences,
    last_share,
    split_parts,
    split_sentences,
)


def test_parts_at_any_separator():
    assert split_parts("a <eos> b<SEP>c <EOS>", SEPARATORS) == ["a", "b", "c", ""]
    assert split_parts("a <eos> b", ("||",)) == ["a <eos> b"]
    assert split_parts("a.b", (".",)) == ["a", "b"]


def test_a_part_is_counted_from_either_end():
    parts = ["a", "b", "c"]
    found = [chosen_part(parts, number) for number in (1, 3, 4, -1, -3, -4)]
    assert found == ["a", "c", None, "c", "a", None]


@pytest.mark.parametrize(
    ("language", "text", "last"),
    [
        ("fr", "Où est la clé ? M. Dupont travaille. Mais le voilà, dit-il.", 2),
        ("fr", "Regarde ça ! la a-t-elle compris ?", 0),
        ("fr", "« Oui. » Elle dort.", 1),
        ("fr", "Il lit « Le Monde » Il dort.", 0),
        ("fr", "Il attend... Elle vient.", 1),
        ("de", "Am 3. Mai kam er. Er ging.", 1),
        ("de", "Er sah z. B. Berlin.", 0),
        ("es", "¿Dónde está? ¡Ahí está!", 1),
        ("en", "J. Smith came. 2 left.", 1),
    ],
)
def test_sentences(language, text, last):
    sentences = split_sentences(text, language)
    assert len(sentences) == last + 1
    assert " ".join(sentences) == text
    assert last_sentences(text, language, 1) == sentences[-1]
    assert last_sentences(text, language, 9) == text


@given(st.text(alphabet="aA.!?»' \t3", max_size=40), st.sampled_from(("fr", "de", "xx")))
def test_sentences_lose_no_word(text, language):
    assert " ".join(split_sentences(text, language)).split() == text.split()


def test_a_share_of_the_words():
    source = ("one two three", "four")
    assert last_share("a b c d e f g h", source, "four", 1.0) == "g h"
    assert last_share("a b c d e f g h", source, "four", 2.0) == "e f g h"
    assert last_share("a b", source, "four", 9.0) == "a b"
    assert last_share("a b", source, "", 1.0) == "b"
    assert last_share("", source, "four", 1.0) == ""
