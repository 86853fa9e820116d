"""What pronouns agree with: known kinds of nouns, and numbers that lemmas hide."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.lexicon.agreement import class_agreements, english_nouns


def of(task):
    task = load_task(task)
    return dict(zip(task.classes, class_agreements(task), strict=True))


@pytest.mark.parametrize(
    ("task", "name", "kind", "agrees", "differs"),
    [
        ("en-fr", "elle", ("Fem", "Sing"), True, False),
        ("en-fr", "elle", ("Fem", None), True, False),
        ("en-fr", "elle", (None, "Sing"), False, False),
        ("en-fr", "elle", ("Fem", "Plur"), False, True),
        ("en-fr", "elle", ("Masc", None), False, True),
        ("en-fr", "elle", (None, None), False, False),
        ("en-fr", "ce", ("Masc", "Sing"), False, False),
        ("en-de", "sie", ("Masc", "Plur"), True, False),
        ("en-de", "sie", (None, "Plur"), True, False),
        ("en-de", "sie", ("Masc", None), True, False),  # its lemma may hide a plural
        ("en-de", "sie", ("Masc", "Sing"), False, True),
        ("de-en", "they", ("Fem", "Sing"), False, True),
        ("de-en", "they", (None, None), False, False),
        ("de-en", "OTHER", (None, "Plur"), False, False),
    ],
)
def test_nouns_agree_if_it_is_known(task, name, kind, agrees, differs):
    found = of(task)[name]
    assert found.agrees(*kind) == agrees
    assert found.differs(*kind) == differs


def test_expletives_may_stand_for_nothing():
    assert [name for name, one in of("en-fr").items() if one.expletive] == ["il"]
    assert [name for name, one in of("en-de").items() if one.expletive] == ["es"]
    assert [name for name, one in of("es-en").items() if one.expletive] == ["it"]


def test_english_words_that_are_mostly_nouns_are_listed():
    text = ["the house is old", "a house runs", "they love it", "the love of a house", "we love"]
    nouns = english_nouns([line.split() for line in text])
    assert nouns.is_noun("house")
    assert nouns.is_noun("House")
    assert not nouns.is_noun("love")
    assert not nouns.is_noun("the")
    assert nouns.gender("house") is None
