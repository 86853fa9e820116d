"""The sentence of reason: what is known of a noun, and what a model expects."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.prediction.proofread.doubts import DoubtKind, StoodFor
from crosspro.prediction.proofread.reasons import Expected, reason, stood_for
from crosspro.prediction.proofread.text import FilePlace


def noun(word, gender="", number="", line=12, side="target"):
    return StoodFor(word, side, FilePlace(line, 0, len(word)), 0.9, gender, number)


def said(word, source_word, suggestion, language, *nouns, chances=(0.02, 0.93)):
    expected = Expected(chances[0], suggestion, chances[1])
    return reason(DoubtKind.WORD, word, source_word, 1, expected, nouns, language)


HUND, KATZE = noun("Hund", "Masc", "Sing"), noun("Katze", "Fem", "Sing", 3)
DISAGREE = [
    ("es", "it", "er", "de", HUND, "“es” for “it”: “Hund” is masculine, line 12"),
    ("Es", "It", "Sie", "de", KATZE, "“Es” for “It”: “Katze” is feminine, line 3"),
    ("ihn", "it", "sie", "de", KATZE, "“ihn” for “it”: “Katze” is feminine, line 3"),
    ("sein", "its", "ihr", "de", KATZE, "“sein” for “its”: “Katze” is feminine, line 3"),
    ("ihre", "its", "seine", "de", HUND, "“ihre” for “its”: “Hund” is masculine singular, line 12"),
    ("er", "they", "sie", "de", noun("Hunde", "Masc", "Plur"),
     "“er” for “they”: “Hunde” is plural, line 12"),
    ("il", "it", "elle", "fr", noun("table", "Fem", "Sing"),
     "“il” for “it”: “table” is feminine, line 12"),
    ("ils", "they", "elles", "fr", noun("tables", "Fem", "Plur"),
     "“ils” for “they”: “tables” is feminine, line 12"),
    ("lo", "it", "la", "es", noun("casa", "Fem", "Sing"),
     "“lo” for “it”: “casa” is feminine, line 12"),
    ("ella", "it", "él", "es", noun("hombre", "Masc", "Sing"),
     "“ella” for “it”: “hombre” is masculine, line 12"),
    ("he", "elle", "she", "en", noun("woman", "Fem", "Sing"),
     "“he” for “elle”: “woman” is feminine, line 12"),
    ("it", "sie", "they", "en", noun("rules", "", "Plur"),
     "“it” for “sie”: “rules” is plural, line 12"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "source", "suggestion", "language", "one", "expected"), DISAGREE)
def test_a_noun_that_the_word_cannot_stand_for_is_the_reason(
    word, source, suggestion, language, one, expected
):
    assert said(word, source, suggestion, language, one) == expected


@pytest.mark.parametrize(
    ("language", "words", "nouns", "expected"),
    [
        ("de", ("er", "it", "sie"), [HUND, KATZE], ""),
        ("de", ("er", "it", "sie"), [HUND], ""),
        ("de", ("es", "it", "sie"), [HUND], ""),
        ("de", ("er", "it", "sie"), [], ""),
        ("de", ("er", "it", "sie"), [noun("cat", side="source")], ""),
        ("de", ("er", "it", "sie"), [noun("Wochen", "Fem", "Plur")], ""),
        ("de", ("es", "it", "er"), [noun("Ozeane", "Masc")], ""),
        ("es", ("los", "them", "lo"), [noun("control", "Masc", "Sing")], ""),
        ("de", ("das", "it", "er"), [HUND], ", which would agree with “Hund”, line 12"),
        ("de", ("es", "it", "man"), [noun("Xy")], ""),
        ("en", ("it", "sie", "she"), [noun("woman", "Fem", "Sing")], ""),
        ("nl", ("hij", "it", "zij"), [HUND], ""),
    ],
)  # fmt: skip
def test_no_noun_is_named_that_does_not_bear_the_suggestion_out(language, words, nouns, expected):
    word, source, suggestion = words
    sentence = f"“{word}” for “{source}”: the model expects “{suggestion}” here (0.93)"
    assert said(word, source, suggestion, language, *nouns) == sentence + expected


def test_a_noun_that_is_but_one_of_several_is_named_as_such():
    one = replace(HUND, probability=0.3)
    assert said("es", "it", "er", "de", one).endswith(": perhaps for “Hund”, masculine, line 12")


def test_the_gender_of_a_source_noun_says_nothing_of_the_translation():
    hund = noun("Hund", "Masc", "Sing", side="source")
    assert "masculine" not in said("she", "er", "he", "en", hund)


def test_a_word_that_the_model_expects_is_said_to_be_so():
    found = said("es", "it", "er", "de", HUND, chances=(0.6, 0.3))
    assert found == "the model expects “es” for “it” (0.60)"


def test_a_model_that_is_not_sure_is_said_to_be_so():
    assert said("es", "it", "er", "de", chances=(0.3, 0.2)) == (
        "the model is not sure of “es” for “it” (0.30)"
    )
    assert said("es", "it", "er", "de", chances=(0.1, 0.2)) == (
        "“es” for “it”: the model would rather expect “er” here (0.20)"
    )


def test_pronouns_and_other_small_words_are_no_nouns():
    words = [noun("Es", "Neut", "Sing"), noun("Die", "Fem"), noun("I", side="source")]
    found = said("es", "it", "sie", "de", *words)
    assert found == "“es” for “it”: the model expects “sie” here (0.93)"
    assert said("es", "it", "sie", "de", *words, KATZE).endswith("“Katze” is feminine, line 3")


def test_a_suggestion_without_a_word_names_none():
    found = said("es", "it", "", "de", HUND)
    assert found == "“es” for “it”: the model expects another word or none here (0.93)"


def test_missing_and_additional_pronouns():
    expected = Expected(0.0, "es", 0.9)
    missing = reason(DoubtKind.MISSING, "", "it", 3, expected, (), "de")
    assert missing == "nothing translates “it” (line 3)"
    more = reason(DoubtKind.ADDITIONAL, "sie", "", None, expected, (HUND,), "de")
    assert more == "nothing in the source is linked to “sie”"


def test_a_sentence_is_short_even_with_long_words():
    long = noun("Donaudampfschifffahrtsgesellschaftskapitän", "Masc", "Sing", 123456)
    found = said("es", "it", "er", "de", long)
    assert "“Donaudampfschifffahrtsgesel…”" in found
    assert len(found) <= 140
    assert "\n" not in found


@pytest.mark.parametrize("word", ["das", "dies", "y", "ce", "you", "eso", "this", "man", "su"])
def test_a_word_that_does_not_tell_has_no_kinds(word):
    languages = {"das": "de", "dies": "de", "man": "de", "eso": "es", "su": "es", "y": "fr",
                 "ce": "fr"}  # fmt: skip
    kinds = stood_for(word, languages.get(word, "en")).kinds
    assert kinds in ((), ((None, "Sing"),))
