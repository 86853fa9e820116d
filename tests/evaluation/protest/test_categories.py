"""The 13 categories against 002's tables and against attributes of both corpora."""

from __future__ import annotations

import csv

import pytest

from crosspro.evaluation.protest.categories import (
    ADDRESSEE,
    ANAPHORIC,
    CATEGORIES,
    EVENT,
    PLEONASTIC,
    LeftOutError,
    category_of,
    function_of,
)
from tests.evaluation.protest.tokens import FOLDER


def table(name):
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_names_order_and_sizes_are_those_of_table_2():
    published = [
        (row["category"], row["pronoun"], int(row["count"]), row["type"] == "anaphoric")
        for row in table("protest_categories")
    ]
    assert [(c.name, c.pronoun, c.wanted, c.anaphoric) for c in CATEGORIES] == published
    assert sum(category.wanted for category in CATEGORIES) == 250
    assert sum(category.anaphoric for category in CATEGORIES) == 8


@pytest.mark.parametrize(
    ("attributes", "function"),
    [
        ({"type": "anaphoric", "antetype": "entity"}, ANAPHORIC),
        ({"type": "anaphoric"}, ANAPHORIC),
        ({"type": "anaphoric", "antetype": "event"}, EVENT),  # ParCorFull
        ({"type": "event"}, EVENT),  # ParCor
        ({"type": "pleonastic"}, PLEONASTIC),
        ({"type": "addressee reference"}, ADDRESSEE),
        ({"type": "addressee_reference"}, ADDRESSEE),
        ({}, None),
        ({"type": "cataphoric"}, None),
        ({"type": "extratextual reference"}, None),
        ({"type": "anaphoric", "split": "split reference"}, None),
        ({"type": "anaphoric", "split": "no explicit antecedent"}, None),
        ({"type": "anaphoric", "type_of_pronoun": "relative"}, None),
    ],
)
def test_the_function_of_a_pronoun(attributes, function):
    personal = {"type_of_pronoun": "personal", "split": "simple antecedent"}
    if function is None:
        with pytest.raises(LeftOutError):
            function_of(personal | attributes)
    else:
        assert function_of(personal | attributes) == function


SUBJECT, OBJECT = {"position": "subject"}, {"position": "non-subject"}
ONE, MANY = {"agreement": "singular"}, {"agreement": "plural"}
INTRA, INTER, GROUP = (True, False), (False, False), (False, True)
"""Whether the antecedent is in the same line, and whether it is a group."""


@pytest.mark.parametrize(
    ("form", "function", "attributes", "antecedent", "category"),
    [
        ("it", ANAPHORIC, SUBJECT, INTRA, "anaphoric_intra_subject_it"),
        ("it", ANAPHORIC, OBJECT, INTRA, "anaphoric_intra_nonsubject_it"),
        ("it", ANAPHORIC, SUBJECT, INTER, "anaphoric_inter_subject_it"),
        ("it", ANAPHORIC, OBJECT, INTER, "anaphoric_inter_nonsubject_it"),
        ("they", ANAPHORIC, MANY, INTRA, "anaphoric_intra_they"),
        ("they", ANAPHORIC, MANY, INTER, "anaphoric_inter_they"),
        ("they", ANAPHORIC, ONE, INTRA, "anaphoric_singular_they"),
        ("they", ANAPHORIC, ONE, (True, True), "anaphoric_group_it_they"),
        ("it", ANAPHORIC, {}, GROUP, "anaphoric_group_it_they"),
        ("it", EVENT, {}, INTER, "event_it"),
        ("it", PLEONASTIC, {}, INTER, "pleonastic_it"),
        ("you", ADDRESSEE, {"audience": "generic"}, INTER, "addressee_generic_you"),
        ("you", ADDRESSEE, {"audience": "deictic"} | ONE, INTER, "addressee_deictic_singular_you"),
        ("you", ADDRESSEE, {"audience": "deictic plural"}, INTER, "addressee_deictic_plural_you"),
        ("you", ADDRESSEE, {}, INTER, None),
        ("you", ADDRESSEE, {"audience": "deictic"}, INTER, None),
        ("it", ANAPHORIC, {}, INTRA, None),
        ("they", ANAPHORIC, {}, INTRA, None),
        ("they", EVENT, {}, INTRA, None),
        ("it", ADDRESSEE, {}, INTRA, None),
    ],
)
def test_the_category_of_a_pronoun(form, function, attributes, antecedent, category):
    if category is None:
        with pytest.raises(LeftOutError):
            category_of(form, function, attributes, *antecedent)
    else:
        assert category_of(form, function, attributes, *antecedent) == category
