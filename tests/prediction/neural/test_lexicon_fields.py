"""Lexicons that are learnt from the text of a side."""

from __future__ import annotations

from crosspro.data_prep.core.task import load_task
from crosspro.prediction.neural.reading.lexicon_fields import lexicons_for, noun_lists

FRENCH = ["la fin est ici", "la maison est ici", "la place est ici", "une fin", "une maison"] * 4
ENGLISH = ["the place is old", "a place is here", "the house is old"] * 4
BOTH = {"source": "induced", "target": "induced"}


def text(side, language, lines):
    return {side: (language, (line.split() for line in lines))}


def test_a_lexicon_is_induced_for_a_language_with_gender():
    found = lexicons_for(BOTH, text("target", "fr", FRENCH))
    assert list(found) == ["target"]
    assert found["target"].gender("fin") == "Fem"


def test_english_has_no_lexicon_but_a_list_of_nouns():
    task = load_task("en-fr")
    assert not lexicons_for(BOTH, text("source", "en", ENGLISH))
    assert noun_lists(BOTH, task, text("source", "en", ENGLISH))["source"].is_noun("house")
    assert not noun_lists(BOTH, task, text("target", "en", ENGLISH))  # tags tell nouns there
