"""Gaps of tasks for use: objects before verbs, words that only links tell to be pronouns."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.gaps.clitics import attached, clitic_links
from crosspro.data_prep.gaps.extract import RULES
from crosspro.data_prep.gaps.segments import Counts, LinkedSegment, segment_examples


def links_of(text):
    return tuple((int(s), int(t)) for s, t in (pair.split("-") for pair in text.split()))


def gaps_of(task, source, target, links):
    source, target = tuple(source.split()), tuple(target.split())
    segment = LinkedSegment(source, target, links_of(links))
    (example,) = segment_examples(load_task(task), [segment], RULES["text"], Counts())
    return [(source[gap.source_index], gap.word, gap.label) for gap in example.gaps]


@pytest.mark.parametrize(
    ("pair", "source", "target", "links", "added"),
    [
        ("en fr", "I will share it", "je vais le partager", "0-0 1-1 2-3", "3-2"),
        ("en fr", "I have seen it", "je l' ai déjà vue", "0-0 2-4", "3-1"),
        ("en fr", "we take it out", "on la sort", "0-0 1-2", "2-1"),
        ("en es", "I saw her", "la vi", "1-1", "2-0"),
        ("fr en", "je vais le voir", "I will see it", "0-0 1-1 3-2", "2-3"),
        ("en fr", "I think it is so", "je la crois", "0-0 1-2", ""),  # a subject
        ("en fr", "the freedom it gives", "la liberté", "0-0 1-1", ""),  # an article
        ("en de", "I see it", "ich sehe ihn", "0-0 1-1", ""),  # no clitics
        ("en fr", "it said them", "il dit", "0-0 1-1", ""),
    ],
)
def test_objects_are_linked_by_their_verbs(pair, source, target, links, added):
    before = links_of(links)
    found = clitic_links(tuple(pair.split()), source.split(), target.split(), before)
    assert set(found) - set(before) == set(links_of(added))
    assert set(before) <= set(found)


def test_a_pronoun_is_no_article():
    source, target = ["before", "her", "time"], ["avant", "l'", "heure"]
    assert list(clitic_links(("en", "fr"), source, target, links_of("0-0 1-1 2-2"))) == [
        (0, 0),
        (2, 2),
    ]


@pytest.mark.parametrize(
    ("word", "language", "expected"),
    [
        ("dis-lui", "fr", True),
        ("A-t-il", "fr", True),
        ("lui", "fr", False),
        ("rendez-le", "fr", True),
        ("peut-être", "fr", False),
        ("verlo", "es", True),
        ("dándoselas", "es", True),
        ("suelo", "es", False),
        ("Carlos", "es", False),
        ("rendez-vous", "fr", False),
        ("lo", "es", False),
        ("ihn", "de", False),
    ],
)
def test_pronouns_that_are_parts_of_verbs(word, language, expected):
    assert attached(word, language) is expected


@pytest.mark.parametrize(
    ("task", "source", "target", "links", "expected"),
    [
        # an object, and one that is a part of its verb
        ("en-fr-text", "share it", "le partager", "0-1", [("it", "le", "le")]),
        ("en-fr-text", "tell him", "dis-lui", "0-0 1-0", []),
        ("en-es-text", "see it", "verlo", "0-0 1-0", []),
        # possessives are a choice in German alone
        ("en-fr-text", "her mother", "sa mère", "0-0 1-1", []),
        ("en-fr-text", "see her", "la voir", "0-1", [("her", "la", "la")]),
        ("en-de-text", "its end", "sein Ende", "0-0 1-1", [("its", "sein", "sein")]),
        ("en-de-text", "its end", "ihre Enden", "0-0 1-1", [("its", "ihre", "ihre")]),
        # elided forms, and those that are of one class
        ("en-fr-text", "it is", "c' est", "0-0 1-1", [("it", "c'", "ce")]),
        ("en-fr-text", "it is", "ça va", "0-0 1-1", [("it", "ça", "cela")]),
        # articles make gaps only where a link tells that they are pronouns
        ("fr-en-text", "la mer", "the sea", "0-0 1-1", []),
        ("fr-en-text", "la voir", "see her", "1-0", [("la", "her", "her")]),
        ("de-en-text", "das Haus", "the house", "0-0 1-1", []),
        ("de-en-text", "das ist gut", "that is good", "0-0 1-1 2-2", [("das", "that", "this")]),
        # formal address is a class of its own into English
        ("de-en-text", "Sie kommen", "you come", "0-0 1-1", [("Sie", "you", "you")]),
        ("de-en-text", "sie kommen", "they come", "0-0 1-1", [("sie", "they", "they")]),
        # what is not translated is OTHER
        ("en-fr-text", "it rains", "pluie", "1-0", [("it", "NONE", "OTHER")]),
    ],
)
def test_gaps_of_tasks_for_use(task, source, target, links, expected):
    assert gaps_of(task, source, target, links) == expected


def test_null_subjects_stand_beside_pronouns():
    """*la vio*: he saw her."""
    parse = AnnotatedSentence(
        (
            Token("la", "él", "PRON", "PRON", None, 1, "obj"),
            Token("vio", "ver", "VERB", "VERB", None, -1, "root", "Person=3|VerbForm=Fin"),
        )
    )
    english = [("he", "PRON"), ("saw", "VERB"), ("her", "PRON")]
    target = AnnotatedSentence(tuple(Token(word, word, tag) for word, tag in english))
    words = ("la", "vio"), ("he", "saw", "her")
    segment = LinkedSegment(*words, ((1, 1),), target_annotation=target, source_annotation=parse)
    task = load_task("es-en-text")
    (example,) = segment_examples(task, [segment], RULES["text"], Counts())
    assert [(gap.source_index, gap.word) for gap in example.gaps] == [(1, "he"), (0, "her")]
