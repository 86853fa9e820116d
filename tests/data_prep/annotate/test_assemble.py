"""Tokens from what a backend says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.annotate.tags import LONGEST, Assembler, presentable


def test_the_fine_tag_goes_before_the_universal_one():
    assembler = Assembler("de", "universal", "stts")
    assert assembler.token("darauf", "darauf", "PROAV", "ADV").tag == "PRON"
    assert assembler.token("darauf", "darauf", "???", "ADV").tag == "ADV"
    assert assembler.token("darauf", "darauf", None, "ADV").tag == "ADV"
    assert assembler.token("darauf", "darauf").tag == "X"


def test_pronouns_get_the_lemma_of_the_table():
    token = Assembler("fr", "treetagger-fr", "ud").token("Elles", "lui", "PRON", "PRON")
    assert (token.form, token.lemma, token.tag) == ("Elles", "elle", "PRON")
    assert Assembler("fr", "none", "ud").token("la", "la", "DET", "DET").lemma == "le"


def test_long_words_are_their_own_lemmas():
    word = "x" * (LONGEST + 1)
    assert Assembler("en", "universal").token(word, "y", None, "NOUN").lemma == word
    assert len(presentable(word)) == LONGEST


@given(st.text(max_size=200), st.text(max_size=20), st.sampled_from(["VVZ", "", "NP0"]))
def test_forms_stay_and_lemmas_are_one_word(form, lemma, tag):
    token = Assembler("en", "universal", "c5").token(form, lemma, tag)
    assert token.form == form
    assert token.tag
    assert " " not in token.lemma
    shown = presentable(form)
    assert shown and not any(character.isspace() for character in shown)
    assert len(shown) <= LONGEST
