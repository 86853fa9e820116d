"""English subjects of Spanish verbs that have none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.gaps.extract import RULES
from crosspro.data_prep.gaps.null_subjects import (
    english_subject,
    null_subject_verbs,
    place_null_subjects,
)

FIN = "VerbForm=Fin|Person=3"


def spanish(*rows):
    return AnnotatedSentence(tuple(
        Token(form, form, "X", upos=upos, head=head, deprel=deprel, features=features)
        for form, upos, head, deprel, features in rows
    ))  # fmt: skip


def english(text):
    return AnnotatedSentence(tuple(
        Token(word.split("|")[0], word.split("|")[0], word.split("|")[1]) for word in text.split()
    ))  # fmt: skip


COMES = spanish(("viene", "VERB", -1, "root", FIN), ("hoy", "ADV", 0, "advmod", ""))


def test_verbs_with_a_subject_or_of_another_person_are_none():
    with_subject = spanish(("Juan", "PROPN", 1, "nsubj", ""), ("viene", "VERB", -1, "root", FIN))
    first_person = spanish(("vengo", "VERB", -1, "root", "VerbForm=Fin|Person=1"))
    assert null_subject_verbs(with_subject) == []
    assert null_subject_verbs(first_person) == []
    assert [phrase.first for phrase in null_subject_verbs(COMES)] == [0]


def test_auxiliaries_and_copulas_belong_to_their_head():
    sentence = spanish(("ha", "AUX", 2, "aux", FIN), ("sido", "AUX", 2, "cop", ""),
                       ("vieja", "ADJ", -1, "root", ""))  # fmt: skip
    (phrase,) = null_subject_verbs(sentence)
    assert (phrase.first, phrase.words) == (0, (0, 1, 2))


@pytest.mark.parametrize(
    ("text", "verb", "subject"),
    [
        ("he|PRON comes|VERB", 1, 0),
        ("they|PRON have|VERB often|ADV come|VERB", 3, 0),
        ("do|VERB they|PRON come|VERB ?|.", 2, 1),
        ("come|VERB here|ADV", 0, None),
        ("and|CONJ goes|VERB", 1, None),
        ("to|PRT come|VERB", 1, None),
        ("the|DET old|ADJ man|NOUN comes|VERB", 3, 2),
        ("let|VERB him|PRON come|VERB", 2, None),
    ],
)
def test_subjects_are_found_by_tags(text, verb, subject):
    assert english_subject(english(text), verb) == subject


def test_the_gap_is_at_the_subject_and_names_the_verb():
    (placement,) = place_null_subjects(COMES, english("she|PRON comes|VERB today|NOUN"),
                                       [(0, 1), (1, 2)], RULES["2017"])  # fmt: skip
    assert (placement.source_index, placement.position) == (0, 0)
    assert placement.decision == "subject_found"


@pytest.mark.parametrize("word", ["I", "we"])
def test_a_first_person_translation_is_kept_as_in_the_paper_and_dropped_by_option(word):
    translation = english(f"{word}|PRON came|VERB")
    (placement,) = place_null_subjects(COMES, translation, [(0, 1)], RULES["2017"])
    assert (placement.decision, placement.position) == ("subject_found", 0)
    assert load_task("es-en").class_of(word.lower()) == "OTHER"
    rules = replace(RULES["2017"], keep_first_person=False)
    (placement,) = place_null_subjects(COMES, translation, [(0, 1)], rules)
    assert placement.decision == "left_out_first_person"


def test_without_links_the_position_is_similar_and_without_subject_there_is_no_gap():
    (placement,) = place_null_subjects(COMES, english("a|X b|X"), [], RULES["2017"])
    assert placement.decision == "inserted_similar_position"
    (placement,) = place_null_subjects(
        COMES, english("come|VERB today|NOUN"), [(0, 0)], RULES["2017"]
    )
    assert placement.decision == "left_out_no_subject"
