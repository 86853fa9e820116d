"""Lexicons of a side with several languages: one, in which what differs tells nothing."""

from __future__ import annotations

from crosspro.data_prep.core.task import load_task
from crosspro.prediction.neural.reading.lexicon_fields import (
    lexicons_for,
    noun_lists,
    source_agreement,
    text_of_all,
)

FRENCH = ["la fin est ici", "la maison est ici", "la place est ici", "une fin", "une maison"] * 4
SPANISH = ["el fin es bueno", "el libro es bueno", "un fin", "un libro"] * 4
ENGLISH = ["the place is old", "a place is here", "the house is old"] * 4
BOTH = {"source": "induced", "target": "induced"}


def text(side, language, lines):
    return {side: {language: (line.split() for line in lines)}}


def test_what_differs_between_the_readings_of_a_word_is_not_told():
    parts = (
        text("source", "fr", FRENCH), text("source", "es", SPANISH), text("source", "en", ENGLISH),
    )  # fmt: skip
    found = lexicons_for(BOTH, text_of_all(parts))
    assert list(found) == ["source"]
    told = {
        word: source_agreement(word, found["source"])
        for word in ("maison", "libro", "fin", "place")
    }
    assert told == {
        "maison": "noun Fem Sing",
        "libro": "noun Masc Sing",
        "fin": "noun ? Sing",
        "place": "",
    }
    assert found["source"].is_noun("house")


def test_texts_of_one_language_are_one_text():
    parts = [text("target", "fr", [line]) for line in FRENCH]
    whole = lexicons_for(BOTH, text("target", "fr", FRENCH))
    assert lexicons_for(BOTH, text_of_all(parts)) == whole
    assert whole["target"].gender("fin") == "Fem"


def test_english_alone_has_no_lexicon_but_a_list_of_nouns():
    task = load_task("en-fr")
    assert not lexicons_for(BOTH, text("source", "en", ENGLISH))
    assert noun_lists(BOTH, task, text("source", "en", ENGLISH))["source"].is_noun("house")
    assert not noun_lists(BOTH, task, text("target", "en", ENGLISH))  # tags tell nouns there
