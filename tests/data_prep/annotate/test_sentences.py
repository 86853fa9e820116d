"""Sentences cut by rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.annotate.sentences import (
    is_caseless,
    sentences_of_lines,
    split_sentences,
)


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("en", ["It rains.", "We stay in."]),
        ("en", ["Dr. Smith met J. Doe in the U.S. Senate.", "Why?", "Nobody knows!"]),
        ("en", ["“Come in,” she said. “It is cold.”", "He came."]),
        ("en", ['"Come in."', '"No!"', "He left."]),
        ("en", ["It costs 3.50 dollars (or so).", "(Taxes are extra.)", "2 were sold."]),
        ("en", ["What? he asked.", "Nothing..."]),
        ("en", ["I do not know…", "Perhaps."]),
        ("de", ["Am 3. Mai kam z. B. Dr. Maier.", "„Gut!“", "Er ging."]),
        ("fr", ["« Oui. »", "Elle rit !", "Il part ?", "M. Dupont reste."]),
        ("es", ["Ya es tarde.", "¿Vienes?", "¡Claro!", "El Sr. Gil viene."]),
        ("ja", ["今日は雨です。", "家にいます。"]),
        ("xx", ["Nobody knows.", "This language has no list."]),
    ],
)
def test_sentences(language, sentences):
    joined = "".join(sentences) if language == "ja" else " ".join(sentences)
    assert split_sentences(joined, language) == _as_expected(sentences)


def _as_expected(sentences):
    """One case has two sentences inside quotation marks, which are cut as any others."""
    found = []
    for sentence in sentences:
        first, mark, second = sentence.partition(" “It")
        found += [first, f"“It{second}"] if mark else [first]
    return found


def test_tokenised_text_is_cut_at_the_same_places():
    text = 'he said : " It rains . " We stay . " Why ? "'
    assert split_sentences(text, "en") == ['he said : " It rains . "', "We stay .", '" Why ? "']


def test_text_without_capitals_is_cut_at_every_mark():
    lines = ["it rains . we stay in .", "why ? no idea ."] * 3
    assert is_caseless(lines)
    assert sentences_of_lines(lines, "en")[:2] == [
        ["it rains .", "we stay in ."],
        ["why ?", "no idea ."],
    ]
    assert not is_caseless(["It rains. We stay in."])


@given(st.text(alphabet="Ab1 .?!\"'“”…(„«»。-\t", max_size=60), st.sampled_from(["en", "de", "zz"]))
def test_nothing_is_lost_or_moved(text, language):
    sentences = split_sentences(text, language)
    assert all(one == one.strip() and one for one in sentences)
    assert "".join("".join(sentences).split()) == "".join(text.split())
