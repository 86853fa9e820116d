"""The sentence of reason: what is known of a noun, and what a model expects."""

from __future__ import annotations

import pytest

from crosspro.prediction.proofread.reasons import reason, stood_for
from crosspro.prediction.proofread.text import DoubtKind, Place, PronounDoubt, StoodFor


def noun(word, gender="", number="", line=12, side="target"):
    return StoodFor(word, side, Place(0, line, 0, len(word)), 0.9, gender, number)


def sentence_of(
    word, source_word, suggestion, language, *nouns, chances=(0.02, 0.93), kind=DoubtKind.WORD
):
    doubt = PronounDoubt(
        None, kind, Place(0, 1, 0, 2), word, "a", source_word, Place(0, 3, 0, 2),
        {"a": chances[0], "b": chances[1]}, suggestion, "b", 0.5, nouns,
    )  # fmt: skip
    return reason(doubt, language)


HUND, KATZE = noun("Hund", "Masc", "Sing"), noun("Katze", "Fem", "Sing", 3)
DISAGREE = [
    ("es", "it", "er", "de", HUND, "masculine"),
    ("Es", "It", "Sie", "de", KATZE, "feminine"),
    ("ihn", "it", "sie", "de", KATZE, "feminine"),
    ("sein", "its", "ihr", "de", KATZE, "feminine"),
    ("ihre", "its", "seine", "de", HUND, "masculine singular"),
    ("er", "they", "sie", "de", noun("Hunde", "Masc", "Plur"), "plural"),
    ("il", "it", "elle", "fr", noun("table", "Fem", "Sing"), "feminine"),
    ("ils", "they", "elles", "fr", noun("tables", "Fem", "Plur"), "feminine"),
    ("lo", "it", "la", "es", noun("casa", "Fem", "Sing"), "feminine"),
    ("ella", "it", "él", "es", noun("hombre", "Masc", "Sing"), "masculine"),
    ("he", "elle", "she", "en", noun("woman", "Fem", "Sing"), "feminine"),
    ("it", "sie", "they", "en", noun("rules", "", "Plur"), "plural"),
]


@pytest.mark.parametrize(("word", "source", "suggestion", "language", "noun_", "is_a"), DISAGREE)
def test_a_noun_that_the_word_cannot_stand_for_is_the_reason(
    word, source, suggestion, language, noun_, is_a
):
    sentence = sentence_of(word, source, suggestion, language, noun_)
    assert noun_.word in sentence
    assert f" {is_a}," in sentence
    assert str(noun_.place.line) in sentence


@pytest.mark.parametrize(
    ("language", "words", "nouns"),
    [
        ("de", ("er", "it", "sie"), [HUND, KATZE]),
        ("de", ("er", "it", "sie"), [HUND]),
        ("de", ("es", "it", "sie"), [HUND]),
        ("de", ("er", "it", "sie"), [noun("cat", side="source")]),
        ("de", ("er", "it", "sie"), [noun("Wochen", "Fem", "Plur")]),
        ("de", ("es", "it", "er"), [noun("Ozeane", "Masc")]),
        ("es", ("los", "them", "lo"), [noun("control", "Masc", "Sing")]),
        ("de", ("es", "it", "man"), [noun("Xy")]),
        ("en", ("it", "sie", "she"), [noun("woman", "Fem", "Sing")]),
        ("nl", ("hij", "it", "zij"), [HUND]),
    ],
)
def test_no_noun_is_named_that_does_not_bear_the_suggestion_out(language, words, nouns):
    word, source, suggestion = words
    sentence = sentence_of(word, source, suggestion, language, *nouns)
    assert all(part in sentence for part in (*words, "0.93"))
    assert not any(noun_.word in sentence for noun_ in nouns)


def test_a_noun_that_agrees_with_the_suggestion_is_named_beside_a_demonstrative():
    assert "“Hund”, line 12" in sentence_of("das", "it", "er", "de", HUND)


def test_pronouns_and_other_small_words_are_no_nouns():
    words = [noun("Es", "Neut", "Sing"), noun("Die", "Fem"), noun("I", side="source")]
    assert sentence_of("es", "it", "sie", "de", *words) == sentence_of("es", "it", "sie", "de")
    assert "“Katze” is feminine" in sentence_of("es", "it", "sie", "de", *words, KATZE)


def test_missing_pronouns():
    assert "“it” (line 3)" in sentence_of("", "it", "es", "de", kind=DoubtKind.MISSING)


@pytest.mark.parametrize("word", ["das", "dies", "y", "ce", "you", "eso", "this", "man", "su"])
def test_a_word_that_does_not_tell_has_no_kinds(word):
    languages = {"das": "de", "dies": "de", "man": "de", "eso": "es", "su": "es", "y": "fr",
                 "ce": "fr"}  # fmt: skip
    kinds = stood_for(word, languages.get(word, "en")).kinds
    assert kinds in ((), ((None, "Sing"),))
